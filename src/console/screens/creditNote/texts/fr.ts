import type { en } from './en.ts';

export const fr: typeof en = {
  creditNote: 'Avoir',
  missing: 'Cet avoir n’existe pas.',
  void: 'Annulé',
  issued: 'Émis',
  issuedOn: 'Émis le',
  download: 'Télécharger',
  lines: 'Lignes créditées',
  refund: 'Remboursé sur le moyen de paiement',
  credit: 'Crédité au client',
  memo: 'Texte pour le client',
  remaining: 'Encore créditable',
};
