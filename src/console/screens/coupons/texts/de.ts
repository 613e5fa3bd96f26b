import type { en } from './en.ts';

export const de: typeof en = {
  title: 'Gutscheine',
  create: 'Gutschein anlegen',
  createdToast: (name) => `${name} angelegt`,
  nameHint: 'Kunden lesen ihn auf ihren Rechnungen.',
  off: 'Rabatt',
  kind: 'Art des Rabatts',
  percent: 'Prozent',
  duration: 'Wie lange',
  once: 'Einmal',
  repeating: 'Einige Monate lang',
  forever: 'Auf jede Rechnung',
  months: 'Monate',
  allProducts: 'Alle Produkte',
  limit: 'Höchstzahl der Einlösungen',
  limitHint: 'Aller Kunden zusammen. Leer: ohne Grenze.',
  redeemed: 'Eingelöst',
  ofMost: (count, most) => `${count} von ${most}`,
  redeemBy: 'Einlösbar vor',
  inactive: 'Archiviert',
  empty: 'Noch keine Gutscheine',
  emptyText:
    'Ein Gutschein mindert Rechnungen: einmal, einige Monate lang oder immer. Mit Aktionscodes lösen Zahlende ihn ein.',
};
