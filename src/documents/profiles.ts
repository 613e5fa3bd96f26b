/**
 * The uses of EN 16931: its core, and those of a country or a network, which say what must be given besides and how a few terms
 * are written. Identifiers: XRechnung 3.0 (https://xeinkauf.de/xrechnung/), Peppol BIS Billing 3.0
 * (https://docs.peppol.eu/poacc/billing/3.0/),
 * AFNOR XP Z12-012 (https://github.com/fnfempe/France_RFE).
 */
import type { DocumentFormat } from './record.ts';

export interface Profile {
  /** BT-24: what the document claims to follow. */
  specificationId: string;
  /** BT-23: the business process; null where none is asked for, or where it depends on the document. */
  processId: string | null;
  /**
   * Whether it writes what national rules ask for beyond the core: a rate in each group of the breakdown (BR-DE-14), the
   * place of a delivery (BR-DE-10, BR-DE-11), and the means of payment, a card (48) or a standing agreement (57).
   */
  isDetailed: boolean;
  /**
   * Whether a SEPA debit is one (59). XRechnung and Peppol then ask for its mandate and creditor (BR-DE-30, BR-DE-31,
   * PEPPOL-EN16931-R061), which payment providers keep: there it is a standing agreement (57).
   */
  namesDebits: boolean;
  /** Whether the address of the buyer is their e-mail address, if they have given no other. */
  sendsToEmail: boolean;
  /** The most decimals of a price and of a quantity. */
  priceDecimals: number;
  quantityDecimals: number;
}

/** As fine as a stored price. */
const finest = { priceDecimals: 12, quantityDecimals: 12 };

const billingProcess = 'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0';

/** The core of the standard, without national extensions. */
export const core: Profile = {
  specificationId: 'urn:cen.eu:en16931:2017',
  processId: null,
  isDetailed: false,
  namesDebits: false,
  sendsToEmail: true,
  ...finest,
};

export const xrechnung: Profile = {
  specificationId: 'urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0',
  processId: billingProcess,
  isDetailed: true,
  namesDebits: false,
  sendsToEmail: true,
  ...finest,
};

/** Peppol sends nothing by e-mail: a buyer has an address of its network. */
export const peppol: Profile = {
  specificationId: 'urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0',
  processId: billingProcess,
  isDetailed: true,
  namesDebits: false,
  sendsToEmail: false,
  ...finest,
};

/** The core in France (AFNOR XP Z12-012). Its rules BR-FR-DEC limit decimals. */
export const france: Profile = {
  specificationId: core.specificationId,
  processId: null,
  isDetailed: true,
  namesDebits: true,
  sendsToEmail: true,
  priceDecimals: 6,
  quantityDecimals: 4,
};

/** The use of EN 16931 that a format follows; undefined for formats that people or programs of ours read. */
export const profileOfFormat: Partial<Record<DocumentFormat, Profile>> = {
  ubl: core,
  cii: core,
  factur_x: core,
  xrechnung,
  xrechnung_cii: xrechnung,
  peppol_bis_3: peppol,
  factur_x_fr: france,
  ubl_fr: france,
};
