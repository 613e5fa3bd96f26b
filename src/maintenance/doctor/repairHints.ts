import type { Check } from '../../invoicing/audit.ts';

/** The kinds of problems that the doctor looks for. */
export type Problem =
  | Check
  | 'file'
  | 'distribution'
  | 'traces'
  | 'invoice_numbers'
  | 'overdue'
  | 'payment_under_way'
  | 'request_under_way'
  | 'delivery'
  | 'mail'
  | 'mail_server'
  | 'webhook_filter'
  | 'sandbox_method'
  | 'account'
  | 'kept_method'
  | 'reference'
  | 'revenue'
  | 'operators';

const compare = 'Compare with what the payment provider lists for this customer';

/**
 * The repair hint for each kind of problem. The doctor never repairs anything itself, because money may depend on it.
 */
export const repairHints: Record<Problem, string> = {
  operators:
    'Give a tenant an owner: `perennial operator create <email> --tenant <alias>`. With another key, restore the earlier ' +
    'PERENNIAL_SECRET_KEY or key file, or let the operator set up the app again after `perennial operator link <email>`.',
  file: 'Stop the server, keep the file, and restore the newest backup in which `doctor` finds no problem.',
  distribution: 'Run `perennial migrate --distribute`: it distributes the remaining tables.',
  traces:
    'The database was changed by something other than Perennial. Restore the state of the last trace, or a backup.',
  invoice_numbers:
    'An invoice was removed by something other than Perennial. Restore it from a backup: numbers must have no gaps.',
  periods: `${compare}; refund periods billed twice and record periods not billed.`,
  billed_count: 'Restore the number of paid invoices, from a backup or by hand.',
  open_invoice: `${compare}; then record its payment or void the invoice.`,
  due_date: 'Cancel the subscription and create another, or restore its dates from a backup.',
  parked: 'Correct the cause named in the reason, then resume the subscription.',
  invoice_total: 'Restore the invoice and its lines from a backup.',
  line_amount: 'Restore the line from a backup; refund any amount charged beyond its explanation.',
  agreed_price: `${compare}; restore changed amounts and refund any amount charged above the agreed price.`,
  trial: `${compare}; restore the dates of the subscription, and refund a set-up fee charged twice.`,
  credit: 'Restore the invoice from a backup; no credit may exceed what was charged.',
  given_back:
    'A line gave back more than was paid for it, or its counts are wrong: restore the counts from a backup; ' +
    'an excess refund is lost unless the customer returns it.',
  balance: 'Restore the entries of the balance from a backup.',
  discounts:
    'Restore the discount, its coupon or the invoice from a backup; the counts of redemptions must match the discounts.',
  tax: 'Restore the invoice and its lines from a backup; the tax of a category is its rate times what it taxes.',
  payments: `${compare}; record missing payments and refund duplicate ones.`,
  documents:
    'Restore the invoice, its credit notes and the counters of numbers from a backup; a document that was sent must not change.',
  invoice_items: 'Restore the item or the invoice that bills it from a backup; refund what was billed twice.',
  overdue: 'Check that a server is running on this database, and check its log; `perennial bill` bills once.',
  payment_under_way: `${compare}; a running server asks the provider again automatically, \`perennial bill\` at once.`,
  request_under_way:
    'Start a server on this database: it releases the request at once, and the client may send it again.',
  webhook_filter: 'Change `events` of the endpoint with updateWebhookEndpoint; eventTypes lists all events.',
  reference: 'Restore the missing record from a backup, or change the record that refers to it.',
  revenue:
    'The database was changed by something other than Perennial. Restore a backup in which `doctor` finds no problem.',
  sandbox_method: 'It moves no money and its next charge fails: ask the customer for another payment method.',
  mail_server:
    'Check PERENNIAL_SMTP_URL: the host, the port, TLS, the user and the password. Mails wait until it works.',
  mail: 'Check the mail server (sendTestMail tries it) and its log; then resend the mail with resendMail.',
  account:
    'Check the keys with the provider, or the address of the mail server, and call configureAccount again. If the secrets ' +
    'cannot be decrypted, set PERENNIAL_SECRET_KEY to the key with which they were stored.',
  kept_method:
    'Check that the provider can be reached with the keys of the account that saved the method; a running server asks again ' +
    'once a day. Or detach the method (Stripe) or revoke the mandate (Mollie) there.',
  delivery: 'Check that its endpoint responds, then replay the delivery.',
};
