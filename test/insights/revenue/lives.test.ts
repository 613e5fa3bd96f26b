/** Random lives: what was recorded while they were lived is what a rebuild from the history writes, and it telescopes. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rebuildRevenue } from '../../../src/insights/revenue/rebuild.ts';
import { openScheduledTenant } from '../../../src/tenancy/openTenant.ts';
import { findTenant, listTenants } from '../../../src/tenancy/tenants.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { findFaults } from '../../support/faults.ts';
import { isLong } from '../../support/sample.ts';
import { live } from '../../billing/subscriptions/richLife.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000' });
});
afterAll(() => app.close());

const readRecords = async (tenantAlias: string) => {
  const { fresh } = app.service.store;
  const where = { tenantAlias };
  const movements = await fresh.select('mrrMovements', { where, orderBy: ['id'] });
  const subscriptions = await fresh.select('subscriptions', { where, orderBy: ['id'] });
  const sums = await fresh.select('revenueSums', { where, orderBy: ['currency', 'span', 'at'] });
  // Of several changes in one instant, the order is not known: their sum is.
  const moved = new Map<string, bigint>();
  for (const { at, subscriptionId, amountMinor, isStandard } of movements) {
    const key = `${at} ${subscriptionId}`;
    if (isStandard) moved.set(key, (moved.get(key) ?? 0n) + amountMinor);
  }
  return {
    movements: [...moved]
      .filter(([, amountMinor]) => amountMinor !== 0n)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    mrr: subscriptions.map(({ id, mrr }) => [id, mrr]),
    sums,
  };
};

it.each(Array.from({ length: isLong ? 200 : 6 }, (_, index) => index + 101))('life %i', async (seed) => {
  const before = new Set((await listTenants(app.service)).map(({ alias }) => alias));
  await live(app, seed, 20);
  const { alias } = (await listTenants(app.service)).find((tenant) => !before.has(tenant.alias))!;
  expect(await findFaults(app, alias)).toEqual([]);
  const lived = await readRecords(alias);
  const record = (await findTenant(app.service, alias))!;
  await rebuildRevenue(openScheduledTenant(app.service, record));
  expect(await findFaults(app, alias)).toEqual([]);
  const rebuilt = await readRecords(alias);
  expect(rebuilt.movements).toEqual(lived.movements);
  expect(rebuilt.mrr).toEqual(lived.mrr);
  expect(rebuilt.sums).toEqual(lived.sums);
});
