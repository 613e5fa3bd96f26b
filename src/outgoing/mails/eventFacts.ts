/** Reads the facts of a mail about an event: the event as recorded, and the records that it concerns. */
import { toMinor } from '../../lib/money.ts';
import { addMs } from '../../lib/time.ts';
import { computeOwed } from '../../billing/payments/returns.ts';
import { isOfPeriod } from '../../billing/invoices/invoices.ts';
import { buildPaymentReference } from '../../billing/payments/paymentTerms.ts';
import { forecastSubscription, type ForecastScope } from '../../billing/renewals/forecast.ts';
import type { Frequency } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { MailText } from './events.ts';
import { readCreditAlert, readSpendAlert, readUsageAlert } from './alertFacts.ts';
import type { MailFacts } from './facts.ts';
import { dayMs } from '../../lib/durations.ts';

/** The facts of an event, and the invoice or the credit note whose document belongs to it. */
export type EventFacts = Omit<MailFacts, 'customer' | 'merchant' | 'code'> & {
  invoiceRow?: Row<'invoices'>;
  noteRow?: Row<'creditNotes'>;
};

/** The tenant of a mail, and how its records are read. */
export type FactScope = ForecastScope & { record: Row<'tenants'> };

/**
 * Returns the facts of an event; undefined if a record is gone or, without `evenIfSettled`, if there is nothing to report
 * any more, because the invoice is paid or closed, or the subscription has ended.
 */
export async function readEventFacts(
  scope: FactScope,
  text: MailText,
  trace: Row<'traces'>,
  evenIfSettled: boolean,
): Promise<EventFacts | undefined> {
  const { read: reads, record } = scope;
  const id = String(trace.payload['resourceId']);
  switch (text) {
    case 'receipt':
    case 'invoice_issued':
    case 'invoice_overdue':
    case 'invoice_sent':
    case 'payment_failed': {
      const invoice = await reads.one('invoices', { id });
      const isSettled = text !== 'receipt' && invoice?.status !== 'open';
      if (!invoice || (isSettled && !evenIfSettled)) return undefined;
      return readInvoiceFacts(record, reads, text, invoice);
    }
    case 'payment_method_expiring': {
      const method = await reads.one('paymentMethods', { id });
      return method && (method.removedAt === null || evenIfSettled) ? { method } : undefined;
    }
    case 'usage_alert':
      return readUsageAlert(scope, trace, evenIfSettled);
    case 'credit_alert':
      return readCreditAlert(reads, trace, evenIfSettled);
    case 'email_changed':
      return {};
    case 'refund': {
      const refund = await reads.one('payments', { id });
      const isMade = refund?.status === 'succeeded';
      return refund && (isMade || evenIfSettled) ? readRefundFacts(reads, refund) : undefined;
    }
    case 'credit_note': {
      const note = await reads.one('creditNotes', { id });
      return note && (note.status === 'issued' || evenIfSettled) ? readNoteFacts(reads, note) : undefined;
    }
    default:
      return readSubscriptionFacts(scope, text, trace, evenIfSettled);
  }
}

async function readInvoiceFacts(
  tenant: Row<'tenants'>,
  reads: Reads,
  text: MailText,
  invoice: Row<'invoices'>,
): Promise<EventFacts> {
  const { subscriptionId, documentNumber, currency, dueAt, createdAt, issuedAt } = invoice;
  const subscription = subscriptionId ? await reads.one('subscriptions', { id: subscriptionId }) : undefined;
  const facts: EventFacts = {
    invoiceRow: invoice,
    invoice: {
      number: documentNumber,
      totalMinor: computeOwed(invoice),
      currency,
      issuedAt: invoice.paidAt ?? issuedAt ?? createdAt,
      dueAt,
    },
    ...(subscription && { subscription: showSubscription(subscription) }),
  };
  if (text === 'receipt') return { ...facts, ...(await readMethod(reads, invoice)) };
  if (text === 'payment_failed')
    return { ...facts, payment: await readFailure(reads, invoice, subscription) };
  if (text === 'invoice_sent') return facts;
  const { bankAccount } = tenant;
  if (!bankAccount) return facts;
  const { iban = null, accountNumber = null, bic = null, bankName = null, accountHolder } = bankAccount;
  const reference = buildPaymentReference(invoice);
  return { ...facts, bank: { accountHolder, iban, accountNumber, bic, bankName, reference } };
}

/** Returns the payment method that an invoice charged, if it is kept. */
async function readMethod(
  reads: Reads,
  { customerId, chargeProvider, chargeMethod }: Row<'invoices'>,
): Promise<Pick<EventFacts, 'method'>> {
  if (chargeMethod === null) return {};
  const methods = await reads.many('paymentMethods', { where: { customerId } });
  const method = methods.find(
    ({ provider, reference }) => provider === chargeProvider && reference === chargeMethod,
  );
  return method?.last4 ? { method } : {};
}

/** Returns the facts of a refund; one of a charge that paid no invoice has no credit note. */
async function readRefundFacts(
  reads: Reads,
  { id: paymentId, amountMinor, currency, invoiceId }: Row<'payments'>,
): Promise<EventFacts> {
  const refund = { amountMinor, currency };
  const [note] = await reads.many('creditNotes', {
    where: { paymentId, status: 'issued' },
    orderBy: ['createdAt', 'id'],
    limit: 1,
  });
  const invoice = invoiceId === null ? undefined : await reads.one('invoices', { id: invoiceId });
  return {
    refund,
    ...(note && (await readNoteFacts(reads, note))),
    ...(invoice && (await readMethod(reads, invoice))),
  };
}

/** Returns the facts of a credit note; its invoice is that which it credits. */
async function readNoteFacts(reads: Reads, note: Row<'creditNotes'>): Promise<EventFacts> {
  const { invoiceId, documentNumber: number, totalMinor, currency, issuedAt, reason } = note;
  const invoice = await reads.one('invoices', { id: invoiceId });
  return {
    noteRow: note,
    creditNote: { number, totalMinor, currency, issuedAt, reason },
    ...(invoice && {
      invoice: {
        number: invoice.documentNumber,
        totalMinor: invoice.totalMinor,
        currency,
        issuedAt: invoice.issuedAt ?? invoice.createdAt,
        dueAt: invoice.dueAt,
      },
    }),
  };
}

async function readFailure(
  reads: Reads,
  { id, status, retryAt }: Row<'invoices'>,
  subscription: Row<'subscriptions'> | undefined,
): Promise<NonNullable<EventFacts['payment']>> {
  const payments = await reads.many('payments', { where: { invoiceId: id }, orderBy: ['createdAt', 'id'] });
  const last = payments.findLast((payment) => payment.kind === 'charge' && payment.status === 'failed');
  const isRetried =
    status === 'open' && subscription?.openInvoiceId === id && subscription.retriesStoppedReason === null;
  return {
    declineCode: last?.declineCode ?? null,
    nextAttemptAt: isRetried ? subscription.dueAt : status === 'open' ? retryAt : null,
  };
}

/** A subscription as its traces show it. */
interface ShownSubscription {
  customerId: string;
  productName: string;
  price: { amount: number; currency: string };
  recurring: { frequency: Frequency; period: number };
  addOns?: { price: { amount: number; currency: string } }[];
  nextBillingDate: string | null;
  currentPeriodEnd: string | null;
  cancelAt: string | null;
  cancelledAt: string | null;
  nextIntentId: string | null;
  startsAt: string;
  trialEndsAt?: string;
  pausedAt: string | null;
  resumesAt?: string;
  cancelAtPeriodEnd: boolean;
}

async function readSubscriptionFacts(
  scope: FactScope,
  text: MailText,
  { payload }: Row<'traces'>,
  evenIfSettled: boolean,
): Promise<EventFacts | undefined> {
  const { read: reads } = scope;
  const id = String(payload['resourceId']);
  const shown = payload['object'] as ShownSubscription;
  const now = await reads.one('subscriptions', { id });
  const isSettled = text !== 'cancelled' && now?.cancelledAt !== null;
  if (!now || (isSettled && !evenIfSettled)) return undefined;
  const subscription = {
    product: shown.productName,
    price: {
      amountMinor: [shown, ...(shown.addOns ?? [])].reduce(
        (sum, { price: { amount, currency } }) => sum + toMinor(amount, currency, 'price'),
        0n,
      ),
      currency: shown.price.currency,
    },
    ...shown.recurring,
    renewsAt: shown.cancelAtPeriodEnd ? null : shown.nextBillingDate,
    endsAt: shown.cancelledAt ?? shown.cancelAt ?? shown.currentPeriodEnd,
    startsAt: shown.startsAt,
    trialEndsAt: shown.trialEndsAt ?? null,
    changesAt: shown.nextBillingDate,
    pausedAt: shown.pausedAt,
    resumesAt: shown.resumesAt ?? null,
  };
  if (text === 'plan_change_scheduled')
    return { subscription: { ...subscription, ...(await readNextPlan(reads, shown.nextIntentId)) } };
  if (text === 'spend_alert') {
    const spend = readSpendAlert(scope, payload, evenIfSettled);
    return spend && { subscription, spend };
  }
  if (text !== 'trial_ending' && text !== 'renewal_upcoming') return { subscription };
  const announced = text === 'trial_ending' ? subscription.trialEndsAt : subscription.renewsAt;
  return { subscription, ...(await forecastBill(scope, id, announced)) };
}

async function readNextPlan(
  reads: Reads,
  intentId: string | null,
): Promise<Partial<NonNullable<EventFacts['subscription']>>> {
  const intent = intentId === null ? undefined : await reads.one('intents', { id: intentId });
  if (!intent) return {};
  const product = await reads.one('products', { id: intent.productId });
  const { frequency, period, amountMinor, currency, addOns } = intent;
  const sum = (addOns ?? []).reduce((total, addOn) => total + BigInt(addOn.amountMinor), amountMinor);
  return {
    ...(product && { product: product.name }),
    price: { amountMinor: sum, currency },
    frequency,
    period,
  };
}

/** Returns the amount of the bill on a date, with discounts and tax; nothing if none is expected or was made. */
async function forecastBill(
  scope: FactScope,
  id: string,
  date: string | null,
): Promise<Pick<EventFacts, 'invoice'>> {
  if (date === null) return {};
  const [charge] = await forecastSubscription(scope, id, addMs(date, dayMs));
  if (charge) {
    const { totalMinor, currency } = charge;
    return { invoice: { number: null, totalMinor, currency, issuedAt: charge.date, dueAt: null } };
  }
  // The date is past: the bill was made.
  const bills = await scope.read.many('invoices', { where: { subscriptionId: id, cycleStart: date } });
  const bill = bills.find(isOfPeriod);
  if (!bill) return {};
  const { totalMinor, currency, createdAt: issuedAt } = bill;
  return { invoice: { number: null, totalMinor, currency, issuedAt, dueAt: null } };
}

const showSubscription = (row: Row<'subscriptions'>): NonNullable<EventFacts['subscription']> => ({
  product: row.productName,
  price: null,
  frequency: row.frequency,
  period: row.period,
  renewsAt: row.nextBillingDate,
  endsAt: row.cancelledAt ?? row.cancelAt ?? row.currentPeriodEnd,
  startsAt: row.startsAt,
  trialEndsAt: row.trialEndsAt,
  changesAt: row.nextBillingDate,
  pausedAt: row.pausedAt,
  resumesAt: row.resumesAt,
});
