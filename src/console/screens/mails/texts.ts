import { defineTexts } from '../../texts/language.tsx';

export const texts = defineTexts({
  en: {
    title: 'Mails',
    recipient: 'To',
    kind: 'Kind',
    subject: 'Subject',
    status: 'Status',
    created: 'Created',
    empty: 'No mails yet',
    emptyText: 'Mails to customers show here: receipts, invoices, failed payments. They need a mail server.',
  },
  de: {
    title: 'E-Mails',
    recipient: 'An',
    kind: 'Art',
    subject: 'Betreff',
    status: 'Status',
    created: 'Angelegt',
    empty: 'Noch keine E-Mails',
    emptyText:
      'Hier erscheinen E-Mails an Kunden: Quittungen, Rechnungen, fehlgeschlagene Zahlungen. Sie brauchen einen Mailserver.',
  },
  fr: {
    title: 'E-mails',
    recipient: 'À',
    kind: 'Genre',
    subject: 'Objet',
    status: 'Statut',
    created: 'Créé',
    empty: 'Aucun e-mail',
    emptyText:
      'Les e-mails aux clients apparaissent ici : reçus, factures, paiements échoués. Il faut un serveur de messagerie.',
  },
  fa: {
    title: 'ایمیل‌ها',
    recipient: 'گیرنده',
    kind: 'گونه',
    subject: 'موضوع',
    status: 'وضعیت',
    created: 'ایجاد',
    empty: 'هنوز ایمیلی نیست',
    emptyText: 'ایمیل‌های مشتریان اینجا دیده می‌شوند: رسید، فاکتور، پرداخت ناموفق. سرور ایمیل لازم است.',
  },
});
