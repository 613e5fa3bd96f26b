import type { en } from './en.ts';

export const de: typeof en = {
  parent: 'Webhooks',
  endpoint: 'Endpunkt',
  purpose: 'Zweck',
  all: 'Alle Ereignisse',
  inactive: 'Ausgeschaltet',
  oldSecret: 'Altes Geheimnis signiert bis',
  deliveries: 'Zustellungen',
  type: 'Ereignis',
  tries: 'Versuche',
  noDeliveries: 'Noch keine Zustellungen',
  noDeliveriesText: 'Jedes Ereignis, das dieser Endpunkt anfordert, erscheint hier. Senden Sie einen Test.',
  test: 'Test senden',
  tested: 'Test gesendet',
  rotate: 'Geheimnis wechseln',
  rotateText:
    'Nachrichten werden einen Tag lang mit beiden Geheimnissen signiert, damit Sie Ihres wechseln können.',
  switchOff: 'Ausschalten',
  switchOn: 'Einschalten',
  remove: 'Endpunkt löschen',
  removeText: 'Ausstehende Zustellungen werden abgebrochen, weitere Ereignisse nicht gesendet.',
  removed: 'Endpunkt gelöscht',
  query: 'Abfrage der Nutzdaten',
};
