/** Tax returns in euros of sales in other currencies. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storeAndComplete } from '../../../src/billing/invoices/taxConversions.ts';
import { convertTaxes } from '../../../src/insights/tax/returns/conversions.ts';
import { convertMinor, findPublicationDay } from '../../../src/lib/euroRates.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { openScope } from '../../support/books.ts';
import { findFaults } from '../../support/faults.ts';
import { ask } from '../../support/oneOff.ts';
import { sampledRuns } from '../../support/sample.ts';
import { openTaxed, parties, type Taxed } from '../../support/taxes.ts';
import { lineText, openRow, readReturn, toMinor } from '../../support/taxReturns.ts';
import { bill, credit, sumDays } from '../../support/taxReports.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
});
afterAll(() => app.close());

/** Stores rates that the bank published. */
async function publish(shop: Taxed, day: string, rates: Record<string, string>): Promise<void> {
  const tenant = await openScope(app, shop);
  await tenant.write((unit) => storeAndComplete(unit, [{ day, rates }]));
}

const first = { from: '2026-01-01', until: '2026-04-01' };
const second = { from: '2026-04-01', until: '2026-07-01' };

async function openShop(country: 'DE' | 'FR' = 'DE') {
  const shop = await openTaxed(app, '2026-02-03T10:00:00.000Z', country, 'Europe/Berlin');
  const customers: Record<string, any> = {};
  for (const name of ['german', 'french', 'frenchCompany', 'american'] as const) {
    customers[name] = await shop.shop.customer();
    await shop.move(customers[name], parties[name]!);
  }
  return { shop, customers };
}

describe('the days of publication of the bank', () => {
  it.each([
    // Good Friday and Easter Monday.
    ['2024-03-29', '2024-04-02'],
    ['2024-03-31', '2024-04-02'],
    ['2018-03-31', '2018-04-03'],
    ['2026-03-31', '2026-03-31'],
    ['2026-06-30', '2026-06-30'],
    ['2023-09-30', '2023-10-02'],
    ['2022-12-31', '2023-01-02'],
    ['2027-12-31', '2027-12-31'],
    ['2028-01-01', '2028-01-03'],
    ['2026-05-01', '2026-05-04'],
    ['2026-12-25', '2026-12-28'],
  ])('%s: %s', (day, expected) => expect(findPublicationDay(day)).toBe(expected));

  it('follow Easter of every year', () => {
    const sundays = {
      2019: '04-21',
      2020: '04-12',
      2021: '04-04',
      2025: '04-20',
      2027: '03-28',
      2038: '04-25',
    };
    for (const [year, sunday] of Object.entries(sundays)) {
      const friday = new Date(Date.parse(`${year}-${sunday}`) - 2 * 86_400_000).toISOString().slice(0, 10);
      const tuesday = new Date(Date.parse(`${year}-${sunday}`) + 2 * 86_400_000).toISOString().slice(0, 10);
      expect(findPublicationDay(friday)).toBe(tuesday);
    }
  });
});

it('the one-stop shop takes the rate of the last day of the period, and corrections that of their quarter', async () => {
  const { shop, customers } = await openShop();
  const sold = await bill(shop, customers['french'], 200, 'usd');
  await bill(shop, customers['french'], 10.01, 'eur');
  await publish(shop, '2026-02-03', { usd: '1.5' });
  await shop.advance('2026-05-04T10:00:00.000Z');
  await credit(shop, sold.id, 60, 'usd');
  await bill(shop, customers['french'], 100, 'usd');
  const before = await readReturn(shop, { kind: 'oss', ...first });
  expect(before.rows.map(lineText)).toEqual([
    'supplies FR 20% standard: 10.01 +2.00 of 1',
    'supplies FR 20% standard usd: 200.00 +40.00 of 1, declared 0.00 +0.00',
  ]);
  expect(before.missingRates).toEqual([
    { day: '2026-03-31', currency: 'usd', taxCurrency: 'eur', documents: 1 },
  ]);
  // Neither the day before nor the day after counts: the bank publishes on that Tuesday.
  await publish(shop, '2026-03-30', { usd: '9' });
  await publish(shop, '2026-04-01', { usd: '9' });
  expect((await readReturn(shop, { kind: 'oss', ...first })).missingRates).toHaveLength(1);
  await publish(shop, '2026-03-31', { usd: '1.25' });
  await shop.advance('2026-07-01T10:00:00.000Z');
  await publish(shop, '2026-06-30', { usd: '1.6' });
  const found = await readReturn(shop, { kind: 'oss', ...first });
  expect(found.rows.map(lineText)).toEqual([
    'supplies FR 20% standard: 10.01 +2.00 of 1',
    'supplies FR 20% standard usd: 200.00 +40.00 of 1, declared 160.00 +32.00',
  ]);
  expect(found).toMatchObject({ currency: 'eur', missingRates: [] });
  expect(found.rows[1]).toMatchObject({
    rateDate: '2026-03-31',
    exchangeRates: [{ currency: 'usd', rate: '1.25' }],
    convertedTaxable: { decimal: '160.00' },
    convertedTax: { decimal: '32.00' },
    unconvertedDocuments: 0,
  });
  const later = await readReturn(shop, { kind: 'oss', ...second });
  expect(later.rows.map(lineText)).toEqual([
    'supplies FR 20% standard usd: 100.00 +20.00 of 1, declared 62.50 +12.50',
    // 50 + 10 dollars at 1.25
    'corrections FR usd 2025-12-31–2026-03-31: -50.00 +-10.00 of 1, declared -40.00 +-8.00',
  ]);
  await sumDays(app, shop);
  expect(await readReturn(shop, { kind: 'oss', ...first })).toEqual(found);
  expect(await readReturn(shop, { kind: 'oss', ...second })).toEqual(later);
  for (const each of [found, later])
    for (const row of each.rows)
      expect(await openRow(shop, each, row)).toMatchObject({
        documents: row.documents,
        taxable: toMinor(row.taxable.decimal),
        tax: toMinor(row.tax.decimal),
      });
});

it.each([
  [
    'DE',
    'ustva',
    ['81: 100.90 +19.17 of 1, declared 100.00 +19.00', '81 usd: 150.00 +28.50 of 2, declared 113.00 +21.47'],
  ],
  [
    'FR',
    'ca3',
    ['08: 100.90 +20.18 of 1, declared 101.00 +20.00', '08 usd: 150.00 +30.00 of 2, declared 112.00 +23.00'],
  ],
] as const)('a national return in %s (%s) takes what documents state', async (country, kind, expected) => {
  const { shop, customers } = await openShop(country);
  const home = country === 'DE' ? 'german' : 'french';
  await publish(shop, '2026-02-03', { usd: '1.25' });
  await bill(shop, customers[home], 100.9, 'eur');
  await bill(shop, customers[home], 100, 'usd');
  await shop.advance('2026-02-10T10:00:00.000Z');
  // 50 dollars are 32.25 or 32.26 euros.
  await publish(shop, '2026-02-10', { usd: '1.55' });
  await bill(shop, customers[home], 50, 'usd');
  await shop.advance('2026-04-02T10:00:00.000Z');
  const found = await readReturn(shop, { kind, ...first });
  expect(found.rows.map(lineText)).toEqual(expected);
  expect(found.rows[1].convertedTaxable).toEqual({ decimal: '112.26' });
  expect(found.missingRates).toEqual([]);
  await sumDays(app, shop);
  expect(await readReturn(shop, { kind, ...first })).toEqual(found);
});

it('a national return lists the rates that it lacks, and takes sales without tax by the day of issue', async () => {
  const { shop, customers } = await openShop();
  await bill(shop, customers['german'], 100, 'usd');
  await bill(shop, customers['frenchCompany'], 80, 'usd');
  await bill(shop, customers['american'], 40, 'gbp');
  await shop.advance('2026-04-02T10:00:00.000Z');
  for (const isSummed of [false, true]) {
    if (isSummed) await sumDays(app, shop);
    const found = await readReturn(shop, { kind: 'ustva', ...first });
    expect(found.missingRates).toEqual([
      { day: '2026-02-03', currency: 'gbp', taxCurrency: 'eur', documents: 1 },
      { day: '2026-02-03', currency: 'usd', taxCurrency: 'eur', documents: 2 },
    ]);
    expect(found.rows.map((row: any) => [row.code, row.unconvertedDocuments, row.convertedTax])).toEqual([
      ['21', 1, null],
      ['45', 1, null],
      ['81', 1, null],
    ]);
  }
  await publish(shop, '2026-02-03', { usd: '1.25', gbp: '0.8' });
  const found = await readReturn(shop, { kind: 'ustva', ...first });
  expect(found.rows.map(lineText)).toEqual([
    '21 usd: 80.00 +0.00 of 1, declared 64.00 +0.00',
    '45 gbp: 40.00 +0.00 of 1, declared 50.00 +0.00',
    '81 usd: 100.00 +19.00 of 1, declared 80.00 +15.20',
  ]);
  expect(found.missingRates).toEqual([]);
});

it('the taxes of a document add up to the tax that it states', () => {
  const tax = fc.record({
    category: fc.constant('S' as const),
    percent: fc.constantFrom('19', '7'),
    taxableMinor: fc.bigInt({ min: -10_000_000n, max: 10_000_000n }),
    taxMinor: fc.bigInt({ min: -2_000_000n, max: 2_000_000n }),
  });
  fc.assert(
    fc.property(
      fc.array(tax, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 9_999_999 }),
      (taxes, rate) => {
        const currencies = { from: 'usd', to: 'eur' };
        const rates = { usd: (rate / 10_000).toFixed(4) };
        const total = taxes.reduce((sum, { taxMinor }) => sum + taxMinor, 0n);
        const stated = convertMinor(total < 0n ? -total : total, currencies, rates);
        const converted = convertTaxes(taxes, currencies, rates, stated);
        expect(converted.reduce((sum, { taxMinor }) => sum + taxMinor, 0n)).toBe(
          total < 0n ? -stated : stated,
        );
        expect(converted.map(({ taxableMinor }) => taxableMinor)).toEqual(
          taxes.map(({ taxableMinor }) => convertMinor(taxableMinor, currencies, rates)),
        );
      },
    ),
  );
});

const step = fc.record({
  what: fc.constantFrom('bill', 'bill', 'bill', 'credit', 'void', 'advance', 'rate', 'sum'),
  customer: fc.constantFrom('german', 'french', 'frenchCompany', 'american'),
  cents: fc.integer({ min: 1, max: 9_999_999 }),
  currency: fc.constantFrom('eur', 'usd', 'gbp'),
  rate: fc.integer({ min: 5000, max: 20_000 }),
  which: fc.nat(20),
});

it('adds up, whatever was billed in which currency and when rates came', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 25 }), async (steps) => {
      const { shop, customers } = await openShop();
      const made: { id: string; currency: string }[] = [];
      let at = Date.UTC(2026, 1, 3, 10);
      for (const { what, customer, cents, currency, rate, which } of steps) {
        const invoice = made[which % Math.max(made.length, 1)];
        if (what === 'bill')
          made.push({ ...(await bill(shop, customers[customer], cents / 100, currency)), currency });
        if (what === 'sum') await sumDays(app, shop);
        if (what === 'advance') await shop.advance(new Date((at += 9 * 86_400_000)).toISOString());
        if (what === 'rate') {
          const back = at - (which % 12) * 86_400_000;
          const other = currency === 'eur' ? 'usd' : currency;
          await publish(shop, new Date(back).toISOString().slice(0, 10), {
            [other]: (rate / 10_000).toFixed(4),
          });
        }
        // These may be refused, for example of an invoice that was voided.
        if (what === 'void' && invoice) await ask(shop, 'voidInvoice', { id: invoice.id }).catch(() => {});
        if (what === 'credit' && invoice)
          await credit(shop, invoice.id, cents / 100, invoice.currency).catch(() => {});
      }
      for (const kind of ['oss', 'ustva']) {
        const found = await readReturn(shop, { kind, from: '2026-02-01', until: '2026-05-01' });
        await sumDays(app, shop);
        expect(await readReturn(shop, { kind, from: '2026-02-01', until: '2026-05-01' })).toEqual(found);
        let unconverted = 0;
        for (const row of found.rows) {
          expect(await openRow(shop, found, row)).toMatchObject({
            documents: row.documents,
            taxable: toMinor(row.taxable.decimal),
            tax: toMinor(row.tax.decimal),
          });
          const isForeign = row.code !== null && row.currency !== 'eur';
          expect(row.convertedTaxable !== null).toBe(isForeign && row.unconvertedDocuments < row.documents);
          unconverted += row.unconvertedDocuments;
        }
        // A document may have several rates.
        const missing = found.missingRates.reduce((sum: number, { documents }: any) => sum + documents, 0);
        expect(missing > 0).toBe(unconverted > 0);
        expect(missing).toBeLessThanOrEqual(unconverted);
      }
      const faults = await findFaults(app, shop.alias);
      expect(faults.filter((fault) => !fault.startsWith('exchange_rate:'))).toEqual([]);
    }),
    { numRuns: sampledRuns(20, 4) },
  );
});
