/** Prices, ids, means of payment and terms of the e-invoices, and the fields that a record lacks. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderCii } from '../../src/documents/cii.ts';
import { renderJson } from '../../src/documents/json.ts';
import { findLinePrice } from '../../src/documents/linePrice.ts';
import { listMissingFields } from '../../src/documents/missingFields.ts';
import type { DocumentPayment, DocumentRecord, HomeCurrencyTax } from '../../src/documents/record.ts';
import { renderUbl } from '../../src/documents/ubl.ts';
import type { TaxId, TaxTerms } from '../../src/storage/model/common.ts';
import type { TaxExemption } from '../../src/storage/model/parties.ts';
import { root } from '../sourceFiles.ts';
import { readTerms, type Term } from './businessTerms.ts';
import { asCreditNote, buildRecord, reverseCharge, seller, standard, transfer } from './eInvoiceRecords.ts';

const one = (terms: TaxTerms | null, change: Partial<DocumentRecord> = {}) =>
  buildRecord([{ amountMinor: 10_000n, terms }], { change });
const buyer = one(null).buyer;
const within: TaxTerms = { category: 'K', percent: '0' };
const ein = (value: string): TaxId => ({ type: 'us_ein', value });
const euVat = (value: string): TaxId => ({ type: 'eu_vat', value });

describe('the price of a line', () => {
  const line = { ...one(null).lines[0]!, period: null };
  it.each([
    ['as listed', { quantity: '4', unitPrice: '25' }, ['4', '25', []]],
    ['finer than the currency', { quantity: '1000000', unitPrice: '0.0001' }, ['1000000', '0.0001', []]],
    ['a credit', { unitPrice: '-100.00', listMinor: '-10000', netMinor: '-10000' }, ['-1', '100', []]],
    [
      'a negative quantity',
      { quantity: '-2', unitPrice: '50', listMinor: '-10000', netMinor: '-10000' },
      ['-2', '50', []],
    ],
    ['nothing', { quantity: '0', unitPrice: '5', listMinor: '0', netMinor: '0' }, ['0', '5', []]],
    ['free', { quantity: '7', unitPrice: '0', listMinor: '0', netMinor: '0' }, ['7', '0', []]],
    [
      'a discount',
      { unitPrice: '100', discounts: [{ name: 'Spring', amountMinor: '2500' }], netMinor: '7500' },
      ['1', '100', [{ isCharge: false, amountMinor: 2500n, reason: 'Spring', reasonCode: '95' }]],
    ],
    [
      'a discount that a credit takes back',
      {
        unitPrice: '-100',
        listMinor: '-10000',
        netMinor: '-7500',
        discounts: [{ name: 'Spring', amountMinor: '-2500' }],
      },
      ['-1', '100', [{ isCharge: true, amountMinor: 2500n, reason: 'Spring', reasonCode: 'ZZZ' }]],
    ],
    [
      'a discount of 0',
      { unitPrice: '100', discounts: [{ name: 'Spring', amountMinor: '0' }] },
      ['1', '100', []],
    ],
    ['a price that does not give the list amount', { quantity: '3', unitPrice: '33' }, ['3', '33.333', []]],
    ['half a unit, with tax', { quantity: '0.5', unitPrice: '200', netMinor: '8403' }, ['0.5', '168.06', []]],
    [
      'a negative quantity, with tax',
      { quantity: '-2', unitPrice: '50', listMinor: '-10000', netMinor: '-8403' },
      ['-2', '42.015', []],
    ],
    ['with tax', { quantity: '4', unitPrice: '25', netMinor: '8403' }, ['4', '21.0075', []]],
    [
      'with tax, in thirds',
      { quantity: '3', unitPrice: '3.33', listMinor: '999', netMinor: '833' },
      ['3', '2.777', []],
    ],
    [
      'with tax, a credit',
      { quantity: '3', unitPrice: '-3.33', listMinor: '-999', netMinor: '-833' },
      ['-3', '2.777', []],
    ],
    [
      'a quantity too large for the net price',
      { quantity: '9e17', unitPrice: '0', netMinor: '5' },
      ['1', '0.05', []],
    ],
    [
      'a net price below the finest decimal',
      { quantity: '100000000000000000', unitPrice: '0', netMinor: '-5' },
      ['-1', '0.05', []],
    ],
    [
      'a quantity of 0 with a net amount',
      { quantity: '0', unitPrice: '1', netMinor: '5' },
      ['1', '0.05', []],
    ],
  ])('%s', (_, change, [quantity, unitPrice, adjustments]) => {
    expect(findLinePrice({ ...line, ...change }, { currencyDecimals: 2 })).toEqual({
      quantity,
      unitPrice,
      adjustments,
    });
  });
});

describe('terms of a record in both syntaxes', () => {
  const charged: DocumentPayment = { kind: 'charged', bankAccount: null, reference: null, termsDays: null };
  const withAccount = (account: Partial<DocumentPayment['bankAccount']>): DocumentPayment => ({
    ...transfer,
    bankAccount: { accountHolder: 'Nordlicht GmbH', ...account },
  });
  const rows: [what: string, record: DocumentRecord, terms: Partial<Record<Term, string | null>>][] = [
    [
      'a SEPA transfer',
      one(null),
      { 'BT-81': '58', 'BT-84': 'DE89370400440532013000', 'BT-83': 'RF18539007547034' },
    ],
    [
      'an IBAN in another currency',
      one(null, { currency: 'pln' }),
      { 'BT-81': '30', 'BT-84': 'DE89370400440532013000' },
    ],
    [
      'an account without IBAN',
      one(null, { payment: withAccount({ accountNumber: '000123' }) }),
      { 'BT-81': '30', 'BT-84': '000123' },
    ],
    [
      'a transfer without an account',
      one(null, { payment: withAccount({}) }),
      { 'BT-81': '1', 'BT-84': null },
    ],
    [
      'a saved payment method',
      one(null, { payment: charged, dueDate: null }),
      { 'BT-81': '1', 'BT-9': null, 'BT-20': 'Charged to the saved payment method' },
    ],
    ['paid', one(null, { payment: { ...charged, kind: 'paid' } }), { 'BT-20': 'Paid' }],
    [
      'refunded',
      one(null, { payment: { ...charged, kind: 'refunded' } }),
      { 'BT-81': '1', 'BT-20': 'Refunded' },
    ],
    [
      'credited',
      one(null, { payment: { ...charged, kind: 'credited' } }),
      { 'BT-81': '97', 'BT-20': 'Credited to the customer' },
    ],
    ['14 days', one(null), { 'BT-20': 'Payable within 14 days' }],
    ['1 day', one(null, { payment: { ...transfer, termsDays: 1 } }), { 'BT-20': 'Payable within 1 day' }],
    ['0 days', one(null, { payment: { ...transfer, termsDays: 0 } }), { 'BT-20': 'Payable on receipt' }],
    [
      'a credit note',
      one(standard('19'), { ...asCreditNote, dueDate: '2026-03-01' }),
      { 'BT-3': '381', 'BT-25': 'INV-2026-00042', 'BT-81': '1' },
    ],
    [
      'ids',
      one(standard('19')),
      { 'BT-31': 'DE136695976', 'BT-32': '30/123/45678', 'BT-48': 'FR03784359069' },
    ],
    [
      'no VAT ids outside the scope',
      one(null),
      {
        'BT-31': null,
        'BT-32': '30/123/45678',
        'BT-29': 'DE136695976',
        'BT-48': null,
        'BT-46': 'FR03784359069',
      },
    ],
    [
      'the VAT id of the own country',
      one(standard('19'), { seller: { ...seller, taxIds: [euVat('FR00300076965'), euVat('DE113298780')] } }),
      { 'BT-31': 'DE113298780', 'BT-29': 'FR00300076965' },
    ],
    [
      'a Greek VAT id',
      one(standard('24'), {
        buyer: {
          ...buyer,
          address: { ...buyer.address!, country: 'GR' },
          taxIds: [euVat('DE113298780'), euVat('EL094259216')],
        },
      }),
      { 'BT-48': 'EL094259216', 'BT-46': 'DE113298780' },
    ],
    [
      'a VAT id without the prefix of its country',
      one(standard('25'), {
        seller: { ...seller, taxIds: [{ type: 'no_vat', value: '123456785MVA' }] },
        buyer: { ...buyer, taxIds: [{ type: 'ch_vat', value: 'CHE-116.281.710MWST' }] },
      }),
      { 'BT-31': 'NO123456785MVA', 'BT-48': 'CHE-116.281.710MWST' },
    ],
    [
      'a private customer',
      one(null, { buyer: { ...buyer, companyName: null } }),
      { 'BT-44': 'Camille Martin' },
    ],
    [
      'a company without a name',
      one(null, { buyer: { ...buyer, companyName: '' } }),
      { 'BT-44': 'Camille Martin' },
    ],
    [
      'an amount that is not to be paid',
      one(standard('19'), { totals: { ...one(standard('19')).totals, payableMinor: '0' } }),
      { 'BT-112': '119.00', 'BT-113': '119.00', 'BT-115': '0.00' },
    ],
    [
      'an account that is not used',
      one(null, { payment: { ...transfer, kind: 'charged' } }),
      { 'BT-81': '1', 'BT-84': null },
    ],
    ['delivery in a period', one(within), { 'BT-72': null, 'BT-80': 'FR' }],
    [
      'delivery without one, beside another category',
      buildRecord(
        [
          { amountMinor: 1n, terms: standard('19') },
          { amountMinor: 1n, terms: within },
        ],
        {
          change: { period: null },
        },
      ),
      { 'BT-80': 'FR' },
    ],
    ['delivery to nowhere', one(within, { buyer: { ...buyer, address: null } }), { 'BT-80': null }],
    ['a note', one(null, { note: ' Thanks \u0000' }), { 'BT-22': 'Thanks' }],
  ];
  it.each(rows)('%s', (_, record, terms) => {
    for (const render of [renderUbl, renderCii]) {
      const invoice = readTerms(render(record));
      const shown = Object.keys(terms).map((term) => [term, invoice.get(term as Term)]);
      expect(Object.fromEntries(shown)).toEqual(terms);
    }
  });

  it('UBL needs a subject code for a note with #, CII does not', () => {
    const record = one(null, { note: 'Order #12' });
    expect(readTerms(renderUbl(record)).get('BT-22')).toBe('#AAI#Order #12');
    expect(readTerms(renderCii(record)).get('BT-22')).toBe('Order #12');
  });

  it.each([
    [
      'AE',
      'Reverse charge: the recipient is liable for the VAT (Articles 194 and 196 of Directive 2006/112/EC)',
      'VATEX-EU-AE',
    ],
    ['K', 'VAT-exempt intra-Community supply (Article 138 of Directive 2006/112/EC)', 'VATEX-EU-IC'],
    ['G', 'Supply to a customer outside the European Union: exempt from VAT', 'VATEX-EU-G'],
    ['O', 'Not subject to tax', 'VATEX-EU-O'],
    ['E', 'Exempt from tax', null],
    ['Z', null, null],
  ] as const)('category %s without a reason of its own', (category, reason, code) => {
    const invoice = readTerms(renderUbl(one({ category, percent: '0' })));
    const [group] = invoice.group('BG-23');
    expect([group!.get('BT-118'), group!.get('BT-120'), group!.get('BT-121')]).toEqual([
      category,
      reason,
      code,
    ]);
  });

  it('a customer has one identifier', () => {
    const taxIds = [ein('12-3456789'), ein('98-7654321')];
    expect(readTerms(renderUbl(one(null, { buyer: { ...buyer, taxIds } }))).list('BT-46')).toEqual([
      '12-3456789',
    ]);
  });

  /** The words of article 226 (11a) of Directive 2006/112/EC, as the other languages of documents have them. */
  it.each([
    ['de-AT', 'Steuerschuldnerschaft des Leistungsempfängers'],
    ['fr', 'Autoliquidation'],
    ['es', 'Inversión del sujeto pasivo'],
    ['it', 'Inversione contabile'],
    ['nl', 'Btw verlegd'],
    ['pl', 'Odwrotne obciążenie'],
    ['pt', 'Autoliquidação'],
    ['sv', 'Omvänd betalningsskyldighet'],
    ['da', 'Omvendt betalingspligt'],
    ['fi', 'Käännetty verovelvollisuus'],
    ['cs', 'Daň odvede zákazník'],
    ['ja', 'Reverse charge'],
  ])('reverse charge in %s', (locale, words) => {
    const record = one({ category: 'AE', percent: '0' }, { locale });
    for (const render of [renderUbl, renderCii]) {
      const [group] = readTerms(render(record)).group('BG-23');
      expect(group!.get('BT-120')!.startsWith(words)).toBe(true);
      expect(group!.get('BT-120')!.endsWith('.')).toBe(false);
    }
  });

  const exemption = 'Exempt from VAT: small business (§ 19 UStG)';
  it.each<[what: string, Partial<TaxExemption>, country: string, text: string, code: string | null]>([
    ['a provision', {}, 'DE', exemption, null],
    [
      'a text without the provision',
      { text: 'Kleinunternehmer' },
      'DE',
      'Kleinunternehmer (§ 19 UStG)',
      null,
    ],
    ['a text with it', { text: 'Nach § 19 UStG befreit' }, 'DE', 'Nach § 19 UStG befreit', null],
    ['a code', { code: 'VATEX-EU-132' }, 'US', exemption, 'VATEX-EU-132'],
    ['a French code at home', { code: 'VATEX-FR-FRANCHISE' }, 'FR', exemption, 'VATEX-FR-FRANCHISE'],
    ['a French code abroad', { code: 'VATEX-FR-FRANCHISE' }, 'DE', exemption, null],
  ])('names the exemption of the seller: %s', (_, own, country, text, code) => {
    const taxExemption = {
      kind: 'small_business' as const,
      reference: '§ 19 UStG',
      text: null,
      code: null,
      ...own,
    };
    const record = one(
      { category: 'E', percent: '0', reason: 'exempt_seller' },
      { seller: { ...seller, taxExemption }, buyer: { ...buyer, address: { ...buyer.address!, country } } },
    );
    for (const render of [renderUbl, renderCii]) {
      const [group] = readTerms(render(record)).group('BG-23');
      expect([group!.get('BT-118'), group!.get('BT-120'), group!.get('BT-121') ?? null]).toEqual([
        'E',
        text,
        code,
      ]);
    }
  });

  it('names each reason of a category once', () => {
    const exempt = (reason: TaxTerms['reason']) => ({
      category: 'E' as const,
      percent: '0',
      reason: reason!,
    });
    const billed = (['exempt', 'exempt_customer', 'exempt'] as const).map((reason, nth) => ({
      amountMinor: BigInt(100 * nth),
      terms: exempt(reason),
    }));
    const [group] = readTerms(renderUbl(buildRecord(billed))).group('BG-23');
    expect(group!.get('BT-120')).toBe('Exempt from tax; No tax is charged: the customer is exempt');
    expect(group!.get('BT-116')).toBe('3.00');
  });
});

describe('fields that EN 16931 requires and a record lacks', () => {
  const K: TaxTerms = { category: 'K', percent: '0' };
  const G: TaxTerms = { category: 'G', percent: '0' };
  const withoutIds = { ...seller, taxIds: [] };
  const rows: [what: string, record: DocumentRecord, missing: [term: string, path: string][]][] = [
    ['nothing', one(standard('19')), []],
    [
      'a name',
      one(standard('19'), { seller: { ...seller, legalName: ' ' } }),
      [['BT-27', 'seller.legalName']],
    ],
    [
      'an address',
      one(standard('19'), { seller: { ...seller, address: null } }),
      [['BT-40', 'seller.address.country']],
    ],
    ['any tax id of the seller', one(standard('19'), { seller: withoutIds }), [['BT-31', 'seller.taxIds']]],
    [
      'no tax id where a tax number will do',
      one(standard('19'), { seller: { ...seller, taxIds: [{ type: 'other', value: '1' }] } }),
      [],
    ],
    [
      'a VAT id for an export, in spite of a tax number',
      one(G, { seller: { ...seller, taxIds: [{ type: 'us_ein', value: '12-3456789' }] } }),
      [['BT-31', 'seller.taxIds']],
    ],
    [
      'an id of an untaxed seller',
      one(null, { seller: { ...withoutIds, registration: null } }),
      [['BT-30', 'seller.registration']],
    ],
    ['none if a VAT id identifies it', one(null, { seller: { ...seller, registration: null } }), []],
    ['none if its VAT id is shown', one(standard('19'), { seller: { ...seller, registration: null } }), []],
    [
      'none if a tax number is all that a small business has',
      one(null, {
        seller: { ...withoutIds, registration: null, taxIds: [{ type: 'other', value: '30/123/45678' }] },
      }),
      [],
    ],
    ['none if it has a register entry', one(null, { seller: withoutIds }), []],
    [
      'the VAT id of the customer',
      one(reverseCharge, { buyer: { ...buyer, taxIds: [] } }),
      [['BT-48', 'customer.taxIds']],
    ],
    [
      'and for a supply within the EU',
      one(K, { buyer: { ...buyer, taxIds: [] } }),
      [['BT-48', 'customer.taxIds']],
    ],
    [
      'an address of the customer',
      one(null, { buyer: { ...buyer, address: null } }),
      [['BT-55', 'customer.address.country']],
    ],
    [
      'a name of the customer',
      one(null, { buyer: { ...buyer, companyName: null, name: '\u0000' } }),
      [['BT-44', 'customer.companyName']],
    ],
    ['two decimals', one(null, { currency: 'kwd', currencyDecimals: 3 }), [['BT-5', 'currency']]],
    ['lines', one(null, { lines: [] }), [['BG-25', 'lines']]],
    ['a number', one(null, { number: '' }), [['BT-1', 'number']]],
    [
      'a description',
      buildRecord([
        { amountMinor: 1n, terms: null },
        { amountMinor: 1n, terms: null, description: '\u0001' },
      ]),
      [['BT-153', 'lines.1.description']],
    ],
  ];
  it.each(rows)('%s', (_, record, missing) => {
    const listed = listMissingFields(record);
    expect(listed.map(({ term, path }) => [term, path])).toEqual(missing);
    expect(listed.every(({ message }) => message.length > 0)).toBe(true);
  });
});

it('JSON has the fields in one order, whatever the order of the record', () => {
  const record = one(reverseCharge, { credits: { number: 'INV-1', issueDate: '2026-01-01' } });
  const reversed = JSON.parse(JSON.stringify(record), (_, value: unknown) =>
    value && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toReversed())
      : value,
  ) as DocumentRecord;
  expect(Object.keys(reversed)).not.toEqual(Object.keys(record));
  expect(renderJson(reversed)).toBe(renderJson(record));
});

describe('docs/documents.md', () => {
  const page = readFileSync(join(root, 'docs/documents.md'), 'utf8');
  /** The texts in code of a column of the tables below a heading. */
  const readColumn = (heading: string, column: number) =>
    page
      .split(/^#+ /m)
      .find((section) => section.startsWith(`${heading}\n`))!
      .split('\n')
      .flatMap(
        (row) => /^`([^`]+)`$/.exec(row.split(' | ')[column]?.replace(/^\| /, '').trim() ?? '')?.[1] ?? [],
      );
  const listFields = (value: unknown, at = ''): string[] => {
    if (Array.isArray(value)) return listFields(value[0], `${at}[]`);
    if (value === null || typeof value !== 'object') return [at];
    return Object.entries(value).flatMap(([key, each]) => listFields(each, at ? `${at}.${key}` : key));
  };

  const homeTax: HomeCurrencyTax = {
    currency: 'dkk',
    currencyDecimals: 2,
    taxMinor: '100',
    rates: [{ currency: 'dkk', rate: '7.46' }],
    rateDate: '2026-01-02',
    source: 'ecb',
  };

  it('lists the fields of the JSON document', () => {
    const full = buildRecord(
      [{ amountMinor: 900n, terms: reverseCharge, discountsMinor: [100n], details: ['One month'] }],
      {
        change: {
          seller: {
            ...seller,
            taxExemption: { kind: 'small_business', reference: '§ 19 UStG', text: null, code: null },
          },
          credits: { number: 'INV-1', issueDate: '2026-01-01' },
          furtherCredits: [{ number: 'INV-2', issueDate: '2026-01-02' }],
          taxInHomeCurrency: homeTax,
        },
      },
    );
    const paid = { ...full, payment: { ...full.payment, paidOn: '2026-01-02' } };
    expect(readColumn('JSON', 0)).toEqual(listFields(JSON.parse(renderJson(paid))));
  });

  it('lists the fields that the standard requires', () => {
    const bare: Partial<DocumentRecord> = {
      number: '',
      currencyDecimals: 3,
      taxInHomeCurrency: { ...homeTax, currencyDecimals: 3 },
      seller: { ...seller, legalName: '', address: null, taxIds: [], registration: null },
      buyer: { ...buyer, name: '', companyName: null, address: null, taxIds: [] },
    };
    const unnamed = { amountMinor: 1n, terms: reverseCharge, description: ' ' };
    const records = [buildRecord([unnamed], { change: bare }), one(null, { ...bare, lines: [] })];
    const lacking = records.flatMap((record) => listMissingFields(record));
    const paths = new Set(lacking.map((missing) => missing.path));
    expect(readColumn('Required by the standard', 1).toSorted()).toEqual([...paths].toSorted());
  });
});
