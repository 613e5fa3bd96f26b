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
  eventsHint: 'Je Zeile eines, etwa InvoiceEvent oder SubscriptionEvent.created; leer für alle',
  secret: 'Signaturgeheimnis',
  secretNote: 'Kopieren Sie es jetzt: es wird nicht wieder angezeigt.',
  copy: 'Geheimnis kopieren',
};
