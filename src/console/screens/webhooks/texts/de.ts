import type { en } from './en.ts';

export const de: typeof en = {
  title: 'Webhooks',
  url: 'URL',
  description: 'Zweck',
  all: 'alle Ereignisse',
  inactive: 'Ausgeschaltet',
  create: 'Neuer Endpunkt',
  empty: 'Noch keine Endpunkte',
  emptyText:
    'Ein Endpunkt ist eine Ihrer URLs, die Ereignisse sofort empfängt, signiert und mit Wiederholungen.',
  urlHint: 'https, in einem Testmandanten auch http',
  eventsHint: 'Alle Ereignisse, wenn keines gewählt ist',
  eventsChosen: (names) => `Gewählt: ${names}`,
  allOfKind: 'Alle diese',
  secret: 'Signaturgeheimnis',
  secretNote: 'Kopieren Sie es jetzt: es wird nicht wieder angezeigt.',
  copy: 'Geheimnis kopieren',
};
