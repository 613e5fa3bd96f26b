import type { en } from './en.ts';

export const de: typeof en = {
  parent: 'Endpunkt',
  delivery: 'Zustellung',
  endpoint: 'Gesendet an',
  sequence: 'Reihenfolge',
  finished: 'Beendet',
  event: 'Ereignis',
  payload: 'Ereignis, wie gespeichert',
  resend: 'Erneut senden',
  resent: 'Wird erneut gesendet',
  summary: (count) => `${count} Versuche`,
};
