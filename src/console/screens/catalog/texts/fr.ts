import type { en } from './en.ts';

export const fr: typeof en = {
  title: 'Catalogue',
  groups: 'Groupes',
  group: 'Groupe',
  prices: 'Tarifs',
  noPrice: 'Aucun tarif',
  priceCount: 'Nombre de tarifs',
  active: 'En vente',
  inactive: 'Hors vente',
  taxCode: 'Code fiscal',
  taxCodeHint: 'Choisit les taux de taxe ayant ce code. Vide : les taux de tous les produits.',
  newProduct: 'Nouveau produit',
  newGroup: 'Nouveau groupe',
  empty: 'Aucun produit pour l’instant',
  emptyText:
    'Les clients s’abonnent à un produit. Il a un ou plusieurs tarifs et peut appartenir à un groupe de formules.',
  noGroups: 'Aucun groupe pour l’instant',
  noGroupsText:
    'Un groupe réunit des formules dont un client a une seule à la fois, comme Starter, Pro et Enterprise.',
  description: 'Description',
  descriptionHint: 'Les clients la voient sur les pages de choix et de paiement.',
  noGroup: 'Aucun groupe',
  groupHint: 'Un client a une formule du groupe à la fois et peut en changer.',
  prorate: 'Créditer le temps inutilisé lors d’une montée en gamme',
  prorateHint: 'Le reste de la période payée est crédité.',
  deleteGroup: 'Supprimer le groupe',
  edit: 'Modifier',
  no: 'Non',
  createdToast: (name) => `${name} créé`,
  deletedToast: (name) => `${name} supprimé`,
};
