import type { en } from './texts.en.ts';

export const de: typeof en = {
  title: 'Rechnungen',
  number: 'Nummer',
  draft: (number) => `Entwurf ${number}`,
  status: 'Status',
  customer: 'Kunde',
  reason: 'Anlass',
  cycle: 'Verlängerung',
  one_off: 'Einmalige Leistung',
  plan_change: 'Tarifwechsel',
  subscription_start: 'Beginn',
  total: 'Gesamtbetrag',
  due: 'Offen',
  date: 'Datum',
  tax: 'Steuer',
  currency: 'Währung',
  collection: 'Einzug',
  automatic: 'Automatisch',
  send_invoice: 'Überweisung',
  dueAt: 'Fällig am',
  paidAt: 'Bezahlt',
  id: 'Kennung',
  onlyOverdue: 'Nur überfällige',
  empty: 'Noch keine Rechnungen',
  emptyText:
    'Die erste erscheint, wenn ein Abonnement beginnt oder Sie einem Kunden einmalig etwas berechnen.',
};
