import type { en } from './en.ts';

export const fr: typeof en = {
  parent: 'Événements',
  event: 'Événement',
  record: 'Enregistrement',
  executor: 'Causé par',
  cause: 'Cause',
  changes: 'Modifications',
  details: 'Détails',
  object: 'Enregistrement après la modification',
  deliveries: 'Envois',
  endpoint: 'Point d’accès',
  noDeliveries: 'Aucun point d’accès n’a demandé cet événement.',
};
