import type { en } from './en.ts';

export const de: typeof en = {
  title: 'Ereignisse',
  type: 'Ereignis',
  record: 'Datensatz',
  executor: 'Ausgelöst von',
  happened: 'Was geschah',
  empty: 'Noch keine Ereignisse',
  emptyText: 'Jede Änderung der Daten des Mandanten steht hier, mit ihrem Urheber.',
};
