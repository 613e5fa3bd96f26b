import type { en } from './en.ts';

export const de: typeof en = {
  label: 'Karte und weitere Zahlungsarten',
  hint: 'Wird für spätere Zahlungen dieses Abonnements gespeichert.',
};
