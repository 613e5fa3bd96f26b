/** Limits of credits beside everything else: what followers are told, the signed token, export, import and copy, and erasure. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApp, type App } from '../../../src/app/app.ts';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { readConfig } from '../../../src/config/config.ts';
import { startApp, testSecretKey, type TestApp } from '../../support/app.ts';
import { perennial } from '../../support/cli.ts';
import { scratchDatabase, type Scratch } from '../../support/engines.ts';
import { findFaults } from '../../support/faults.ts';
import { follow, listen } from '../../support/follow.ts';
import { openCredits } from './creditShop.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'credit-limits-'));
const log = pino({ level: 'silent' });
const moved: { app: App; scratch: Scratch }[] = [];
let app: TestApp;
let url: string;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '1000000' });
  url = await listen(app);
});
afterAll(async () => {
  for (const { app: own, scratch } of moved) {
    await own.close();
    await scratch.drop();
  }
  await app.close();
  rmSync(folder, { recursive: true });
});

const soon = { timeout: 5000, interval: 20 };
const entitlementChanged = `subscription ($customerId: ID!) {
  entitlementChanged(customerId: $customerId) { feature { key } allowed limit used reserved because }
}`;

it('followers are told of usage of each meter of the type, of its rates, and of reservations in units', async () => {
  const shop = await openCredits(app, '100');
  const { client, customer, feature } = shop;
  const following = await follow(url, client, { customerId: customer.id }, entitlementChanged);
  const last = () => {
    const { used, reserved, allowed } = following.events.at(-1) ?? {};
    return `${used}+${reserved} ${allowed}`;
  };
  try {
    await expect.poll(last, soon).toBe('0+0 true');
    await shop.record('image', 3);
    await expect.poll(last, soon).toBe('30+0 true');
    await shop.record('tokens', 2000);
    await expect.poll(last, soon).toBe('32+0 true');
    const { id } = await shop.reserve(feature, 1, { meterId: shop.images });
    await expect.poll(last, soon).toBe('32+10 true');
    await shop.setRates([{ meterId: shop.images, credits: '30' }]);
    await expect.poll(last, soon).toBe('90+30 false');
    await shop.settle(id, 0);
    await expect.poll(last, soon).toBe('90+0 true');
    expect(following.errors).toEqual([]);
    expect(new Set(following.events.map((each) => each.feature.key))).toEqual(new Set([feature]));
  } finally {
    await following.stop();
  }
});

it('the token has the limit, what is used and what is left, and no units of another customer', async () => {
  const shop = await openCredits(app, '100');
  await shop.record('image', 3);
  const other = await shop.shop.customer();
  await shop.override(shop.feature, '7', { customerId: other.id });
  const read = async (id: string) => {
    const { entitlementToken } = await shop.client.graphql(
      'query ($id: ID!) { entitlementToken(customerId: $id) { token } }',
      { id },
    );
    const [, body] = entitlementToken.token.split('.');
    return JSON.parse(Buffer.from(body, 'base64url').toString()).entitlements[shop.feature];
  };
  expect(await read(shop.customer.id)).toMatchObject({ limit: '100', used: '30', remaining: '70' });
  expect(await read(other.id)).toMatchObject({ limit: '7', used: '0', remaining: '7' });
});

/** Moves a database by commands of the program, and serves the one that it came to. */
async function serveMoved(move: (database: string) => string[][], isBare: boolean): Promise<App> {
  const scratch = await scratchDatabase(undefined, isBare);
  for (const command of move(scratch.url)) {
    const said = await perennial(app.database, command);
    expect(said, said.err).toMatchObject({ code: 0 });
  }
  const settings = { database: scratch.url, databaseConnections: '4', logLevel: 'silent' };
  const own = await createApp(readConfig({ ...settings, secretKey: testSecretKey }, {}), {
    scheduler: false,
  });
  moved.push({ app: own, scratch });
  expect((await perennial(scratch.url, ['doctor', '--json'])).json).toMatchObject({ findings: [] });
  return own;
}

it.each<[string, boolean, (database: string, alias: string) => string[][]]>([
  [
    'an exported tenant',
    false,
    (database, alias) => [
      ['export', '--tenant', alias, path.join(folder, `${alias}.jsonl`)],
      ['import', path.join(folder, `${alias}.jsonl`), '--database', database],
    ],
  ],
  ['a copied database', true, (database) => [['copy', '--from', app.database, '--to', database]]],
])('%s goes on to count, and tells no alert again', async (_, isBare, move) => {
  const shop = await openCredits(app, '100');
  await shop.client.graphql(
    `mutation ($id: ID!) { updateFeature(id: $id, input: { alertPercents: [50, 80] }) { id } }`,
    { id: (await shop.client.graphql('{ features { nodes { id } } }')).features.nodes[0].id },
  );
  await shop.record('image', 5);
  await shop.record('tokens', 1000);
  await runDueWork(app.service, log);
  const entitlements = `query ($id: ID!) { checkEntitlement(customerId: $id, feature: "${shop.feature}") {
    limit used remaining alertedPercent } }`;
  const before = (await shop.client.graphql(entitlements, { id: shop.customer.id })).checkEntitlement;
  expect(before).toEqual({ limit: '100', used: '51', remaining: '49', alertedPercent: 50 });
  const own = await serveMoved((database) => move(database, shop.alias), isBare);
  const ask = async (query: string, variables: object) => {
    const { body } = await own.server.inject({
      method: 'POST',
      url: '/graphql',
      headers: { 'content-type': 'application/json', 'api-key': shop.client.apiKey },
      payload: JSON.stringify({ query, variables }),
    });
    const { data, errors } = JSON.parse(body);
    expect(errors).toBeUndefined();
    return Object.values(data)[0] as any;
  };
  expect(await ask(entitlements, { id: shop.customer.id })).toEqual(before);
  const record = (n: number) =>
    ask('mutation ($events: [UsageEventInput!]!) { recordUsage(input: { events: $events }) { accepted } }', {
      events: [{ id: `moved-${n}`, event: 'image', customerId: shop.customer.id, properties: { n } }],
    });
  expect(await record(3)).toEqual({ accepted: 1 });
  await runDueWork(own.service, log);
  const { nodes } = await ask(
    '{ traces(activityType: CustomerEvent, order: ASC, first: 100) { nodes { event { type details } } } }',
    {},
  );
  const told = nodes.filter(({ event }: any) => event.type === 'CustomerEvent.usage_alert');
  expect(told.map(({ event }: any) => event.details.percent)).toEqual([50, 80]);
});

it('erasure takes what was counted and told of the customer, and nothing of others', async () => {
  const shop = await openCredits(app, '100');
  const id = (await shop.client.graphql('{ features { nodes { id } } }')).features.nodes[0].id;
  await shop.client.graphql(
    'mutation ($id: ID!) { updateFeature(id: $id, input: { alertPercents: [50] }) { id } }',
    { id },
  );
  const other = await shop.shop.customer();
  await shop.override(shop.feature, '10', { customerId: other.id });
  expect(await shop.consume(shop.feature, 1, { customerId: other.id, meterId: shop.images })).toMatchObject({
    allowed: true,
  });
  await shop.record('image', 6);
  const reserved = await shop.reserve(shop.feature, 1, { meterId: shop.images });
  expect(reserved.status).toBe('open');
  await runDueWork(app.service, log);
  const count = async (table: string, customerId: string) =>
    (await app.backdoor.all(`select 1 from ${table} where customer_id = '${customerId}'`)).length;
  const tables = ['usage_events', 'usage_totals', 'usage_buckets', 'limit_alerts', 'reservations'];
  for (const table of tables) expect([table, await count(table, shop.customer.id)]).not.toEqual([table, 0]);
  await shop.client.graphql('mutation ($id: ID!) { cancelSubscription(id: $id) { id } }', {
    id: shop.subscriptionId,
  });
  await shop.client.graphql('mutation ($id: ID!) { eraseCustomer(id: $id) { id } }', {
    id: shop.customer.id,
  });
  for (const table of tables) expect([table, await count(table, shop.customer.id)]).toEqual([table, 0]);
  expect(await count('limit_alerts', other.id)).toBe(1);
  expect((await shop.check(shop.feature, '0', { customerId: other.id })).used).toBe('10');
  expect(await findFaults(app, shop.alias)).toEqual([]);
});
