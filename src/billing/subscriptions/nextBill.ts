/** The next invoice of a subscription, and when it is due. */
import { gatherBill, type BillingTenant } from '../invoices/gatherBill.ts';
import { readUsageBill } from '../invoices/usageBill.ts';
import { computeNextInvoice, type NextInvoice } from '../pricing/nextInvoice.ts';
import { findNextInvoiceAt } from '../pricing/pauses.ts';
import { isBeforeFirstPeriod } from '../pricing/trials.ts';
import type { Reads } from '../../storage/store.ts';
import type { SubscriptionRow } from './subscriptions.ts';

interface Scope {
  read: Reads;
  tenant: BillingTenant;
  now: string;
}

/** Returns the invoice of the period that begins at `at`, by the functions that bill it, with the usage so far. */
export async function computeNextBill(
  { read, tenant, now }: Scope,
  subscription: SubscriptionRow,
  at: string,
): Promise<NextInvoice & { currency: string }> {
  const { customerId, nextIntentId } = subscription;
  const next = nextIntentId === null ? undefined : await read.one('intents', { id: nextIntentId });
  const billable = { ...subscription, nextBillingDate: at };
  const terms = next ?? billable;
  const bill = { customerId, terms, at, paidAt: at > now ? at : now };
  const usage = await readUsageBill(read, tenant, subscription, at);
  const extras = await gatherBill(read, tenant, subscription, bill, undefined, usage);
  return { ...computeNextInvoice(billable, next, extras, tenant.timezone), currency: terms.currency };
}

/**
 * Returns when the next period of a subscription is billed; null if none is, also because its trial ends without a payment
 * method and would cost something. `invoicedUntil` is the end of the period of its open invoice, if it has one.
 */
export async function readNextInvoiceAt(
  scope: Scope,
  subscription: SubscriptionRow,
  invoicedUntil: string | undefined,
): Promise<string | null> {
  const at = findNextInvoiceAt(subscription, invoicedUntil);
  if (at === null || subscription.paymentMethodId !== null || !isBeforeFirstPeriod(subscription)) return at;
  const { totalMinor } = await computeNextBill(scope, subscription, at);
  return totalMinor > 0n ? null : at;
}
