import type { en } from './en.ts';

export const fr: typeof en = {
  title: 'Approbations',
  arguments: 'Arguments',
  preview: 'Ce qui se passe',
  noAmounts: 'Aucun argent n’est déplacé immédiatement.',
  asker: 'Demandée par',
  reason: 'Motif',
  requested: 'Demandée le',
  expires: 'Expire',
  decider: 'Décidée par',
  decided: 'Décidée le',
  declineReason: 'Motif du refus',
  own: 'Vous l’avez demandée : une autre personne décide.',
  approved: 'Effectué',
  declined: 'Refusée',
  decline: 'Refuser',
  declineTitle: 'Refuser cette demande ?',
  approveTitle: 'Approuver et exécuter maintenant ?',
  approveText: (name: string) => `Demandée par ${name}. Exécutée une seule fois, en votre nom.`,
};
