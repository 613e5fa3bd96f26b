import { refuse } from '../lib/errors.ts';
import { awaitConfirmation, chargeProvider, toPresentCharge } from '../invoicing/charges.ts';
import { findInvoice, type InvoiceRow } from '../invoicing/invoices.ts';
import {
  isOneOff,
  isTriedSince,
  payOneOffInvoice,
  refuseUnconfirmed,
  refuseUnreachable,
} from '../invoicing/oneOffPayments.ts';
import { refuseDecline } from '../invoicing/payments.ts';
import type { SteppedTenant } from '../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';
import { buildRestartedRetries } from './dunning.ts';
import { renewSubscription } from './renewSubscription.ts';

/**
 * Charges an open invoice now: one of one-off charges to the customer's default payment method, one of a subscription to
 * the subscription's method, also after a hard decline. A failed attempt uses up no retry. A request that
 * finds an attempt under way, or one that has ended since it read the invoice, returns the outcome of that. With
 * `returnPath` the payer is present: their bank may ask for a confirmation and leads them back to this path. Errors:
 * `invoice_not_found`, `invoice_not_open`, `subscription_not_active`, `payment_failed`, `payment_action_required` for a
 * present payer, `unavailable`.
 */
export async function payInvoice(
  tenant: SteppedTenant,
  id: string,
  returnPath?: string,
): Promise<InvoiceRow> {
  const key = `${tenant.alias} ${id} ${returnPath ?? ''}`;
  const known = attempts.get(key);
  const arrivedMs = tenant.origin.arrivedMs ?? performance.now();
  if (known && known.endedMs > arrivedMs) {
    await tenant.checkpoint((unit) => findInvoice(unit, id));
    return known.outcome;
  }
  const attempt: Attempt = {
    endedMs: Number.POSITIVE_INFINITY,
    outcome: makeAttempt(tenant, id, returnPath),
  };
  if (attempts.size >= mostKept) forgetEnded();
  attempts.set(key, attempt);
  const end = () => (attempt.endedMs = performance.now());
  attempt.outcome.then(end, end);
  return attempt.outcome;
}

/** An attempt of this process, and when it ended. */
interface Attempt {
  outcome: Promise<InvoiceRow>;
  endedMs: number;
}

const mostKept = 1000;

/**
 * The latest attempts by invoice. Requests that arrived before the end of an attempt share its outcome: several at once
 * would otherwise charge a declined card again and again.
 */
const attempts = new Map<string, Attempt>();

function forgetEnded(): void {
  for (const [key, { endedMs }] of attempts) if (endedMs !== Number.POSITIVE_INFINITY) attempts.delete(key);
}

async function makeAttempt(
  tenant: SteppedTenant,
  id: string,
  returnPath: string | undefined,
): Promise<InvoiceRow> {
  const before = await findInvoice(tenant.primaryReads, id);
  if (isOneOff(before)) return payOneOffInvoice(tenant, before, returnPath);
  const { value: subscriptionId } = await tenant.checkpoint((unit) => prepareRetry(unit, before));
  if (subscriptionId !== null) await chargeSubscription(tenant, subscriptionId, returnPath);
  const after = await findInvoice(tenant.read, id);
  if (after.status === 'open' || after.status === 'uncollectible')
    await refuseDecline(tenant.read, after, before);
  return after;
}

/** Charges the open invoice of a subscription that is due. Errors: `payment_action_required`, `unavailable`. */
async function chargeSubscription(
  tenant: SteppedTenant,
  subscriptionId: string,
  returnPath: string | undefined,
): Promise<void> {
  let actionUrl: string | undefined;
  const isReached = await (returnPath === undefined
    ? renewSubscription(tenant, subscriptionId)
    : renewSubscription(tenant, subscriptionId, async (due) => {
        const made = toPresentCharge(due, returnPath);
        const outcome = await chargeProvider(tenant, made);
        if (outcome?.status === 'requires_action') ({ actionUrl } = outcome);
        return outcome && awaitConfirmation(made, outcome);
      }));
  if (!isReached) refuseUnreachable();
  if (actionUrl !== undefined) refuseUnconfirmed(actionUrl);
}

/**
 * Makes the subscription of an open invoice due now; returns its id. Returns null if another request has made an attempt
 * since this one read the invoice.
 */
async function prepareRetry(unit: UnitOfWork, before: InvoiceRow): Promise<string | null> {
  const { id: invoiceId } = before;
  const invoice = await findInvoice(unit, invoiceId);
  if (isTriedSince(invoice, before)) return null;
  const { status, subscriptionId } = invoice;
  if (status === 'draft')
    refuse('invoice_not_open', { path: 'id', message: 'is a draft: finalize it first' });
  if (status !== 'open') refuse('invoice_not_open', { path: 'id', message: `is ${status}` });
  const subscription =
    subscriptionId === null ? undefined : await unit.one('subscriptions', { id: subscriptionId });
  if (subscription?.openInvoiceId !== invoiceId)
    return refuse('invoice_not_open', { path: 'id', message: 'is paid with its subscription intent' });
  const { id, parkedReason } = subscription;
  if (parkedReason !== null)
    refuse('subscription_not_active', { path: 'id', message: `${id} is parked: resume it first` });
  await unit.change('subscriptions', subscription, {
    dueAt: unit.now,
    ...buildRestartedRetries(subscription),
  });
  return id;
}
