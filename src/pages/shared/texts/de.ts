import type { en } from './en.ts';

export const de: typeof en = {
  test: 'Testmodus',
  testText: 'Es fließt kein Geld.',
  language: 'Sprache',
  terms: 'AGB',
  privacy: 'Datenschutz',
  support: 'Hilfe',
  tooMany: 'Zu viele Anfragen',
  tooManyText: 'Warten Sie einige Sekunden, und versuchen Sie es erneut.',
  tryLater: 'Versuchen Sie es gleich noch einmal',
  tryLaterText: 'Der Zahlungsdienst antwortet nicht. Versuchen Sie es in einigen Sekunden erneut.',
  notSent: 'Das Formular konnte nicht gesendet werden',
  formTooLarge: 'Das Formular ist zu groß.',
  formOfPage: 'Senden Sie das Formular der Seite.',
  documentGone: 'Dieses Dokument ist hier nicht zu finden',
  documentGoneText: 'Der Link ist abgelaufen oder unvollständig. Bitten Sie um einen neuen.',
};
