import type { en } from './en.ts';

export const de: typeof en = {
  title: 'Offene Zahlungen',
  subtitle: 'Abonnements, deren Abbuchung fehlschlug, die ältesten zuerst.',
  atRisk: 'Gefährdeter Betrag',
  count: (count) => `Zahlungen: ${count}`,
  allReasons: 'Alle Gründe',
  empty: 'Nichts offen',
  emptyText: 'Fehlgeschlagene Abbuchungen erscheinen hier, mit dem nächsten Versuch und einem Zahlungslink.',
  more: 'Mehr anzeigen',
  retry: 'Erneut abbuchen',
  retryText: (amount) => `${amount} erneut abbuchen`,
  retried: (paid, count) => `Bezahlt: ${paid} von ${count}`,
  chooseFirst: 'Wählen Sie zuerst Zahlungen aus',
  choose: (name) => `${name} auswählen`,
  awaited: 'Überweisung erwartet',
  since: 'Seit',
  nextTry: 'Nächster Versuch',
  never: 'Keiner',
};
