/** Payments of invoices that are collected alone: charged in steps like renewals, or paid by bank transfer. */
import { BillingError, refuse } from '../../lib/errors.ts';
import { inState } from '../../lib/issueCodes.ts';
import { findNextDay } from '../pricing/retrySchedule.ts';
import { isHardDecline } from '../../providers/declines.ts';
import type { Outcome } from '../../providers/provider.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { SteppedTenant } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import {
  awaitConfirmation,
  buildCharge,
  chargeProvider,
  recordInvoiceOutcome,
  startAttempt,
  toPresentCharge,
  type DueCharge,
  type OutcomeRules,
} from './charges.ts';
import { ensureFinal } from './finalization.ts';
import {
  canBePaid,
  findInvoice,
  isCollectedAlone,
  isRetriedAlone,
  isUnpaid,
  isWrittenOff,
  markInvoicePaid,
  voidInvoice,
  type InvoiceRow,
} from './invoices.ts';
import { getFailureReason, refuseDecline, refuseDeclined } from '../payments/payments.ts';
import { findDefaultMethod, type PaymentMethodRow } from '../payments/paymentMethods.ts';
import { refuseOtherTotal, type ExpectedTotal } from '../payments/expectedTotal.ts';
import { computeOwed } from '../payments/returns.ts';
import { computeDueAt } from '../payments/paymentTerms.ts';
import { makeRefund } from './refunds.ts';
import { reportFailedTopUp } from './topUpChecks.ts';
import { findFirstReminder } from './reminders.ts';

/**
 * A failed charge leaves the invoice open, until it is paid or voided, and its payer is reminded. Only that of a final
 * invoice, or of usage that has reached a threshold, is retried.
 */
export const oneOffRules: OutcomeRules = {
  paid: markInvoicePaid,
  pending: (unit, invoice, reference) =>
    reference === null
      ? unit.change(
          'invoices',
          invoice,
          { chargeStartedAt: null, dueAt: invoice.dueAt ?? computeDueAt(unit) },
          { action: 'payment_awaited' },
        )
      : // The provider is asked again later.
        unit.change('invoices', invoice, { chargeStartedAt: unit.now }),
  failed: async (unit, invoice, payment) => {
    const { id: causedBy } = payment;
    const firstTriedAt = invoice.firstTriedAt ?? unit.now;
    const failed = {
      ...findFirstReminder(unit, invoice, firstTriedAt),
      firstTriedAt,
      chargeStartedAt: null,
      retryAt: findRetry(unit, invoice, firstTriedAt, payment),
    };
    const after = await unit.change('invoices', invoice, failed, { action: 'payment_failed', causedBy });
    // A further failure changes no visible field, but still emits an event.
    if (invoice.firstTriedAt !== null) await unit.recordEvent('invoices', after, 'payment_failed');
    await reportFailedTopUp(unit, after, payment.failureReason);
  },
};

/** Returns the next of the tenant's retry days after a failed charge of a final invoice; null if none follows. */
function findRetry(
  { tenant, now }: UnitOfWork,
  { billingReason }: InvoiceRow,
  firstTriedAt: string,
  { provider, failureReason }: Row<'payments'>,
): string | null {
  if (!isRetriedAlone({ billingReason })) return null;
  if (failureReason !== null && isHardDecline(provider, failureReason)) return null;
  return findNextDay(tenant.retryDays, firstTriedAt, now) ?? null;
}

/** Starts to charge an invoice that is collected alone. */
export async function startCharge(unit: UnitOfWork, invoice: InvoiceRow): Promise<InvoiceRow> {
  return startAttempt(unit, invoice, await findMethodOf(unit, invoice));
}

/**
 * Returns the method that pays an invoice that is collected alone: first that of the subscription which has ended, and
 * the customer's default after a failure, if it was removed, or without a subscription.
 */
export async function findMethodOf(
  reads: Reads,
  { customerId, subscriptionId, firstTriedAt }: InvoiceRow,
): Promise<PaymentMethodRow | undefined> {
  const subscription =
    subscriptionId === null || firstTriedAt !== null
      ? undefined
      : await reads.one('subscriptions', { id: subscriptionId });
  const own = subscription?.paymentMethodId
    ? await reads.one('paymentMethods', { id: subscription.paymentMethodId })
    : undefined;
  return own?.removedAt === null ? own : findDefaultMethod(reads, customerId);
}

/**
 * Makes the charge in progress of an invoice and records the outcome. With `returnPath` the payer is present. Returns undefined if the provider could not be
 * reached: the same attempt is asked about again later.
 */
export async function chargeInvoice(
  tenant: SteppedTenant,
  invoice: InvoiceRow,
  isRepeated: boolean,
  returnPath?: string,
): Promise<Outcome | undefined> {
  const due = buildCharge(invoice, null, isRepeated);
  const made = returnPath === undefined ? due : toPresentCharge(due, returnPath);
  const outcome = await chargeProvider(tenant, made);
  if (outcome) await recordOutcome(tenant, made, awaitConfirmation(made, outcome));
  return outcome;
}

async function recordOutcome(tenant: SteppedTenant, due: DueCharge, outcome: Outcome): Promise<void> {
  const refund = await tenant.writeStep((unit) =>
    recordInvoiceOutcome(unit, due, outcome, () => oneOffRules),
  );
  if (refund) await makeRefund(tenant, refund);
}

/** An attempt that a request makes or joins. */
interface Attempt {
  /** The invoice as the request found it. */
  before: InvoiceRow;
  /** The invoice with its charge in progress; null if another request has made an attempt since. */
  invoice: InvoiceRow | null;
  /** Whether the charge was in progress before. */
  isUnderWay: boolean;
}

/**
 * Charges the customer's default payment method for an open one-off invoice, or asks about a charge in progress; `found`
 * is the invoice as the request found it. With `returnPath` the payer is present. Errors: `amount_changed`,
 * `invoice_not_found`, `invoice_not_open`, `validation_failed`, `payment_failed`, `payment_action_required`, `unavailable`.
 */
export async function payOneOffInvoice(
  tenant: SteppedTenant,
  found: InvoiceRow,
  returnPath?: string,
  expected?: ExpectedTotal,
): Promise<InvoiceRow> {
  const { id } = found;
  const { value, isRepeated } = await tenant.checkpoint('payment begun', (unit) =>
    beginPayment(unit, found, expected),
  );
  // Earlier releases recorded less.
  const attempt: Partial<Attempt> = value ?? {};
  const { invoice } = attempt;
  if (!invoice) {
    const after = await findInvoice(tenant.read, id);
    await refuseDecline(tenant.read, after, attempt.before ?? found);
    return after;
  }
  const outcome = await chargeInvoice(
    tenant,
    invoice,
    isRepeated || (attempt.isUnderWay ?? false),
    returnPath,
  );
  if (!outcome) refuseUnreachable();
  if (outcome.status === 'requires_action' && returnPath !== undefined) refuseUnconfirmed(outcome.actionUrl);
  if (outcome.status === 'declined' || outcome.status === 'requires_action')
    refuseDeclined('id', invoice.chargeProvider ?? 'none', getFailureReason(outcome));
  return findInvoice(tenant.read, id);
}

/** Refuses a payment whose provider could not be reached. Error: `unavailable`. */
export function refuseUnreachable(): never {
  const message = 'the payment provider could not be reached';
  throw new BillingError('unavailable', [{ path: 'id', message }], 5);
}

/** Refuses a payment that its payer must confirm at a URL first. Error: `payment_action_required`. */
export const refuseUnconfirmed = (actionUrl: string): never =>
  refuse('payment_action_required', { path: 'id', message: 'must be confirmed by the payer', actionUrl });

/** Whether an attempt to charge an invoice has ended since `before` was read, also one that was in progress then. */
export const isTriedSince = (
  invoice: InvoiceRow,
  before: Pick<InvoiceRow, 'attempts' | 'chargeStartedAt'>,
): boolean =>
  canBePaid(invoice) &&
  invoice.chargeStartedAt === null &&
  (invoice.attempts !== before.attempts || before.chargeStartedAt !== null);

/** Refuses to charge another amount than the expected one. Errors: `amount_changed`, `currency_mismatch`. */
export const refuseOtherDue = (invoice: InvoiceRow, expected: ExpectedTotal | undefined): void =>
  refuseOtherTotal({ amountMinor: computeOwed(invoice), currency: invoice.currency }, expected);

async function beginPayment(
  unit: UnitOfWork,
  before: InvoiceRow,
  expected: ExpectedTotal | undefined,
): Promise<Attempt> {
  const invoice = await findUnpaidOneOff(unit, before.id);
  if (isTriedSince(invoice, before)) return { before, invoice: null, isUnderWay: false };
  if (invoice.status === 'draft')
    refuse('invoice_not_open', { path: 'id', message: 'is a draft: finalize it first', code: 'is_draft' });
  refuseOtherDue(invoice, expected);
  if (invoice.chargeStartedAt !== null) return { before, invoice, isUnderWay: true };
  return { before, invoice: await startCharge(unit, invoice), isUnderWay: false };
}

/**
 * Voids an open or uncollectible one-off invoice or a draft: it is no longer owed, the balance it used is returned, and the items that waited for it
 * wait again. A charge in progress is refunded if it succeeds. Errors: `invoice_not_found`, `invoice_not_open`,
 * `validation_failed`.
 */
export const voidOneOffInvoice = async (unit: UnitOfWork, id: string): Promise<InvoiceRow> =>
  voidInvoice(unit, await findUnpaidOneOff(unit, id), 'void');

/**
 * Marks an open one-off invoice uncollectible: nobody is reminded of it any more, and it can still be paid or voided. The
 * balance, the items and the discounts that it used stay used until then. Marking it again changes nothing. Errors:
 * `invoice_not_found`, `invoice_not_open`, `validation_failed`.
 */
export async function markUncollectible(unit: UnitOfWork, id: string): Promise<InvoiceRow> {
  const invoice = await findUnpaidOneOff(unit, id);
  if (isWrittenOff(invoice)) return invoice;
  if (invoice.status === 'draft')
    refuse('invoice_not_open', { path: 'id', message: 'is a draft: finalize or void it', code: 'is_draft' });
  const final = await ensureFinal(unit, invoice);
  return unit.change(
    'invoices',
    final,
    { status: 'uncollectible', remindAt: null },
    { action: 'marked_uncollectible' },
  );
}

async function findUnpaidOneOff(reads: Reads, id: string): Promise<InvoiceRow> {
  const invoice = await findInvoice(reads, id);
  if (!isCollectedAlone(invoice))
    refuse('validation_failed', { path: 'id', message: 'bills a period or a change of a subscription' });
  if (!isUnpaid(invoice) && !isWrittenOff(invoice))
    refuse('invoice_not_open', { path: 'id', ...inState(invoice.status) });
  return invoice;
}

/** Lists invoices collected alone whose charge was started before an instant and has no outcome yet, oldest first. */
export const listAbandonedCharges = async (
  reads: Reads,
  before: string,
  limit: number,
): Promise<Row<'invoices'>[]> =>
  reads.many('invoices', {
    where: { chargeStartedAt: { to: before, inIndex: 'invoices_charging' } },
    orderBy: ['chargeStartedAt', 'id'],
    limit,
  });
