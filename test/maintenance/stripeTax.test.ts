/** Moving from Stripe: addresses, tax ids, tax codes and tax rates, and the tax that is charged with them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { TestApp } from '../support/app.ts';
import { openBooks } from '../support/books.ts';
import { perennial } from '../support/cli.ts';
import { findFaults } from '../support/faults.ts';
import { sampled } from '../support/sample.ts';
import { startStripeApp, type StripeApp } from '../support/stripeApp.ts';
import { customer, price, product, subscription, taxRate } from '../support/stripeObjects.ts';
import { billText, openTaxed, readInvoices, taxDocuments, taxText, type Taxed } from '../support/taxes.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'perennial-tax-'));
let running: StripeApp;
let app: TestApp;
let books: Taxed;
/** A customer and a kept card that the server which plays Stripe knows. */
let card: { customer: string; method: string };

beforeAll(async () => {
  running = await startStripeApp();
  ({ app } = running);
  const first = await openBooks(app, '2026-01-01');
  await first.subscribe(await first.shop.customer(), await first.plan(1), 'pm_card_visa');
  const [kept] = await app.backdoor.all('select reference from payment_methods');
  const [name, method] = String(kept!['reference']).split('/');
  card = { customer: name!, method: method! };
});
beforeEach(async () => {
  books = await openTaxed(app, '2026-02-10', 'DE');
});
afterAll(async () => {
  await running.close();
  rmSync(folder, { recursive: true });
});

const importText = (content: string, ...flags: string[]) => {
  const file = path.join(folder, 'stripe.json');
  writeFileSync(file, content);
  return perennial(app.database, ['import', 'stripe', file, '--tenant', books.alias, ...flags, '--json']);
};
const importObjects = async (objects: object[], ...flags: string[]) => {
  const said = await importText(JSON.stringify(objects), ...flags);
  expect(said, said.err).toMatchObject({ code: 0, err: '' });
  return said.json;
};

const customersDocument = `{ customers { nodes { id associatedId firstName lastName companyName locale taxExempt
  address { line1 line2 city postalCode region country } taxIds { type value } } } }`;
const readCustomers = async () => (await books.client.graphql(customersDocument)).customers.nodes;

const noAddress = { line1: null, line2: null, city: null, postalCode: null, region: null };
const french = { city: 'Paris', country: 'FR', line1: '1 rue de la Paix', postal_code: '75002', state: '' };
const taxId = (type: string | null, value: string) => ({ id: 'txi_1', object: 'tax_id', type, value });
const taxIds = (...data: object[]) => ({ tax_ids: { object: 'list', data, has_more: false } });
const others = Array.from({ length: 6 }, (_, n) => taxId('au_abn', `5182475355${n}`));

const customerRows: [
  name: string,
  fields: object,
  expected: object,
  lost?: [field: string, why: string][],
][] = [
  ['nothing', {}, { address: null, taxIds: [], companyName: null, locale: null, taxExempt: false }],
  [
    'an address',
    { address: { ...french, line2: 'Bât. B' } },
    {
      address: {
        line1: '1 rue de la Paix',
        line2: 'Bât. B',
        city: 'Paris',
        postalCode: '75002',
        region: null,
        country: 'FR',
      },
    },
  ],
  [
    'a state',
    { address: { country: 'US', state: 'CA' } },
    { address: { ...noAddress, region: 'CA', country: 'US' } },
  ],
  ['an empty address', { address: { city: null, country: null, line1: '' } }, { address: null }],
  [
    'an address without a country',
    { address: { ...french, country: null } },
    { address: null },
    [['address', 'has an address whose country must be a country code of ISO 3166-1 alpha-2, such as DE']],
  ],
  [
    'an address with a line break',
    { address: { ...french, line1: 'Paris\nsecond line' } },
    { address: null },
    [['address', 'has an address whose line1 must be one line, without control characters']],
  ],
  [
    'an address with a mark of direction',
    { address: { ...french, city: 'Par\u202Eis' } },
    { address: null },
    [['address', 'has an address whose city must be one line, without control characters']],
  ],
  [
    'an address with a long line',
    { address: { ...french, city: 'x'.repeat(201) } },
    { address: null },
    [['address', 'has an address whose city must be at most 200 characters']],
  ],
  [
    'a country that does not exist',
    { address: { country: 'XX' } },
    { address: null },
    [['address', 'has an address whose country must be a country code of ISO 3166-1 alpha-2, such as DE']],
  ],
  [
    'tax ids of each type',
    taxIds(
      taxId('eu_vat', 'FR 00 300076965'),
      taxId('gb_vat', 'GB980780684'),
      taxId('ch_vat', 'CHE-116.281.710 MWST'),
      taxId('no_vat', '988077917MVA'),
      taxId('us_ein', '12-3456789'),
    ),
    {
      taxIds: [
        { type: 'eu_vat', value: 'FR00300076965' },
        { type: 'gb_vat', value: 'GB980780684' },
        { type: 'ch_vat', value: 'CHE116281710MWST' },
        { type: 'no_vat', value: 'NO988077917MVA' },
        { type: 'us_ein', value: '12-3456789' },
      ],
    },
  ],
  [
    'tax ids of other types, and of types that every object has',
    taxIds(taxId('au_abn', '51824753556'), taxId('constructor', '7'), taxId(null, '8')),
    {
      taxIds: ['51824753556', '7', '8'].map((value) => ({ type: 'other', value })),
    },
  ],
  [
    'a tax id twice',
    taxIds(taxId('eu_vat', 'FR00300076965'), taxId('eu_vat', 'fr 00.300.076.965')),
    { taxIds: [{ type: 'eu_vat', value: 'FR00300076965' }] },
  ],
  [
    'a VAT id with wrong check digits, and a good one',
    taxIds(taxId('eu_vat', 'FR01300076965'), taxId('eu_vat', 'FR00300076965')),
    { taxIds: [{ type: 'eu_vat', value: 'FR00300076965' }] },
    [['tax_ids', 'has the tax id "FR01300076965" (eu_vat), whose form or check digits do not fit']],
  ],
  [
    'a VAT id of another type, an empty one and a long one',
    taxIds(taxId('eu_vat', 'GB980780684'), taxId('us_ein', ''), taxId('au_abn', 'x'.repeat(61))),
    { taxIds: [] },
    [
      ['tax_ids', 'has the tax id "GB980780684" (eu_vat), whose form or check digits do not fit'],
      ['tax_ids', 'has the tax id "" (us_ein), whose form or check digits do not fit'],
      ['tax_ids', `has the tax id "${'x'.repeat(59)}… (au_abn), whose form or check digits do not fit`],
    ],
  ],
  [
    'six tax ids, of which the first is there twice',
    taxIds(...others, others[0]!),
    { taxIds: others.slice(0, 5).map(({ value }) => ({ type: 'other', value })) },
    [['tax_ids', 'has more than 5 tax ids: "51824753555" (au_abn) is left out']],
  ],
  [
    'more tax ids than the file',
    { tax_ids: { ...taxIds(taxId('us_ein', '123456789')).tax_ids, has_more: true } },
    { taxIds: [{ type: 'us_ein', value: '12-3456789' }] },
    [['tax_ids', 'has more tax ids than the file']],
  ],
  ['an exemption', { tax_exempt: 'exempt' }, { taxExempt: true }],
  [
    'reverse charge',
    { tax_exempt: 'reverse' },
    { taxExempt: false },
    [
      [
        'tax_exempt',
        'is set to reverse charge; here reverse charge follows from a VAT id of another member state',
      ],
    ],
  ],
  ['languages', { preferred_locales: ['fr-ca', 'en'] }, { locale: 'fr-CA' }],
  ['no languages', { preferred_locales: [] }, { locale: null }],
  [
    'a language that is none',
    { preferred_locales: ['not a language'] },
    { locale: null },
    [['preferred_locales', 'has a language that must be a BCP 47 language tag, such as de or fr-CA']],
  ],
  [
    'a business and a person',
    { business_name: 'Dupont SA', individual_name: 'Zoé Dupont', name: 'Dupont SA' },
    { companyName: 'Dupont SA', firstName: 'Zoé', lastName: 'Dupont' },
  ],
  [
    'a business in its metadata',
    { metadata: { company: ' Dupont SA ', company_name: '' } },
    { companyName: 'Dupont SA', firstName: 'Ada', lastName: 'Lovelace' },
  ],
  ['a name that may be a business', { name: 'Dupont SA' }, { companyName: null, firstName: 'Dupont' }],
  [
    'a company name with a line break',
    { business_name: 'Dupont\nSA' },
    { companyName: null },
    [['business_name', 'has a company name that must be one line, without control characters']],
  ],
];
it.each(sampled(customerRows, 3))(
  'imports a customer with %s',
  async (_name, fields, expected, lost = []) => {
    const objects = [customer('cus_1', fields)];
    for (const flags of [[], ['--yes'], ['--yes']]) {
      const brought = await importObjects(objects, ...flags);
      expect(brought.left).toEqual([]);
      expect(brought.lost.map(({ stripeId, field, why }: any) => [stripeId, field, why])).toEqual(
        lost.map((each) => ['cus_1', ...each]),
      );
    }
    expect(await readCustomers()).toMatchObject([{ associatedId: 'cus_1', ...expected }]);
    expect(await findFaults(app, books.alias)).toEqual([]);
  },
);

const rateFaults: [name: string, object: object, why: string][] = [
  ['an address', customer('cus_1', { address: 'Paris' }), 'address must be an object, not "Paris"'],
  ['a line', customer('cus_1', { address: { line1: 5 } }), 'address.line1 must be text, not 5'],
  ['tax ids', customer('cus_1', { tax_ids: { data: [5] } }), 'tax_ids.data.0 must be an object, not 5'],
  ['a tax id', customer('cus_1', taxIds({ value: {} })), 'tax_ids.data.0.value must be text, not {}'],
  [
    'an exemption',
    customer('cus_1', { tax_exempt: 'maybe' }),
    'tax_exempt must be none, exempt or reverse, not "maybe"',
  ],
  ['languages', customer('cus_1', { preferred_locales: 'de' }), 'preferred_locales must be a list, not "de"'],
  ['a business name', customer('cus_1', { business_name: [] }), 'business_name must be text, not []'],
  ['a tax code', product('prod_1', { tax_code: 5 }), 'tax_code must be text, not 5'],
  [
    'a tax behavior',
    price('price_1', 'prod_1', { tax_behavior: 'both' }),
    'tax_behavior must be exclusive, inclusive or unspecified, not "both"',
  ],
  ['a percentage', taxRate('txr_1', { percentage: [19] }), 'percentage must be a number, not [19]'],
  ['a country', taxRate('txr_1', { country: {} }), 'country must be text, not {}'],
];
it.each(sampled(rateFaults, 3))('refuses a file with %s of another form', async (_name, object, why) => {
  const said = await importText(JSON.stringify([customer('cus_0'), object]), '--yes');
  expect(said.code).toBe(1);
  expect(said.err).toContain(`cannot be read: ${why}.\n`);
  expect(await readCustomers()).toEqual([]);
});

const usRate = (fields: object) => taxRate('txr_1', { country: 'US', percentage: 8.875, ...fields });
const local = 'applies to a part of its country without a code: create it with its postal codes';
const several = 'is one of several rates for DE: create them with the tax codes of their products';

const rateRows: [name: string, objects: object[], rates: string[], left?: string[], lost?: string[]][] = [
  ['a country', [taxRate('txr_1')], ['DE null 19 VAT']],
  ['a decimal as text', [taxRate('txr_1', { percentage: '7.70' })], ['DE null 7.7 VAT']],
  ['a country as its jurisdiction', [taxRate('txr_1', { jurisdiction: 'de' })], ['DE null 19 VAT']],
  ['the name of a country', [taxRate('txr_1', { jurisdiction: 'Germany' })], ['DE null 19 VAT']],
  ['a state', [usRate({ state: 'ny', jurisdiction: 'New York' })], ['US NY 8.875 VAT']],
  ['a state as its jurisdiction', [usRate({ jurisdiction: 'US-NY' })], ['US NY 8.875 VAT']],
  ['a jurisdiction without a code', [usRate({ jurisdiction: 'Cook County' })], [], [local]],
  ['a county', [usRate({ state: 'NY', jurisdiction_level: 'county' })], [], [local]],
  [
    'a state that is too long',
    [usRate({ state: 'N'.repeat(21) })],
    [],
    ['region must be at most 20 characters'],
  ],
  ['no country', [taxRate('txr_1', { country: null, jurisdiction: 'CA' })], [], ['has no country']],
  [
    'a country that does not exist',
    [taxRate('txr_1', { country: 'XX' })],
    [],
    ['country must be a country code of ISO 3166-1 alpha-2, such as DE'],
  ],
  ['a long name', [taxRate('txr_1', { display_name: 'x'.repeat(300) })], [], ['name must be']],
  ['an archived rate', [taxRate('txr_1', { active: false })], [], ['is archived']],
  [
    'a fixed amount',
    [taxRate('txr_1', { rate_type: 'flat_amount', percentage: null })],
    [],
    ['is a fixed amount'],
  ],
  ['no percentage', [taxRate('txr_1', { percentage: null })], [], ['has no percentage']],
  ['a percentage without an end', [taxRate('txr_1', { percentage: 1e-9 })], [], ['has no percentage']],
  ['0 %', [taxRate('txr_1', { percentage: 0 })], [], ['is 0 %: create it with its category']],
  ['-1 %', [taxRate('txr_1', { percentage: -1 })], [], ['percent must be 0 to 100']],
  ['101 %', [taxRate('txr_1', { percentage: 101 })], [], ['percent must be 0 to 100']],
  ['5 decimals', [taxRate('txr_1', { percentage: 6.12345 })], [], ['percent must be 0 to 100']],
  [
    'an inclusive and an exclusive rate of one place',
    [taxRate('txr_1', { inclusive: true }), taxRate('txr_2')],
    ['DE null 19 VAT'],
    [],
    ['txr_1 is inclusive; here `Price.taxBehavior` says whether a price contains the tax'],
  ],
  [
    'several rates of one place, and one of another',
    [
      taxRate('txr_1'),
      taxRate('txr_2', { percentage: 7 }),
      taxRate('txr_3', { country: 'AT', percentage: 20 }),
    ],
    ['AT null 20 VAT'],
    [several, several],
  ],
];
it.each(sampled(rateRows, 3))(
  'imports tax rates of %s',
  async (_name, objects, rates, left = [], lost = []) => {
    for (const [flags, taxRates] of [
      [[], rates.length],
      [['--yes'], rates.length],
      [['--yes'], 0],
    ] as const) {
      const brought = await importObjects(objects, ...flags);
      expect(brought).toMatchObject({ taxRates });
      expect(brought.left.map(({ why }: any) => why)).toEqual(
        left.map((why) => expect.stringContaining(why)),
      );
      expect(brought.lost.map(({ stripeId, why }: any) => `${stripeId} ${why}`)).toEqual(lost);
    }
    const { taxRates } = await books.client.graphql(
      '{ taxRates { nodes { country region percent name category effectiveFrom } } }',
    );
    const read = taxRates.nodes.map(
      (each: any) => `${each.country} ${each.region} ${each.percent} ${each.name}`,
    );
    expect(read).toEqual(rates);
    for (const each of taxRates.nodes)
      expect(each).toMatchObject({ category: 'S', effectiveFrom: '2026-02-10T00:00:00.000Z' });
    expect(await findFaults(app, books.alias)).toEqual([]);
  },
);

it('leaves a rate that differs from the rate of its place, and does not restore an archived one', async () => {
  const create = `mutation ($input: CreateTaxRateInput!) { createTaxRate(input: $input) { id } }`;
  const { createTaxRate } = await books.client.graphql(create, { input: { country: 'DE', percent: '19' } });
  const differing = [taxRate('txr_1', { percentage: 16 })];
  expect(await importObjects(differing, '--yes')).toMatchObject({
    taxRates: 0,
    left: [{ stripeId: 'txr_1', why: 'is 16 %, and DE has a rate of 19 % already' }],
  });
  await books.client.graphql('mutation ($id: ID!) { archiveTaxRate(id: $id) { id } }', createTaxRate);
  expect(await importObjects([taxRate('txr_2')], '--yes')).toMatchObject({ taxRates: 0, known: 1, left: [] });
  expect(await importObjects(differing, '--yes')).toMatchObject({ taxRates: 1, left: [] });
});

it('imports tax codes and whether prices contain the tax', async () => {
  const objects = [
    product('prod_1', { tax_code: 'txcd_10103001' }),
    product('prod_2', { tax_code: { id: 'txcd_10000000', object: 'tax_code' } }),
    product('prod_3'),
    price('price_1', 'prod_1', { tax_behavior: 'inclusive' }),
    price('price_2', 'prod_1', { tax_behavior: 'exclusive' }),
    price('price_3', 'prod_1', { tax_behavior: 'unspecified' }),
    price('price_4', 'prod_2', { tax_behavior: null }),
    price('price_5', 'prod_3'),
  ];
  expect(await importObjects(objects, '--yes')).toMatchObject({ products: 3, prices: 4, left: [] });
  expect(await importObjects(objects, '--yes')).toMatchObject({ products: 0, prices: 0, left: [] });
  const { products } = await books.client.graphql(
    '{ products(order: ASC) { nodes { taxCode prices { taxBehavior } } } }',
  );
  const describe = ({ taxCode, prices }: any) =>
    `${taxCode}: ${prices
      .map(({ taxBehavior }: any) => taxBehavior)
      .toSorted()
      .join(', ')}`;
  expect(products.nodes.map(describe)).toEqual([
    'txcd_10103001: exclusive, inclusive',
    'txcd_10000000: exclusive',
    'null: exclusive',
  ]);
});

it('reads tax codes and tax behavior of prices from CSV', async () => {
  const rows = [
    'Price ID,Product ID,Product Name,Product Tax Code,Amount,Currency,Interval,Interval Count,Tax Behavior',
    'price_1,prod_1,Pro,txcd_10103001,20.00,usd,month,1,inclusive',
    'price_2,prod_2,Max,,30.00,usd,month,1,unspecified',
  ];
  const said = await importText(rows.join('\n'), '--yes');
  expect(said, said.err).toMatchObject({ code: 0, json: { prices: 2, left: [] } });
  const { products } = await books.client.graphql(
    '{ products(order: ASC) { nodes { taxCode prices { taxBehavior } } } }',
  );
  expect(products.nodes).toEqual([
    { taxCode: 'txcd_10103001', prices: [{ taxBehavior: 'inclusive' }] },
    { taxCode: null, prices: [{ taxBehavior: 'exclusive' }] },
  ]);
});

const inFrance = { address: french };
const frenchCompany = { ...inFrance, ...taxIds(taxId('eu_vat', 'FR00300076965')) };
const inclusive = { tax_behavior: 'inclusive' };
const newYork = usRate({ state: 'NY' });

const billRows: [
  name: string,
  fields: object,
  terms: Record<string, unknown>,
  rates: object[],
  bill: string,
  taxes: string,
][] = [
  ['a customer in the same country', {}, {}, [], '23.8: cycle 20 +3.8', 'S 19% 3.8 of 20'],
  ['a private customer in France', inFrance, {}, [], '24: cycle 20 +4', 'S 20% 4 of 20'],
  ['a price with its tax', inFrance, inclusive, [], '20: cycle 20 (3.33)', 'S 20% 3.33 of 16.67'],
  ['a company in France', frenchCompany, {}, [], '20: cycle 20 +0', 'AE 0% 0 of 20 reverse_charge'],
  [
    'a company with a malformed VAT id',
    { ...inFrance, ...taxIds(taxId('eu_vat', 'FR01300076965')) },
    {},
    [],
    '24: cycle 20 +4',
    'S 20% 4 of 20',
  ],
  [
    'reverse charge without a VAT id',
    { ...inFrance, tax_exempt: 'reverse' },
    {},
    [],
    '24: cycle 20 +4',
    'S 20% 4 of 20',
  ],
  ['an exempt customer', { tax_exempt: 'exempt' }, {}, [], '20: cycle 20 +0', 'E 0% 0 of 20 exempt_customer'],
  [
    'a customer in New York',
    { address: { country: 'US', state: 'NY' } },
    {},
    [newYork],
    '21.78: cycle 20 +1.78',
    'S 8.875% 1.78 of 20',
  ],
  [
    'a customer in another state',
    { address: { country: 'US', state: 'CA' } },
    {},
    [newYork],
    '20: cycle 20 +0',
    'O 0% 0 of 20 outside_scope',
  ],
];
it.each(sampled(billRows, 3))('charges %s', async (_name, fields, terms, rates, bill, taxes) => {
  const settings = { invoice_settings: { default_payment_method: card.method } };
  const objects = [
    customer(card.customer, { ...settings, ...fields }),
    product('prod_1', { tax_code: 'txcd_10103001' }),
    price('price_1', 'prod_1', terms),
    subscription('sub_1', { customer: card.customer, automatic_tax: { enabled: true } }),
    ...rates,
  ];
  const why = 'it is taxed automatically (here the address and the tax ids of its customer decide)';
  expect((await importObjects(objects)).left).toEqual([{ stripeId: 'sub_1', why, kinds: ['tax'] }]);
  const brought = await importObjects(objects, '--accept', 'tax', '--yes');
  expect(brought).toMatchObject({ subscriptions: 1, left: [] });
  expect(brought.counts).toMatchObject({ tax: 1 });
  const [{ subscriptionId, amount }] = brought.charges;
  expect(amount).toBe(Number(bill.split(':')[0]));
  const { forecast } = await books.client.graphql(taxDocuments.forecast, {
    id: subscriptionId,
    until: '2026-02-20',
  });
  expect(forecast.map(billText)).toEqual([bill]);
  const before = running.stripe.moved.length;
  await books.advance('2026-02-20');
  const [payer] = await readCustomers();
  const [invoice] = await readInvoices(books, payer);
  expect([billText(invoice), taxText(invoice)]).toEqual([bill, taxes]);
  expect(running.stripe.moved.slice(before)).toMatchObject([
    { kind: 'charge', amount: Math.round(amount * 100), currency: 'usd' },
  ]);
  expect(await findFaults(app, books.alias)).toEqual([]);
});

it('keeps the tax rates and customers of tenants apart', async () => {
  const objects = [customer('cus_1', frenchCompany), taxRate('txr_1')];
  const first = await importObjects(objects, '--yes');
  books = await openTaxed(app, '2026-02-10', 'DE');
  expect((await books.client.graphql('{ taxRates { nodes { id } } }')).taxRates.nodes).toEqual([]);
  const second = await importObjects(objects, '--yes');
  for (const each of [first, second]) expect(each).toMatchObject({ customers: 1, taxRates: 1, known: 0 });
});
