/**
 * What a document shows, frozen when its invoice is finalized or its credit note is issued. All formats are made from it
 * alone, so that a document is the same each time. Amounts are minor units of `currency` as text, never negative on a
 * credit note; dates are calendar dates (YYYY-MM-DD) in the tenant's time zone.
 */
import type { Address, BankAccount, TaxCategory, TaxId, TaxTotal } from '../storage/model/common.ts';
import type { RateSource } from '../storage/model/documents.ts';
import type {
  MailedFormat,
  PaymentNotes,
  SchemeId,
  SellerContact,
  TaxExemption,
} from '../storage/model/parties.ts';

export interface DocumentRecord {
  /** A credit note credits an earlier invoice; an invoice whose credits exceed its charges is one by itself. */
  kind: 'invoice' | 'credit_note';
  number: string;
  issueDate: string;
  /** When it was finalized, an instant: the creation date inside files. */
  issuedAt: string;
  /** Null if nothing is to be transferred. */
  dueDate: string | null;
  /** ISO 4217 in lower case, and its number of decimals. */
  currency: string;
  currencyDecimals: number;
  /**
   * That of the dates. Records of earlier releases have none; their documents were sent without a later payment and stay
   * so.
   */
  timeZone?: string;
  /** A BCP 47 tag. The language is en for languages without texts. */
  locale: string;
  seller: DocumentSeller;
  buyer: DocumentBuyer;
  /** The invoice that a credit note credits. */
  credits: CreditedInvoice | null;
  /** Further invoices that it credits; absent in records of earlier releases. */
  furtherCredits?: CreditedInvoice[];
  /** The first and the last day of the billed periods; null for one-off charges. */
  period: { from: string; to: string } | null;
  lines: DocumentLine[];
  /** Empty if the seller charges no tax. */
  taxes: TaxTotal[];
  /** The tax in the currency in which the seller owes it; absent where that is `currency`, or its rate is not known. */
  taxInHomeCurrency?: HomeCurrencyTax;
  /** Whether prices contain the tax, so that lines show the amounts that customers know. */
  pricesIncludeTax: boolean;
  totals: DocumentTotals;
  payment: DocumentPayment;
  /** What the buyer wants named: their reference, and the number of their order. Absent where they gave none. */
  buyerReference?: string;
  purchaseOrder?: string;
  /** Text of the seller for this document, such as the reason of a credit note; null for none. */
  note: string | null;
}

/** An invoice that a credit note names. */
export interface CreditedInvoice {
  number: string;
  issueDate: string;
}

/** The tax of a document in another currency, by the rates of a day. */
export interface HomeCurrencyTax {
  currency: string;
  currencyDecimals: number;
  taxMinor: string;
  /** How much of each of the two currencies one euro was worth, without the euro: first that of the document. */
  rates: { currency: string; rate: string }[];
  /** The day of the rates. */
  rateDate: string;
  source: RateSource;
}

/** Returns the invoices that a document credits. */
export const listCredited = ({
  credits,
  furtherCredits = [],
}: Pick<DocumentRecord, 'credits' | 'furtherCredits'>): CreditedInvoice[] =>
  credits ? [credits, ...furtherCredits] : [];

/** Whether the exemption of the seller covers all that a document bills. */
export const isOfExemptSeller = ({ taxes }: Pick<DocumentRecord, 'taxes'>): boolean =>
  taxes.length > 0 && taxes.every(({ reason }) => reason === 'exempt_seller');

export interface DocumentSeller {
  legalName: string;
  address: Address | null;
  taxIds: TaxId[];
  registration: string | null;
  footer: string | null;
  logo: DocumentLogo | null;
  /** Absent where the seller has not given them, and in records of earlier releases. */
  contact?: SellerContact;
  electronicAddress?: SchemeId;
  legalRegistration?: SchemeId;
  /** Absent unless a line is exempt by it. */
  taxExemption?: TaxExemption;
  paymentNotes?: PaymentNotes;
}

export interface DocumentLogo {
  contentType: 'image/png' | 'image/jpeg';
  base64: string;
}

export interface DocumentBuyer {
  /** First and last name. */
  name: string;
  companyName: string | null;
  email: string;
  address: Address | null;
  taxIds: TaxId[];
  /** Absent where they have not given them, and in records of earlier releases. */
  electronicAddress?: SchemeId;
  legalRegistration?: SchemeId;
}

export interface DocumentLine {
  description: string;
  /** Small print: how the amount was computed, such as the share of a period or the tiers; in order. */
  details: string[];
  /** The first and the last day of the period; null for one-off charges. */
  period: { from: string; to: string } | null;
  /** Decimals; `quantity` × `unitPrice` is `listMinor` exactly. Both without tax unless `pricesIncludeTax`. */
  quantity: string;
  unitPrice: string;
  /** Before discounts, as priced. */
  listMinor: string;
  discounts: { name: string; amountMinor: string }[];
  /** After discounts, without tax. */
  netMinor: string;
  taxMinor: string;
  /** Null if the seller charges no tax. */
  tax: { category: TaxCategory; percent: string } | null;
}

export interface DocumentTotals {
  /** Of the lines as priced, before discounts. */
  subtotalMinor: string;
  discountMinor: string;
  netMinor: string;
  taxMinor: string;
  /** `netMinor` + `taxMinor`. */
  totalMinor: string;
  /** Paid from the customer's balance. */
  balanceMinor: string;
  /** What remains to be paid: `totalMinor` − `balanceMinor`; 0 once it is charged, or if a credit goes to the balance. */
  payableMinor: string;
}

export interface DocumentPayment {
  /** A saved payment method is charged, money is transferred, it is paid already, or it is refunded or credited. */
  kind: 'charged' | 'transfer' | 'paid' | 'refunded' | 'credited';
  /** When the payment method was charged; absent if it was not. */
  paidOn?: string;
  /** The card that was charged, as far as it may be shown; absent if it was none, or is not known. */
  card?: { brand: string; last4: string };
  /** Whether it was a SEPA direct debit, as far as the provider tells. */
  isSepaDebit?: boolean;
  bankAccount: BankAccount | null;
  /** The reference for a transfer (ISO 11649). */
  reference: string | null;
  /** Payment terms in days; null unless it is a transfer. */
  termsDays: number | null;
}

/** The formats of EN 16931, and of its national and sectoral uses, which a customer may receive in mails instead of the PDF. */
export const mailedFormats = [
  'factur_x',
  'factur_x_fr',
  'ubl_fr',
  'xrechnung',
  'xrechnung_cii',
  'peppol_bis_3',
  'ubl',
  'cii',
] as const satisfies MailedFormat[];

/** The formats of documents. `factur_x` and `factur_x_fr` are the PDF with the CII document attached. */
export const documentFormats = ['html', 'pdf', 'json', ...mailedFormats] as const;
export type DocumentFormat = (typeof documentFormats)[number];

/** A document as a file. */
export interface DocumentFile {
  contentType: string;
  fileName: string;
  bytes: Buffer;
}
