export const en = {
  title: 'Mails',
  recipient: 'To',
  empty: 'No mails yet',
  emptyText: 'Mails to customers show here: receipts, invoices, failed payments. They need a mail server.',
};
