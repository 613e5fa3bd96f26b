import type { en } from './en.ts';

export const fr: typeof en = {
  creditNote: 'Avoir',
  missing: 'Cet avoir n’existe pas.',
  invoices: 'Factures',
  invoice: 'Facture',
  customer: 'Client',
  void: 'Annulé',
  issued: 'Émis',
  issuedOn: 'Émis le',
  download: 'Télécharger',
  lines: 'Lignes créditées',
  description: 'Description',
  amount: 'Montant',
  tax: 'Taxe',
  total: 'Total',
  refund: 'Remboursé sur le moyen de paiement',
  credit: 'Crédité au client',
  memo: 'Texte pour le client',
  reason: 'Motif',
  remaining: 'Encore créditable',
  id: 'Identifiant',
};
