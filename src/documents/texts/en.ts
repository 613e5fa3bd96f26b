import type { TaxReason } from '../../storage/model/common.ts';
import type { RateSource } from '../../storage/model/documents.ts';
import type { TaxExemption } from '../../storage/model/parties.ts';
import type { DocumentPayment } from '../record.ts';

/** The texts of the documents. `{name}` in braces is replaced. */
export const en = {
  invoice: 'Invoice',
  /** An invoice with a tax: its name differs in countries whose tax law requires one. */
  taxInvoice: 'Invoice',
  creditNote: 'Credit note',
  number: 'Number',
  issueDate: 'Date of issue',
  dueDate: 'Due date',
  paidOn: 'Paid on',
  servicePeriod: 'Service period',
  supplyDate: 'Date of supply',
  creditedInvoice: 'Credits invoice',
  creditedInvoiceOf: '{number} of {date}',
  range: '{from} – {to}',
  seller: 'From',
  buyer: 'Bill to',
  registration: 'Registration',
  /** The label of an id by which tax authorities know a company. */
  taxIds: { vat: 'VAT ID', swiss: 'UID', ein: 'EIN', other: 'Tax ID' },
  /** What the seller charges: value-added tax, or another tax. */
  taxNames: { vat: 'VAT', swiss: 'VAT', other: 'Tax' },
  lines: 'Services and charges',
  description: 'Description',
  quantity: 'Quantity',
  unitPrice: 'Unit price',
  amount: 'Amount ({currency})',
  /** One line in a narrow window: quantity and unit price. */
  quantityAndPrice: '{quantity} × {price}',
  discount: 'Discount: {name}',
  carriedOver: 'Carried over',
  broughtForward: 'Brought forward',
  totals: 'Totals',
  subtotal: 'Subtotal',
  subtotalWithTax: 'Subtotal including {tax}',
  discounts: 'Discounts',
  net: 'Total without {tax}',
  /** The tax of one rate on a taxable amount. */
  taxOn: '{tax} {percent} on {taxable}',
  /** The tax in the currency of the seller, by a rate such as 1 EUR = 1.08 USD. */
  homeTax: '{tax} in {currency}: {amount} at {rate} of {date} ({source})',
  rateSources: { ecb: 'European Central Bank', manual: 'rate of the seller' } satisfies Record<
    RateSource,
    string
  >,
  total: 'Total',
  fromBalance: 'Paid from your balance',
  paid: 'Paid',
  due: 'Amount due',
  /** The sentence below the title. */
  summary: {
    charged: '{amount} charged to your payment method',
    dueBy: '{amount} due by {date}',
    transfer: '{amount} due',
    paid: '{amount} paid',
    paidOn: '{amount} paid on {date}',
    refunded: '{amount} refunded',
    credited: '{amount} credited',
  } satisfies Record<DocumentPayment['kind'] | 'dueBy' | 'paidOn', string>,
  /** How the amount is paid. */
  payment: 'Payment',
  paymentSentences: {
    charged: 'The amount is charged to your saved payment method. No further action is needed.',
    transfer: 'Please transfer the amount to this account and quote the reference.',
    paid: 'This invoice is paid. No further action is needed.',
    refunded: 'The amount is refunded to the payment method with which you paid.',
    credited: 'The amount reduces what you owe for the credited invoice.',
  } satisfies Record<DocumentPayment['kind'], string>,
  creditToBalance: 'The amount is added to your balance and pays your next invoices.',
  accountHolder: 'Account holder',
  iban: 'IBAN',
  accountNumber: 'Account number',
  bic: 'BIC',
  bank: 'Bank',
  reference: 'Reference',
  qrCaption: 'Scan with your banking app',
  qrDescription: 'QR code with the details of the transfer',
  /** Why no tax is charged, as tax law words it. */
  reasons: {
    reverse_charge:
      'Reverse charge: the recipient is liable for the VAT (Articles 194 and 196 of Directive 2006/112/EC).',
    intra_community: 'VAT-exempt intra-Community supply (Article 138 of Directive 2006/112/EC).',
    export: 'Supply to a customer outside the European Union: exempt from VAT.',
    exempt_customer: 'No tax is charged: the customer is exempt.',
    exempt_seller: 'No tax is charged: the seller is exempt.',
    exempt: 'Exempt from tax.',
    outside_scope: 'Not subject to tax.',
    zero_rated: 'Zero-rated.',
  } satisfies Record<TaxReason, string>,
  /** The exemption of the seller, with its provision. */
  exemptions: {
    small_business: 'Exempt from VAT: small business ({reference}).',
    other: 'Exempt from tax ({reference}).',
  } satisfies Record<TaxExemption['kind'], string>,
  page: 'Page {page} of {pages}',
  logo: 'Logo of {seller}',
};
