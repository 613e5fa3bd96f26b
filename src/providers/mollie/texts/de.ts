import type { en } from './en.ts';

export const de: typeof en = {
  label: 'Karte, iDEAL, PayPal und andere',
  hint: 'Sie zahlen auf der Seite von Mollie und kommen hierher zurück.',
};
