import type { en } from './en.ts';

export const de: typeof en = {
  parent: 'E-Mails',
  mail: 'E-Mail',
  recipient: 'An',
  finished: 'Beendet',
  resend: 'Erneut senden',
  resent: 'Wird erneut gesendet',
  content: 'Inhalt',
  composedNow:
    'Jetzt aus den heutigen Daten und Texten erstellt; die gesendete E-Mail kann anders gelautet haben. Codes und Links sind verdeckt.',
  asSentNow: 'So würde sie jetzt gesendet. Codes und Links sind verdeckt.',
  gone: 'Kein Inhalt: Worum es in dieser E-Mail ging, oder die Daten des Kunden wurden gelöscht.',
};
