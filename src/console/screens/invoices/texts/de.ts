import type { en } from './en.ts';

export const de: typeof en = {
  title: 'Rechnungen',
  draft: (number) => `Entwurf ${number}`,
  reason: 'Anlass',
  cycle: 'Verlängerung',
  one_off: 'Einmalige Leistung',
  plan_change: 'Tarifwechsel',
  subscription_end: 'Schlussrechnung',
  usage_threshold: 'Nutzungsschwelle',
  subscription_start: 'Beginn',
  due: 'Offen',
  collection: 'Einzug',
  automatic: 'Automatisch',
  send_invoice: 'Überweisung',
  dueAt: 'Fällig am',
  paidAt: 'Bezahlt',
  onlyOverdue: 'Nur überfällige',
  empty: 'Noch keine Rechnungen',
  emptyText:
    'Die erste erscheint, wenn ein Abonnement beginnt oder Sie einem Kunden einmalig etwas berechnen.',
};
