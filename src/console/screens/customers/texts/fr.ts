import type { en } from './en.ts';

export const fr: typeof en = {
  title: 'Clients',
  associatedId: 'Votre identifiant',
  balance: 'Solde',
  create: 'Nouveau client',
  empty: 'Aucun client pour l’instant',
  emptyText:
    'Toute personne qui achète devient cliente : quand votre application la crée par l’API, quand elle paie sur une page de paiement, ou ici.',
  vatId: 'Numéro de TVA',
  vatIdStatus: { invalid: 'non enregistré', unavailable: 'pas encore confirmé', valid: 'enregistré' },
  firstName: 'Prénom',
  lastName: 'Nom',
  companyName: 'Société',
  companyHint: 'Si les factures sont adressées à une société',
  associatedIdHint: 'L’identifiant du même client dans votre application',
  createdToast: (name) => `${name} créé`,
};
