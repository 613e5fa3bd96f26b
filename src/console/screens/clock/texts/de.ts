import type { en } from './en.ts';

export const de: typeof en = {
  title: 'Testuhr',
  now: 'Zeit des Mandanten',
  to: 'Vorstellen auf',
  day: 'Ein Tag',
  week: 'Eine Woche',
  month: 'Ein Monat',
  year: 'Ein Jahr',
  slider: 'Tage voraus',
  forecast: 'Was geschehen würde',
  charges: 'Abbuchungen',
  total: 'Summe',
  nothing: 'Bis dahin keine Abbuchungen.',
  happened: 'Was geschah',
  waiting: 'Ereignisse erscheinen hier, sobald sie geschehen.',
  live: 'Das ist kein Testmandant: seine Zeit ist die wirkliche und nicht verstellbar.',
  liveText:
    'Ein Testmandant zeigt, was in einem Monat oder Jahr geschieht: Seine Uhr wird vorgestellt, und Verlängerungen, E-Mails und Webhooks folgen.',
  newTest: 'Testmandanten anlegen',
  notOwn:
    'Dieser Testmandant hat noch keine eigene Uhr. Mit dem Vorstellen erhält er eine, die nur von Hand läuft.',
  advance: (date) => `Auf ${date} vorstellen`,
  advanceTo: (date) => `Auf ${date} vorstellen …`,
  advanceNote: (date) =>
    `Alles, was bis ${date} fällig ist, geschieht: Rechnungen werden gestellt und abgebucht, E-Mails verschickt, Webhooks aufgerufen. Die Uhr lässt sich nicht zurückstellen.`,
  working: (left) => `Läuft: noch ${left} Änderungen`,
  days: (count) => `${count} Tage`,
};
