import type { en } from './en.ts';

export const fr: typeof en = {
  title: 'Créer un espace',
  text: 'Un espace est une entreprise qui facture, avec ses clients, ses prix et ses numéros. Vous en devenez propriétaire.',
  alias: 'Identifiant',
  aliasHint: 'Dans les adresses et les clés ; ne change jamais : a–z, 0–9 et tirets intérieurs',
  countryHint: 'Siège de l’entreprise ; sa taxe est appliquée. Le reste de l’adresse est dans les réglages.',
  timezone: 'Fuseau horaire',
  mode: 'Mode',
  test: 'Test : aucun argent ne circule',
  live: 'Réel : argent réel',
  create: 'Créer l’espace',
  back: 'Retour',
};
