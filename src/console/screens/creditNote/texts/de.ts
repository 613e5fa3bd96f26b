import type { en } from './en.ts';

export const de: typeof en = {
  creditNote: 'Gutschrift',
  missing: 'Diese Gutschrift gibt es nicht.',
  invoices: 'Rechnungen',
  invoice: 'Rechnung',
  customer: 'Kunde',
  void: 'Storniert',
  issued: 'Ausgestellt',
  issuedOn: 'Ausgestellt am',
  download: 'Herunterladen',
  lines: 'Gutgeschriebene Positionen',
  description: 'Beschreibung',
  amount: 'Betrag',
  tax: 'Steuer',
  total: 'Gesamtbetrag',
  refund: 'Auf das Zahlungsmittel erstattet',
  credit: 'Dem Kunden gutgeschrieben',
  memo: 'Text für den Kunden',
  reason: 'Grund',
  remaining: 'Noch gutzuschreiben',
  id: 'Kennung',
};
