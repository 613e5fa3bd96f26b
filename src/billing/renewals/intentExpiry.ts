import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { manual } from '../../providers/manual.ts';
import type { SteppedTenant } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { releaseDiscounts } from '../discounts/use.ts';
import { nothingReserved, releaseCredit } from '../payments/returns.ts';
import { voidInvoice } from '../invoices/invoices.ts';
import { findOrderMetadata } from '../payments/orderMetadata.ts';
import { recordAttempt } from '../payments/payments.ts';

const openStatuses = ['requires_payment_method', 'requires_action'] as const;
const awaitingTransfer = { status: 'processing' as const, provider: manual.name };
const batchSize = 100;

/** An intent that expires, and when. */
interface Expiring {
  id: string;
  at: string;
}

/** Lists the intents that expire up to an instant, oldest first; at most 100 per status. */
export async function listExpiringIntents(reads: Reads, until: string): Promise<Expiring[]> {
  const perStatus = await Promise.all(
    openStatuses.map(async (status) =>
      reads.many('intents', {
        where: { status, expiresAt: { to: until } },
        orderBy: ['status', 'expiresAt'],
        limit: batchSize,
      }),
    ),
  );
  const unpaid = perStatus.flat().map(({ id, expiresAt }) => ({ id, at: expiresAt }));
  return [...unpaid, ...(await listLapsingChanges(reads, until))].toSorted((a, b) => (a.at < b.at ? -1 : 1));
}

/**
 * A plan change waiting for a bank transfer expires with the period for which it was computed, because billing must
 * continue.
 */
async function listLapsingChanges(reads: Reads, until: string): Promise<Expiring[]> {
  const changing = await reads.many('subscriptions', {
    where: { changingIntentId: { isSet: true } },
    orderBy: ['changingIntentId'],
  });
  const held = changing.filter(({ dueAt }) => dueAt !== null && dueAt <= until).slice(0, batchSize);
  if (held.length === 0) return [];
  const dueAtByIntent = new Map(held.map(({ changingIntentId, dueAt }) => [changingIntentId!, dueAt!]));
  const intents = await reads.many('intents', {
    where: { ...awaitingTransfer, id: [...dueAtByIntent.keys()], expiresAt: { to: until } },
  });
  return intents.map(({ id, expiresAt }) => {
    const dueAt = dueAtByIntent.get(id)!;
    return { id, at: dueAt > expiresAt ? dueAt : expiresAt };
  });
}

/** Expires the intents that were not paid in time. Returns their number. */
export async function expireIntents(tenant: SteppedTenant, now: string): Promise<number> {
  const expired = await listExpiringIntents(tenant.read, now);
  if (expired.length === 0) return 0;
  await tenant.writeStep(async (unit) => {
    for (const { id } of expired) await expire(unit, id);
  });
  return expired.length;
}

async function expire(unit: UnitOfWork, id: string): Promise<void> {
  const expiresAt = { to: unit.now };
  const intent =
    (await unit.one('intents', { id, status: openStatuses, expiresAt })) ??
    (await unit.one('intents', { id, ...awaitingTransfer, expiresAt }));
  if (!intent) return;
  const expired = { status: 'expired' as const, actionUrl: null, askedAt: null, ...nothingReserved };
  await unit.change('intents', intent, expired, { action: 'expired' });
  await releaseIntent(unit, intent);
}

/** Cancels an intent: voids its invoice and releases its reservations and its subscription. */
export async function closeIntent(
  unit: UnitOfWork,
  intent: Row<'intents'>,
  causedBy?: string,
): Promise<Row<'intents'>> {
  const cancelled = { status: 'cancelled' as const, actionUrl: null, askedAt: null, ...nothingReserved };
  const closed = await unit.change('intents', intent, cancelled, { action: 'cancelled', causedBy });
  await releaseIntent(unit, intent);
  return closed;
}

async function releaseIntent(unit: UnitOfWork, intent: Row<'intents'>): Promise<void> {
  await markIntentChargePending(unit, intent);
  await releaseCredit(unit, intent);
  await releaseDiscounts(unit, intent);
  const awaited = await unit.one('invoices', { intentId: intent.id, status: 'open' });
  if (awaited) await voidInvoice(unit, awaited, 'void', intent.id);
  await releaseSubscription(unit, intent);
}

/**
 * Records the charge in progress as pending. Reconciliation asks the provider until the outcome is known, and refunds
 * the money if the charge succeeded.
 */
async function markIntentChargePending(unit: UnitOfWork, intent: Row<'intents'>): Promise<void> {
  const { id: intentId, customerId, provider, dueMinor, currency, askedAt } = intent;
  if (askedAt === null || provider === null || !dueMinor) return;
  const pending = { kind: 'charge' as const, status: 'pending' as const, amountMinor: dueMinor, intentId };
  const metadata = await findOrderMetadata(unit, intent);
  await recordAttempt(unit, { ...pending, customerId, provider, currency, metadata }, intentId);
}

/** Lets billing continue for a subscription whose plan change was abandoned. */
export async function releaseSubscription(unit: UnitOfWork, intent: Row<'intents'>): Promise<void> {
  if (!intent.changesSubscriptionId) return;
  const held = await unit.one('subscriptions', { id: intent.changesSubscriptionId });
  if (held?.changingIntentId !== intent.id) return;
  await unit.change('subscriptions', held, { changingIntentId: null });
}
