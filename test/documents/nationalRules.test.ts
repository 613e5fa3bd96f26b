/** What Peppol asks sellers of some countries for: each rule refuses a record that breaks it, and is silent otherwise. */
import { describe, expect, it } from 'vitest';
import { findBrokenForm } from '../../src/lib/partySchemes.ts';
import { listMissingFields } from '../../src/documents/missingFields.ts';
import { peppol } from '../../src/documents/profiles.ts';
import type { DocumentBuyer, DocumentRecord, DocumentSeller } from '../../src/documents/record.ts';
import { renderUbl } from '../../src/documents/ubl.ts';
import type { TaxTerms } from '../../src/storage/model/common.ts';
import { asCreditNote, buildRecord, seller as usualSeller, standard } from './eInvoiceRecords.ts';

const place = (country: string) => ({
  line1: 'Street 1',
  line2: null,
  city: 'Town',
  postalCode: '1000',
  region: null,
  country,
});
const address = { scheme: '0060', value: '123456789' };

/** A document between two parties of a country. */
function build(
  country: string,
  own: Partial<DocumentSeller>,
  {
    buyer = {},
    terms = standard('25'),
    change = {},
  }: { buyer?: Partial<DocumentBuyer>; terms?: TaxTerms; change?: Partial<DocumentRecord> } = {},
): DocumentRecord {
  const record = buildRecord([{ amountMinor: 10_000n, terms }], { change });
  return {
    ...record,
    buyerReference: 'AP-7',
    seller: {
      ...usualSeller,
      registration: null,
      address: place(country),
      electronicAddress: address,
      ...own,
    },
    buyer: { ...record.buyer, taxIds: [], address: place(country), electronicAddress: address, ...buyer },
  };
}

const listRules = (record: DocumentRecord) =>
  listMissingFields(record, peppol).map(({ path, rule }) => `${path} ${rule}`);
const register = (scheme: string, value: string) => ({ legalRegistration: { scheme, value } });
const vat = (type: 'eu_vat' | 'no_vat', value: string) => ({ type, value });
const other = (value: string) => ({ type: 'other' as const, value });
const bare = { ...place('IT'), line1: null, city: ' ', postalCode: null };

describe('sellers of', () => {
  it.each<[name: string, record: DocumentRecord, rules: string[]]>([
    ['DK', build('DK', { taxIds: [vat('eu_vat', 'DK12345674')], ...register('0184', 'DK12345674') }), []],
    [
      'DK without CVR',
      build('DK', { taxIds: [vat('eu_vat', 'DK12345674')] }),
      ['seller.legalRegistration DK-R-014'],
    ],
    [
      'DK with another register',
      build('DK', { taxIds: [vat('eu_vat', 'DK12345674')], ...register('0088', '5700000000011') }),
      ['seller.legalRegistration DK-R-014'],
    ],
    [
      'DK with a CVR of seven digits',
      build('DK', { taxIds: [vat('eu_vat', 'DK12345674')], ...register('0184', '1234567') }),
      ['seller.legalRegistration PEPPOL-COMMON-R042'],
    ],
    [
      'IS',
      build(
        'IS',
        { taxIds: [other('12345')], ...register('0196', '5402697509') },
        { buyer: register('0196', '4710080280') },
      ),
      [],
    ],
    [
      'IS without anything',
      build(
        'IS',
        { taxIds: [other('12345')], address: { ...bare, country: 'IS' } },
        { buyer: { address: { ...bare, country: 'IS' } } },
      ),
      [
        'seller.legalRegistration IS-R-002',
        'seller.address IS-R-003',
        'customer.legalRegistration IS-R-004',
        'customer.address IS-R-005',
      ],
    ],
    ['IT', build('IT', { taxIds: [vat('eu_vat', 'IT00079760328'), other('00079760328')] }), []],
    [
      'IT without a street',
      build('IT', { taxIds: [vat('eu_vat', 'IT00079760328'), other('REA 12')], address: bare }),
      [
        'seller.taxIds IT-R-001',
        'seller.address.line1 IT-R-002',
        'seller.address.city IT-R-003',
        'seller.address.postalCode IT-R-004',
      ],
    ],
    ['NO', build('NO', { taxIds: [vat('no_vat', '974760673MVA')] }), []],
    ['NO without MVA', build('NO', { taxIds: [vat('no_vat', '974760673')] }), ['seller.taxIds NO-R-001']],
    [
      'SE',
      build('SE', {
        taxIds: [vat('eu_vat', 'SE556677889901'), other('Godkänd för F-skatt')],
        ...register('0007', '5566778899'),
      }),
      [],
    ],
    [
      'SE with a wrong number',
      build('SE', {
        taxIds: [vat('eu_vat', 'SE556677889901'), other('other')],
        ...register('0007', '5566778898'),
      }),
      [
        'seller.legalRegistration PEPPOL-COMMON-R049',
        'seller.legalRegistration SE-R-013',
        'seller.taxIds SE-R-005',
      ],
    ],
    [
      'SE with words for a number',
      build('SE', { taxIds: [vat('eu_vat', 'SE556677889901')], registration: 'Bolagsverket' }),
      ['seller.legalRegistration SE-R-013'],
    ],
    [
      'SE with the rate of another country',
      build('SE', { taxIds: [vat('eu_vat', 'SE556677889901')] }, { terms: standard('22') }),
      ['taxRate SE-R-006'],
    ],
    ['GR', build('GR', { taxIds: [vat('eu_vat', 'EL094019990')] }), ['number GR-R-004-1']],
    // The prefix of the VAT id counts before the address.
    [
      'DE with a Greek VAT id',
      build('DE', { taxIds: [vat('eu_vat', 'EL094019990')] }, { buyer: { address: place('FR') } }),
      ['number GR-R-004-1'],
    ],
  ])('%s', (_, record, rules) => {
    expect(listRules(record)).toEqual(rules);
  });
});

describe('between Danish parties', () => {
  const own = {
    taxIds: [vat('eu_vat', 'DK12345674'), other('one'), other('two')],
    ...register('0184', '12345674'),
  };

  it('no identifier lacks a scheme', () => {
    expect(renderUbl(build('DK', own), peppol)).not.toContain('PartyIdentification');
    expect(renderUbl(build('DK', own, { buyer: { address: place('SE') } }), peppol)).toContain(
      'PartyIdentification',
    );
  });

  it.each<[name: string, change: Partial<DocumentRecord>, code: string]>([
    ['a transfer in kroner', { currency: 'dkk' }, '31'],
    ['a transfer in euros', {}, '58'],
    ['a charge', { payment: { kind: 'charged', bankAccount: null, reference: null, termsDays: null } }, '1'],
    ['a credit note', asCreditNote, '1'],
  ])('%s is paid by a means that Denmark knows', (_, change, code) => {
    expect(renderUbl(build('DK', own, { change }), peppol)).toContain(`<cbc:PaymentMeansCode>${code}<`);
  });

  it('a discount that is taken back is no tax', () => {
    const record = build('DK', own);
    const [line] = record.lines;
    const credited = {
      ...record,
      lines: [
        {
          ...line!,
          unitPrice: '90.00',
          listMinor: '9000',
          discounts: [{ name: 'Sale', amountMinor: '-1000' }],
        },
      ],
    };
    expect(renderUbl(credited, peppol)).not.toContain('ZZZ');
    expect(renderUbl({ ...credited, buyer: { ...credited.buyer, address: place('SE') } }, peppol)).toContain(
      'ZZZ',
    );
  });
});

describe('identifiers', () => {
  it.each([
    ['0007', '5566778899', true],
    ['0007', '5566778898', false],
    ['0007', '556677-8899', false],
    ['0088', '4000000000006', true],
    ['0088', '4000000000007', false],
    ['0088', 'x', false],
    ['0151', '51824753556', true],
    ['0151', '51824753557', false],
    ['0184', 'DK12345674', true],
    ['0184', '12345674', true],
    ['0184', 'DK1234567', false],
    ['0192', '974760673', true],
    ['0192', '974760674', false],
    ['0208', '0428759497', true],
    ['0208', '0428759498', false],
    ['0208', '', false],
    ['0106', 'anything', true],
    ['constructor', 'x', true],
  ])('%s %s', (scheme, value, fits) => {
    expect(findBrokenForm({ scheme, value }) === null).toBe(fits);
  });
});
