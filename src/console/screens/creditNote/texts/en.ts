export const en = {
  creditNote: 'Credit note',
  missing: 'There is no such credit note.',
  void: 'Void',
  issued: 'Issued',
  issuedOn: 'Issued',
  download: 'Download',
  lines: 'Credited lines',
  refund: 'Refunded to the payment method',
  credit: 'Credited to the customer',
  memo: 'Text for the customer',
  remaining: 'Can still be credited',
};
