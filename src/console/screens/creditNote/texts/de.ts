import type { en } from './en.ts';

export const de: typeof en = {
  creditNote: 'Gutschrift',
  missing: 'Diese Gutschrift gibt es nicht.',
  void: 'Storniert',
  issued: 'Ausgestellt',
  issuedOn: 'Ausgestellt am',
  download: 'Herunterladen',
  lines: 'Gutgeschriebene Positionen',
  refund: 'Auf das Zahlungsmittel erstattet',
  credit: 'Dem Kunden gutgeschrieben',
  memo: 'Text für den Kunden',
  remaining: 'Noch gutzuschreiben',
};
