/** A machine's clock jumps: forwards after a sleep, backwards after a correction. Nothing is billed twice, or early. */
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { dayMs, stoppedClock, type TestClock } from '../../support/clock.ts';
import { createShop } from '../../support/shop.ts';

const log = pino({ level: 'silent' });
const start = '2026-01-31T10:00:00.000Z';
const hourMs = dayMs / 24;

let app: TestApp;
let clock: TestClock;
let client: Client;
let subscription: string;
beforeEach(async () => {
  clock = stoppedClock(start);
  app = await startApp({ rateLimitPerSecond: '10000' }, { clock });
  client = await app.tenant({ alias: 'acme' });
  const shop = createShop(client, 'acme');
  const { price } = await shop.product({ recurring: { frequency: 'Daily', period: 1, executionDate: null } });
  ({ id: subscription } = await shop.subscribe(await shop.customer(), price));
});
afterEach(() => app.close());

/** The periods that have been billed, oldest first, as days since the start; each is one invoice, paid once. */
async function billedDays(): Promise<number[]> {
  const { invoices } = await client.graphql(
    `query ($id: ID!) { invoices(subscriptionId: $id, first: 100, order: ASC) { nodes { status lines { periodStart } } } }`,
    { id: subscription },
  );
  return invoices.nodes.map(({ status, lines }: any) => {
    expect([status, lines.length]).toEqual(['paid', 1]);
    return (Date.parse(lines[0].periodStart) - Date.parse(start)) / dayMs;
  });
}

const upTo = (last: number) => Array.from({ length: last + 1 }, (_, day) => day);

/** Moves the clock and performs what is due then. */
async function jump(ms: number) {
  clock.advance(ms);
  await runDueWork(app.service, log);
}

it('backward: nothing is billed until the time is reached again', async () => {
  await jump(2 * dayMs);
  expect(await billedDays()).toEqual(upTo(2));
  for (const ms of [-hourMs, -dayMs, -400 * dayMs]) {
    await jump(ms);
    expect(await billedDays()).toEqual(upTo(2));
  }
  await jump(401 * dayMs + hourMs);
  expect(await billedDays()).toEqual(upTo(2));
  await jump(dayMs);
  expect(await billedDays()).toEqual(upTo(3));
});

it('forward and back: each cycle is billed once, oldest first', async () => {
  await jump(10 * dayMs);
  expect(await billedDays()).toEqual(upTo(10));
  await jump(-10 * dayMs);
  for (let day = 0; day < 10; day++) await jump(dayMs);
  expect(await billedDays()).toEqual(upTo(10));
  await jump(dayMs);
  expect(await billedDays()).toEqual(upTo(11));
});

it('by seconds around the start of a cycle: it is billed once', async () => {
  await jump(dayMs - 1000);
  expect(await billedDays()).toEqual(upTo(0));
  for (const ms of [2000, -2000, 1999, -1, 1, 1, -3000, 5000]) await jump(ms);
  expect(await billedDays()).toEqual(upTo(1));
});

it('traces stay in order', async () => {
  for (const ms of [dayMs, -dayMs, 2 * dayMs, -3 * dayMs, 5 * dayMs]) {
    await jump(ms);
    await client.graphql(`mutation { createGroup(input: { name: "at ${clock.now()}" }) { id } }`);
  }
  const rows = await app.service.store.committed.select('traces', {
    where: { tenantAlias: 'acme', activityType: 'GroupEvent' },
    orderBy: ['eventId'],
  });
  expect(rows.map(({ payload }) => (payload['object'] as any).name)).toEqual(
    ['2026-02-01', '2026-01-31', '2026-02-02', '2026-01-30', '2026-02-04'].map(
      (day) => `at ${day}T10:00:00.000Z`,
    ),
  );
});

it('API keys expire by the present time, and rate limits ignore clock jumps', async () => {
  await jump(-365 * dayMs);
  expect((await client.rest('GET', '/customers')).status).toBe(200);
  await jump(2 * 365 * dayMs);
  expect((await client.rest('GET', '/customers')).status).toBe(200);
});
