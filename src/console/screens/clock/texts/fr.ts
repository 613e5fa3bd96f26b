import type { en } from './en.ts';

export const fr: typeof en = {
  title: 'Horloge de test',
  now: 'Heure de l’espace',
  to: 'Avancer jusqu’au',
  day: 'Un jour',
  week: 'Une semaine',
  month: 'Un mois',
  year: 'Un an',
  slider: 'Jours à venir',
  forecast: 'Ce qui arriverait',
  charges: 'Prélèvements',
  total: 'Total',
  nothing: 'Aucun prélèvement d’ici là.',
  happened: 'Ce qui s’est passé',
  waiting: 'Les événements apparaissent ici dès qu’ils se produisent.',
  live: 'Ce n’est pas un espace de test : son heure est réelle et ne peut être avancée.',
  liveText:
    'Un espace de test montre ce qui se passe en un mois ou un an : son heure est avancée, et renouvellements, e-mails et webhooks suivent.',
  newTest: 'Créer un espace de test',
  notOwn:
    'Cet espace de test n’a pas encore d’horloge. L’avancer lui en donne une, qui n’avance qu’à la main.',
  advance: (date) => `Avancer au ${date}`,
  advanceTo: (date) => `Avancer au ${date} …`,
  advanceNote: (date) =>
    `Tout ce qui est dû d’ici au ${date} se produit : factures émises et prélevées, e-mails envoyés, webhooks appelés. L’horloge ne peut pas reculer.`,
  working: (left) => `En cours : encore ${left} changements`,
  days: (count) => `${count} jours`,
};
