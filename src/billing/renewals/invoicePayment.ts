import { BillingError, refuse, type Reason } from '../../lib/errors.ts';
import { inState } from '../../lib/issueCodes.ts';
import { awaitConfirmation, chargeProvider, toPresentCharge } from '../invoices/charges.ts';
import { findInvoice, isCollectedAlone, type InvoiceRow } from '../invoices/invoices.ts';
import {
  isTriedSince,
  payOneOffInvoice,
  refuseOtherDue,
  refuseUnconfirmed,
  refuseUnreachable,
} from '../invoices/oneOffPayments.ts';
import { refuseDecline } from '../payments/payments.ts';
import type { ExpectedTotal } from '../payments/expectedTotal.ts';
import type { SteppedTenant } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { buildRestartedRetries } from '../invoices/payOpenInvoice.ts';
import { renewSubscription } from './renewSubscription.ts';

/** How an open invoice is paid. */
interface PaymentTerms {
  /** Where the bank leads a present payer back to. */
  returnPath?: string | undefined;
  /** The amount due that was shown. */
  expected?: ExpectedTotal | undefined;
}

/**
 * Charges an open invoice now: one of one-off charges to the customer's default payment method, one of a subscription to
 * the subscription's method, also after a hard decline or the end of the subscription. A failed attempt uses up no retry. A request that
 * finds an attempt under way, or one that has ended since it read the invoice, returns the outcome of that. With
 * `returnPath` the payer is present: their bank may ask for a confirmation and leads them back to this path. Errors:
 * `invoice_not_found`, `invoice_not_open`, `amount_changed`, `subscription_not_active`, `payment_failed`, `payment_action_required` for a
 * present payer, `unavailable`.
 */
export async function payInvoice(
  tenant: SteppedTenant,
  id: string,
  { returnPath, expected }: PaymentTerms = {},
): Promise<InvoiceRow> {
  const { attempts, alias, origin } = tenant;
  const key = `${alias} ${id} ${returnPath ?? ''}`;
  const arrivedMs = origin.arrivedMs?.() ?? performance.now();
  let joined: Promise<InvoiceRow> | undefined;
  for (;;) {
    // Several requests at once would otherwise charge a declined card again and again.
    const known = attempts.find<InvoiceRow>(key, arrivedMs);
    if (!known || known === joined)
      return attempts.start(key, () => makeAttempt(tenant, id, { returnPath, expected }));
    joined = known;
    // Checks what concerns this request alone: its scope and its idempotency key.
    await tenant.writeStep(async (unit) => refuseOtherDue(await findInvoice(unit, id), expected));
    try {
      return await known;
    } catch (error) {
      if (isOfAttempt(error)) throw error;
    }
  }
}

/** Whether an error is the outcome of an attempt, not a refusal of the request that wanted to make it. */
const isOfAttempt = (error: unknown): boolean =>
  error instanceof BillingError && attemptReasons.has(error.reason);

const attemptReasons: ReadonlySet<Reason> = new Set([
  'payment_failed',
  'payment_action_required',
  'unavailable',
]);

async function makeAttempt(
  tenant: SteppedTenant,
  id: string,
  { returnPath, expected }: PaymentTerms,
): Promise<InvoiceRow> {
  const found = await findInvoice(tenant.primaryReads, id);
  if (isCollectedAlone(found)) return payOneOffInvoice(tenant, found, returnPath, expected);
  const { value } = await tenant.checkpoint('retry prepared', async (unit) => ({
    before: found,
    subscriptionId: await prepareRetry(unit, found, expected),
  }));
  // Earlier releases recorded less; the scheduler makes the charge then.
  const prepared: Partial<typeof value> = value ?? {};
  const { subscriptionId } = prepared;
  if (typeof subscriptionId === 'string') await chargeSubscription(tenant, subscriptionId, returnPath);
  const after = await findInvoice(tenant.read, id);
  if (after.status === 'open' || after.status === 'uncollectible')
    await refuseDecline(tenant.read, after, prepared.before ?? found);
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
async function prepareRetry(
  unit: UnitOfWork,
  before: InvoiceRow,
  expected: ExpectedTotal | undefined,
): Promise<string | null> {
  const { id: invoiceId } = before;
  const invoice = await findInvoice(unit, invoiceId);
  if (isTriedSince(invoice, before)) return null;
  const { status, subscriptionId } = invoice;
  if (status === 'draft')
    refuse('invoice_not_open', { path: 'id', message: 'is a draft: finalize it first', code: 'is_draft' });
  if (status !== 'open') refuse('invoice_not_open', { path: 'id', ...inState(status) });
  const subscription =
    subscriptionId === null ? undefined : await unit.one('subscriptions', { id: subscriptionId });
  if (subscription?.openInvoiceId !== invoiceId)
    return refuse('invoice_not_open', { path: 'id', message: 'is paid with its subscription intent' });
  refuseOtherDue(invoice, expected);
  const { id, parkedReason } = subscription;
  if (parkedReason !== null)
    refuse('subscription_not_active', { path: 'id', message: `${id} is parked: resume it first` });
  await unit.change('subscriptions', subscription, {
    dueAt: unit.now,
    ...buildRestartedRetries(subscription),
  });
  return id;
}
