import type { en } from './en.ts';

export const fr: typeof en = {
  title: 'Paiements à recouvrer',
  subtitle: 'Abonnements dont le prélèvement a échoué, les plus anciens d’abord.',
  atRisk: 'Montant menacé',
  count: (count) => `Paiements : ${count}`,
  allReasons: 'Tous les motifs',
  empty: 'Rien à recouvrer',
  emptyText: 'Les prélèvements échoués apparaissent ici, avec la prochaine tentative et un lien de paiement.',
  more: 'Afficher plus',
  retry: 'Prélever à nouveau',
  retryText: (amount) => `Prélever ${amount} à nouveau`,
  retried: (paid, count) => `Payés : ${paid} sur ${count}`,
  chooseFirst: 'Choisissez d’abord des paiements',
  choose: (name) => `Choisir ${name}`,
  awaited: 'Virement attendu',
  since: 'Depuis',
  nextTry: 'Prochain essai',
  never: 'Aucun',
};
