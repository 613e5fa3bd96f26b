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
    'Jetzt aus den heutigen Daten und Texten erstellt; die gesendete E-Mail kann anders gelautet haben.',
  asSentNow: 'So würde sie jetzt gesendet.',
  gone: 'Kein Inhalt: Worum es in dieser E-Mail ging, oder die Daten des Kunden wurden gelöscht.',
  kept: 'Hier aufbewahrt: Ein Testmandant sendet nur an seine Adresse für E-Mails und hat keine.',
  secretsHidden: 'Codes und Links sind verdeckt.',
  secretsShown: 'Codes und Links funktionieren: Dies ist ein Testmandant.',
  plainText: 'Text',
  attachments: 'Angehängt:',
};
