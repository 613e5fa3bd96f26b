/** Metadata of every kind leave a file for a server, and come back, as they were given. */
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type Client } from '../../support/app.ts';
import { perennial } from '../../support/cli.ts';
import { scratchDatabase, type Engine, type Scratch } from '../../support/engines.ts';
import { createShop } from '../../support/shop.ts';

/** Metadata of text, as all records take them. */
const texts: Record<string, string> = {
  nothing: '{}',
  'an empty name and value': '{"":""}',
  'as many as there may be': JSON.stringify(
    Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`k${n}`, `${n}`])),
  ),
  'the longest': JSON.stringify({ ['n'.repeat(40)]: 'ß'.repeat(500) }),
  'other scripts': JSON.stringify({ 'Größe ✓': '大', مرحبا: '‏سلام‏', 'e\u0301': '\u00e9', '𝄞': '👩‍👩‍👧' }),
  'what is escaped': JSON.stringify({
    'a"b\\c': 'line\nline\ttab\u2028\u0007',
    "'; --": '${x}',
    'a.b': '{"json":1}',
  }),
  'names that objects have': '{"__proto__":"a","constructor":"b","toString":"c","metadata":"d","id":"e"}',
};

/** Metadata that only products, groups and coupons take. */
const values = '{"a":[1,null,{"__proto__":{"b":true}}],"n":-0.5,"e":{},"l":[],"big":9007199254740991}';

let source: Scratch;
let before: string[];
const scratches: Scratch[] = [];
const file = () => path.join(path.dirname(source.path), 'tenant.jsonl');

async function makeScratch(of: Engine, bare = false): Promise<Scratch> {
  const scratch = await scratchDatabase(of, bare);
  scratches.push(scratch);
  return scratch;
}

const createCoupon = `mutation ($metadata: JSONObject) {
  createCoupon(input: { name: "Sale", percentOff: "10", duration: once, metadata: $metadata }) { id }
}`;
const createIntent = `mutation ($input: CreateSubscriptionIntentInput!) { createSubscriptionIntent(input: $input) { id } }`;

/** Sells to a customer with the metadata, by an order that carries them to a subscription, an invoice and a payment. */
async function sell(client: Client, text: string): Promise<void> {
  const shop = createShop(client, 'acme');
  const metadata = JSON.parse(text);
  const customer = await shop.customer({ metadata });
  const { price } = await shop.product({ metadata });
  await shop.group({ metadata });
  await client.graphql(createCoupon, { metadata });
  const { tenantAlias: _, ...input } = shop.intentInput(customer, price, { metadata }) as Record<
    string,
    unknown
  >;
  const { createSubscriptionIntent: intent } = await client.graphql(createIntent, { input });
  await shop.confirm(intent.id);
}

const lists = [
  'customers',
  'products',
  'groups',
  'coupons',
  'intents',
  'subscriptions',
  'invoices',
  'payments',
];

/** Lists the metadata of all records and of their events as text: each with its kind, with their names in order. */
async function readAll(client: Client): Promise<string[]> {
  const selection = '(first: 100, order: ASC) { nodes { id metadata } }';
  const shown = await client.graphql(`{ ${lists.map((list) => `${list}${selection}`).join(' ')} }`);
  const records = lists.flatMap((list) =>
    shown[list].nodes.map((node: any) => [list, node.id, node.metadata]),
  );
  const { traces } = await client.graphql('{ traces(first: 100, order: ASC) { nodes { eventId payload } } }');
  const events = traces.nodes
    .filter(({ payload }: any) => payload.object.metadata)
    .map(({ eventId, payload }: any) => ['trace', eventId, payload.object.metadata]);
  return [...records, ...events].map((each) => JSON.stringify(sortNames(each)));
}

/** PostgreSQL does not keep the order of names. */
function sortNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortNames);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return entries.map(([name, each]) => [name, sortNames(each)]);
}

async function run(database: string | undefined, ...words: string[]): Promise<void> {
  const said = await perennial(database, words);
  expect(said, said.out + said.err).toMatchObject({ code: 0 });
}

beforeAll(async () => {
  source = await makeScratch('sqlite');
  const app = await startApp({ database: source.url });
  const client = await app.tenant({ alias: 'acme', test: true });
  for (const text of Object.values(texts)) await sell(client, text);
  const shop = createShop(client, 'acme');
  await shop.group({ metadata: JSON.parse(values) });
  await shop.product({ metadata: JSON.parse(values) });
  before = await readAll(client);
  await app.close();
  await run(source.url, 'export', '--tenant', 'acme', file());
});
afterAll(async () => {
  for (const scratch of scratches) await scratch.drop();
});

it('are what was given, of every record', () => {
  for (const list of lists) {
    const own = before.filter((each) => each.startsWith(`["${list}"`));
    for (const [kind, text] of Object.entries(texts)) {
      const written = JSON.stringify(sortNames(JSON.parse(text)));
      expect(
        own.some((each) => each.endsWith(`,${written}]`)),
        `${list}: ${kind}`,
      ).toBe(true);
    }
  }
});

it.each(['sqlite', 'postgres'] as const)('come by a file of the tenant to %s', async (of) => {
  const target = await makeScratch(of);
  await run(target.url, 'import', file());
  expect(await readFrom(target)).toEqual(before);
});

it('come by a copy to PostgreSQL, and back to SQLite', async () => {
  const server = await makeScratch('postgres', true);
  await run(undefined, 'copy', '--from', source.url, '--to', server.url);
  expect(await readFrom(server)).toEqual(before);
  const back = await makeScratch('sqlite', true);
  await run(undefined, 'copy', '--from', server.url, '--to', back.url);
  expect(await readFrom(back)).toEqual(before);
});

async function readFrom({ url }: Scratch): Promise<string[]> {
  const app = await startApp({ database: url });
  const { json } = await perennial(url, ['key', 'create', '--tenant', 'acme', '--json']);
  const read = await readAll(app.client(json.apiKey));
  await app.close();
  return read;
}
