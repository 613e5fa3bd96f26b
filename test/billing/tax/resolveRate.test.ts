import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCountry, isMemberState } from '../../../src/lib/countries.ts';
import { findVatCountry, taxIdParsers } from '../../../src/lib/taxIds.ts';
import type { Address, ProductKind, TaxId, VatIdCheck } from '../../../src/storage/model/common.ts';
import { standardRates, territories } from '../../../src/billing/tax/euRates.ts';
import { resolveTerms, type TaxedCustomer, type TaxRateRow } from '../../../src/billing/tax/resolveRate.ts';
import { sampledRunsInCore } from '../../support/sample.ts';

const nowhere = { line1: null, line2: null, city: null, postalCode: null, region: null };
const inPlace = (country: string, rest: Partial<Address> = {}): Address => ({ ...nowhere, country, ...rest });
const vatId = (value: string): TaxId => ({ type: 'eu_vat', value });

const buildCustomer = (fields: Partial<TaxedCustomer> = {}): TaxedCustomer => ({
  address: null,
  companyName: null,
  taxIds: null,
  taxExempt: null,
  taxRateId: null,
  vatIdCheck: null,
  ...fields,
});

const confirm = (value: string, status: VatIdCheck['status'] = 'valid'): VatIdCheck => ({
  value,
  status,
  checkedAt: '2025-08-01T00:00:00.000Z',
  consultation: null,
});

const buildRate = (fields: Partial<TaxRateRow> & { country: string }): TaxRateRow => ({
  tenantAlias: 'acme',
  id: 'txr_1',
  name: null,
  region: null,
  postcode: null,
  taxCode: null,
  category: 'S',
  percent: '10',
  effectiveFrom: '2000-01-01T00:00:00.000Z',
  archivedAt: null,
  createdAt: '2000-01-01T00:00:00.000Z',
  updatedAt: '2000-01-01T00:00:00.000Z',
  ...fields,
});

interface Row {
  seller?: string | Address;
  to?: string | Address;
  customer?: Partial<TaxedCustomer>;
  rates?: TaxRateRow[];
  taxCode?: string;
  needsVatIdCheck?: boolean;
  isSellerExempt?: boolean;
  kind?: ProductKind;
  isBelowThreshold?: boolean;
  date?: string;
}

/** The terms as short text: `S 20`, `AE 0 reverse_charge`. */
function resolve(row: Row): string {
  const {
    seller = 'FR',
    to,
    customer,
    rates = [],
    taxCode,
    needsVatIdCheck = false,
    isSellerExempt = false,
  } = row;
  const { date = '2025-09-01' } = row;
  const readPlace = (place: string | Address) => (typeof place === 'string' ? inPlace(place) : place);
  const { category, percent, reason, country, belowThreshold } = resolveTerms({
    seller: readPlace(seller),
    kind: row.kind ?? null,
    isBelowThreshold: row.isBelowThreshold ?? false,
    isSellerExempt,
    customer: buildCustomer({ address: to === undefined ? null : readPlace(to), ...customer }),
    taxCode: taxCode ?? null,
    needsVatIdCheck,
    rates,
    renewedRates: null,
    at: `${date}T00:00:00.000Z`,
    date,
  });
  const parts = [category, percent, reason, country && `in ${country}`, belowThreshold && 'below'];
  return parts.filter(Boolean).join(' ');
}

const reverse = 'AE 0 reverse_charge';
const outside = 'O 0 outside_scope';
const italian = vatId('IT00000010215');
const german = vatId('DE111111125');

const all = ['electronic_service', 'service', 'service_on_site', 'goods'] as const;
const company = { companyName: 'Company' };

describe('the place of a sale by what is sold', () => {
  // The seller is in Germany. Columns: an electronic service, another service, one on the spot, goods.
  const table: [string, Row, [string, string, string, string]][] = [
    ['at home', { to: 'DE' }, ['S 19', 'S 19', 'S 19', 'S 19']],
    ['unknown', {}, ['S 19', 'S 19', 'S 19', 'S 19']],
    ['a private customer in France', { to: 'FR' }, ['S 20', 'S 19 in DE', 'S 19 in DE', 'S 20']],
    [
      'a business in Italy',
      { to: 'IT', customer: { taxIds: [italian] } },
      [reverse, reverse, 'S 19 in DE', 'K 0 intra_community'],
    ],
    [
      'an id that VIES does not know',
      {
        to: 'IT',
        customer: { taxIds: [italian], vatIdCheck: confirm(italian.value, 'invalid') },
        needsVatIdCheck: true,
      },
      ['S 22', 'S 19 in DE', 'S 19 in DE', 'S 22'],
    ],
    ['a private customer in the US', { to: 'US' }, [outside, 'S 19 in DE', 'S 19 in DE', 'G 0 export']],
    ['a company in the US', { to: 'US', customer: company }, [outside, outside, 'S 19 in DE', 'G 0 export']],
    [
      'a private customer on the Canaries',
      { to: inPlace('ES', { postalCode: '35001' }) },
      [outside, 'S 19 in DE', 'S 19 in DE', 'G 0 export'],
    ],
    [
      'below the threshold',
      { to: 'FR', isBelowThreshold: true },
      ['S 19 in DE below', 'S 19 in DE', 'S 19 in DE', 'S 19 in DE below'],
    ],
    [
      'below the threshold, a business',
      { to: 'IT', customer: { taxIds: [italian] }, isBelowThreshold: true },
      [reverse, reverse, 'S 19 in DE', 'K 0 intra_community'],
    ],
    [
      'below the threshold, outside',
      { to: 'US', isBelowThreshold: true },
      [outside, 'S 19 in DE', 'S 19 in DE', 'G 0 export'],
    ],
    ['below the threshold, at home', { to: 'DE', isBelowThreshold: true }, ['S 19', 'S 19', 'S 19', 'S 19']],
    [
      'an exempt customer',
      { to: 'FR', customer: { taxExempt: true }, isBelowThreshold: true },
      ['E 0 exempt_customer', 'E 0 exempt_customer', 'E 0 exempt_customer', 'E 0 exempt_customer'],
    ],
  ];
  it.each(table)('%s', (_, row, expected) => {
    expect(all.map((kind) => resolve({ seller: 'DE', ...row, kind }))).toEqual(expected);
    expect(resolve({ seller: 'DE', ...row })).toBe(expected[0]);
  });

  it('a seller outside of the Union sells as before, but on the spot at home', () => {
    for (const kind of all.filter((each) => each !== 'service_on_site'))
      expect(resolve({ seller: 'CH', to: 'FR', kind, isBelowThreshold: true })).toBe(outside);
    const rates = [buildRate({ country: 'CH', percent: '8.1' })];
    expect(resolve({ seller: 'CH', to: 'FR', kind: 'service_on_site', rates })).toBe('S 8.1 in CH');
  });

  it('the rate of a product applies in the place of its sale', () => {
    const rates = [
      buildRate({ country: 'DE', percent: '7', taxCode: 'books' }),
      buildRate({ country: 'FR', percent: '5.5', taxCode: 'books' }),
    ];
    const find = (row: Row) => resolve({ seller: 'DE', to: 'FR', taxCode: 'books', rates, ...row });
    expect(find({ kind: 'goods' })).toBe('S 5.5');
    expect(find({ kind: 'goods', isBelowThreshold: true })).toBe('S 7 in DE below');
    expect(find({ kind: 'service' })).toBe('S 7 in DE');
  });
});

describe('the rate of a sale', () => {
  const table: [string, Row, string][] = [
    ['a buyer outside the Union', { to: 'US' }, outside],
    ['a consumer of the same country', { to: 'FR' }, 'S 20'],
    ['a consumer of another member state', { to: 'IT' }, 'S 22'],
    ['a business of another member state', { to: 'IT', customer: { taxIds: [italian] } }, reverse],
    ['a business of the same country', { to: 'FR', customer: { taxIds: [vatId('FR03784359069')] } }, 'S 20'],
    ['a move from FR to DE', { to: 'DE' }, 'S 19'],
    ['no country', {}, 'S 20'],
    ['no country, but the VAT id of another state', { customer: { taxIds: [italian] } }, 'S 20'],
    ['another business', { to: 'DE', customer: { taxIds: [german] } }, reverse],
    ['a malformed VAT id', { to: 'DE', customer: { taxIds: [vatId('DE111111126')] } }, 'S 19'],
    ['an empty VAT id', { to: 'DE', customer: { taxIds: [vatId('')] } }, 'S 19'],
    ['the VAT id of a third state', { to: 'DE', customer: { taxIds: [italian] } }, 'S 19'],
    ['another type of id', { to: 'DE', customer: { taxIds: [{ ...german, type: 'other' }] } }, 'S 19'],
    [
      'the second of two ids',
      { to: 'DE', customer: { taxIds: [{ type: 'other', value: '12/345' }, german] } },
      reverse,
    ],
    ['a Greek business', { to: 'GR', customer: { taxIds: [vatId('EL094259216')] } }, reverse],
    [
      'the United Kingdom',
      { to: 'GB', customer: { taxIds: [{ type: 'gb_vat', value: 'GB434031494' }] } },
      outside,
    ],
    ['an exempt customer', { to: 'FR', customer: { taxExempt: true } }, 'E 0 exempt_customer'],
    ['an exempt seller', { to: 'FR', isSellerExempt: true }, 'E 0 exempt_seller'],
    ['an exempt seller abroad', { to: 'US', isSellerExempt: true }, 'E 0 exempt_seller'],
    [
      'an exempt seller and a company of another member state',
      { seller: 'FR', to: 'IT', customer: { taxIds: [italian] }, isSellerExempt: true },
      'E 0 exempt_seller',
    ],
    [
      'an exempt seller with a rate of its own',
      { to: 'FR', rates: [buildRate({ country: 'FR' })], isSellerExempt: true },
      'E 0 exempt_seller',
    ],
    ['a seller outside the Union', { seller: 'US', to: 'FR' }, outside],
    ['the same country outside the Union', { seller: 'US', to: 'US' }, outside],
    ['an American seller without the buyer’s country', { seller: 'US' }, outside],
  ];
  it.each(table)('%s', (_, row, expected) => {
    expect(resolve(row)).toBe(expected);
  });
});

describe('the standard rates of the 27 member states', () => {
  it('are those in force in September 2025', () => {
    const inForce = Object.keys(standardRates).map(
      (country) => `${country} ${resolve({ seller: 'DE', to: country })}`,
    );
    const percentages =
      'AT 20, BE 21, BG 20, CY 19, CZ 21, DE 19, DK 25, EE 24, ES 21, FI 25.5, FR 20, GR 24, HR 25, HU 27, IE 23, ' +
      'IT 22, LT 21, LU 17, LV 21, MT 18, NL 21, PL 23, PT 23, RO 21, SE 25, SI 22, SK 23';
    expect(inForce).toEqual(percentages.split(', ').map((each) => each.replace(' ', ' S ')));
  });

  it('are in the order of their dates, and belong to member states', () => {
    for (const [country, rates] of Object.entries(standardRates)) {
      expect(isMemberState(country)).toBe(true);
      const dates = rates.map(({ effectiveFrom }) => effectiveFrom);
      expect(dates).toEqual(dates.toSorted());
    }
    expect(Object.keys(standardRates)).toHaveLength(27);
    for (const { country } of territories) expect(isMemberState(country)).toBe(true);
  });

  it.each([
    ['EE', '2023-12-31', 'S 20'],
    ['EE', '2024-01-01', 'S 22'],
    ['EE', '2025-06-30', 'S 22'],
    ['EE', '2025-07-01', 'S 24'],
    ['FI', '2024-08-31', 'S 24'],
    ['FI', '2024-09-01', 'S 25.5'],
    ['RO', '2025-07-31', 'S 19'],
    ['RO', '2025-08-01', 'S 21'],
    ['SK', '2024-12-31', 'S 20'],
    ['SK', '2025-01-01', 'S 23'],
    ['DE', '2020-12-31', 'S 16'],
    ['DE', '2021-01-01', 'S 19'],
    ['LU', '2023-12-31', 'S 16'],
    ['IE', '2021-02-28', 'S 21'],
    ['SE', '1970-01-01', 'S 25'],
  ])('%s on %s: %s', (country, date, expected) => {
    expect(resolve({ to: country, date })).toBe(expected);
  });
});

/**
 * By article of Directive 2006/112/EC, of the treaty (TFEU), of the Code général des impôts (CGI), or of the Protocol on Ireland
 * and Northern Ireland; what a Swedish and a French seller charge private customers for an electronic service.
 */
const places: [
  source: string,
  place: string,
  country: string,
  postalCode: string,
  swedish: string,
  french: string,
][] = [
  ['6(1)(a)', 'Mount Athos', 'GR', '630 86', outside, outside],
  ['6(1)(b)', 'Gran Canaria', 'ES', '35001', outside, outside],
  ['6(1)(b)', 'Tenerife', 'ES', '38 400', outside, outside],
  ['6(1)(c); CGI 294', 'Guadeloupe', 'FR', '97110', outside, 'S 8.5'],
  ['6(1)(c); CGI 294', 'Guadeloupe, by its code', 'GP', '97110', outside, 'S 8.5'],
  ['6(1)(c); CGI 294', 'Martinique', 'FR', '97200', outside, 'S 8.5'],
  ['6(1)(c); CGI 294', 'Martinique, by its code', 'MQ', '', outside, 'S 8.5'],
  ['6(1)(c); CGI 294', 'Réunion', 'FR', 'F-97400', outside, 'S 8.5'],
  ['6(1)(c); CGI 294', 'Réunion, by its code', 'RE', '97400', outside, 'S 8.5'],
  ['6(1)(c); CGI 294', 'French Guiana', 'FR', '97300', outside, outside],
  ['6(1)(c); CGI 294', 'French Guiana, by its code', 'GF', '97300', outside, outside],
  ['6(1)(c); CGI 294', 'Mayotte', 'FR', '97600', outside, outside],
  ['6(1)(c); CGI 294', 'Mayotte, by its code', 'YT', '97600', outside, outside],
  ['6(1)(c); TFEU 349', 'Saint Martin', 'FR', '97150', outside, outside],
  ['6(1)(c); TFEU 349', 'Saint Martin, by its code', 'MF', '97150', outside, outside],
  ['TFEU 355(2)', 'Saint Barthélemy', 'FR', '97133', outside, outside],
  ['TFEU 355(2)', 'Saint Barthélemy, by its code', 'BL', '97133', outside, outside],
  ['TFEU 355(2)', 'Saint Pierre and Miquelon', 'FR', '97500', outside, outside],
  ['TFEU 355(2)', 'Wallis and Futuna', 'FR', '98600', outside, outside],
  ['TFEU 355(2)', 'Tahiti', 'FR', '98714', outside, outside],
  ['TFEU 355(2)', 'New Caledonia', 'FR', '98800', outside, outside],
  ['TFEU 355(2)', 'New Caledonia, by its code', 'NC', '98800', outside, outside],
  ['6(1)(d)', 'Åland', 'FI', '22100', outside, outside],
  ['6(1)(d)', 'Åland, with the country', 'FI', 'FI-22100', outside, outside],
  ['6(1)(d)', 'Åland, by its code', 'AX', '22100', outside, outside],
  ['6(1)(e)', 'Jersey', 'JE', 'JE2 3AB', outside, outside],
  ['6(1)(e)', 'Jersey, as a part of Britain', 'GB', 'JE2 3AB', outside, outside],
  ['6(1)(e)', 'Guernsey, as a part of Britain', 'GB', 'GY1 1AA', outside, outside],
  ['6(1)(f)', 'Campione d’Italia', 'IT', '22061', outside, outside],
  ['6(2)(a)', 'Heligoland', 'DE', '27498', outside, outside],
  ['6(2)(b)', 'Büsingen', 'DE', 'D-78266', outside, outside],
  ['6(2)(c)', 'Ceuta', 'ES', '51003', outside, outside],
  ['6(2)(c)', 'Ceuta, a box', 'ES', '51080', outside, outside],
  ['6(2)(d)', 'Melilla', 'ES', '52006', outside, outside],
  ['6(2)(e)', 'Livigno', 'IT', '23041', outside, outside],
  ['7', 'Monaco', 'MC', '98000', 'S 20', 'S 20'],
  ['7', 'Monaco, as a part of France', 'FR', '98000', 'S 20', 'S 20'],
  ['7', 'Isle of Man', 'IM', 'IM1 1AA', outside, outside],
  ['7', 'Akrotiri', 'GB', 'BFPO 57', 'S 19', 'S 19'],
  ['7', 'Akrotiri, by its postcode', 'GB', 'BF1 2AT', 'S 19', 'S 19'],
  ['7', 'Dhekelia', 'GB', 'BFPO 58', 'S 19', 'S 19'],
  ['7', 'Dhekelia, as a part of Cyprus', 'CY', '7502', 'S 19', 'S 19'],
  ['not 7', 'forces elsewhere', 'GB', 'BFPO 2', outside, outside],
  ['5', 'Gibraltar', 'GI', 'GX11 1AA', outside, outside],
  ['5', 'San Marino', 'SM', '47890', outside, outside],
  ['Protocol 8', 'Northern Ireland', 'GB', 'BT1 1AA', outside, outside],
  ['104', 'Jungholz', 'AT', '6691', 'S 19', 'S 19'],
  ['104', 'Mittelberg', 'AT', 'A-6992', 'S 19', 'S 19'],
  ['105', 'Madeira', 'PT', '9000-018', 'S 22', 'S 22'],
  ['105', 'Azores', 'PT', '9500-321', 'S 16', 'S 16'],
  ['', 'Madrid', 'ES', '28001', 'S 21', 'S 21'],
  ['', 'Paris', 'FR', '75008', 'S 20', 'S 20'],
  ['', 'Vienna', 'AT', '6900', 'S 20', 'S 20'],
  ['', 'Nicosia', 'CY', '1010', 'S 19', 'S 19'],
];

describe('territories', () => {
  it.each(places)('%s: %s (%s %s): %s, %s', (_source, _name, country, postalCode, swedish, french) => {
    const to = inPlace(country, { postalCode });
    expect([resolve({ seller: 'SE', to }), resolve({ seller: 'FR', to })]).toEqual([swedish, french]);
  });

  const reunion = inPlace('RE');
  const belfast = inPlace('GB', { postalCode: 'BT1 1AA' });
  const xiId: TaxId = { type: 'gb_vat', value: 'XI980780684' };
  it.each<[string, Row, string]>([
    ['to Réunion by a Frenchman', { seller: 'FR', to: reunion }, 'G 0 export'],
    ['to Réunion by a Swede', { seller: 'SE', to: reunion }, 'G 0 export'],
    ['from Réunion to Paris', { seller: reunion, to: 'FR' }, 'G 0 export'],
    ['from Réunion to Guadeloupe', { seller: reunion, to: 'GP' }, 'G 0 export'],
    ['within Réunion', { seller: reunion, to: reunion }, 'S 8.5'],
    ['from Martinique to Guadeloupe', { seller: inPlace('MQ'), to: 'GP' }, 'S 8.5'],
    ['to Heligoland', { seller: 'DE', to: inPlace('DE', { postalCode: '27498' }) }, 'G 0 export'],
    ['to the Azores', { seller: 'PT', to: inPlace('PT', { postalCode: '9500-321' }) }, 'S 16'],
    ['to Belfast', { seller: 'FR', to: belfast }, 'S 20 in XI'],
    [
      'to Belfast, below the threshold',
      { seller: 'DE', to: belfast, isBelowThreshold: true },
      'S 19 in DE below',
    ],
    [
      'to a business in Belfast',
      { seller: 'FR', to: belfast, customer: { taxIds: [xiId] } },
      'K 0 intra_community in XI',
    ],
    [
      'to a business in Belfast with an id for services',
      { seller: 'FR', to: belfast, customer: { taxIds: [{ ...xiId, value: 'GB980780684' }] } },
      'S 20 in XI',
    ],
    ['to London', { seller: 'FR', to: inPlace('GB', { postalCode: 'SW1A 1AA' }) }, 'G 0 export'],
    ['to Jersey', { seller: 'FR', to: inPlace('GB', { postalCode: 'JE2 3AB' }) }, 'G 0 export'],
    ['to the bases in Cyprus', { seller: 'FR', to: inPlace('GB', { postalCode: 'BFPO 57' }) }, 'S 19'],
  ])('goods %s', (_, row, expected) => {
    expect(resolve({ ...row, kind: 'goods' })).toBe(expected);
  });

  it.each<[string, Row, string]>([
    ['to Paris', { to: 'FR' }, 'S 20'],
    ['at home', { to: reunion }, 'S 8.5'],
    ['to Berlin', { to: 'DE' }, outside],
    ['to the USA', { to: 'US' }, outside],
  ])('a seller in Réunion has the French rates: %s', (_, row, expected) => {
    expect(resolve({ ...row, seller: reunion })).toBe(expected);
  });

  it('a rate of the tenant for a country holds in the places that belong to it, and not in those that do not', () => {
    const british = buildRate({ country: 'GB', percent: '20' });
    const french = buildRate({ country: 'FR', percent: '5.5', taxCode: 'books' });
    const inBritain = (postalCode: string) => inPlace('GB', { postalCode });
    expect(resolve({ seller: 'GB', to: 'IM', rates: [british] })).toBe('S 20');
    expect(resolve({ seller: 'GB', to: inBritain('BT1 1AA'), rates: [british] })).toBe('S 20');
    expect(resolve({ seller: 'GB', to: inBritain('JE2 3AB'), rates: [british] })).toBe(outside);
    expect(resolve({ seller: 'GB', to: inBritain('BFPO 57'), rates: [british] })).toBe(outside);
    expect(resolve({ to: 'MC', rates: [french], taxCode: 'books' })).toBe('S 5.5');
  });

  it('make a business outside the scope, not the debtor of the tax', () => {
    const customer = { taxIds: [vatId('ESA0011012B')] };
    expect(resolve({ to: inPlace('ES', { postalCode: '35001' }), customer })).toBe(outside);
    expect(resolve({ to: inPlace('ES', { postalCode: '28001' }), customer })).toBe(reverse);
  });

  it('as the seller’s place: only the tenant’s own rates', () => {
    const canaries = inPlace('ES', { postalCode: '35001' });
    expect(resolve({ seller: canaries, to: 'ES' })).toBe(outside);
    const igic = buildRate({ country: 'ES', postcode: '35', percent: '7' });
    expect(resolve({ seller: canaries, to: canaries, rates: [igic] })).toBe('S 7');
  });
});

describe('the tenant’s own rates', () => {
  const california = buildRate({ country: 'US', region: 'CA', percent: '7.25', id: 'txr_2' });
  const american = buildRate({ country: 'US', percent: '5' });
  const inCalifornia = inPlace('US', { region: 'us-ca', postalCode: '94103-1234' });
  const city = buildRate({ country: 'US', region: 'CA', postcode: '94103', percent: '8.625', id: 'txr_3' });
  const books = buildRate({ country: 'FR', taxCode: 'books', percent: '5.5', id: 'txr_4' });
  const own = buildRate({ country: 'CH', percent: '8.1', id: 'txr_5' });
  const late = buildRate({
    country: 'FR',
    percent: '21',
    effectiveFrom: '2026-01-01T00:00:00.000Z',
    id: 'txr_6',
  });
  const soon = { ...late, percent: '20.5', effectiveFrom: '2025-09-01T00:00:00.000Z', id: 'txr_7' };
  const table: [string, Row, string][] = [
    ['the country', { to: 'US', rates: [california, american] }, 'S 5'],
    ['the region before the country', { to: inCalifornia, rates: [american, california] }, 'S 7.25'],
    ['the postcode before the region', { to: inCalifornia, rates: [american, california, city] }, 'S 8.625'],
    ['the product', { to: 'FR', rates: [books], taxCode: 'books' }, 'S 5.5'],
    ['another product', { to: 'FR', rates: [books], taxCode: 'films' }, 'S 20'],
    ['a product in another country', { to: 'IT', rates: [books], taxCode: 'books' }, 'S 22'],
    [
      'the product before the customer',
      { to: 'FR', rates: [books, own], taxCode: 'books', customer: { taxRateId: own.id } },
      'S 5.5',
    ],
    ['the customer before the place', { to: 'FR', rates: [own], customer: { taxRateId: own.id } }, 'S 8.1'],
    [
      'the customer before reverse charge',
      { to: 'DE', rates: [own], customer: { taxRateId: own.id, taxIds: [german] } },
      'S 8.1',
    ],
    [
      'reverse charge before the product and the place',
      {
        to: 'DE',
        rates: [
          { ...books, country: 'DE' },
          { ...american, country: 'DE' },
        ],
        taxCode: 'books',
        customer: { taxIds: [german] },
      },
      reverse,
    ],
    [
      'exemption before all',
      { to: 'FR', rates: [books, own], taxCode: 'books', customer: { taxRateId: own.id, taxExempt: true } },
      'E 0 exempt_customer',
    ],
    [
      'a customer’s rate that is archived',
      {
        to: 'FR',
        rates: [{ ...own, archivedAt: '2025-08-01T00:00:00.000Z' }],
        customer: { taxRateId: own.id },
      },
      'S 20',
    ],
    ['a rate that is not in force yet', { to: 'FR', rates: [late] }, 'S 20'],
    ['the first instant of a rate', { to: 'FR', rates: [late, soon] }, 'S 20.5'],
    ['the latest of two', { to: 'FR', rates: [soon, late], date: '2026-01-01' }, 'S 21'],
    [
      'the newest of two with one date',
      { to: 'FR', rates: [soon, { ...soon, id: 'txr_8', percent: '3' }] },
      'S 3',
    ],
    [
      'an archived rate',
      { to: 'US', rates: [{ ...american, archivedAt: '2025-09-01T00:00:00.000Z' }] },
      outside,
    ],
    ['an American seller', { seller: 'US', to: inCalifornia, rates: [american, california] }, 'S 7.25'],
    ['the seller’s place', { seller: inCalifornia, rates: [american, california] }, 'S 7.25'],
    [
      'an exempt product',
      { to: 'FR', rates: [{ ...books, category: 'E', percent: '0' }], taxCode: 'books' },
      'E 0 exempt',
    ],
    ['goods sold abroad', { to: 'US', rates: [{ ...american, category: 'G', percent: '0' }] }, 'G 0 export'],
    [
      'a territory before a rate of its country',
      { to: inPlace('ES', { postalCode: '35001' }), rates: [{ ...american, country: 'ES' }] },
      outside,
    ],
    [
      'a rate of the territory itself',
      {
        to: inPlace('ES', { postalCode: '35001' }),
        rates: [{ ...american, country: 'ES', postcode: '35', percent: '7' }],
      },
      'S 7',
    ],
  ];
  it.each(table)('%s', (_, row, expected) => {
    expect(resolve(row)).toBe(expected);
  });
});

it('finds one rate for every sale: 0 or more percent, and more than 0 of category S only', () => {
  const country = fc.constantFrom('FR', 'DE', 'ES', 'PT', 'US', 'GB', 'IM', 'MC', 'RE', 'ZZ');
  const maybeText = fc.option(fc.string({ maxLength: 8 }));
  const address = fc.record({
    line1: maybeText,
    line2: maybeText,
    city: maybeText,
    region: maybeText,
    country,
    postalCode: fc.option(
      fc.oneof(fc.string({ maxLength: 8 }), fc.integer({ min: 0, max: 99999 }).map(String)),
    ),
  });
  const instant = fc.date({ min: new Date('1990-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
  const rate = fc
    .record({ country, isZero: fc.boolean(), taxCode: fc.option(fc.constant('books')), from: instant })
    .map(({ isZero, from, ...rest }) => ({
      ...buildRate(rest),
      ...(isZero ? { category: 'Z' as const, percent: '0' } : {}),
      effectiveFrom: from.toISOString(),
    }));
  const taxIds = fc.option(fc.array(fc.constantFrom(german, italian, vatId('x'), vatId('ESA0011012B'))));
  const sale = fc.record({
    seller: address,
    isSellerExempt: fc.boolean(),
    kind: fc.option(
      fc.constantFrom<ProductKind>('electronic_service', 'service', 'service_on_site', 'goods'),
    ),
    isBelowThreshold: fc.boolean(),
    customer: fc.option(
      fc.record({
        address: fc.option(address),
        companyName: fc.option(fc.constant('Company')),
        taxIds,
        taxExempt: fc.option(fc.boolean()),
        taxRateId: fc.option(fc.constantFrom('txr_1', 'txr_none')),
        vatIdCheck: fc.option(fc.constantFrom(confirm(german.value), confirm('IT00000010215', 'invalid'))),
      }),
      { nil: undefined },
    ),
    taxCode: fc.option(fc.constant('books')),
    needsVatIdCheck: fc.boolean(),
    rates: fc.array(rate, { maxLength: 4 }),
    at: instant.map((date) => date.toISOString()),
  });
  fc.assert(
    fc.property(sale, (each) => {
      const { category, percent, reason } = resolveTerms({
        ...each,
        renewedRates: null,
        date: each.at.slice(0, 10),
      });
      expect(Number(percent)).toBeGreaterThanOrEqual(0);
      expect(category === 'S').toBe(Number(percent) > 0);
      expect(reason === undefined).toBe(category === 'S');
    }),
    { numRuns: sampledRunsInCore(2000, 5) },
  );
});

describe('tax ids', () => {
  const valid =
    'DE111111125 DE113298780 DE136695976 FR00000000190 FR00300076965 FR03784359069 ATU00000024 ATU10223006 ' +
    'IT00000010215 IT00079760328 NL010000446B01 NL000000024B01 ESA0011012B ES00000001R BE0411905847 ' +
    'IE0000002D IE1409095C EL094259216';
  it.each(valid.split(' '))('%s', (value) => {
    expect(taxIdParsers.eu_vat(value)).toBe(value);
    expect(taxIdParsers.eu_vat(` ${value.toLowerCase().replace(/^(..)/, '$1 ')}. `)).toBe(value);
    expect(findVatCountry(value)).toBe(value.startsWith('EL') ? 'GR' : value.slice(0, 2));
  });

  it.each<[keyof typeof taxIdParsers, string, string | undefined]>([
    ['eu_vat', 'GR094259216', 'EL094259216'],
    ['eu_vat', 'BE430973770', 'BE0430973770'],
    ['eu_vat', 'de 111.111.125', 'DE111111125'],
    ['eu_vat', 'DE111111126', undefined],
    ['eu_vat', '111111125', undefined],
    ['eu_vat', 'GB434031494', undefined],
    ['eu_vat', 'CHE107787577', undefined],
    ['eu_vat', 'EU372009975', undefined],
    ['eu_vat', '', undefined],
    ['eu_vat', 'DE111111125<script>', undefined],
    ['eu_vat', 'DE١١١١١١١٢٥', undefined],
    ['gb_vat', 'GB 434 0314 94', 'GB434031494'],
    ['gb_vat', 'DE111111125', undefined],
    ['ch_vat', 'CHE-107.787.577 IVA', 'CHE107787577IVA'],
    ['no_vat', 'NO974760673MVA', 'NO974760673MVA'],
    ['us_ein', '123456789', '12-3456789'],
    ['us_ein', '12-345678', undefined],
    ['other', ' 12/345/67890 ', '12/345/67890'],
    ['other', 'x'.repeat(51), undefined],
    ['other', 'a\u202Eb', undefined],
  ])('%s %s: %s', (type, text, expected) => {
    expect(taxIdParsers[type](text)).toBe(expected);
  });
});

it('knows the countries of ISO 3166-1', () => {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
  const known = letters.flatMap((a) => letters.map((b) => a + b)).filter((code) => isCountry(code));
  expect(known).toHaveLength(249);
  for (const code of known) expect(names.of(code)).toBeDefined();
});
