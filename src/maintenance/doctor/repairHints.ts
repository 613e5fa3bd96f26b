import type { Check } from '../../billing/audit/audit.ts';

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
  | 'e_invoice'
  | 'webhook_filter'
  | 'sandbox_method'
  | 'untaxed'
  | 'vat_rates'
  | 'vat_id'
  | 'account'
  | 'kept_method'
  | 'reference'
  | 'revenue'
  | 'search'
  | 'tax_sums'
  | 'tax_conversions'
  | 'union_sales'
  | 'exchange_rate'
  | 'alerts'
  | 'usage'
  | 'usage_unbilled'
  | 'usage_unmatched'
  | 'operators';

/** What precedes every advice that would move money, change records or replace the database. */
const checkFirst =
  'First compare the record and its traces with what the payment provider lists for this customer, and run `doctor` of ' +
  'the newest release: if the amounts agree, the check is mistaken; report it and change nothing. ';

/** How to take records from a backup. Restoring it in place of the database would lose what was written since. */
const fromBackup = (records: string) =>
  `${checkFirst}Otherwise restore a backup to another path, in which \`doctor\` does not report this, and correct ${records} ` +
  'by hand from there; restored in place of the database it would undo every change since.';

/**
 * The repair hint for each kind of problem. The doctor never repairs anything itself, because money may depend on it.
 */
export const repairHints: Record<Problem, string> = {
  e_invoice:
    'Compare the document with what the access point lists. `sendEInvoice` sends it again under the same key, and `reportEInvoice` ' +
    'records what the access point has decided.',
  usage:
    'What a meter has counted is not what its events say, or what was billed for a period is not what its usage costs. ' +
    fromBackup('the rows of `usage_buckets` and `usage_values`, or of `usage_periods`,') +
    ' Rows of `usage_totals` can be removed: they are counted anew.',
  alerts:
    'An alert was told twice, or without its usage; it is reached or remembered, but no event tells of it; or usage could not be compared with it, of ' +
    'which the log has the error. No money depends on it: tell the customer what is right.',
  usage_unbilled:
    'Usage that comes after the final invoice of a subscription is not billed. Charge it by an invoice of its own ' +
    '(`createInvoice`), or leave it; after 35 days it is not listed any more.',
  usage_unmatched:
    'Create a price with a rate that matches the units, and one for all others, and change the subscriptions to it; or give the ' +
    'customer own terms from the beginning of the period (`overrideUsagePrice`).',
  operators:
    'Give a tenant an owner: `perennial operator create <email> --tenant <alias>`. With another key, set the earlier ' +
    'PERENNIAL_SECRET_KEY or key file again, or let the operator set up the app again after `perennial operator link <email>`.',
  file:
    'Stop the server, copy the file with its `-wal` to another machine, and run `doctor` on the copy: if it finds nothing, the ' +
    'disk or the memory is at fault, not the file. Otherwise keep the file and restore the newest backup in which `doctor` finds no problem; what was ' +
    'written since it was made is then known to the payment provider alone.',
  distribution: 'Run `perennial migrate --distribute`: it distributes the remaining tables.',
  traces:
    'The database was changed by something other than Perennial: find out by what. ' +
    fromBackup('the record, or its state of the last trace,'),
  invoice_numbers:
    'An invoice was removed by something other than Perennial; numbers must have no gaps. ' +
    fromBackup('the invoice and its lines'),
  periods: `${checkFirst}Otherwise refund periods billed twice and record periods not billed.`,
  billed_count: fromBackup('the number of paid invoices'),
  open_invoice: `${checkFirst}Otherwise record its payment or void the invoice.`,
  due_date:
    `${checkFirst}Otherwise cancel the subscription and create another, after a look at what it has billed, or correct its ` +
    'dates by hand from a backup that was restored to another path.',
  parked: 'Correct the cause named in the reason, then resume the subscription.',
  invoice_total: fromBackup('the invoice and its lines'),
  line_amount: `${fromBackup('the line')} Refund any amount charged beyond its explanation.`,
  agreed_price: `${checkFirst}Otherwise restore changed amounts and refund any amount charged above the agreed price.`,
  trial: `${checkFirst}Otherwise correct the dates of the subscription, and refund a set-up fee charged twice.`,
  credit: `${fromBackup('the invoice')} No credit may exceed what was charged.`,
  given_back:
    'A line gave back more than was paid for it, or its counts are wrong. ' +
    `${fromBackup('the counts')} An excess refund is lost unless the customer returns it.`,
  balance: fromBackup('the entries of the balance'),
  discounts: `${fromBackup('the discount, its coupon or the invoice')} The counts of redemptions must match the discounts.`,
  tax: `${fromBackup('the invoice and its lines')} The tax of a category is its rate times what it taxes.`,
  payments: `${checkFirst}Otherwise record missing payments and refund duplicate ones.`,
  documents:
    `${fromBackup('the invoice, its credit notes and the counters of numbers')} ` +
    'A document that was sent must not change.',
  invoice_items: `${fromBackup('the item or the invoice that bills it')} Refund what was billed twice.`,
  overdue: 'Check that a server is running on this database, and check its log; `perennial bill` bills once.',
  payment_under_way:
    'Compare with what the payment provider lists for this customer; a running server asks the provider again ' +
    'automatically, `perennial bill` at once.',
  request_under_way:
    'Start a server on this database: it releases the request at once, and the client may send it again.',
  webhook_filter: 'Change `events` of the endpoint with updateWebhookEndpoint; eventTypes lists all events.',
  reference: `${fromBackup('the missing record')} Or change the record that refers to it.`,
  revenue:
    'The figures of revenue do not follow from the subscriptions; no money depends on them. ' +
    fromBackup('the movements'),
  search: 'Run `perennial reindex`: it makes the search index anew from the records; no money depends on it.',
  tax_sums:
    'Run `perennial reindex`: it makes the sums of the tax report anew from the invoices; no money depends on them.',
  union_sales:
    'Choose the place of supply anew: `setPlaceOfSupply` with null, then with the present choice, counts the documents again. Compare ' +
    'the bills since then that were taxed at the seller.',
  tax_conversions:
    'The tax of a document in the currency of its seller is not what the rates that were kept make it. ' +
    fromBackup('the row of `tax_conversions`'),
  exchange_rate:
    'Import the rates of the European Central Bank (`perennial exchange-rates`), or set your own (`setExchangeRate`): the documents ' +
    'then get their tax. Send those again that customers have already.',
  vat_id:
    'The check of a VAT id is not what VIES last answered. `checkVatId` asks again, and the next bill follows the answer.',
  untaxed:
    'Add a tax rate for the country (`createTaxRate`), or state that no tax is owed there: `seller.chargesNoTax` in ' +
    '`updateTenant`, or in the settings of the console. Correct invoices that lack tax by credit notes and new invoices.',
  vat_rates:
    'Compare the rates (`standardTaxRates`) with those of the Taxes in Europe Database, and store a file with what has changed and the date: ' +
    '`perennial vat-rates`. Or install a newer release.',
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
