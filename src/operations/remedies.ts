import type { Check } from '../billing/audit.ts';

/** All that the doctor looks for. */
export type Ailment =
  | Check
  | 'file'
  | 'traces'
  | 'invoice_numbers'
  | 'overdue'
  | 'payment_under_way'
  | 'request_under_way'
  | 'delivery'
  | 'sandbox_method';

const compare = 'Compare with what the payment provider lists for this customer';

/** What would put it right. Nothing of it is ever done unasked: money may hang on it. */
export const remedies: Record<Ailment, string> = {
  file: 'Stop the server, keep the file, and restore the newest backup that `doctor` finds well.',
  traces: 'Somebody wrote to the database past the program. Restore what the last trace shows, or a backup.',
  invoice_numbers:
    'An invoice was removed past the program. Restore it from a backup: numbers may have no gaps.',
  periods: `${compare}; refund what was billed twice, and record what was not billed.`,
  billed_count: 'Restore the count that the paid invoices give, from a backup or by hand.',
  open_invoice: `${compare}; then record its payment or void the invoice.`,
  due_date: 'Cancel the subscription and begin another, or restore its dates from a backup.',
  parked: 'Put right what the reason names, then resume the subscription.',
  invoice_total: 'Restore the invoice and its lines from a backup.',
  line_amount: 'Restore the line from a backup; refund what was charged beyond its explanation.',
  agreed_price: `${compare}; refund what was charged beyond the price that was agreed to.`,
  credit: 'Restore the invoice from a backup; no credit may exceed what was charged.',
  balance: 'Restore the entries of the balance from a backup.',
  payments: `${compare}; record what is missing here, refund what was taken too often.`,
  overdue: 'See that a server runs on this database and what its log says; `perennial bill` bills once.',
  payment_under_way: `${compare}; a running server asks about it again by itself, \`perennial bill\` does at once.`,
  request_under_way: 'It is forgotten within a day; whoever sent it learns of its outcome by reading.',
  sandbox_method:
    'No money moves with it, and its next charge fails: ask the customer for another payment method.',
  delivery: 'See whether its endpoint answers; then redeliver it.',
};
