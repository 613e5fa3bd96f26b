import type { Conventions, DocumentTexts } from './types.ts';

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

const conventions: Conventions = {
  digits: '0123456789',
  decimal: '.',
  group: ',',
  minus: '−',
  percent: (number) => `${number}%`,
  // The spaces within a date do not break.
  date: (day, month, year) => `${day}\u00A0${months[month - 1]}\u00A0${year}`,
};

/** The conventions of the United States, where the month comes first. */
export const american: Conventions = {
  ...conventions,
  date: (day, month, year) => `${months[month - 1]}\u00A0${day}, ${year}`,
};

export const en: DocumentTexts = {
  direction: 'ltr',
  conventions,
  invoice: 'Invoice',
  creditNote: 'Credit note',
  number: 'Number',
  issueDate: 'Date of issue',
  dueDate: 'Due date',
  servicePeriod: 'Service period',
  creditedInvoice: 'Credits invoice',
  creditedInvoiceOf: (number, date) => `${number} of ${date}`,
  range: (from, to) => `${from} – ${to}`,
  seller: 'From',
  buyer: 'Bill to',
  registration: 'Registration',
  taxIds: { vat: 'VAT ID', ein: 'EIN', other: 'Tax ID' },
  taxNames: { vat: 'VAT', other: 'Tax' },
  lines: 'Services and charges',
  description: 'Description',
  quantity: 'Quantity',
  unitPrice: 'Unit price',
  amount: (currency) => `Amount (${currency})`,
  quantityAndPrice: (quantity, price) => `${quantity} × ${price}`,
  discount: (name) => `Discount: ${name}`,
  carriedOver: 'Carried over',
  broughtForward: 'Brought forward',
  totals: 'Totals',
  subtotal: 'Subtotal',
  subtotalWithTax: (tax) => `Subtotal including ${tax}`,
  discounts: 'Discounts',
  net: (tax) => `Total without ${tax}`,
  taxOn: (tax, percent, taxable) => `${tax} ${percent} on ${taxable}`,
  total: 'Total',
  fromBalance: 'Paid from your balance',
  paid: 'Paid',
  due: 'Amount due',
  summary: {
    charged: (amount) => `${amount} charged to your payment method`,
    dueBy: (amount, date) => `${amount} due by ${date}`,
    transfer: (amount) => `${amount} due`,
    paid: (amount) => `${amount} paid`,
    refunded: (amount) => `${amount} refunded`,
    credited: (amount) => `${amount} credited`,
  },
  payment: 'Payment',
  paymentSentences: {
    charged: 'The amount is charged to your saved payment method. No further action is needed.',
    transfer: 'Please transfer the amount to this account and quote the reference.',
    paid: 'This invoice is paid. No further action is needed.',
    refunded: 'The amount is refunded to the payment method with which you paid.',
    credited: 'The amount reduces what you owe for the credited invoice.',
  },
  creditToBalance: 'The amount is added to your balance and pays your next invoices.',
  accountHolder: 'Account holder',
  iban: 'IBAN',
  accountNumber: 'Account number',
  bic: 'BIC',
  bank: 'Bank',
  reference: 'Reference',
  qrCaption: 'Scan with your banking app',
  qrDescription: 'QR code with the details of the transfer',
  reasons: {
    reverse_charge:
      'Reverse charge: the recipient is liable for the VAT (Articles 194 and 196 of Directive 2006/112/EC).',
    intra_community: 'VAT-exempt intra-Community supply (Article 138 of Directive 2006/112/EC).',
    export: 'Supply to a customer outside the European Union: exempt from VAT.',
    exempt_customer: 'No tax is charged: the customer is exempt.',
    exempt: 'Exempt from tax.',
    outside_scope: 'Not subject to tax.',
    zero_rated: 'Zero-rated.',
  },
  page: (page, pages) => `Page ${page} of ${pages}`,
  logo: (seller) => `Logo of ${seller}`,
};
