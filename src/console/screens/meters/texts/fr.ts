import type { en } from './en.ts';

export const fr: typeof en = {
  title: 'Compteurs',
  create: 'Créer un compteur',
  createdToast: 'Compteur créé',
  empty: 'Pas encore de compteur',
  emptyText:
    'Un compteur compte ce que les clients consomment : appels, jetons, gigaoctets. Les prix avec un compteur le facturent.',
  event: 'Événement',
  eventHint: 'Le nom des événements que votre application envoie.',
  counts: 'Compte',
  property: 'Propriété',
  propertyHint: 'La propriété des événements qui est comptée.',
  groupBy: 'Réparti par',
  groupByHint: 'Jusqu’à 3 propriétés, séparées par des virgules. Les tarifs des prix en ont besoin.',
  unitMultiplier: 'Fois',
  unitMultiplierHint: '0,001 compte des milliers.',
  persistent: 'Reporté d’une période à l’autre',
  persistentHint: 'Comme un nombre de postes.',
  archived: 'Terminé',
  count: 'Nombre d’événements',
  sum: 'Somme',
  max: 'Valeur maximale',
  min: 'Valeur minimale',
  latest: 'Dernière valeur',
  unique: 'Valeurs distinctes',
  weighted_sum: 'Moyenne dans le temps',
  filter: 'Seulement les événements avec',
  filterHint:
    'Une condition par ligne : la propriété, deux-points et les valeurs admises, séparées par des virgules.',
  preview: 'Aperçu avec les 30 derniers jours',
  fixedNote:
    'L’événement, la façon de compter et le facteur sont fixes. Ce qu’il compte peut changer à partir d’un instant.',
  previewed: (value, events, uncounted) =>
    `${value} en ${events} événements ; ${uncounted} événements ne compteraient pas`,
};
