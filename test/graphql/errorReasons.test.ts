/** What each operation may end with is declared once, and told alike by the schema, OpenAPI and the documentation. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isEnumType, isScalarType } from 'graphql';
import { format, resolveConfig } from 'prettier';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogue, type Reason } from '../../src/lib/errors.ts';
import {
  commonReasons,
  connectionReasons,
  consoleReasons,
  documentReasons,
  mutationReasons,
  pageReasons,
  transportReasons,
} from '../../src/graphql/reasons.ts';
import { operationReasons } from '../support/declarations.ts';
import { schema } from '../../src/app/schema.ts';
import { root } from '../sourceFiles.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { engine } from '../support/engines.ts';

const reasons = Object.keys(catalogue) as Reason[];
interface Field {
  name: string;
  type: unknown;
  description?: string | null;
}
const listFields = (type: { getFields(): object } | null | undefined): Field[] =>
  Object.values(type?.getFields() ?? {});
const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap(
  listFields,
);

describe('the schema', () => {
  it('has the reasons as an enum, each described', () => {
    const type = schema.getType('ErrorReason');
    if (!isEnumType(type)) throw new Error('ErrorReason is no enum');
    expect(type.getValues().map(({ name }) => name)).toEqual(reasons);
    for (const { name, description } of type.getValues()) {
      expect(description).toContain(catalogue[name as Reason].message);
    }
  });

  it('declares the reasons of every root field, and of nothing else', () => {
    expect(Object.keys(operationReasons).toSorted()).toEqual(roots.map(({ name }) => name).toSorted());
  });

  it('lists the reasons in the descriptions, which name no others', () => {
    for (const { name, description } of roots) {
      const said = Array.from(String(description).matchAll(/`(\w+)`/g), ([, word]) => word as Reason);
      expect(said.filter((word) => reasons.includes(word))).toEqual(operationReasons[name]);
    }
  });

  it('declares where every reason occurs: an operation, all operations, all mutations, or the URL', () => {
    const used = new Set([
      ...Object.values(operationReasons).flat(),
      ...commonReasons,
      ...consoleReasons,
      ...documentReasons,
      ...mutationReasons,
      ...pageReasons,
      ...transportReasons,
    ]);
    expect(reasons.filter((reason) => !used.has(reason))).toEqual([]);
    for (const [name, own] of Object.entries(operationReasons)) {
      expect(new Set(own).size, name).toBe(own.length);
      expect(
        own.filter((reason) => commonReasons.includes(reason)),
        name,
      ).toEqual([]);
    }
  });

  it('has a specification URL for every custom scalar', () => {
    const own = Object.values(schema.getTypeMap()).filter(isScalarType);
    const builtIn = ['Boolean', 'Float', 'ID', 'Int', 'String'];
    const custom = own.filter(({ name }) => !builtIn.includes(name));
    expect(custom.length).toBeGreaterThan(0);
    for (const { name, specifiedByURL } of custom) expect(specifiedByURL, name).toMatch(/^https?:\/\//);
    for (const guide of ['urql', 'apollo-client']) {
      const text = readFileSync(path.join(root, `docs/guides/${guide}.md`), 'utf8');
      const [, mapping] = /scalars: \{\n(.*?)\n {4}\}/s.exec(text)!;
      const mapped = Array.from(mapping!.matchAll(/^ {6}(\w+): /gm), ([, name]) => name!);
      expect(mapped.toSorted(), guide).toEqual(custom.map(({ name }) => name).toSorted());
    }
  });

  it('has nullable connections with non-null content', () => {
    for (const type of Object.values(schema.getTypeMap())) {
      if (!('getFields' in type)) continue;
      for (const field of listFields(type as never)) {
        const kind = String(field.type);
        if (/Connection!?$/.test(kind)) expect(kind, `${type.name}.${field.name}`).not.toMatch(/!$/);
        if (!type.name.endsWith('Connection')) continue;
        const wanted = {
          edges: /^\[\w+Edge!\]!$/,
          nodes: /^\[\w+!\]!$/,
          pageInfo: /^PageInfo!$/,
          nextCursor: /^String$/,
          totalCount: /^Int!$/,
        };
        expect(kind).toMatch(wanted[field.name as keyof typeof wanted]);
      }
    }
  });
});

it.runIf(engine === 'sqlite')('docs/errors-by-operation.md is up to date', async () => {
  const page = path.join(root, 'docs/errors-by-operation.md');
  const rows = Object.keys(operationReasons)
    .toSorted()
    .map((name) => `| \`${name}\` | ${formatReasons(operationReasons[name]!)} |`);
  const text = `# Errors by operation

Any operation may return ${formatReasons(commonReasons)}. Operations of the console may also return ${formatReasons(consoleReasons)}, and GraphQL requests ${formatReasons(documentReasons)}. Any mutation may also return ${formatReasons(mutationReasons)}. Any
operation that selects a connection of a nested object, or \`totalCount\`, may also return
${formatReasons(connectionReasons)}. An unknown path or method returns ${formatReasons(transportReasons)}. The pages for payers show ${formatReasons(pageReasons)}. The table lists the other reasons of each root field. A REST
operation has the reasons of its root field; OpenAPI lists them as \`x-reasons\`. [Errors](errors.md) explains each reason, and
the GraphQL query \`errorReasons\` returns this list.

| Root field | Reasons |
| --- | --- |
${rows.join('\n')}
`;
  const pretty = await format(text, { ...(await resolveConfig(page)), filepath: page });
  await expect(pretty).toMatchFileSnapshot(page);
});

const formatReasons = (own: Reason[]) => own.map((reason) => `\`${reason}\``).join(', ') || '–';

it('OpenAPI has x-reasons and a response for the status of each', () => {
  const { paths } = JSON.parse(readFileSync(path.join(root, 'openapi.json'), 'utf8'));
  for (const item of Object.values<any>(paths)) {
    for (const [method, { responses, 'x-reasons': declared, operationId }] of Object.entries<any>(item)) {
      if (method === 'parameters') continue;
      expect(declared.length, operationId).toBeGreaterThan(5);
      for (const reason of declared as Reason[])
        expect(responses, operationId).toHaveProperty(String(catalogue[reason].status));
    }
  }
});

describe('a client', () => {
  let app: TestApp;
  let client: Client;
  beforeAll(async () => {
    app = await startApp();
    client = await app.tenant({ alias: 'acme', name: 'Acme', test: true });
  });
  afterAll(() => app.close());

  it('can read which operations have a reason', async () => {
    const { errorReasons } = await client.graphql(
      '{ errorReasons { reason status message operations anyOperation anyMutation } }',
    );
    expect(errorReasons.map(({ reason }: any) => reason)).toEqual(reasons);
    const of = (wanted: Reason) => errorReasons.find(({ reason }: any) => reason === wanted);
    expect(of('associated_id_exists')).toEqual({
      reason: 'associated_id_exists',
      ...catalogue.associated_id_exists,
      operations: ['createCustomer'],
      anyOperation: false,
      anyMutation: false,
    });
    expect(of('unavailable')).toMatchObject({ operations: [], anyOperation: true, anyMutation: true });
    expect(of('insufficient_scope')).toMatchObject({
      operations: [],
      anyOperation: false,
      anyMutation: true,
    });
  });

  const document = '{ me { keyId scope executorId tenant { alias name } } }';

  it.each(['read', 'write'] as const)('with the scope %s can read its own key', async (scope) => {
    const mine = await app.key('acme', scope);
    const keyId = mine.apiKey.split('_')[2];
    const { me } = await mine.graphql(document);
    expect(me).toEqual({ keyId, scope, executorId: keyId, tenant: { alias: 'acme', name: 'Acme' } });
    const named = await mine.graphql(document, {}, { 'x-executor-id': 'user-7' });
    expect(named.me).toMatchObject({ keyId, executorId: 'user-7' });
  });

  it('cannot read other keys', async () => {
    const other = await app.tenant({ alias: 'other', test: true });
    const { body } = await other.post('{ me { keyId } }', {}, { 'perennial-tenant': 'acme' });
    expect(body).toMatchObject({ errors: [{ extensions: { reason: 'tenant_mismatch' } }] });
    expect(body.data).toBeUndefined();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => (index % 2 ? client : other).post(document)),
    );
    for (const [index, answer] of answers.entries()) {
      expect(answer.body.data.me.tenant.alias).toBe(index % 2 ? 'acme' : 'other');
      expect(answer.text).not.toContain((index % 2 ? client : other).apiKey);
    }
  });
});
