/** Test tenants follow real time, and are billed by it, until they are given a clock. */
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { perennial } from '../../support/cli.ts';
import { dayMs, stoppedClock } from '../../support/clock.ts';
import { performer } from '../../support/scenario.ts';
import { createShop } from '../../support/shop.ts';

const quiet = pino({ level: 'silent' });
const clock = stoppedClock('2026-01-31T10:00:00.000Z');
const advance = 'mutation ($to: DateTime!) { advanceClock(input: { to: $to }) { clock ownsClock } }';
const billsDocument = `query ($id: ID!) {
  invoices(subscriptionId: $id, order: ASC) { nodes { status createdAt } }
}`;

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' }, { clock });
});
afterAll(() => app.close());

let last = 0;
async function subscribed() {
  const alias = `real-${++last}`;
  const client = await app.tenant({ alias });
  const shop = createShop(client, alias);
  const { price } = await shop.product();
  const { id } = await shop.subscribe(await shop.customer(), price);
  return { alias, client, shop, id: id as string };
}
const fetchClock = async (client: Client) =>
  (await client.graphql('{ tenant { clock ownsClock isTest } }')).tenant;
const listBills = async (client: Client, id: string) =>
  (await client.graphql(billsDocument, { id })).invoices.nodes.map(
    ({ status, createdAt }: any) => `${createdAt.slice(0, 10)} ${status}`,
  );

it('a test tenant without a clock has the time of the server, and the scheduler bills it', async () => {
  const { client, id, shop } = await subscribed();
  expect(await fetchClock(client)).toEqual({ clock: clock.now(), ownsClock: false, isTest: true });
  clock.advance(31 * dayMs);
  expect((await fetchClock(client)).clock).toBe(clock.now());
  expect((await shop.customer()).createdAt).toBe(clock.now());
  await runDueWork(app.service, quiet);
  expect(await listBills(client, id)).toEqual(['2026-01-31 paid', '2026-03-03 paid']);
});

it('a test tenant has a clock from the first advanceClock, and only advanceClock bills it', async () => {
  const { alias, client, id } = await subscribed();
  const other = await subscribed();
  const begin = clock.now();
  const perform = performer(app, client, alias);
  const past = new Date(clock.nowMs() - 1).toISOString();
  await perform({ graphql: [advance, { to: past }], reason: 'validation_failed', paths: ['to'] });
  expect((await fetchClock(client)).ownsClock).toBe(false);
  const to = new Date(clock.nowMs() + dayMs).toISOString();
  await perform({
    graphql: [advance, { to }],
    holds: { clock: to, ownsClock: true },
    traces: ['ClockEvent advanced'],
  });
  clock.advance(60 * dayMs);
  expect(await fetchClock(client)).toEqual({ clock: to, ownsClock: true, isTest: true });
  await runDueWork(app.service, quiet);
  expect(await listBills(client, id)).toEqual([`${begin.slice(0, 10)} paid`]);
  expect(await listBills(other.client, other.id)).toHaveLength(2);
  await client.graphql(advance, { to: clock.now() });
  expect(await listBills(client, id)).toHaveLength(2);
  const { findings } = (await perennial(app.database, ['doctor', '--json'])).json;
  // The doctor runs by the machine's clock, by which the other tenant is late.
  expect(findings.filter((finding: any) => finding.tenant === alias)).toEqual([]);
});

it('twenty concurrent first calls of advanceClock create one clock, at the latest instant', async () => {
  const { client, id, alias } = await subscribed();
  const instants = Array.from({ length: 20 }, (_, index) =>
    new Date(clock.nowMs() + (index + 1) * dayMs).toISOString(),
  );
  const answers = await Promise.all(instants.map((to) => client.post(advance, { to })));
  for (const { body } of answers) {
    const reason = body.errors?.[0].extensions.reason;
    expect([undefined, 'validation_failed']).toContain(reason);
  }
  expect(await fetchClock(client)).toMatchObject({ clock: instants.at(-1), ownsClock: true });
  expect(await listBills(client, id)).toHaveLength(1);
  const traces = await app.service.store.committed.select('traces', {
    where: { tenantAlias: alias, activityType: 'ClockEvent' },
    orderBy: ['eventId'],
  });
  const times = traces.map(({ createdAt }) => createdAt);
  expect(times).toEqual(times.toSorted());
});

it('a test tenant begins at the instant of --clock, or in real time', async () => {
  const create = async (alias: string, ...flags: string[]) =>
    (await perennial(app.database, ['tenant', 'create', alias, ...flags, '--json'])).json.tenant;
  const at = '2026-05-01T00:00:00.000Z';
  expect(await create('with-clock', '--test', '--clock', at)).toMatchObject({ test: true, clockAt: at });
  expect(await create('without-clock', '--test')).toMatchObject({ test: true, clockAt: null });
  const said = await perennial(app.database, ['tenant', 'create', 'in-words', '--test']);
  expect(said.out).toContain('Created tenant in-words (test tenant, follows real time).');
});
