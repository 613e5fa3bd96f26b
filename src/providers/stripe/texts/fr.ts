import type { en } from './en.ts';

export const fr: typeof en = {
  label: 'Carte et autres moyens de paiement',
  hint: 'Enregistré pour les prochains paiements de cet abonnement.',
};
