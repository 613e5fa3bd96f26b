/** Usage events are kept for a tenant's days after their bill, exported before, and then removed; what was counted stays. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { perennial } from '../../support/cli.ts';
import { findFaults } from '../../support/faults.ts';
import { openUsageShop, type UsageShop } from './shop.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '1000000' });
});
afterAll(() => app.close());

const silent = pino({ level: 'silent' });
const keepFor = ({ client }: UsageShop, usageRetentionDays: number | null) =>
  client.post(
    'mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { usageRetentionDays } }',
    {
      input: { usageRetentionDays },
    },
  );
const listEvents = async ({ client }: UsageShop): Promise<string[]> =>
  (await client.graphql('{ usageEvents(first: 100, order: ASC) { nodes { at } } }')).usageEvents.nodes.map(
    ({ at }: { at: string }) => at.slice(0, 10),
  );
const askUsage = ({ client, customer }: UsageShop, meterId: string, rest: object = {}) =>
  client.post(
    `query ($meterId: ID!, $customerId: ID!, $from: DateTime!, $until: DateTime!, $by: UsageStep) {
      usage(meterId: $meterId, customerId: $customerId, from: $from, until: $until, by: $by) { value windows { value } }
    }`,
    { meterId, customerId: customer.id, from: '2026-01-01', until: '2026-06-01', ...rest },
  );

/** Usage from a time within a quarter of an hour on, by a price that is billed by the month or the year. */
async function openMetered(recurring: object = { frequency: 'Monthly', period: 1 }) {
  const shop = await openUsageShop(app, '2026-01-01T00:07:00.000Z');
  const meterId = await shop.meter();
  const details = { amount: 1, currency: 'afn' };
  const price = await shop.plan(0, { name: 'Calls', price: { details, meterId, recurring } });
  const id = await shop.subscribe(shop.customer, price);
  for (const day of ['2026-01-05', '2026-01-25', '2026-03-02']) {
    await shop.advance(day);
    await shop.use([day, 10, { model: '=1+1' }]);
  }
  return { ...shop, meterId, id };
}

describe('usage events', () => {
  it('go after their days, and bills, sums by day and the doctor do without them', async () => {
    const shop = await openMetered();
    await keepFor(shop, 30);
    await shop.advance('2026-04-10');
    const before = (await askUsage(shop, shop.meterId, { by: 'day' })).body.data.usage;
    await runDueWork(app.service, silent);
    expect(await listEvents(shop)).toEqual(['2026-01-05', '2026-01-25', '2026-03-02']);
    await shop.advance('2026-05-01T12:00:00Z');
    await runDueWork(app.service, silent);
    // 70 days and 30: those that were received before January 21.
    expect(await listEvents(shop)).toEqual(['2026-01-25', '2026-03-02']);
    expect((await askUsage(shop, shop.meterId, { by: 'day' })).body.data.usage).toEqual(before);
    const divided = await askUsage(shop, shop.meterId, { from: '2026-01-05T00:01:00Z' });
    expect(divided.body.errors[0].extensions).toMatchObject({
      reason: 'validation_failed',
      issues: [{ path: 'from' }],
    });
    const later = await askUsage(shop, shop.meterId, { from: '2026-03-01T00:01:00Z' });
    expect(later.body.data.usage.value).toBe('10');
    expect(await findFaults(app, shop.alias)).toEqual([]);
    const invoices = await shop.bills(shop.id);
    expect(invoices).toContain('2026-02-01T00:07 paid 20');
  });

  it('stay while their period is not billed', async () => {
    const shop = await openMetered({ frequency: 'Yearly', period: 1 });
    await keepFor(shop, 1);
    await shop.advance('2026-12-20');
    await runDueWork(app.service, silent);
    expect(await listEvents(shop)).toHaveLength(3);
    await shop.advance('2027-01-02');
    expect((await shop.lastBill(shop.id)).total).toBe(30);
    await runDueWork(app.service, silent);
    // Late events may still come.
    expect(await listEvents(shop)).toHaveLength(3);
    await shop.advance('2027-02-10');
    await shop.advance('2028-02-10');
    await runDueWork(app.service, silent);
    expect(await listEvents(shop)).toEqual([]);
    expect(await findFaults(app, shop.alias)).toEqual([]);
  });

  it('stay for 400 days if a limit counts them, and without the setting', async () => {
    const shop = await openMetered();
    await shop.client.graphql(
      'mutation ($id: ID!) { createFeature(input: { key: "f", name: "F", kind: limit, meterId: $id }) { id } }',
      { id: shop.meterId },
    );
    await shop.advance('2026-12-01');
    await runDueWork(app.service, silent);
    await keepFor(shop, 1);
    await runDueWork(app.service, silent);
    expect(await listEvents(shop)).toHaveLength(3);
    await shop.advance('2027-03-02');
    await runDueWork(app.service, silent);
    expect(await listEvents(shop)).toEqual(['2026-03-02']);
  });

  it('cannot be taken back where the others of their quarter of an hour are gone', async () => {
    const shop = await openMetered();
    await keepFor(shop, 1);
    await shop.advance('2026-09-01');
    await runDueWork(app.service, silent);
    expect(await listEvents(shop)).toEqual([]);
    const events = [
      { id: 'b', event: 'use', customerId: shop.customer.id, at: '2026-01-05', properties: { units: 5 } },
    ];
    await shop.client.graphql(
      'mutation ($events: [UsageEventInput!]!) { backfillUsage(input: { events: $events }) { accepted } }',
      { events },
    );
    const { voidUsage } = await shop.client.graphql(
      'mutation { voidUsage(input: { ids: ["b"] }) { voided unknownIds } }',
    );
    expect(voidUsage).toEqual({ voided: 0, unknownIds: ['b'] });
    expect((await askUsage(shop, shop.meterId)).body.data.usage.value).toBe('35');
    expect(await findFaults(app, shop.alias)).toEqual([]);
  });

  it.each([0, -1, 1.5, 3651])('are not kept for %d days', async (days) => {
    const shop = await openUsageShop(app);
    const { body } = await keepFor(shop, days);
    expect(JSON.stringify(body.errors)).toMatch(/usageRetentionDays|Int cannot represent/);
  });
});

it.each(['jsonl', 'csv'])('are exported as %s before they go, of one tenant alone', async (format) => {
  const shop = await openMetered();
  await openMetered();
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'perennial-usage-')), `usage.${format}`);
  const options = ['--tenant', shop.alias, '--format', format, '--before', '2026-02-01', '--json'];
  const said = await perennial(app.database, ['export-usage', file, ...options]);
  expect(said.json).toMatchObject({ tenant: shop.alias, format, events: 2 });
  const lines = readFileSync(file, 'utf8').trim().split(/\r?\n/);
  if (format === 'csv') {
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^id,eventId,event,customerId,/);
    expect(lines[1]).toContain('"{""units"":10,""model"":""=1+1""}"');
  } else {
    const events = lines.map((line) => JSON.parse(line));
    expect(events.map(({ at }) => at)).toEqual(['2026-01-05T00:00:00.000Z', '2026-01-25T00:00:00.000Z']);
    expect(events[0]).toMatchObject({ event: 'use', customerId: shop.customer.id, voidedAt: null });
  }
  expect((await perennial(app.database, ['export-usage', file, ...options])).err).toContain(
    'is there already',
  );
});
