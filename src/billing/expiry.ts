import type { Row } from '../db/schema.ts';
import type { Reads } from '../db/store.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type { Unit } from '../tenants/unit.ts';
import { voidInvoice } from './invoices.ts';
import { recordTry } from './payments.ts';

const openStatuses = ['requires_payment_method', 'requires_action'] as const;
const sliceSize = 100;

/** The open intents that expire up to an instant, oldest first, at most a slice of them. */
export async function expiringIntents(reads: Reads, until: string): Promise<Row<'intents'>[]> {
  const perStatus = await Promise.all(
    openStatuses.map(async (status) =>
      reads.many('intents', {
        where: { status, expiresAt: { to: until } },
        orderBy: ['status', 'expiresAt'],
        limit: sliceSize,
      }),
    ),
  );
  return perStatus.flat().toSorted((a, b) => (a.expiresAt < b.expiresAt ? -1 : 1));
}

/** Expires the intents that nobody has paid in time; answers how many. */
export async function expireIntents(tenant: Tenant, now: string): Promise<number> {
  const expired = await expiringIntents(tenant.read, now);
  if (expired.length === 0) return 0;
  await tenant.begin(async (unit) => {
    for (const { id } of expired) await expire(unit, id);
  });
  return expired.length;
}

async function expire(unit: Unit, id: string): Promise<void> {
  const intent = await unit.one('intents', { id, status: openStatuses, expiresAt: { to: unit.now } });
  if (!intent) return;
  const expired = { status: 'expired' as const, actionUrl: null, askedAt: null };
  await unit.change('intents', intent, expired, { action: 'expired' });
  await leaveIntentCharge(unit, intent);
  await releaseSubscription(unit, intent);
}

/** Cancels an intent: nothing waits for it any more, and what it was to pay is void. */
export async function giveUpIntent(
  unit: Unit,
  intent: Row<'intents'>,
  because?: string,
): Promise<Row<'intents'>> {
  const canceled = { status: 'canceled' as const, actionUrl: null, askedAt: null };
  const given = await unit.change('intents', intent, canceled, { action: 'canceled', because });
  await leaveIntentCharge(unit, intent);
  const awaited = await unit.one('invoices', { intentId: intent.id, status: 'open' });
  if (awaited) await voidInvoice(unit, awaited, 'void', intent.id);
  await releaseSubscription(unit, intent);
  return given;
}

/** What the provider is just asked for is asked about until its outcome is known, and what it brings given back. */
async function leaveIntentCharge(unit: Unit, intent: Row<'intents'>): Promise<void> {
  const { id: intentId, customerId, provider, dueMinor, currency, askedAt } = intent;
  if (askedAt === null || provider === null || !dueMinor) return;
  const left = { kind: 'charge' as const, status: 'pending' as const, amountMinor: dueMinor, intentId };
  await recordTry(unit, { ...left, customerId, provider, currency }, intentId);
}

/** Lets billing go on with a subscription whose change of plan came to nothing. */
export async function releaseSubscription(unit: Unit, intent: Row<'intents'>): Promise<void> {
  if (!intent.changesSubscriptionId) return;
  const held = await unit.one('subscriptions', { id: intent.changesSubscriptionId });
  if (held?.changingIntentId !== intent.id) return;
  await unit.change('subscriptions', held, { changingIntentId: null });
}
