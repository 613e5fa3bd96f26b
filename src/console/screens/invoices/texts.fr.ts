import type { en } from './texts.en.ts';

export const fr: typeof en = {
  title: 'Factures',
  number: 'Numéro',
  draft: (number) => `Brouillon ${number}`,
  status: 'Statut',
  customer: 'Client',
  reason: 'Motif',
  cycle: 'Renouvellement',
  one_off: 'Prestation ponctuelle',
  plan_change: 'Changement d’offre',
  subscription_start: 'Début',
  total: 'Total',
  due: 'Dû',
  date: 'Date',
  tax: 'Taxe',
  currency: 'Devise',
  collection: 'Encaissement',
  automatic: 'Automatique',
  send_invoice: 'Virement',
  dueAt: 'Échéance',
  paidAt: 'Payée',
  id: 'Identifiant',
  onlyOverdue: 'En retard seulement',
  empty: 'Aucune facture pour l’instant',
  emptyText:
    'La première apparaît quand un abonnement commence ou quand vous facturez une prestation ponctuelle.',
};
