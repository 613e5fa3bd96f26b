/** The formats of e-invoices, in the order in which they are offered. */
export const eInvoiceFormats = [
  'xrechnung',
  'xrechnung_cii',
  'peppol_bis_3',
  'factur_x',
  'factur_x_fr',
  'ubl_fr',
  'ubl',
  'cii',
] as const;

export type EInvoiceFormat = (typeof eInvoiceFormats)[number];

export const formatNames = {
  xrechnung: 'XRechnung 3.0 (UBL)',
  xrechnung_cii: 'XRechnung 3.0 (CII)',
  peppol_bis_3: 'Peppol BIS Billing 3.0',
  factur_x: 'Factur-X, ZUGFeRD',
  factur_x_fr: 'Factur-X, France (XP Z12-012)',
  ubl_fr: 'UBL, France (XP Z12-012)',
  ubl: 'EN 16931 (UBL)',
  cii: 'EN 16931 (CII)',
} as const satisfies Record<EInvoiceFormat, string>;
