import type { en } from './en.ts';

export const fr: typeof en = {
  test: 'Mode test',
  testText: 'Aucun argent ne circule.',
  language: 'Langue',
  terms: 'Conditions',
  privacy: 'Confidentialité',
  support: 'Aide',
  tooMany: 'Trop de requêtes',
  tooManyText: 'Attendez quelques secondes, puis réessayez.',
  tryLater: 'Réessayez bientôt',
  tryLaterText: 'Le service de paiement ne répond pas. Réessayez dans quelques secondes.',
  notSent: 'Le formulaire n’a pas pu être envoyé',
  formTooLarge: 'Le formulaire est trop grand.',
  formOfPage: 'Envoyez le formulaire de la page.',
  documentGone: 'Ce document n’est pas disponible',
  documentGoneText: 'Le lien a expiré ou est incomplet. Demandez-en un nouveau.',
};
