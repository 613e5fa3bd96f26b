import type { en } from './en.ts';

export const de: typeof en = {
  parent: 'Ereignisse',
  event: 'Ereignis',
  record: 'Datensatz',
  executor: 'Ausgelöst von',
  cause: 'Ursache',
  changes: 'Änderungen',
  details: 'Einzelheiten',
  object: 'Datensatz nach der Änderung',
  deliveries: 'Zustellungen',
  endpoint: 'Endpunkt',
  noDeliveries: 'Kein Endpunkt hat dieses Ereignis angefordert.',
};
