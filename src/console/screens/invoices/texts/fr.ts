import type { en } from './en.ts';

export const fr: typeof en = {
  title: 'Factures',
  draft: (number) => `Brouillon ${number}`,
  reason: 'Motif',
  cycle: 'Renouvellement',
  one_off: 'Prestation ponctuelle',
  plan_change: 'Changement d’offre',
  subscription_end: 'Facture finale',
  usage_threshold: 'Seuil de consommation',
  subscription_start: 'Début',
  due: 'Dû',
  collection: 'Encaissement',
  automatic: 'Automatique',
  send_invoice: 'Virement',
  dueAt: 'Échéance',
  paidAt: 'Payée',
  onlyOverdue: 'En retard seulement',
  empty: 'Aucune facture pour l’instant',
  emptyText:
    'La première apparaît quand un abonnement commence ou quand vous facturez une prestation ponctuelle.',
};
