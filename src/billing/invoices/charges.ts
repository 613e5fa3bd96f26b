/** Charges of invoices: an attempt is numbered in one unit of work, made between two, and recorded in another. */
import type { MaybePromise } from '../../lib/maybePromise.ts';
import { addMs } from '../../lib/time.ts';
import type { Charge, Outcome, PaymentProvider } from '../../providers/provider.ts';
import { findProvider } from '../../providers/registry.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { SteppedTenant } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { canBePaid, type InvoiceRow } from './invoices.ts';
import { findOtherSum, recordLateOutcome } from '../payments/latePayments.ts';
import { describeDecline, getFailureReason, markChargePending, recordAttempt } from '../payments/payments.ts';
import type { DueRefund } from '../payments/dueRefunds.ts';
import { computeOwed } from '../payments/returns.ts';
import { hourMs } from '../../lib/durations.ts';

/** A charge to make between two units of work, and the number of the attempt. */
export interface DueCharge {
  invoiceId: string;
  attempt: number;
  method: { provider: string; reference: string } | undefined;
  charge: Charge;
  /** When the attempt began. */
  startedAt: string | null;
}

/** How long a payer who has left for their bank may take to confirm a charge. */
const confirmationMs = hourMs;

/** Numbers an attempt before it is made: after a crash the same number asks the provider about the same attempt. */
export const startAttempt = (
  unit: UnitOfWork,
  invoice: InvoiceRow,
  method: Pick<Row<'paymentMethods'>, 'provider' | 'reference'> | undefined,
): MaybePromise<InvoiceRow> =>
  unit.change('invoices', invoice, {
    attempts: invoice.attempts + 1,
    chargeStartedAt: unit.now,
    chargeProvider: method?.provider ?? null,
    chargeMethod: method?.reference ?? null,
  });

/**
 * Builds the charge of an invoice's latest attempt, with the payment method that the attempt began with. `productName`
 * is that of the subscription; null for an invoice without one.
 */
export function buildCharge(invoice: InvoiceRow, productName: string | null, isRepeated: boolean): DueCharge {
  const { chargeProvider: provider, chargeMethod: reference, customerId, tenantAlias, number } = invoice;
  return {
    invoiceId: invoice.id,
    attempt: invoice.attempts,
    method: provider !== null && reference !== null ? { provider, reference } : undefined,
    charge: {
      idempotencyKey: `${invoice.id}_${invoice.attempts}`,
      isRepeated,
      tenantAlias,
      amountMinor: computeOwed(invoice),
      currency: invoice.currency,
      description: productName === null ? `Invoice ${number}` : `${productName}, invoice ${number}`,
      customerId,
    },
    startedAt: invoice.chargeStartedAt,
  };
}

type ChargingTenant = Pick<SteppedTenant, 'loadProviders' | 'record' | 'now'>;

/**
 * Asks the provider to make a charge, or for the outcome of an earlier one; undefined if it could not be reached, or if
 * its payer may still be confirming it. One that its payer has not confirmed in time is ended.
 */
export async function chargeProvider(
  tenant: ChargingTenant,
  { method, charge, startedAt }: DueCharge,
): Promise<Outcome | undefined> {
  if (!method) return { status: 'declined', reason: 'no_payment_method' };
  try {
    const provider = findProvider(await tenant.loadProviders(), method.provider, tenant.record);
    const outcome = await provider.charge(charge, method.reference);
    if (outcome.status !== 'requires_action' || charge.isPayerPresent || !charge.isRepeated) return outcome;
    const isLate = startedAt === null || addMs(startedAt, confirmationMs) <= tenant.now();
    return isLate ? await endUnconfirmed(provider, charge, outcome.reference) : undefined;
  } catch {
    // The money may have moved: ask about the same attempt again.
    return undefined;
  }
}

/** Ends a charge that waits for its payer; returns its outcome, also if the payer has confirmed it. */
const endUnconfirmed = async (
  provider: PaymentProvider,
  charge: Charge,
  reference: string,
): Promise<Outcome> =>
  provider.abandon ? provider.abandon(charge, reference) : { status: 'declined', reason: 'abandoned' };

/** Ends a charge in progress that waits for its payer; returns its outcome, or undefined if it is not known. */
export async function abandonCharge(tenant: ChargingTenant, due: DueCharge): Promise<Outcome | undefined> {
  const outcome = await chargeProvider(tenant, due);
  if (outcome?.status !== 'requires_action') return outcome;
  try {
    const provider = findProvider(await tenant.loadProviders(), due.method!.provider, tenant.record);
    return await endUnconfirmed(provider, due.charge, outcome.reference);
  } catch {
    return undefined;
  }
}

/** Makes a charge one of a payer who is present, and whom the bank may lead back to `returnPath`. */
export const toPresentCharge = (due: DueCharge, returnPath: string): DueCharge => ({
  ...due,
  charge: { ...due.charge, returnPath, isPayerPresent: true },
});

/** Returns the outcome to record: while a present payer confirms the charge, its outcome is not known. */
export const awaitConfirmation = ({ charge, method }: DueCharge, outcome: Outcome): Outcome =>
  outcome.status === 'requires_action' && charge.isPayerPresent
    ? { status: 'pending', reference: outcome.reference, methodReference: method!.reference }
    : outcome;

/** What follows from the outcome of the latest attempt to charge an open invoice. */
export interface OutcomeRules {
  paid: (unit: UnitOfWork, invoice: InvoiceRow, paymentId: string) => MaybePromise<unknown>;
  /** The money is on its way if the provider gave a reference; otherwise a bank transfer is awaited. */
  pending: (unit: UnitOfWork, invoice: InvoiceRow, reference: string | null) => MaybePromise<unknown>;
  failed: (unit: UnitOfWork, invoice: InvoiceRow, payment: Row<'payments'>) => MaybePromise<unknown>;
}

/**
 * Records the outcome of a charge. An outcome that is recorded already changes nothing. Returns the refund to make if
 * the invoice was closed in the meantime.
 */
export async function recordInvoiceOutcome(
  unit: UnitOfWork,
  { invoiceId, attempt, method }: Pick<DueCharge, 'invoiceId' | 'attempt' | 'method'>,
  outcome: Outcome,
  findRules: (invoice: InvoiceRow) => OutcomeRules,
): Promise<DueRefund | undefined> {
  const invoice = (await unit.one('invoices', { id: invoiceId }))!;
  const attempted = {
    kind: 'charge' as const,
    customerId: invoice.customerId,
    provider: method?.provider ?? 'none',
    amountMinor: computeOwed(invoice),
    currency: invoice.currency,
    invoiceId,
    metadata: invoice.metadata,
  };
  const other = findOtherSum(attempted, outcome);
  if (!canBePaid(invoice)) return recordLateOutcome(unit, attempted, outcome, invoiceId, other);
  const rules = findRules(invoice);
  const isKnown = invoice.attempts !== attempt || invoice.chargeStartedAt === null;
  if (other) {
    // Part of a sum pays no invoice: what came is recorded and given back, and the attempt has failed.
    if (!isKnown) await fail(other.failureReason);
    return recordLateOutcome(unit, attempted, outcome, invoiceId, other);
  }
  if (outcome.status === 'succeeded') {
    // The outcome is late: another attempt is under way.
    if (isKnown) await markChargePending(unit, invoice);
    const paid = { status: 'succeeded' as const, reference: outcome.reference };
    const payment = await recordAttempt(unit, { ...attempted, ...paid }, invoiceId);
    await rules.paid(unit, invoice, payment.id);
    return undefined;
  }
  if (isKnown) return undefined;
  if (outcome.status === 'pending') {
    await rules.pending(unit, invoice, outcome.reference);
    return undefined;
  }
  await fail(getFailureReason(outcome));
  return undefined;

  async function fail(failureReason: string): Promise<void> {
    const failed = { ...attempted, ...describeDecline(attempted.provider, failureReason) };
    await rules.failed(unit, invoice, await recordAttempt(unit, failed, invoiceId));
  }
}
