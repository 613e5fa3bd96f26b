import type { en } from './en.ts';

export const fr: typeof en = {
  title: 'Webhooks',
  url: 'URL',
  description: 'But',
  all: 'tous les événements',
  inactive: 'Désactivé',
  create: 'Nouveau point d’accès',
  empty: 'Aucun point d’accès',
  emptyText:
    'Un point d’accès est une URL à vous qui reçoit les événements, signés et renvoyés en cas d’échec.',
  urlHint: 'https, ou http dans un espace de test',
  eventsHint: 'Tous les événements si aucun n’est choisi',
  eventsChosen: (names) => `Choisis : ${names}`,
  allOfKind: 'Tous ceux-ci',
  secret: 'Secret de signature',
  secretNote: 'Copiez-le maintenant : il ne sera plus affiché.',
  copy: 'Copier le secret',
};
