import type { en } from './en.ts';

export const de: typeof en = {
  title: 'Zähler',
  create: 'Zähler anlegen',
  createdToast: 'Zähler angelegt',
  empty: 'Noch keine Zähler',
  emptyText:
    'Ein Zähler zählt, was Kunden nutzen: Aufrufe, Tokens, Gigabytes. Preise mit einem Zähler berechnen es.',
  event: 'Ereignis',
  eventHint: 'Der Name der Ereignisse, die Ihre Anwendung sendet.',
  counts: 'Zählt',
  property: 'Eigenschaft',
  propertyHint: 'Die Eigenschaft der Ereignisse, die gezählt wird.',
  groupBy: 'Aufgeteilt nach',
  groupByHint: 'Bis zu 3 Eigenschaften, durch Kommas getrennt. Sätze von Preisen brauchen sie.',
  unitMultiplier: 'Mal',
  unitMultiplierHint: '0,001 zählt Tausende.',
  persistent: 'Über das Periodenende fortgeführt',
  persistentHint: 'Wie eine Zahl von Plätzen.',
  archived: 'Beendet',
  count: 'Anzahl der Ereignisse',
  sum: 'Summe',
  max: 'Höchster Wert',
  min: 'Niedrigster Wert',
  latest: 'Letzter Wert',
  unique: 'Verschiedene Werte',
  weighted_sum: 'Mittel über die Zeit',
  filter: 'Nur Ereignisse mit',
  filterHint:
    'Eine Bedingung je Zeile: die Eigenschaft, ein Doppelpunkt und die erlaubten Werte, durch Kommas getrennt.',
  preview: 'Vorschau mit den letzten 30 Tagen',
  fixedNote:
    'Ereignis, Art der Zählung und Faktor stehen fest. Was er zählt, kann sich ab einem Zeitpunkt ändern.',
  previewed: (value, events, uncounted) =>
    `${value} in ${events} Ereignissen; ${uncounted} Ereignisse zählten nicht`,
};
