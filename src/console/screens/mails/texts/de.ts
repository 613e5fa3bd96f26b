import type { en } from './en.ts';

export const de: typeof en = {
  title: 'E-Mails',
  recipient: 'An',
  empty: 'Noch keine E-Mails',
  emptyText:
    'Hier erscheinen E-Mails an Kunden: Quittungen, Rechnungen, fehlgeschlagene Zahlungen. Sie brauchen einen Mailserver.',
};
