import type { en } from './en.ts';

export const fr: typeof en = {
  meter: 'Compteur',
  meters: 'Compteurs',
  missing: 'Ce compteur n’existe pas.',
  usage: 'Consommation de 30 jours',
  filter: 'Seulement les événements avec',
  startsAt: 'Compte depuis',
  endsAt: 'Compte jusqu’au',
  yes: 'Oui',
  archived: 'Terminé',
  archive: 'Terminer le compteur',
  alreadyEnded: 'Il est terminé',
  archiveText: 'Il ne compte plus les événements suivants. C’est irréversible.',
  archivedToast: 'Le compteur est terminé',
  archiveTitle: (name: string) => `Terminer ${name} ?`,
  summary: (value: string, events: string) => `${value} en ${events} événements`,
};
