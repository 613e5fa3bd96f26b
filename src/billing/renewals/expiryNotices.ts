/** Announcements of payment methods that expire soon and are charged by a subscription. */
import type { PaymentMethodRow } from '../payments/paymentMethods.ts';
import { addMs } from '../../lib/time.ts';
import type { Reads } from '../../storage/store.ts';
import type { SteppedTenant } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { dayMs } from '../../lib/durations.ts';

const noticeMs = 30 * dayMs;

const listExpiring = (reads: Reads, to: string, limit: number) =>
  reads.many('paymentMethods', {
    where: { expiresAt: { to, inIndex: 'payment_methods_expiry' } },
    orderBy: ['expiresAt', 'id'],
    limit,
  });

/** Returns when the expiry of the next method is looked at, at `now` or later, up to `until`; undefined for none. */
export async function findNextExpiryNotice(
  reads: Reads,
  now: string,
  until: string,
): Promise<string | undefined> {
  const [next] = await listExpiring(reads, addMs(until, noticeMs), 1);
  if (!next) return undefined;
  const at = addMs(next.expiresAt!, -noticeMs);
  return at > now ? at : now;
}

/**
 * Records the event `payment_method_expiring` for methods that expire within 30 days and that a subscription charges, at
 * most `limit`, once for each expiry. Methods without a subscription are marked too, so that they are not found again.
 * Returns their number.
 */
export async function announceExpiringMethods(
  tenant: SteppedTenant,
  now: string,
  limit: number,
): Promise<number> {
  const due = await listExpiring(tenant.read, addMs(now, noticeMs), limit);
  if (due.length === 0) return 0;
  return tenant.writeStep(async (unit) => {
    let done = 0;
    for (const { id, expiresAt } of due) if (await announceExpiry(unit, id, expiresAt)) done += 1;
    return done;
  });
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
