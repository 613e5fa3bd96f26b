import type { en } from './en.ts';

export const de: typeof en = {
  title: 'Abonnements',
  product: 'Produkt',
  status: 'Status',
  customer: 'Kunde',
  next: 'Nächste Rechnung',
  ends: 'Endet',
  price: 'Preis',
  currency: 'Währung',
  pastDue: 'Überfällig seit',
  trial: 'Probezeit bis',
  id: 'Kennung',
  created: 'Angelegt',
  empty: 'Noch keine Abonnements',
  emptyText: 'Ein Abonnement beginnt, wenn ein Kunde auf der Bezahlseite oder über Ihre Anwendung bezahlt.',
};
