import type { en } from './en.ts';

export const fr: typeof en = {
  parent: 'Webhooks',
  endpoint: 'Point d’accès',
  purpose: 'But',
  all: 'Tous les événements',
  inactive: 'Désactivé',
  oldSecret: 'L’ancien secret signe jusqu’au',
  deliveries: 'Envois',
  type: 'Événement',
  tries: 'Tentatives',
  noDeliveries: 'Aucun envoi',
  noDeliveriesText:
    'Chaque événement demandé par ce point d’accès apparaît ici. Envoyez un test pour en voir un.',
  test: 'Envoyer un test',
  tested: 'Test envoyé',
  rotate: 'Renouveler le secret',
  rotateText: 'Les messages sont signés par les deux secrets pendant un jour, le temps de changer le vôtre.',
  switchOff: 'Désactiver',
  switchOn: 'Activer',
  remove: 'Supprimer le point d’accès',
  removeText: 'Les envois en attente sont annulés et plus aucun événement n’est envoyé.',
  removed: 'Point d’accès supprimé',
  query: 'Requête du contenu',
};
