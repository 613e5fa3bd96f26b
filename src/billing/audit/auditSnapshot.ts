import { groupBy } from '../../lib/groupBy.ts';
import type { Row } from '../../storage/model/rowTypes.ts';

/** All records of the books of some customers. */
interface BookRows {
  subscriptions: Row<'subscriptions'>[];
  invoices: Row<'invoices'>[];
  invoiceLines: Row<'invoiceLines'>[];
  intents: Row<'intents'>[];
  payments: Row<'payments'>[];
  balanceEntries: Row<'balanceEntries'>[];
  invoiceItems: Row<'invoiceItems'>[];
  discounts: Row<'discounts'>[];
  creditNotes: Row<'creditNotes'>[];
  /** As of when subscriptions were resumed. */
  resumed: { id: string; at: string }[];
}

/** The records with indexes for the relations between them. */
export interface Books {
  subscriptions: Row<'subscriptions'>[];
  /** Ordered by number. */
  invoices: Row<'invoices'>[];
  payments: Row<'payments'>[];
  balanceEntries: Row<'balanceEntries'>[];
  items: Row<'invoiceItems'>[];
  /** The items that an invoice bills. */
  listItems: (invoiceId: string) => Row<'invoiceItems'>[];
  /** All items of a customer. */
  listItemsOf: (customerId: string) => Row<'invoiceItems'>[];
  discounts: Row<'discounts'>[];
  /** Those that are not void. */
  creditNotes: Row<'creditNotes'>[];
  /** All lines of all invoices. */
  lines: Row<'invoiceLines'>[];
  /** Every intent, paid or not. */
  agreements: Row<'intents'>[];
  /** Intents whose payment is under way. */
  paying: Row<'intents'>[];
  invoiceById: Map<string, Row<'invoices'>>;
  intentById: Map<string, Row<'intents'>>;
  lineById: Map<string, Row<'invoiceLines'>>;
  listLines: (invoiceId: string) => Row<'invoiceLines'>[];
  listInvoices: (subscriptionId: string) => Row<'invoices'>[];
  listPayments: (invoiceId: string) => Row<'payments'>[];
  listBalanceEntries: (invoiceId: string) => Row<'balanceEntries'>[];
  /** The credit notes of an invoice that are not void, oldest first. */
  listCreditNotes: (invoiceId: string) => Row<'creditNotes'>[];
  listIntents: (subscriptionId: string) => Row<'intents'>[];
  listResumes: (subscriptionId: string) => string[];
}

/** Builds the indexes of the books. */
export function indexBooks(rows: BookRows): Books {
  const invoices = rows.invoices.toSorted((a, b) => a.number - b.number);
  const lines = groupBy(rows.invoiceLines, ({ invoiceId }) => invoiceId);
  const bySubscription = groupBy(invoices, ({ subscriptionId }) => subscriptionId);
  const payments = groupBy(rows.payments, ({ invoiceId }) => invoiceId);
  const items = groupBy(rows.invoiceItems, ({ invoiceId }) => invoiceId);
  const itemsOf = groupBy(rows.invoiceItems, ({ customerId }) => customerId);
  const balanceEntries = groupBy(rows.balanceEntries, ({ invoiceId }) => invoiceId);
  const creditNotes = rows.creditNotes.filter(({ status }) => status === 'issued');
  const notes = groupBy(creditNotes, ({ invoiceId }) => invoiceId);
  const intents = groupBy(
    rows.intents,
    ({ subscriptionId, changesSubscriptionId }) => subscriptionId ?? changesSubscriptionId,
  );
  const resumes = groupBy(rows.resumed, ({ id }) => id);
  return {
    subscriptions: rows.subscriptions,
    invoices,
    payments: rows.payments,
    balanceEntries: rows.balanceEntries,
    items: rows.invoiceItems,
    listItems: (id) => items.get(id) ?? [],
    listItemsOf: (id) => itemsOf.get(id) ?? [],
    discounts: rows.discounts,
    creditNotes,
    lines: rows.invoiceLines,
    agreements: rows.intents,
    paying: rows.intents.filter(({ status }) => status === 'processing' || status === 'requires_action'),
    invoiceById: new Map(invoices.map((invoice) => [invoice.id, invoice])),
    intentById: new Map(rows.intents.map((intent) => [intent.id, intent])),
    lineById: new Map(rows.invoiceLines.map((line) => [line.id, line])),
    listLines: (id) => lines.get(id) ?? [],
    listInvoices: (id) => bySubscription.get(id) ?? [],
    listPayments: (id) => payments.get(id) ?? [],
    listBalanceEntries: (id) => balanceEntries.get(id) ?? [],
    listCreditNotes: (id) => notes.get(id) ?? [],
    listIntents: (id) => intents.get(id) ?? [],
    listResumes: (id) => (resumes.get(id) ?? []).map(({ at }) => at),
  };
}
