import type { en } from './en.ts';

export const fr: typeof en = {
  title: 'Abonnements',
  product: 'Produit',
  status: 'Statut',
  customer: 'Client',
  next: 'Prochaine facture',
  ends: 'Fin le',
  price: 'Prix',
  currency: 'Devise',
  pastDue: 'En retard depuis',
  trial: 'Essai jusqu’au',
  id: 'Identifiant',
  created: 'Créé',
  empty: 'Aucun abonnement pour l’instant',
  emptyText: 'Un abonnement commence quand un client paie sur la page de paiement ou par votre application.',
};
