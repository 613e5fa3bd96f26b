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
  summary: (value: string, events: string) => `${value} in ${events} Ereignissen`,
};
