import type { TaxReason } from '../../storage/model/common.ts';
import type { DocumentPayment } from '../record.ts';

/** How a language writes numbers and dates. */
export interface Conventions {
  /** `0` to `9` of the language. */
  digits: string;
  decimal: string;
  group: string;
  minus: string;
  /** A percentage of which `number` is the formatted number. */
  percent: (number: string) => string;
  /** A date of which the parts are formatted numbers without leading zeros; `month` is 1 to 12. */
  date: (day: string, month: number, year: string) => string;
}

/** All words of the documents in one language. Parameters are formatted text. */
export interface DocumentTexts {
  direction: 'ltr' | 'rtl';
  conventions: Conventions;
  invoice: string;
  creditNote: string;
  number: string;
  issueDate: string;
  dueDate: string;
  servicePeriod: string;
  creditedInvoice: string;
  creditedInvoiceOf: (number: string, date: string) => string;
  range: (from: string, to: string) => string;
  seller: string;
  buyer: string;
  registration: string;
  /** The label of an id by which tax authorities know a company. */
  taxIds: { vat: string; ein: string; other: string };
  /** What the seller charges: value-added tax, or another tax. */
  taxNames: { vat: string; other: string };
  lines: string;
  description: string;
  quantity: string;
  unitPrice: string;
  amount: (currency: string) => string;
  /** One line in a narrow window: quantity and unit price. */
  quantityAndPrice: (quantity: string, price: string) => string;
  discount: (name: string) => string;
  carriedOver: string;
  broughtForward: string;
  totals: string;
  subtotal: string;
  subtotalWithTax: (tax: string) => string;
  discounts: string;
  net: (tax: string) => string;
  /** The tax of one rate on a taxable amount. */
  taxOn: (tax: string, percent: string, taxable: string) => string;
  total: string;
  fromBalance: string;
  paid: string;
  due: string;
  /** The sentence below the title. */
  summary: Record<DocumentPayment['kind'] | 'dueBy' | 'paidOn', (amount: string, date: string) => string>;
  /** How the amount is paid. */
  payment: string;
  paymentSentences: Record<DocumentPayment['kind'], string>;
  creditToBalance: string;
  accountHolder: string;
  iban: string;
  accountNumber: string;
  bic: string;
  bank: string;
  reference: string;
  qrCaption: string;
  qrDescription: string;
  /** Why no tax is charged, as tax law words it. */
  reasons: Record<TaxReason, string>;
  page: (page: string, pages: string) => string;
  logo: (seller: string) => string;
}
