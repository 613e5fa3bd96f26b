import type { en } from './en.ts';

export const de: typeof en = {
  title: 'Freigaben',
  operation: 'Aktion',
  amounts: 'Beträge',
  asker: 'Beantragt von',
  requested: 'Beantragt am',
  empty: 'Nichts freizugeben',
  emptyText:
    'Schlüssel, die um Freigaben bitten dürfen, legen hier ab, was Geld bewegt oder sich nicht rückgängig machen lässt.',
};
