import type { en } from './en.ts';

export const fr: typeof en = {
  title: 'Bons de réduction',
  create: 'Créer un bon',
  createdToast: (name) => `${name} créé`,
  nameHint: 'Les clients le lisent sur leurs factures.',
  off: 'Remise',
  kind: 'Genre de remise',
  percent: 'Pourcentage',
  duration: 'Durée',
  once: 'Une fois',
  repeating: 'Pendant quelques mois',
  forever: 'Sur chaque facture',
  months: 'Mois',
  allProducts: 'Tous les produits',
  limit: 'Utilisations au plus',
  limitHint: 'Par tous les clients ensemble. Vide : sans limite.',
  redeemed: 'Utilisé',
  ofMost: (count, most) => `${count} sur ${most}`,
  redeemBy: 'À utiliser avant',
  inactive: 'Archivé',
  empty: 'Aucun bon pour l’instant',
  emptyText:
    'Un bon réduit les factures : une fois, pendant quelques mois ou toujours. Les codes promotionnels permettent de l’utiliser.',
};
