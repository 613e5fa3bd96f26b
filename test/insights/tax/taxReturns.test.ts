/** Tax returns have the figures that their forms ask for, and add up to the documents. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { ask } from '../../support/oneOff.ts';
import { sampledRuns } from '../../support/sample.ts';
import { openTaxed, parties, type Taxed } from '../../support/taxes.ts';
import { lineText, openRow, openSeller, readEcSales, readReturn, toMinor } from '../../support/taxReturns.ts';
import { bill, credit, listDocuments, readReport, sumDays } from '../../support/taxReports.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
});
afterAll(() => app.close());

const first = { from: '2026-01-01', until: '2026-04-01' };
const second = { from: '2026-04-01', until: '2026-07-01' };

/** By the return and the period: the rows of a seller in Germany. Figures by hand. */
const german: [kind: string, period: object, rows: string[]][] = [
  [
    'plain',
    first,
    [
      // 100.55 + 19.10 less 10.00 + 1.90
      'domestic DE S 19%: 90.55 +17.20 of 2',
      'domestic DE S 7%: 50.40 +3.53 of 1',
      'domestic DE E 0% exempt_customer: 25.00 +0.00 of 1',
      'domestic DE S 19% usd: 60.00 +11.40 of 1',
      'foreign US O 0% outside_scope: 400.00 +0.00 of 1',
      'intra_community IT AE 0% reverse_charge: 300.99 +0.00 of 1',
      'one_stop_shop EE S 24% standard: 10.00 +2.40 of 1',
      'one_stop_shop FR S 20% standard: 200.00 +40.00 of 1',
    ],
  ],
  [
    'oss',
    first,
    [
      'supplies EE 24% standard: 10.00 +2.40 of 1',
      'supplies FR 20% standard: 200.00 +40.00 of 1',
      'not_one_stop_shop DE S 19% standard: 90.55 +17.20 of 2',
      'not_one_stop_shop DE S 7% reduced: 50.40 +3.53 of 1',
      'not_one_stop_shop DE E 0% exempt_customer: 25.00 +0.00 of 1',
      'not_one_stop_shop IT AE 0% reverse_charge: 300.99 +0.00 of 1',
      'not_one_stop_shop US O 0% outside_scope: 400.00 +0.00 of 1',
      'not_one_stop_shop DE S 19% standard usd: 60.00 +11.40 of 1',
    ],
  ],
  [
    'oss',
    second,
    [
      'supplies FR 20% standard: 1.00 +0.20 of 1',
      'corrections FR 2025-12-31–2026-03-31: -50.00 +-10.00 of 1',
    ],
  ],
  [
    'ustva',
    first,
    [
      // Cut to whole euros, the tax is that of 90 and 50 euros.
      '81: 90.55 +17.20 of 2, declared 90.00 +17.10',
      // No rate is known.
      '81 usd: 60.00 +11.40 of 1, declared 0.00 +0.00',
      '86: 50.40 +3.53 of 1, declared 50.00 +3.50',
      '48: 25.00 +0.00 of 1',
      '21: 300.99 +0.00 of 1, declared 300.00 +0.00',
      '45: 400.00 +0.00 of 1',
      'one_stop_shop EE S 24% standard: 10.00 +2.40 of 1',
      'one_stop_shop FR S 20% standard: 200.00 +40.00 of 1',
    ],
  ],
  // A month: what is credited belongs to the quarter that was declared, as far as it is over.
  [
    'oss',
    { from: '2026-05-01', until: '2026-06-01' },
    [
      'supplies FR 20% standard: 1.00 +0.20 of 1',
      'corrections FR 2025-12-31–2026-03-31: -50.00 +-10.00 of 1',
    ],
  ],
];

/** The same of a seller in France. */
const french: typeof german = [
  [
    'ca3',
    first,
    [
      // 100.55 + 20.11 less 10.00 + 2.00
      '08: 90.55 +18.11 of 2, declared 91.00 +18.00',
      '08 usd: 60.00 +12.00 of 1, declared 0.00 +0.00',
      '09: 50.40 +2.77 of 1, declared 50.00 +3.00',
      // 300.99 + 400.00 + 25.00
      'E2: 725.99 +0.00 of 3, declared 726.00 +0.00',
      // 200.00 + 38.00 in Germany, 10.00 + 2.40 in Estonia, whose tax the one-stop shop takes.
      'E3: 210.00 +40.40 of 2, declared 210.00 +0.00',
    ],
  ],
  ['ca3', second, ['E3: -49.00 +-9.31 of 2, declared -49.00 +0.00']],
  [
    'oss',
    second,
    ['supplies DE 19% standard: 1.00 +0.19 of 1', 'corrections DE 2025-12-31–2026-03-31: -50.00 +-9.50 of 1'],
  ],
];

/** Without the type of rates of the home country, which only the one-stop shop asks for. */
const sorted = (rows: string[]) =>
  rows.map((row) => row.replace(/^(domestic .*%) (standard|reduced)/, '$1')).toSorted();

describe.each([
  ['DE', '7', german],
  ['FR', '5.5', french],
] as const)('a seller in %s', (country, reduced, figures) => {
  let shop: Taxed;
  beforeAll(async () => {
    shop = await openSeller(app, country, reduced);
  });

  it.each(figures)(
    'has the figures of %s for %o, also when its days are summed',
    async (kind, period, rows) => {
      const found = await readReturn(shop, { kind, ...period });
      expect(sorted(found.rows.map(lineText))).toEqual(sorted(rows));
      await sumDays(app, shop);
      expect(await readReturn(shop, { kind, ...period })).toEqual(found);
    },
  );

  it.each(figures)('opens each figure of %s for %o to its documents', async (kind, period) => {
    const found = await readReturn(shop, { kind, ...period });
    expect(found.rows.length).toBeGreaterThan(0);
    for (const row of found.rows)
      expect(await openRow(shop, found, row)).toEqual({
        documents: row.documents,
        listed: row.documents,
        taxable: toMinor(row.taxable.decimal),
        tax: toMinor(row.tax.decimal),
      });
  });

  it('has periods of any length in its own time zone, and in another one', async () => {
    const day = { from: '2026-01-15', until: '2026-01-16' };
    const counted = async (input: object) =>
      (await readReturn(shop, { kind: 'plain', ...input })).rows.reduce(
        (sum: number, { documents }: any) => sum + documents,
        0,
      );
    expect(await counted(day)).toBe(9);
    expect(await counted({ from: '2026-01-14', until: '2026-01-15' })).toBe(0);
    expect(await counted({ from: '2026-01-15T09:59:59Z', until: '2026-01-15T10:00:00.001Z' })).toBe(9);
    expect(await counted({ from: '2026-01-15T10:00:00.001Z', until: '2026-01-16' })).toBe(0);
    expect(await readReturn(shop, { kind: 'plain', ...day })).toMatchObject({
      from: '2026-01-14T23:00:00.000Z',
      until: '2026-01-15T23:00:00.000Z',
      timeZone: 'Europe/Berlin',
    });
    expect((await readReturn(shop, { kind: 'plain', ...day, timeZone: 'Asia/Tokyo' })).from).toBe(
      '2026-01-14T15:00:00.000Z',
    );
    expect(await counted({ from: '1970-01-01', until: '9999-12-31' })).toBe(11);
  });

  it('lists what businesses of other member states bought, by VAT id', async () => {
    const list = await readEcSales(shop, first);
    expect(list.rows).toEqual([
      {
        vatId: 'IT00000010215',
        kind: 'services',
        country: 'IT',
        currency: 'eur',
        documents: 1,
        taxable: { decimal: '300.99' },
        declaredTaxable: { decimal: '301.00' },
      },
    ]);
    const listed = async (vatId: string | null) =>
      (
        await listDocuments(shop, {
          input: { ...first, vatId, taxReturn: { kind: 'plain', code: 'intra_community' } },
        })
      ).totalCount;
    expect([await listed('IT00000010215'), await listed('IT00079760328'), await listed(null)]).toEqual([
      1, 0, 0,
    ]);
    await sumDays(app, shop);
    expect(await readEcSales(shop, first)).toEqual(list);
    expect((await readEcSales(shop, second)).rows).toEqual([]);
  });

  it('shows nothing of it to another tenant', async () => {
    const other = await openTaxed(app, '2026-06-01', country);
    expect((await readEcSales(other, first)).rows).toEqual([]);
    for (const kind of ['plain', 'oss', country === 'DE' ? 'ustva' : 'ca3'])
      expect(await readReturn(other, { kind, ...first })).toMatchObject({ rows: [], untaxedDocuments: 0 });
  });
});

const hostile: [country: string, fields: string, path: string][] = [
  ['DE', 'kind: plain, from: "2026-04-01", until: "2026-01-01"', 'until'],
  ['DE', 'kind: plain, from: "2026-04-01", until: "2026-04-01"', 'until'],
  ['DE', 'kind: plain, from: "2026-01-01", until: "2026-04-01", timeZone: "Mars/Olympus"', 'timeZone'],
  ['DE', 'kind: plain, from: "2026-02-30", until: "2026-04-01"', 'from'],
  ['US', 'kind: oss, from: "2026-01-01", until: "2026-04-01"', 'kind'],
  ['FR', 'kind: ustva, from: "2026-01-01", until: "2026-04-01"', 'kind'],
  ['DE', 'kind: ca3, from: "2026-01-01", until: "2026-04-01"', 'kind'],
  ['', 'kind: oss, from: "2026-01-01", until: "2026-04-01"', 'kind'],
];
it.each(hostile)('a seller in "%s" is refused { %s } at %s', async (country, fields, path) => {
  const shop = await openTaxed(app, '2026-01-01', country);
  const { body } = await shop.client.post(`{ taxReturn(input: { ${fields} }) { kind } }`);
  const [{ extensions }] = body.errors;
  expect([extensions.reason, extensions.issues[0].path]).toEqual(['validation_failed', path]);
});

it('refuses the documents of a return that the seller does not have', async () => {
  const shop = await openTaxed(app, '2026-01-01', 'US');
  const { body } = await shop.client.post(
    '{ taxDocuments(input: { from: "2026-01-01", until: "2026-04-01", taxReturn: { kind: oss } }) { totalCount } }',
  );
  expect(body.errors[0].extensions.issues[0].path).toBe('taxReturn.kind');
});

const step = fc.record({
  what: fc.constantFrom('bill', 'bill', 'bill', 'credit', 'credit', 'void', 'advance', 'sum'),
  customer: fc.constantFrom('german', 'french', 'frenchCompany', 'american', 'exempt', 'unknown'),
  cents: fc.integer({ min: 1, max: 9_999_999 }),
  currency: fc.constantFrom('eur', 'eur', 'usd'),
  which: fc.nat(20),
});

it('adds up to its documents in every return, whatever was billed, credited and voided', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 25 }), async (steps) => {
      const shop = await openTaxed(app, '2026-01-20', 'DE');
      const customers: Record<string, any> = {};
      const made: { id: string; currency: string }[] = [];
      let day = 0;
      for (const { what, customer, cents, currency, which } of steps) {
        const invoice = made[which % Math.max(made.length, 1)];
        if (what === 'bill') {
          customers[customer] ??= await shop.shop.customer();
          await shop.move(customers[customer], parties[customer]!);
          made.push({ ...(await bill(shop, customers[customer], cents / 100, currency)), currency });
        }
        if (what === 'sum') await sumDays(app, shop);
        if (what === 'advance')
          await shop.advance(new Date(Date.UTC(2026, 0, 20 + (day += 25))).toISOString());
        // These may be refused, for example of an invoice that was voided.
        if (what === 'void' && invoice) await ask(shop, 'voidInvoice', { id: invoice.id }).catch(() => {});
        if (what === 'credit' && invoice)
          await credit(shop, invoice.id, cents / 100, invoice.currency).catch(() => {});
      }
      const period = { from: '2026-03-01', until: '2026-06-15' };
      const report = await readReport(shop, { from: '2026-03-01', until: '2026-07-01', by: 'day' });
      const inPeriod = report.rows.filter(({ start }: any) => start < '2026-06-15');
      const total = (rows: any[], field: string) => {
        const sums: Record<string, bigint> = {};
        for (const row of rows) {
          const amount = toMinor(row[field].decimal);
          if (amount !== 0n) sums[row.currency] = (sums[row.currency] ?? 0n) + amount;
        }
        return sums;
      };
      for (const kind of ['plain', 'oss', 'ustva']) {
        const found = await readReturn(shop, { kind, ...period });
        for (const field of ['taxable', 'tax'])
          expect(total(found.rows, field)).toEqual(total(inPeriod, field));
        for (const row of found.rows)
          expect(await openRow(shop, found, row)).toMatchObject({
            documents: row.documents,
            taxable: toMinor(row.taxable.decimal),
            tax: toMinor(row.tax.decimal),
          });
      }
    }),
    { numRuns: sampledRuns(30, 6) },
  );
});
