/** Every statement that reads several tables names the tenant of each: so a tenant's rows are joined on one shard. */
import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { pino } from 'pino';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { schema } from '../../../src/app/schema.ts';
import { isServerTable, tableDeclarations, type TableName } from '../../../src/storage/model/rowTypes.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { graphqlRows, listRootFields, writeDocument } from '../../support/operations.ts';
import { fillTenant } from '../../support/world.ts';

const declared = Object.entries(tableDeclarations).map(([name, { name: table }]) => ({
  table,
  isOfServer: isServerTable(name as TableName),
}));
const named = new RegExp(
  `\\b(?:from|join|update|into|using)\\s+(?:only\\s+)?"(${declared.map(({ table }) => table).join('|')})"`,
  'gi',
);
const tenantCondition =
  /(?:"alias"|"tenant_alias") (?:=|in) |\("[a-z_."]+"tenant_alias", "[a-z_."]+"id"\) in \(select \* from "free"\)/gi;

/** Whether a statement joins tables without the tenant of each of them. */
function joinsWithoutTenant(statement: string): boolean {
  const tables = [...statement.matchAll(named)].map(([, table]) => table!);
  if (tables.length < 2) return false;
  const isOfServer = (table: string) => declared.find((each) => each.table === table)!.isOfServer;
  if (tables.every(isOfServer)) return false;
  return [...statement.matchAll(tenantCondition)].length < tables.length;
}

let app: TestApp;
const statements = new Set<string>();
beforeAll(async () => {
  const { parse, query } = pg.Connection.prototype as any;
  vi.spyOn(pg.Connection.prototype as any, 'parse').mockImplementation(function (this: any, ...args: any[]) {
    statements.add(args[0].text);
    return parse.apply(this, args);
  });
  vi.spyOn(pg.Connection.prototype as any, 'query').mockImplementation(function (this: any, ...args: any[]) {
    statements.add(args[0]);
    return query.apply(this, args);
  });
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '100000' });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await app.close();
});

it('no statement of any operation or of the scheduler joins without the tenant', async () => {
  const client = await app.tenant({ alias: 'acme' });
  const world = await fillTenant(client, 'acme');
  const fields = listRootFields(schema);
  // Queries first, while the records are there.
  for (const root of fields.toSorted(
    (a, b) => Number(a.kind === 'mutation') - Number(b.kind === 'mutation'),
  )) {
    const document = writeDocument(schema, root, 2);
    const { body } = await client.post(document, graphqlRows[root.name]!.call(world));
    if (root.kind === 'query') expect([root.name, body.errors]).toEqual([root.name, undefined]);
  }
  await runDueWork(app.service, pino({ level: 'silent' }));
  expect(statements.size).toBeGreaterThan(300);
  const joining = [...statements].filter((each) => [...each.matchAll(named)].length > 1);
  expect(joining.length).toBeGreaterThan(0);
  expect(joining.filter(joinsWithoutTenant)).toEqual([]);
});

it.each([
  [
    'select * from "groups" join "products" on "products"."group_id" = "groups"."id" where "groups"."tenant_alias" = $1',
    true,
  ],
  ['select * from "groups" where "tenant_alias" = $1', false],
  [
    'select * from "groups" where "tenant_alias" = $1 and exists (select 1 from "products" where "products"."tenant_alias" = "groups"."tenant_alias")',
    false,
  ],
])('%s', (statement, isRefused) => {
  expect(joinsWithoutTenant(statement)).toBe(isRefused);
});
