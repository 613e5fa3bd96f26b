import type { en } from './en.ts';

export const fr: typeof en = {
  label: 'Carte, iDEAL, PayPal et autres',
  hint: 'Vous payez sur la page de Mollie, puis vous revenez ici.',
};
