import type { Row } from '../../storage/model/rowTypes.ts';
import type { Outcome } from '../../providers/provider.ts';
import { addMs } from '../../lib/time.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { recordInvoiceOutcome, type DueCharge, type OutcomeRules } from '../invoices/charges.ts';
import { isCollectedAlone, type InvoiceRow } from '../invoices/invoices.ts';
import { oneOffRules } from '../invoices/oneOffPayments.ts';
import type { DueRefund } from '../payments/dueRefunds.ts';
import { findDueInPause } from '../pricing/pauses.ts';
import { awaitTransfer, recordFailedCharge } from './dunning.ts';
import { payRenewalInvoice } from '../invoices/payOpenInvoice.ts';
import { dayMs } from '../../lib/durations.ts';

const askAgainMs = dayMs;

const findSubscription = async (unit: UnitOfWork, { subscriptionId }: InvoiceRow) =>
  (await unit.one('subscriptions', { id: subscriptionId! }))!;

/** Moves a subscription to its next period, or into dunning. */
const renewalRules: OutcomeRules = {
  paid: payRenewalInvoice,
  pending: async (unit, invoice, reference) => {
    const subscription = await findSubscription(unit, invoice);
    if (reference === null) await awaitTransfer(unit, subscription, invoice, invoice.id);
    else await askTomorrow(unit, subscription);
  },
  failed: async (unit, invoice, payment) =>
    recordFailedCharge(unit, await findSubscription(unit, invoice), invoice, payment),
};

/**
 * The money is on its way, as with a bank debit. A second charge would take it twice, so the provider is asked about this
 * one again.
 */
function askTomorrow(unit: UnitOfWork, subscription: Row<'subscriptions'>) {
  const dueAt = findDueInPause(subscription, addMs(unit.now, askAgainMs));
  return unit.change('subscriptions', subscription, { dueAt });
}

/**
 * Records the outcome of the charge of an invoice, the second half of a renewal. An outcome that is recorded already
 * changes nothing. Returns the refund to make if the invoice was closed in the meantime.
 */
export const recordChargeOutcome = (
  unit: UnitOfWork,
  due: Pick<DueCharge, 'invoiceId' | 'attempt' | 'method'>,
  outcome: Outcome,
): Promise<DueRefund | undefined> =>
  recordInvoiceOutcome(unit, due, outcome, (invoice) =>
    isCollectedAlone(invoice) ? oneOffRules : renewalRules,
  );
