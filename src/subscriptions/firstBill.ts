import { buildPeriodLines, sumLines, type Line } from '../pricing/invoiceLines.ts';
import { findSaleObstacle } from '../catalog/products.ts';
import type { Reads } from '../storage/store.ts';
import { refuse } from '../lib/errors.ts';
import type { IntentRow } from './intents.ts';
import { isProrated, buildPlanChange, type PlanChangeQuote } from './planChanges.ts';
import { computeBalanceToUse, deductBalance, buildReservation, type Reservation } from './reservations.ts';
import { findPaidItems, findReservedItems, type PaidItems } from './paidItems.ts';
import { findSubscription, findSubscriptionToChange, type SubscriptionRow } from './subscriptions.ts';

/** The amount that an intent owes when its payment starts, for a new subscription or a plan change. */
export interface FirstBill {
  lines: Line[];
  totalMinor: bigint;
  /** The plan change, if it is one. */
  change?: PlanChangeQuote;
  subscription?: SubscriptionRow;
}

/** The columns of an intent that determine the amount owed. */
type BillBasis = Pick<IntentRow, 'paymentStartedAt' | 'changesSubscriptionId' | 'prorated' | 'groupId'> &
  Reservation;

/**
 * Computes the amount that an intent owes for a payment that starts at an instant, and the columns that determine it.
 * Uses the current product: it must be on sale, and may have moved to another group. Errors: `subscription_exists`,
 * `subscription_not_active`, `currency_mismatch`, `intent_not_payable`.
 */
export async function computeCheckout(
  reads: Reads,
  intent: IntentRow,
  at: string,
  timezone: string,
): Promise<{ changed?: SubscriptionRow; basis: BillBasis; bill: FirstBill }> {
  const begun = intent.billing === null ? await findOrder(reads, intent, at) : { ...intent };
  const { changesSubscriptionId, groupId, prorated, paymentStartedAt } = begun;
  const changed = changesSubscriptionId ? await findSubscription(reads, changesSubscriptionId) : undefined;
  const paid = changed && (await findPaidItems(reads, changed));
  const bill = await computeBillBeforeBalance(reads, begun, timezone, paid);
  const balanceMinor = await computeBalanceToUse(reads, intent, bill, at);
  const basis = { paymentStartedAt, changesSubscriptionId, prorated, groupId };
  return {
    changed,
    basis: { ...basis, ...buildReservation(bill, paid, balanceMinor) },
    bill: deductBalance(bill, balanceMinor),
  };
}

/** Finds the product that a payer orders now, and the subscription that the order changes. */
async function findOrder(reads: Reads, intent: IntentRow, at: string): Promise<IntentRow> {
  const { customerId, productId } = intent;
  const product = await reads.one('products', { id: productId });
  const obstacle = product ? findSaleObstacle(product, at) : 'is deleted';
  if (obstacle) refuse('intent_not_payable', { path: 'id', message: `is for a product that ${obstacle}` });
  const { groupId } = product!;
  const changed = await findSubscriptionToChange(reads, customerId, { ...intent, groupId });
  if (changed && intent.startDate && intent.startDate > at) {
    refuse('subscription_exists', {
      path: 'id',
      message: 'has a later start, but would now be a plan change',
    });
  }
  return {
    ...intent,
    paymentStartedAt: at,
    changesSubscriptionId: changed?.id ?? null,
    prorated: changed !== undefined && (await isProrated(reads, { groupId })),
    groupId,
  };
}

/**
 * Computes the amount shown to a payer: what an intent would owe if its payment started at an instant. Errors:
 * `subscription_exists`, `subscription_not_active`, `currency_mismatch`, `intent_not_payable`.
 */
export async function previewFirstBill(
  reads: Reads,
  intent: IntentRow,
  at: string,
  timezone: string,
): Promise<FirstBill> {
  return (await computeCheckout(reads, intent, at, timezone)).bill;
}

/** Computes the amount that an intent owes as of the start of its payment; always the same result. */
export async function computeFirstBill(
  reads: Reads,
  intent: IntentRow,
  timezone: string,
): Promise<FirstBill> {
  const paid = await findReservedItems(reads, intent);
  const bill = await computeBillBeforeBalance(reads, intent, timezone, paid);
  return deductBalance(bill, intent.balanceMinor);
}

async function computeBillBeforeBalance(
  reads: Reads,
  intent: IntentRow,
  timezone: string,
  paid: PaidItems | undefined,
): Promise<FirstBill> {
  const { changesSubscriptionId, prorated } = intent;
  const at = intent.paymentStartedAt!;
  if (changesSubscriptionId) {
    const subscription = (await reads.one('subscriptions', { id: changesSubscriptionId }))!;
    const options = { at, timeZone: timezone, billing: intent.billing, prorateUpgrades: prorated, paid };
    const change = buildPlanChange(subscription, intent, options);
    return { lines: change.lines, totalMinor: change.totalMinor, change, subscription };
  }
  // A future start is billed at that time; now the payment method is only saved.
  if (intent.startDate && intent.startDate > at) return { lines: [], totalMinor: 0n };
  const { lines } = buildPeriodLines(intent, intent.executionDate, intent.startDate ?? at, timezone);
  return { lines, totalMinor: sumLines(lines) };
}
