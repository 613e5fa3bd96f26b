import type { en } from './en.ts';

export const fr: typeof en = {
  title: 'Approbations',
  operation: 'Action',
  amounts: 'Montants',
  asker: 'Demandée par',
  requested: 'Demandée le',
  empty: 'Rien à approuver',
  emptyText:
    'Les clés autorisées à demander des approbations déposent ici ce qui déplace de l’argent ou ne peut être annulé.',
};
