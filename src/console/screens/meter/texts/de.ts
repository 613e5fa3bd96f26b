import type { en } from './en.ts';

export const de: typeof en = {
  meter: 'Zähler',
  meters: 'Zähler',
  missing: 'Diesen Zähler gibt es nicht.',
  usage: 'Nutzung von 30 Tagen',
  filter: 'Nur Ereignisse mit',
  startsAt: 'Zählt seit',
  endsAt: 'Zählt bis',
  yes: 'Ja',
  archived: 'Beendet',
  archive: 'Zähler beenden',
  alreadyEnded: 'Er ist beendet',
  archiveText: 'Er zählt keine späteren Ereignisse. Das lässt sich nicht rückgängig machen.',
  archivedToast: 'Der Zähler ist beendet',
  archiveTitle: (name: string) => `${name} beenden?`,
  versions: 'Fassungen',
  change: 'Zählung ändern',
  changeText: 'Ab dann ändern',
  changedToast: 'Der Zähler zählt ab dann anders',
  changeNote:
    'Eine neue Fassung beginnt zu einem Zeitpunkt. Was davor gezählt wurde, bleibt, und die Rechnungen darüber auch.',
  from: 'Ab',
  fromHint: 'Leer: ab der nächsten Viertelstunde',
  backfillHint:
    'Ereignisse, die älter als 35 Tage sind, nimmt die API: backfillUsage. Sie werden gezählt und nie berechnet.',
};
