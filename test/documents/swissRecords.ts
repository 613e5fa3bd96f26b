/** Documents of a Swiss seller, to be paid by transfer. */
import type { DocumentRecord } from '../../src/documents/record.ts';
import { plainRecord } from './records.ts';

const iban = 'CH93 0076 2011 6238 5295 7';
const account = { accountHolder: 'Gipfel Software AG', iban, bic: null };
export const seller: DocumentRecord['seller'] = {
  ...plainRecord.seller,
  legalName: 'Gipfel Software AG',
  address: {
    line1: 'Bahnhofstrasse 7',
    line2: null,
    city: 'Zürich',
    postalCode: '8001',
    region: null,
    country: 'CH',
  },
  taxIds: [{ type: 'ch_vat', value: 'CHE116281710MWST' }],
};
export const swiss: DocumentRecord = {
  ...plainRecord,
  currency: 'chf',
  seller,
  payment: { ...plainRecord.payment, bankAccount: account, reference: 'RF18000042' },
};
export const withIban = (changed: string): DocumentRecord => ({
  ...swiss,
  payment: { ...swiss.payment, bankAccount: { ...account, iban: changed } },
});

const creditor = ['S', 'Gipfel Software AG', 'Bahnhofstrasse 7', '', '8001', 'Zürich', 'CH'];
export const debtor = ['S', 'Hoffmann & Söhne KG', 'Marktplatz 3', '', '79098', 'Freiburg im Breisgau', 'DE'];
export const nobody = ['', '', '', '', '', '', ''];
/** Returns the lines of the code. */
export const code = (amount: string, by = debtor, to = creditor) => [
  'SPC',
  '0200',
  '1',
  'CH9300762011623852957',
  ...to,
  ...nobody,
  ...amount.split(' '),
  ...by,
  'SCOR',
  'RF18000042',
  'RE-2026-00042',
  'EPD',
];
