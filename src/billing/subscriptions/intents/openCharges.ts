/** Charges that are open when a customer has a new payment method: they are made to it at once. */
import { startAttempt } from '../../invoices/charges.ts';
import { isCollectedAlone, type InvoiceRow } from '../../invoices/invoices.ts';
import { chargeInvoice } from '../../invoices/oneOffPayments.ts';
import type { PaymentMethodRow } from '../../payments/paymentMethods.ts';
import { renewSubscription } from '../../renewals/renewSubscription.ts';
import type { SteppedTenant } from '../../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../../tenancy/unitOfWork.ts';
import type { SubscriptionRow } from '../subscriptions.ts';

/** Subscriptions whose open invoices are charged, and invoices collected alone whose charge is started. */
export interface OpenCharges {
  subscriptions: string[];
  invoices: InvoiceRow[];
}

export const noCharges: OpenCharges = { subscriptions: [], invoices: [] };

/**
 * Charges `to` in place of `from` (null: no method). Of the subscriptions of the customer, `which` move: those with an
 * unpaid invoice, or all. Unpaid renewals are due now.
 */
export async function moveSubscriptions(
  unit: UnitOfWork,
  customerId: string,
  { from, to, which }: { from: (string | null)[]; to: PaymentMethodRow; which: 'unpaid' | 'all' },
): Promise<string[]> {
  const owed: string[] = [];
  const active = await unit.many('subscriptions', { where: { customerId, cancelledAt: null } });
  for (const subscription of active) {
    if (!from.includes(subscription.paymentMethodId)) continue;
    const isOwed = await owesCharge(unit, subscription);
    if (isOwed) owed.push(subscription.id);
    if (isOwed || which === 'all') await chargeTo(unit, subscription, to.id, isOwed);
  }
  return owed;
}

/** Charges a method for a subscription from now on, and an unpaid invoice at once. */
export async function chargeTo(
  unit: UnitOfWork,
  subscription: SubscriptionRow,
  paymentMethodId: string,
  isOwed: boolean,
): Promise<void> {
  const isDue = isOwed && !subscription.parkedReason;
  const begun = { dueAt: unit.now, retriesEndedAt: null };
  const changes = { paymentMethodId, retriesStoppedReason: null, ...(isDue && begun) };
  await unit.change('subscriptions', subscription, changes, { action: 'payment_method_changed' });
}

/** Whether a subscription has an unpaid invoice that a new method pays. */
export const owesCharge = async (unit: UnitOfWork, subscription: SubscriptionRow): Promise<boolean> =>
  subscription.pastDueSince !== null || awaitsTransfer(unit, subscription);

/** Whether an invoice waits for a bank transfer and no charge for it is under way. */
async function awaitsTransfer(
  unit: UnitOfWork,
  { openInvoiceId, pausedAt }: SubscriptionRow,
): Promise<boolean> {
  if (openInvoiceId === null || pausedAt !== null) return false;
  const invoice = await unit.one('invoices', { id: openInvoiceId });
  return invoice !== undefined && invoice.dueAt !== null && invoice.chargeStartedAt === null;
}

/**
 * Starts to charge a customer's open invoices that are collected alone and neither wait for a transfer nor are being
 * charged.
 */
export async function startOpenInvoices(
  unit: UnitOfWork,
  customerId: string,
  method: PaymentMethodRow,
): Promise<InvoiceRow[]> {
  const open = await unit.many('invoices', { where: { customerId, status: 'open' } });
  const started: InvoiceRow[] = [];
  for (const invoice of open) {
    if (isCollectedAlone(invoice) && invoice.dueAt === null && invoice.chargeStartedAt === null)
      started.push(await startAttempt(unit, invoice, method));
  }
  return started;
}

/**
 * Makes open charges after the unit of work that started them. The scheduler makes those that a crash or an unreachable
 * provider leaves.
 */
export async function chargeOpen(
  tenant: SteppedTenant,
  { subscriptions, invoices }: OpenCharges,
  isRepeated: boolean,
): Promise<void> {
  for (const id of subscriptions) await renewSubscription(tenant, id);
  for (const invoice of invoices) await chargeInvoice(tenant, invoice, isRepeated);
}
