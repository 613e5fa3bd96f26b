/** The seller and the buyer on documents, and how e-invoices name them. */
import type { Address, TaxId } from './common.ts';

/** The formats of documents that a customer may receive in mails, besides PDF. */
export type MailedFormat =
  'factur_x' | 'factur_x_fr' | 'ubl_fr' | 'peppol_bis_3' | 'ubl' | 'cii' | 'xrechnung' | 'xrechnung_cii';

/** An identifier and the code of its scheme: an electronic address, or an entry in a register. */
export interface SchemeId {
  scheme: string;
  value: string;
}

/** Whom a buyer asks about an invoice. */
export interface SellerContact {
  name: string;
  phone: string;
  email: string;
}

/** An exemption of the seller, under which no sale is taxed. */
export interface TaxExemption {
  kind: 'small_business' | 'other';
  /** The provision, such as `§ 19 UStG`. */
  reference: string;
  /** A sentence of the seller, in the words of its law; null for none. */
  text: string | null;
  /** A code of the list VATEX (BT-121); null for none. */
  code: string | null;
}

/** What the law asks French invoices to say about late and early payment, in the words of the seller where they differ. */
export interface PaymentNotes {
  recoveryFee?: string;
  latePenalties?: string;
  earlyPaymentDiscount?: string;
}

/** The company that sells, as its invoices show it. Its bank account is that of the tenant. */
export interface Seller {
  legalName: string;
  address: Address | null;
  taxIds: TaxId[];
  /** The entry in the commercial register. */
  registration: string | null;
  /** Text at the end of each document. */
  footer: string | null;
  logoId: string | null;
  /** Whether it owes no tax at home; sellers of earlier releases have not said so. */
  chargesNoTax?: boolean;
  /** What national e-invoices need besides; sellers of earlier releases have none. */
  contact?: SellerContact | null;
  electronicAddress?: SchemeId | null;
  legalRegistration?: SchemeId | null;
  /** Absent if its sales are taxed. */
  taxExemption?: TaxExemption;
  paymentNotes?: PaymentNotes | null;
}

/**
 * What a bill does with a VAT id about which VIES has not answered: stays a draft, takes the rate of the place, or is charged in
 * reverse by the form of the id.
 */
export type VatIdCheckPolicy = 'draft' | 'rate' | 'accept';
