import { getIntrospectionQuery } from 'graphql';
import type { Reason } from '../../src/lib/errors.ts';
import type { Sent } from './watcher.ts';
import type { World } from './world.ts';

/** `text` so many times. */
const repeated = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');

type Request = Omit<Sent, 'headers'> & Partial<Pick<Sent, 'headers'>>;

const post = (query: string, variables: unknown = {}, path = '/graphql'): Request => ({
  method: 'POST',
  path,
  body: JSON.stringify({ query, variables }),
});
const rest = (method: string, path: string, body?: string): Request => ({
  method,
  path: `/api/v1${path}`,
  body,
});

const mebibyte = 1024 * 1024;
/** As many as go into a body. */
const most = (item: string) => Math.floor((mebibyte - 500) / (item.length + 1));
const writeList = (item: string) => `[${Array(most(item)).fill(item).join()}]`;
const createPrices =
  'mutation ($id: ID!, $prices: [CreatePriceInput!]!) { createPrices(input: { productId: $id, prices: $prices }) { id } }';
const createGroup = 'mutation ($input: CreateGroupInput!) { createGroup(input: $input) { id } }';
const createCustomer = 'mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }';
const inBody = (query: string, variables: string) => ({
  method: 'POST',
  path: '/graphql',
  body: `{"query":${JSON.stringify(query)},"variables":${variables}}`,
});

/** Lines before a document, so that each of its errors has many to count. */
const afterLines = (count: number, document: string) => '\n'.repeat(count) + document;
const mostLines = 5000;
const mostCharacters = 65_536;
const usedOften = (type: string, field: string) =>
  `query ($text: ${type}) { ${repeated(99, (i) => `a${i}: ${field}`)} }`;

interface WorstRequest {
  kind: string;
  request: Request;
  /** The reason of its refusal, if any. */
  reason?: Reason;
}

type Row = [kind: string, request: WorstRequest['request'], reason?: Reason];

/**
 * The most that a key may send of each kind, and what it is refused with, if it is: over customers with large
 * metadata, thousands of products in one group and a subscription that is billed each day.
 */
export function worstRequests(world: World, large: string): WorstRequest[] {
  const until = '2100-01-01';
  const person = '"firstName":"a","lastName":"b","email":"a@b.example","associatedId":"c"';
  const priced = `"tenantAlias":"${world.alias}"`;
  const inPrices = (list: string) => inBody(createPrices, `{"id":"${world.product}","prices":${list}}`);
  const rows: Row[] = [
    [
      'metadata of many values (REST)',
      rest(
        'POST',
        '/customers',
        `{"tenantAlias":"${world.alias}",${person},"metadata":{"a":${writeList('{}')}}}`,
      ),
      'validation_failed',
    ],
    [
      'metadata of many values (GraphQL)',
      inBody(createGroup, `{"input":{"name":"a","metadata":{"a":${writeList('{}')}}}}`),
      'validation_failed',
    ],
    [
      'metadata of many keys',
      inBody(
        createCustomer,
        `{"input":{${person},"metadata":{${Array.from({ length: 60_000 }, (_, i) => `"k${i}":1`).join()}}}}`,
      ),
      'validation_failed',
    ],
    [
      'nodes with the same large record',
      post(
        `{ ${repeated(5, (i) => `n${i}: nodes(ids: [${Array(100).fill(`"${large}"`).join()}]) { ... on Customer { metadata } }`)} }`,
      ),
      'result_too_large',
    ],
    [
      'nodes with the same large record, by variables',
      post(
        `query ($ids: [ID!]!) { ${repeated(99, (i) => `n${i}: nodes(ids: $ids) { ... on Customer { metadata } }`)} }`,
        { ids: Array(100).fill(large) },
      ),
      'result_too_large',
    ],
    [
      'many records with metadata',
      post(`{ ${repeated(99, (i) => `n${i}: customers(first: 100) { nodes { metadata } }`)} }`),
      'result_too_large',
    ],
    [
      'many ids',
      post('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids: Array(60_000).fill('cus_heavy1') }),
      'validation_failed',
    ],
    [
      'wrong ids',
      inBody('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', `{"ids":${writeList('{}')}}`),
      'validation_failed',
    ],
    ['wrong items of a list (GraphQL)', inPrices(writeList('1')), 'validation_failed'],
    ['empty items of a list (GraphQL)', inPrices(writeList('{}')), 'validation_failed'],
    [
      'wrong items of a list (REST)',
      rest('POST', `/products/${world.product}/prices`, `{${priced},"prices":${writeList('1')}}`),
      'validation_failed',
    ],
    [
      'empty items of a list (REST)',
      rest('POST', `/products/${world.product}/prices`, `{${priced},"prices":${writeList('{}')}}`),
      'validation_failed',
    ],
    ['lists in lists', inPrices(`[${writeList('[]')}]`), 'validation_failed'],
    [
      'items of a list in many variables',
      inBody(
        `query (${repeated(300, (i) => `$v${i}: [ID!]!`)}) { ${repeated(99, (i) => `n${i}: nodes(ids: $v${i}) { id }`)} }`,
        `{${Array.from({ length: 300 }, (_, i) => `"v${i}":[${Array(100).fill('{}').join()}]`).join()}}`,
      ),
      'validation_failed',
    ],
    [
      'unknown fields of an input',
      inBody(
        createCustomer,
        `{"input":{${Array.from({ length: 60_000 }, (_, i) => `"fist${i}":1`).join()}}}`,
      ),
      'validation_failed',
    ],
    [
      'unknown fields of a body',
      rest('POST', '/customers', `{${Array.from({ length: 60_000 }, (_, i) => `"fist${i}":1`).join()}}`),
      'validation_failed',
    ],
    [
      'unknown variables',
      inBody('{ tenant { name } }', `{${Array.from({ length: 60_000 }, (_, i) => `"fist${i}":1`).join()}}`),
    ],
    [
      'text that cannot be kept',
      inBody('{ tenant { name } }', `{"a":${writeList('"\\u0000"')}}`),
      'validation_failed',
    ],
    [
      'text that cannot be kept (REST)',
      rest('POST', '/customers', `{"a":${writeList('"\\ud800"')}}`),
      'validation_failed',
    ],
    [
      'a long text for each scalar',
      inBody(
        createCustomer,
        `{"input":{"firstName":"a","lastName":"b","associatedId":"c","email":"${'a@'.repeat(mebibyte / 2 - 400)}"}}`,
      ),
      'validation_failed',
    ],
    [
      'a long date',
      inBody(
        'query ($until: DateTime!) { forecast(subscriptionId: "sub_1", until: $until) { date } }',
        `{"until":"${'2026-01-01T00:00:00'.repeat(50_000)}"}`,
      ),
      'validation_failed',
    ],
    [
      'a long name',
      inBody(createCustomer, `{"input":{${person.replace('"a"', `"${' '.repeat(mebibyte - 600)}"`)}}}`),
      'validation_failed',
    ],
    ['fields that are alike', post(`{ tenant { ${repeated(3900, () => 'name')} } }`), 'validation_failed'],
    ['objects that are alike', post(`{ ${repeated(1300, () => 'tenant { name }')} }`), 'validation_failed'],
    [
      '1,900 fields that are alike',
      post(`{ tenant { ${repeated(1900, () => 'name')} } }`),
      'validation_failed',
    ],
    [
      'fragments that are alike',
      post(
        `{ tenant { ${repeated(600, () => '...a ...b')} } } fragment a on Tenant { ${repeated(700, () => 'name')} } fragment b on Tenant { ${repeated(700, () => 'name')} }`,
      ),
      'validation_failed',
    ],
    [
      'fragments within each other',
      post(
        `{ tenant { ...f0 } } ${repeated(200, (i) => `fragment f${i} on Tenant { ...f${i + 1} ...f${i + 1} }`)} fragment f200 on Tenant { name }`,
      ),
      'validation_failed',
    ],
    [
      'many fragments over the same fields',
      post(
        `{ tenant { ${repeated(300, (i) => `...f${i}`)} } } ${repeated(300, (i) => `fragment f${i} on Tenant { name alias }`)}`,
      ),
    ],
    [
      'deep nesting',
      post(
        `{ customers { nodes { activeSubscriptions { ${'customer { activeSubscriptions { '.repeat(300)} id ${'} }'.repeat(300)} } } } }`,
      ),
      'validation_failed',
    ],
    [
      'deep nesting of JSON',
      inBody('{ tenant { name } }', `{"a":${'['.repeat(500_000)}${']'.repeat(500_000)}}`),
      'validation_failed',
    ],
    ['many problems of a document', post(`{ ${repeated(3900, (i) => `x${i}`)} }`), 'validation_failed'],
    ['many directives', post(`{ tenant { name ${repeated(1900, () => '@no')} } }`), 'validation_failed'],
    ['aliases', post(`{ ${repeated(99, (i) => `c${i}: customers(first: 100) { nodes { id } }`)} }`)],
    [
      'aliases of values',
      post(
        `{ customers(first: 100) { nodes { ${repeated(190, (i) => `a${i}: id`)} activeSubscriptions { ...s } } } } fragment s on Subscription { ${repeated(9, (i) => `b${i}: id`)} }`,
      ),
    ],
    [
      'as many objects as it may',
      post(
        `{ customers(first: 100) { nodes { id activeSubscriptions { id product { id prices { id } } customer { id } } } } }`,
      ),
    ],
    [
      'all products of a group',
      post(
        `{ group(id: "${world.group}") { products { id name description metadata prices { id details { amount currency } } } } }`,
      ),
    ],
    [
      'all products of a group, many times',
      post(`{ ${repeated(99, (i) => `g${i}: group(id: "${world.group}") { products { id name } }`)} }`),
      'validation_failed',
    ],
    [
      'searches',
      post(`{ ${repeated(99, (i) => `p${i}: products(name: "nothing${i}") { nodes { id } }`)} }`),
      'validation_failed',
    ],
    ['one search', post('{ products(name: "nothing") { nodes { id } } }')],
    [
      'forecasts',
      post(
        `{ ${repeated(99, (i) => `f${i}: forecast(subscriptionId: "${world.subscription}", until: "${until}") { date lines { amount { amount } } }`)} }`,
      ),
      'validation_failed',
    ],
    [
      'one forecast',
      post(
        `{ forecast(subscriptionId: "${world.subscription}", until: "${until}") { date lines { amount { amount } } } }`,
      ),
    ],
    [
      'as many forecasts as it may',
      post(
        `{ ${repeated(9, (i) => `f${i}: forecast(subscriptionId: "${world.subscription}", until: "${until}") { date lines { amount { amount } } }`)} }`,
      ),
    ],
    [
      'as many searches as it may',
      post(`{ ${repeated(9, (i) => `p${i}: products(name: "nothing${i}") { nodes { id } }`)} }`),
    ],
    [
      'as many forecasts of the tenant as it may',
      post(
        `{ ${repeated(1, (i) => `t${i}: tenant { forecast(until: "${new Date(Date.now() + 300 * 86_400_000).toISOString()}") { date charges } }`)} }`,
      ),
    ],
    [
      'as much introspection as it may',
      post(
        `{ ${repeated(16, (i) => `s${i}: __schema { types { name fields { name args { name type { name ofType { name } } } type { name } } } }`)} }`,
      ),
    ],
    [
      'as many prices as it may',
      inBody(
        `mutation ($prices: [CreatePriceInput!]!) { ${repeated(99, (i) => `p${i}: createPrices(input: { productId: "${world.product}", prices: $prices }) { id }`)} }`,
        `{"prices":[${Array(100).fill('{"details":{"amount":1,"currency":"afn"}}').join()}]}`,
      ),
    ],
    [
      'forecasts of the tenant',
      post(`{ ${repeated(99, (i) => `t${i}: tenant { forecast(until: "2027-01-01") { date charges } }`)} }`),
      'validation_failed',
    ],
    ['introspection', post(getIntrospectionQuery())],
    [
      'as many examples of events as it may',
      post(`{ ${repeated(10, (i) => `e${i}: eventTypes { name example }`)} }`),
    ],
    [
      'examples of events',
      post(`{ ${repeated(99, (i) => `e${i}: eventTypes { name example }`)} }`),
      'validation_failed',
    ],
    [
      'introspection by aliases',
      post(
        `{ ${repeated(99, (i) => `s${i}: __schema { types { name fields { name args { name type { name ofType { name } } } type { name } } } }`)} }`,
      ),
      'validation_failed',
    ],
    [
      'introspection of a type by aliases',
      post(
        `{ ${repeated(99, (i) => `s${i}: __type(name: "Mutation") { fields { name description args { name description type { name ofType { name } } } } }`)} }`,
      ),
      'validation_failed',
    ],
    [
      'introspection round in circles',
      post(
        `{ __schema { types { fields { type { fields { type { fields { type { fields { type { fields { name } } } } } } } } } } } }`,
      ),
      'validation_failed',
    ],
    [
      'errors of many fields',
      post(`{ ${repeated(99, (i) => `c${i}: customer(id: "cus_none${i}") { id }`)} }`),
    ],
    [
      'many changes',
      post(
        `mutation { ${repeated(99, (i) => `g${i}: createGroup(input: { name: "g${i}" }) { id products { id } }`)} }`,
      ),
    ],
    [
      'problems after many lines',
      post(afterLines(500_000, `{ ${repeated(60, (i) => `x${i}`)} }`)),
      'validation_failed',
    ],
    [
      'problems after as many lines as there may be',
      post(afterLines(mostLines - 1, `{ ${repeated(60, (i) => `x${i}`)} }`)),
      'validation_failed',
    ],
    [
      'errors after many lines',
      post(afterLines(500_000, `{ ${repeated(99, (i) => `c${i}: customer(id: "cus_none${i}") { id }`)} }`)),
      'validation_failed',
    ],
    [
      'errors after as many lines as there may be',
      post(afterLines(mostLines - 1, `{ ${repeated(99, (i) => `c${i}: customer(id: "cus_none") { id }`)} }`)),
    ],
    [
      'a subscription after many lines',
      post(afterLines(500_000, `subscription { ${repeated(60, (i) => `x${i}`)} }`), {}, '/graphql/stream'),
      'validation_failed',
    ],
    [
      'a subscription after as many lines as there may be',
      post(
        afterLines(mostLines - 1, `subscription { ${repeated(60, (i) => `x${i}`)} }`),
        {},
        '/graphql/stream',
      ),
      'validation_failed',
    ],
    [
      'fields that conflict after as many lines as there may be',
      post(
        afterLines(
          mostLines - 1,
          `{ ${repeated(40, (i) => `a: customers { nodes { ${repeated(20, (k) => `b${k}: ${i % 2 ? 'id' : 'email'}`)} } }`)} }`,
        ),
      ),
      'validation_failed',
    ],
    [
      'a long cursor, used often',
      post(usedOften('String', 'customers(after: $text) { nodes { id } }'), {
        text: 'x'.repeat(mebibyte - 6000),
      }),
      'validation_failed',
    ],
    [
      'a cursor as long as it may be, used often',
      post(usedOften('String', 'customers(after: $text) { nodes { id } }'), {
        text: 'x'.repeat(mostCharacters),
      }),
    ],
    [
      'a long id, used often',
      post(usedOften('ID!', 'customer(id: $text) { id }'), { text: 'x'.repeat(mebibyte - 6000) }),
      'validation_failed',
    ],
    [
      'an id as long as it may be, used often',
      post(usedOften('ID!', 'customer(id: $text) { id }'), { text: `cus_${'x'.repeat(mostCharacters - 4)}` }),
    ],
    [
      'ids as long as they may be, used often',
      post(usedOften('[ID!]!', 'nodes(ids: $text) { id }'), {
        text: Array.from({ length: 14 }, (_, i) => `cus_${i}${'x'.repeat(mostCharacters - 10)}`),
      }),
    ],
    [
      'the same large record four times',
      post(`{ ${repeated(4, (i) => `n${i}: customer(id: "${large}") { metadata }`)} }`),
    ],
    ['a page with a large record', post('{ customers(first: 100) { nodes { metadata } } }')],
    [
      'a large body under an idempotency key',
      {
        ...inBody(createGroup, `{"input":{"name":"a","metadata":{"a":"${'x'.repeat(mebibyte - 500)}"}}}`),
        headers: { 'idempotency-key': 'large' },
      },
      'validation_failed',
    ],
    ['traces', post(`{ ${repeated(99, (i) => `t${i}: traces(first: 100) { nodes { eventId payload } }`)} }`)],
    [
      'an erasure over many traces',
      post(`mutation { eraseCustomer(id: "${world.customer}") { id } }`),
      'customer_has_subscriptions',
    ],
    [
      'subscriptions over plain HTTP',
      post(`subscription { ${repeated(99, (i) => `t${i}: traceRecorded { id }`)} }`),
      'validation_failed',
    ],
  ];
  return rows.map(([kind, request, reason]) => ({ kind, request, reason }));
}

/** Their kinds, which do not depend on the world. */
export const kinds = worstRequests({} as World, '').map(({ kind }) => kind);
