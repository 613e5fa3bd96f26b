/** Rows of an earlier release are found by what a migration has filled for them, alike on both databases. */
import { expect, it } from 'vitest';
import { buildOrderColumns } from '../../src/billing/catalog/products.ts';
import { readMigrations } from '../../src/storage/migrate.ts';
import { engine, scratchDatabase } from '../support/engines.ts';
import { migrateRows } from '../support/migrated.ts';

const names = ['Plain', 'ÉCOLE', 'ΟΔΟΣ', 'İstanbul', 'STRASSE ẞ', '100 %', '名前', 'Ǆ'];
const at = '2026-01-31T00:00:00.000Z';

/** SQL that adds what a release without those columns has kept. */
const rows = names.map(
  (name, index) => `
    insert into groups (tenant_alias, id, name, metadata, prorate_upgrades, created_at, updated_at)
      values ('acme', 'grp_${index}', '${name}', '{}', BOOLEAN, '${at}', '${at}');
    insert into products (tenant_alias, id, name, description, active, metadata, created_at, updated_at)
      values ('acme', 'prod_${index}', '${name}', '', BOOLEAN, '{}', '${at}', '${at}');
    insert into traces (tenant_alias, event_id, trace_id, is_root, executor_id, activity_type, payload, created_at)
      values ('acme', 'evt_${index}', 't', BOOLEAN, 'x', 'ProductEvent',
        '{"action":"created","resourceId":"prod_${index}","object":{"resourceId":"not this"}}', '${at}');`,
);
const tenant = `insert into tenants (alias, name, timezone, test, cursor_secret, retry_days, has_webhooks, created_at, updated_at)
  values ('acme', 'Acme', 'UTC', BOOLEAN, 's', '[]', BOOLEAN, '${at}', '${at}');`;
const statements = [tenant, ...rows].join('\n').replaceAll('BOOLEAN', engine === 'sqlite' ? '1' : 'true');

it('the migration fills the columns for lower-case names, places and resources of traces', async () => {
  const all = readMigrations(`drizzle/${engine}`);
  const filling = all.findIndex((migration) =>
    migration.statements.some((each) => each.startsWith('-- fill:')),
  );
  expect(filling).toBeGreaterThan(0);
  const scratch = await scratchDatabase(engine, true);
  try {
    await migrateRows(scratch, all, filling, statements);
    for (const table of ['groups', 'products']) {
      const found = await scratch.backdoor.all(`select name, name_lower from ${table} order by id`);
      expect(found).toEqual(names.map((name) => ({ name, name_lower: name.toLowerCase() })));
    }
    const places = await scratch.backdoor.all('select catalog_place from products order by id');
    expect(places).toEqual(
      names.map((name) => ({
        catalog_place: buildOrderColumns({ name, sortOrder: null }).catalogPlace,
      })),
    );
    const traces = await scratch.backdoor.all('select resource_id from traces order by event_id');
    expect(traces).toEqual(names.map((_, index) => ({ resource_id: `prod_${index}` })));
  } finally {
    await scratch.drop();
  }
});
