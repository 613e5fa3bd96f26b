import type { en } from './en.ts';

export const fr: typeof en = {
  title: 'E-mails',
  recipient: 'À',
  empty: 'Aucun e-mail',
  emptyText:
    'Les e-mails aux clients apparaissent ici : reçus, factures, paiements échoués. Il faut un serveur de messagerie.',
};
