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
  versions: 'Versions',
  change: 'Changer ce qu’il compte',
  changeText: 'Changer à partir de là',
  changedToast: 'Le compteur compte autrement à partir de là',
  changeNote:
    'Une nouvelle version commence à un instant. Ce qui a été compté avant reste, et ses factures aussi.',
  from: 'À partir du',
  fromHint: 'Vide : à partir du prochain quart d’heure',
  backfillHint:
    'Les événements de plus de 35 jours s’ajoutent par l’API : backfillUsage. Ils sont comptés et jamais facturés.',
};
