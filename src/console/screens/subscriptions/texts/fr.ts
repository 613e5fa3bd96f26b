import type { en } from './en.ts';

export const fr: typeof en = {
  title: 'Abonnements',
  next: 'Prochaine facture',
  price: 'Prix',
  pastDue: 'En retard depuis',
  trial: 'Essai jusqu’au',
  empty: 'Aucun abonnement pour l’instant',
  emptyText: 'Un abonnement commence quand un client paie sur la page de paiement ou par votre application.',
};
