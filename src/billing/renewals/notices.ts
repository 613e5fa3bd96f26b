/**
 * Events that only the time causes, besides charges: reminders of unpaid invoices, announcements of renewals after a long
 * period, which laws demand in places (New York's GBL § 527-a, 15 to 45 days before), the end of the access of past-due
 * subscriptions, and payment methods that expire soon and that a subscription charges.
 */
import { listDueReminders, remindPayers } from '../invoices/reminders.ts';
import type { TenantScope, SteppedTenant } from '../../tenancy/tenantScope.ts';
import { addMs } from '../../lib/time.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { findDunningPolicy } from '../../tenants/dunningPolicy.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { dayMs } from '../../lib/durations.ts';
import { BillingError, isTransient } from '../../lib/errors.ts';
import { toMajor } from '../../lib/money.ts';
import { findMailSettings } from '../../tenants/mailSettings.ts';
import { forecastSubscription, type ForecastCharge } from './forecast.ts';
import type { PaymentMethodRow } from '../payments/paymentMethods.ts';

/** The number of events of one kind in one unit of work. */
const sliceSize = 50;

/** Records the notices of a tenant that are due at `now`, a slice at a time. Returns their number; 0 once none is left. */
export async function giveNotices(tenant: TenantScope, now: string): Promise<number> {
  const reminders = await remindPayers(tenant, now, sliceSize);
  const renewals = await announceRenewals(tenant, now, sliceSize);
  const ended = await announceEndedAccess(tenant, now, sliceSize);
  return reminders + renewals + ended + (await announceExpiringMethods(tenant, now, sliceSize));
}

/** Returns the instants from `now` to `until` at which the next notice of each kind is due. */
export async function listNextNotices(
  tenant: TenantScope,
  now: string,
  until: string,
): Promise<(string | undefined)[]> {
  const [invoice] = await listDueReminders(tenant.read, until, 1);
  const renewal = await findNextRenewalNotice(tenant, now, until);
  return [
    invoice?.remindAt ?? undefined,
    renewal,
    await findNextGraceEnd(tenant, now, until),
    await findNextExpiryNotice(tenant.read, now, until),
  ];
}

/** Announces what is due in one unit of work, if anything is; returns how much of it was not announced before. */
async function announceEach<Due>(
  tenant: Pick<SteppedTenant, 'writeStep'>,
  due: readonly Due[],
  announce: (unit: UnitOfWork, each: Due, index: number) => Promise<boolean>,
): Promise<number> {
  if (due.length === 0) return 0;
  return tenant.writeStep(async (unit) => {
    let done = 0;
    for (const [index, each] of due.entries()) if (await announce(unit, each, index)) done += 1;
    return done;
  });
}

/** Returns an instant, or `now` if it has passed. */
const findLater = (now: string, at: string): string => (at > now ? at : now);

/** Returns how long (ms) access lasts after a failure; undefined if it ends with the subscription's retries, or not at all. */
function findGraceMs(tenant: Pick<Row<'tenants'>, 'dunning'>): number | undefined {
  const { accessGraceDays } = findDunningPolicy(tenant);
  return accessGraceDays === null ? undefined : accessGraceDays * dayMs;
}

const listPastDue = (reads: Reads, to: string, limit: number) =>
  reads.many('subscriptions', {
    where: { pastDueSince: { to, inIndex: 'subscriptions_grace' } },
    orderBy: ['pastDueSince', 'id'],
    limit,
  });

/** Returns when the next access grace ends, at `now` or later, up to `until`; undefined for none. */
async function findNextGraceEnd(
  { read, record }: Pick<SteppedTenant, 'read' | 'record'>,
  now: string,
  until: string,
): Promise<string | undefined> {
  const graceMs = findGraceMs(record);
  if (graceMs === undefined) return undefined;
  const [next] = await listPastDue(read, addMs(until, -graceMs), 1);
  if (!next) return undefined;
  return findLater(now, addMs(next.pastDueSince!, graceMs));
}

/**
 * Records the event `access_ended` for past-due subscriptions whose access grace has ended, at most `limit`, once for each
 * time that they became past due. Returns their number.
 */
async function announceEndedAccess(tenant: SteppedTenant, now: string, limit: number): Promise<number> {
  const graceMs = findGraceMs(tenant.record);
  if (graceMs === undefined) return 0;
  const due = await listPastDue(tenant.read, addMs(now, -graceMs), limit);
  return announceEach(tenant, due, (unit, { id }) => announceEnd(unit, id, now));
}

/** Announces the end unless another server has, the invoice was paid, or the policy has changed since it was found. */
async function announceEnd(unit: UnitOfWork, id: string, now: string): Promise<boolean> {
  const subscription = await unit.one('subscriptions', { id });
  const graceMs = findGraceMs(unit.tenant);
  if (!subscription || graceMs === undefined) return false;
  const { pastDueSince, accessEndedFor, cancelledAt, pausedAt } = subscription;
  if (pastDueSince === null || cancelledAt !== null || pausedAt !== null) return false;
  const accessUntil = addMs(pastDueSince, graceMs);
  if (accessEndedFor === pastDueSince || accessUntil > now) return false;
  const announced = await unit.change('subscriptions', subscription, { accessEndedFor: pastDueSince });
  await unit.recordEvent('subscriptions', announced, 'access_ended', { accessUntil });
  return true;
}

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
async function findNextRenewalNotice(
  { read, record }: TenantScope,
  now: string,
  until: string,
): Promise<string | undefined> {
  const noticeMs = findNoticeMs(record);
  if (noticeMs === 0) return undefined;
  const [next] = await listUpcoming(read, now, addMs(until, noticeMs), 1);
  if (!next) return undefined;
  return findLater(now, addMs(next.nextBillingDate!, -noticeMs));
}

/**
 * Records the event `renewal_upcoming` for renewals of periods of six months or more that come within the tenant's
 * notice, at most `limit`, once for each billing date. Returns their number.
 */
async function announceRenewals(tenant: TenantScope, now: string, limit: number): Promise<number> {
  const noticeMs = findNoticeMs(tenant.record);
  if (noticeMs === 0) return 0;
  const due = await listUpcoming(tenant.read, now, addMs(now, noticeMs), limit);
  const charges: (ForecastCharge | undefined)[] = [];
  for (const subscription of due) charges.push(await forecastRenewal(tenant, subscription));
  return announceEach(tenant, due, (unit, { id, nextBillingDate }, index) =>
    announceRenewal(unit, id, nextBillingDate!, charges[index]),
  );
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

const expiryNoticeMs = 30 * dayMs;

const listExpiring = (reads: Reads, to: string, limit: number) =>
  reads.many('paymentMethods', {
    where: { expiresAt: { to, inIndex: 'payment_methods_expiry' } },
    orderBy: ['expiresAt', 'id'],
    limit,
  });

/** Returns when the expiry of the next method is looked at, at `now` or later, up to `until`; undefined for none. */
async function findNextExpiryNotice(reads: Reads, now: string, until: string): Promise<string | undefined> {
  const [next] = await listExpiring(reads, addMs(until, expiryNoticeMs), 1);
  if (!next) return undefined;
  return findLater(now, addMs(next.expiresAt!, -expiryNoticeMs));
}

/**
 * Records the event `payment_method_expiring` for methods that expire within 30 days and that a subscription charges, at
 * most `limit`, once for each expiry. Methods without a subscription are marked too, so that they are not found again.
 * Returns their number.
 */
async function announceExpiringMethods(tenant: SteppedTenant, now: string, limit: number): Promise<number> {
  const due = await listExpiring(tenant.read, addMs(now, expiryNoticeMs), limit);
  return announceEach(tenant, due, (unit, { id, expiresAt }) => announceExpiry(unit, id, expiresAt));
}

/** Announces the expiry of a method unless another server has, or the method has changed since it was found. */
async function announceExpiry(unit: UnitOfWork, id: string, expiresAt: string | null): Promise<boolean> {
  const method = await unit.one('paymentMethods', { id });
  if (
    !method ||
    method.expiresAt !== expiresAt ||
    method.expiryAnnouncedAt !== null ||
    method.removedAt !== null
  )
    return false;
  const announced = await unit.change('paymentMethods', method, { expiryAnnouncedAt: unit.now });
  const subscriptionIds = await listCharging(unit, method);
  if (subscriptionIds.length > 0 && expiresAt! > unit.now)
    await unit.recordEvent('paymentMethods', announced, 'payment_method_expiring', { subscriptionIds });
  return true;
}

/** Lists the ids of the subscriptions that will charge a method: neither ended nor ending with their period. */
async function listCharging(
  reads: Reads,
  { id, customerId }: Pick<PaymentMethodRow, 'id' | 'customerId'>,
): Promise<string[]> {
  const subscriptions = await reads.many('subscriptions', {
    where: { customerId, cancelledAt: null },
    orderBy: ['createdAt', 'id'],
  });
  return subscriptions
    .filter(({ paymentMethodId, cancelAtPeriodEnd }) => paymentMethodId === id && !cancelAtPeriodEnd)
    .map((subscription) => subscription.id);
}
