/** The schema as a subgraph of Apollo Federation: references to objects are resolved as `nodes` resolves ids. */
import { readFileSync } from 'node:fs';
import {
  buildClientSchema,
  getIntrospectionQuery,
  Kind,
  lexicographicSortSchema,
  parse,
  print,
  printSchema,
  visit,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey } from '../../src/tenancy/apiKeys.ts';
import { page, postFromPage } from '../access/browsers/browserApp.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { nodeTypes, sampleIds, sampleOperatorIds } from '../support/everyNode.ts';
import { signInOperator } from '../support/operators.ts';

let app: TestApp;
let client: Client;
/** One id of each type. */
let idOf: Record<string, string>;

beforeAll(async () => {
  app = await startApp();
  client = await app.tenant({ alias: 'acme' });
  idOf = await sampleIds(client, 'acme');
});
afterAll(() => app.close());

const nodesDocument = 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }';

describe('_entities', () => {
  const document = `query ($representations: [_Any!]!) {
    _entities(representations: $representations) { __typename ... on Node { id } }
  }`;
  const find = (representations: unknown, of = client) => of.post(document, { representations });
  const refer = (ids: Record<string, string>) =>
    Object.entries(ids).map(([type, id]) => ({ __typename: type, id }));

  it('finds an object of every type that is a Node, compiled or not', async () => {
    const references = refer(idOf);
    for (let execution = 0; execution < 4; execution += 1)
      expect((await find(references)).body).toEqual({ data: { _entities: references } });
    const operator = await signInOperator(app, { tenant: 'acme' });
    const own = refer(await sampleOperatorIds(operator));
    const { body } = await operator.post(document, { representations: own });
    expect(body.data._entities).toEqual(own);
    expect((await find(own)).body.data._entities).toEqual(own.map(() => null));
  });

  it('returns the fields of each type, in the order of the references', async () => {
    const { Customer: id, Product: productId } = idOf;
    const fields = `query ($representations: [_Any!]!) { _entities(representations: $representations) {
      ... on Customer { associatedId activeSubscriptions { product { id } } }
      ... on Product { name }
    } }`;
    const customer = { __typename: 'Customer', id, email: 'as the gateway knows it' };
    const product = { __typename: 'Product', id: productId };
    const representations = [customer, product, customer];
    const found = { associatedId: expect.any(String), activeSubscriptions: [{ product: { id: productId } }] };
    expect(await client.graphql(fields, { representations })).toEqual({
      _entities: [found, { name: expect.any(String) }, found],
    });
  });

  it('is null for what node does not find either, and for an id of another type', async () => {
    const stranger = await app.tenant({ alias: 'stranger' });
    const references = refer(idOf);
    expect((await find(references, stranger)).body.data._entities).toEqual(references.map(() => null));
    const wrong = [
      idOf['Product'],
      'cus_gone',
      '',
      "cus_' OR 1=1",
      'toString',
      '__proto___1',
      'x'.repeat(9e4),
    ];
    const { body } = await find(wrong.map((id) => ({ __typename: 'Customer', id })));
    expect(body).toEqual({ data: { _entities: wrong.map(() => null) } });
  });

  it.each([
    ['no object', [5], '0'],
    ['a list', [[]], '0'],
    ['null', [null], '0'],
    ['no type', [{ id: 'cus_1' }], '0.__typename'],
    ['an unknown type', [{ __typename: 'Nothing', id: 'cus_1' }], '0.__typename'],
    ['a type without id', [{ __typename: 'Money', id: 'cus_1' }], '0.__typename'],
    ['the interface', [{ __typename: 'Node', id: 'cus_1' }], '0.__typename'],
    ['a type of JavaScript', [{ __typename: 'constructor', id: 'cus_1' }], '0.__typename'],
    ['a type that is no text', [{ __typename: ['Customer'], id: 'cus_1' }], '0.__typename'],
    [
      'no id',
      [
        { __typename: 'Customer', id: 'cus_1' },
        { __typename: 'Customer', email: 'x' },
      ],
      '1.id',
    ],
    ['an id that is no text', [{ __typename: 'Customer', id: { id: 'cus_1' } }], '0.id'],
    [
      'more than a hundred',
      Array.from({ length: 101 }, () => ({ __typename: 'Customer', id: 'cus_1' })),
      undefined,
    ],
  ])('refuses %s', async (_, representations, place) => {
    const path = place === undefined ? 'representations' : `representations.${place}`;
    const { status, body } = await find(representations);
    expect([status < 500, body.errors[0].extensions.reason]).toEqual([true, 'validation_failed']);
    expect(body.errors[0].extensions.issues).toEqual([expect.objectContaining({ path })]);
  });

  it('reads references that are written in the document', async () => {
    const id = idOf['Customer']!;
    const write = (text: string) => client.post(`{ _entities(representations: [${text}]) { __typename } }`);
    const { body } = await write(`{ __typename: "Customer", id: "${id}" }`);
    expect(body.data).toEqual({ _entities: [{ __typename: 'Customer' }] });
    for (const wrong of [
      '5',
      '{ __typename: "Customer" }',
      '{ id: "x" }',
      '"Customer"',
      '{ __typename: Customer }',
    ])
      expect((await write(wrong)).body.errors[0].extensions.reason, wrong).toBe('validation_failed');
  });

  it('costs what nodes costs', async () => {
    const ids = Array<string>(50).fill(idOf['Customer']!);
    const cost = async (text: string, variables: Record<string, unknown>) =>
      (await client.post(text, variables, { 'x-graphql-cost': '1' })).body.extensions.cost.requested;
    const asEntities = await cost(document, {
      representations: ids.map((id) => ({ __typename: 'Customer', id })),
    });
    expect(asEntities).toEqual(await cost(nodesDocument, { ids }));
  });

  it('and _service are open to those who may read, not to browsers', async () => {
    await client.graphql('mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { alias } }', {
      input: { allowedOrigins: [page] },
    });
    const publishable = { tenant: 'acme', kind: 'publishable', scope: 'read' } as const;
    const { apiKey } = await createKey(app.service, publishable);
    const { createCustomerSession } = await client.graphql(
      'mutation ($input: CreateCustomerSessionInput!) { createCustomerSession(input: $input) { token } }',
      { input: { customerId: idOf['Customer'] } },
    );
    const references = `{ _entities(representations: [{ __typename: "Customer", id: "${idOf['Customer']}" }]) { __typename } }`;
    for (const token of [apiKey, createCustomerSession.token])
      for (const query of [references, '{ _service { sdl } }', '{ _service { __typename } }']) {
        expect((await postFromPage(app, token, { query })).reason).toBe('closed_to_browsers');
      }
    const reader = await app.key('acme', 'read');
    expect((await reader.graphql(references))._entities).toEqual([{ __typename: 'Customer' }]);
  });
});

describe('_service', () => {
  it('describes the published schema, with a key for each Node', async () => {
    const { _service } = await client.graphql('{ _service { sdl } }');
    const sdl = parse(_service.sdl);
    const keyed = sdl.definitions.filter(
      (each) =>
        each.kind === Kind.OBJECT_TYPE_DEFINITION &&
        each.directives?.some((directive) => print(directive) === '@key(fields: "id")'),
    );
    expect(keyed.map((each) => ('name' in each && each.name?.value) || '').toSorted()).toEqual(
      nodeTypes().toSorted(),
    );
    const plain = visit(sdl, {
      SchemaExtension: () => null,
      Directive: ({ name }) => (/^(key|shareable)$/.test(name.value) ? null : undefined),
    });
    expect(print(plain).trim()).toBe(print(parse(readFileSync('schema.graphql', 'utf8'))).trim());
  });

  it('leaves introspection as schema.graphql is', async () => {
    const introspected = buildClientSchema(
      await client.graphql(getIntrospectionQuery({ specifiedByUrl: true })),
    );
    expect(`${printSchema(lexicographicSortSchema(introspected))}\n`).toBe(
      readFileSync('schema.graphql', 'utf8'),
    );
  });
});
