import type { en } from './en.ts';

export const fr: typeof en = {
  parent: 'Point d’accès',
  delivery: 'Envoi',
  endpoint: 'Envoyé à',
  sequence: 'Séquence',
  finished: 'Terminé',
  event: 'Événement',
  payload: 'Événement enregistré',
  resend: 'Renvoyer',
  resent: 'Renvoi en cours',
  summary: (count) => `${count} tentatives`,
};
