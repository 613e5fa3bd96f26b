import type { en } from './en.ts';

export const de: typeof en = {
  title: 'Abonnements',
  next: 'Nächste Rechnung',
  price: 'Preis',
  pastDue: 'Überfällig seit',
  trial: 'Probezeit bis',
  empty: 'Noch keine Abonnements',
  emptyText: 'Ein Abonnement beginnt, wenn ein Kunde auf der Bezahlseite oder über Ihre Anwendung bezahlt.',
};
