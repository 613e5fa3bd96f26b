/** Announcements of renewals after a long period, which laws demand in places: New York's GBL § 527-a, 15 to 45 days before. */
import { BillingError, isTransient } from '../../lib/errors.ts';
import { toMajor } from '../../lib/money.ts';
import { addMs } from '../../lib/time.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { findMailSettings } from '../../tenants/mailSettings.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { forecastSubscription, type ForecastCharge } from './forecast.ts';
import { dayMs } from '../../lib/durations.ts';

/** Returns how long (ms) before a renewal a tenant announces it; 0 for never. */
const findNoticeMs = (tenant: Pick<Row<'tenants'>, 'mail'>): number =>
  findMailSettings(tenant).renewalNoticeDays * dayMs;

const listUpcoming = (reads: Reads, after: string, to: string, limit: number) =>
  reads.many('subscriptions', {
    where: { nextBillingDate: { after, to, inIndex: 'subscriptions_renewals' } },
    orderBy: ['nextBillingDate', 'id'],
    limit,
  });

/** Returns when the next renewal is to be announced, at `now` or later, up to `until`; undefined for none. */
export async function findNextRenewalNotice(
  { read, record }: TenantScope,
  now: string,
  until: string,
): Promise<string | undefined> {
  const noticeMs = findNoticeMs(record);
  if (noticeMs === 0) return undefined;
  const [next] = await listUpcoming(read, now, addMs(until, noticeMs), 1);
  if (!next) return undefined;
  const at = addMs(next.nextBillingDate!, -noticeMs);
  return at > now ? at : now;
}

/**
 * Records the event `renewal_upcoming` for renewals of periods of six months or more that come within the tenant's
 * notice, at most `limit`, once for each billing date. Returns their number.
 */
export async function announceRenewals(tenant: TenantScope, now: string, limit: number): Promise<number> {
  const noticeMs = findNoticeMs(tenant.record);
  if (noticeMs === 0) return 0;
  const due = await listUpcoming(tenant.read, now, addMs(now, noticeMs), limit);
  if (due.length === 0) return 0;
  const charges: (ForecastCharge | undefined)[] = [];
  for (const subscription of due) charges.push(await forecastRenewal(tenant, subscription));
  return tenant.writeStep(async (unit) => {
    let done = 0;
    for (const [index, { id, nextBillingDate }] of due.entries())
      if (await announceRenewal(unit, id, nextBillingDate!, charges[index])) done += 1;
    return done;
  });
}

/** Forecasts the charge at the next billing date; undefined if its customer has too many charges until then. */
async function forecastRenewal(
  tenant: TenantScope,
  { id, nextBillingDate }: Row<'subscriptions'>,
): Promise<ForecastCharge | undefined> {
  try {
    const charges = await forecastSubscription(tenant, id, nextBillingDate!);
    return charges.find(({ date }) => date === nextBillingDate);
  } catch (error) {
    if (error instanceof BillingError && !isTransient(error.reason)) return undefined;
    throw error;
  }
}

/** Announces a renewal unless another server has, or the subscription has changed since it was found. */
async function announceRenewal(
  unit: UnitOfWork,
  id: string,
  renewsAt: string,
  charge: ForecastCharge | undefined,
): Promise<boolean> {
  const subscription = await unit.one('subscriptions', { id });
  if (!subscription || !isToBeAnnounced(subscription, renewsAt)) return false;
  const announced = await unit.change('subscriptions', subscription, { renewalAnnouncedFor: renewsAt });
  const expected = charge && {
    amount: toMajor(charge.totalMinor, charge.currency),
    currency: charge.currency,
  };
  await unit.recordEvent('subscriptions', announced, 'renewal_upcoming', { renewsAt, ...expected });
  return true;
}

const isToBeAnnounced = (subscription: Row<'subscriptions'>, renewsAt: string): boolean => {
  const { nextBillingDate, renewalAnnouncedFor, cancelledAt, cancelAt, cancelAtPeriodEnd } = subscription;
  const continues = cancelledAt === null && !cancelAtPeriodEnd && (cancelAt === null || cancelAt > renewsAt);
  const isBilled = subscription.pausedAt === null && subscription.parkedReason === null;
  return continues && isBilled && nextBillingDate === renewsAt && renewalAnnouncedFor !== renewsAt;
};
