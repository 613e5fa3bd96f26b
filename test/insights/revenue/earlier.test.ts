/** Databases of earlier releases: their movements and sums are rebuilt by the first scheduled work, and add up. */
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { examine } from '../../../src/maintenance/doctor/doctor.ts';
import { listTenants } from '../../../src/tenancy/tenants.ts';
import { isSince, openFixture, placeFixture, releases, startAt } from '../../support/fixtures.ts';

const withoutRevenue = releases.filter((release) => !isSince(release, 'operators'));

it.each(withoutRevenue)('a database of %s', async (release) => {
  const scratch = await placeFixture(release);
  const app = await startAt(openFixture(release), scratch.url, {});
  try {
    const tenants = await listTenants(app.service);
    expect(new Set(tenants.map(({ revenueSince }) => revenueSince))).toEqual(new Set([null]));
    await runDueWork(app.service, pino({ level: 'silent' }));
    expect((await listTenants(app.service)).map(({ revenueSince }) => revenueSince)).not.toContain(null);
    const { findings } = await examine(app.service, () => {});
    expect(findings.filter(({ check }) => check === 'revenue' || check === 'traces')).toEqual([]);
    const { fresh } = app.service.store;
    const movements = await fresh.select('mrrMovements', { where: {} });
    const running = (await fresh.select('subscriptions', { where: { cancelledAt: null } })).filter(
      ({ currentPeriodEnd }) => currentPeriodEnd !== null,
    );
    expect(running.length).toBeGreaterThan(0);
    expect(running.every(({ mrr }) => mrr !== null)).toBe(true);
    expect(movements.filter(({ kind }) => kind === 'new').length).toBeGreaterThan(0);
    expect((await fresh.select('revenueSums', { where: {} })).length).toBeGreaterThan(0);
  } finally {
    await app.close();
    await scratch.drop();
  }
});
