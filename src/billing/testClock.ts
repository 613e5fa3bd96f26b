import { BillingError, refuse } from '../errors.ts';
import { instantOf, later } from '../instants.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type { TenantRow } from '../tenants/tenants.ts';
import { expireIntents, expiringIntents } from './expiry.ts';
import { billSlice } from './run.ts';

const none: ReadonlySet<string> = new Set();
// A daily subscription over this time is some seven thousand bills; more would keep the caller waiting for minutes.
const farthestMs = 20 * 366 * 86_400_000;

/**
 * Moves the time of a test tenant forward and performs, in order, all that falls due on the way. One that followed real
 * time owns its time from then on. Resolves with the tenant at its new time. Errors: `validation_failed` for a tenant that is not a test one and for going back,
 * `unavailable` where a provider could not be reached (the clock stays at that moment).
 */
export async function advanceClock(tenant: Tenant, to: string): Promise<TenantRow> {
  const { test, timezone } = tenant.record;
  if (!test) {
    refuse('validation_failed', { path: 'to', message: 'is for test tenants alone' });
  }
  const end = instantOf(to, timezone, 'to');
  const begin = tenant.now();
  if (end < begin) refuse('validation_failed', { path: 'to', message: `lies before the clock, ${begin}` });
  if (end > later(begin, farthestMs)) {
    refuse('validation_failed', { path: 'to', message: 'must be at most 20 years ahead at once' });
  }
  for (;;) {
    const next = await nextDue(tenant, end);
    const { clockAt: now } = await moveTo(tenant, next ?? end);
    if (next === undefined) return (await tenant.read.one('tenants', {}))!;
    await performAll(tenant, now!);
  }
}

/** The earliest instant, up to `end`, at which something falls due. */
async function nextDue({ read }: Tenant, end: string): Promise<string | undefined> {
  const [subscription] = await read.many('subscriptions', {
    where: { dueAt: { to: end }, changingIntentId: null },
    orderBy: ['dueAt', 'id'],
    limit: 1,
  });
  const [intent] = await expiringIntents(read, end);
  const [delivery] = await read.many('webhookDeliveries', {
    where: { dueAt: { to: end } },
    orderBy: ['dueAt', 'id'],
    limit: 1,
  });
  return [subscription?.dueAt, intent?.at, delivery?.dueAt]
    .filter((each) => typeof each === 'string')
    .toSorted()[0];
}

async function performAll(tenant: Tenant, now: string): Promise<void> {
  await expireIntents(tenant, now);
  for (;;) {
    const { taken, unreachable } = await billSlice(tenant, now, none);
    if (unreachable.length > 0) throw new BillingError('unavailable', [], 5);
    if (taken === 0) break;
  }
  await tenant.deliverDue();
}

/** What was due before the clock's present moment is performed at that moment: the clock never goes back. */
function moveTo(tenant: Tenant, instant: string): Promise<TenantRow> {
  return tenant.begin(async (unit) => {
    const clockAt = instant > unit.now ? instant : unit.now;
    return unit.change('tenants', unit.tenant, { clockAt }, { action: 'advanced', as: 'ClockEvent' });
  });
}
