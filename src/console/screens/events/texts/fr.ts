import type { en } from './en.ts';

export const fr: typeof en = {
  title: 'Événements',
  type: 'Événement',
  record: 'Enregistrement',
  executor: 'Causé par',
  happened: 'Ce qui s’est passé',
  empty: 'Aucun événement',
  emptyText: 'Chaque modification des données est notée ici, avec son auteur.',
};
