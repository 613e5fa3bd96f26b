/** The tax report equals its documents: by country, rate, currency and period, with credit notes taken off. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { ask } from '../../support/oneOff.ts';
import { sampledRuns } from '../../support/sample.ts';
import { addressIn, openTaxed, parties, type Taxed } from '../../support/taxes.ts';
import {
  bill,
  createDraft,
  createNote,
  credit,
  documentsDocument,
  expectSummed,
  listDocuments,
  readReport,
  sumDays,
  year,
} from '../../support/taxReports.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
});
afterAll(() => app.close());

/** `2026-01-01 FR one_stop_shop S 20% afn: 100.00 +20.00 = 1 (120.00)`: the row and its documents. */
const rowText = ({ start, country, treatment, category, percent, currency, taxable, tax, ...sums }: any) => {
  const text = ({ documents, taxable: net, tax: of }: any) => `${documents} of ${net.decimal} +${of.decimal}`;
  const { invoiced, credited, creditedEarlier } = sums;
  return [
    `${start.slice(0, 10)} ${country} ${treatment} ${category} ${percent}% ${currency}: ${taxable.decimal} +${tax.decimal}`,
    text(invoiced),
    credited.documents > 0 && `less ${text(credited)}`,
    creditedEarlier.documents > 0 && `earlier ${text(creditedEarlier)}`,
  ]
    .filter(Boolean)
    .join(', ');
};

const minor = (decimal: string): bigint => {
  const [whole, part = ''] = decimal.replace('-', '').split('.');
  const amount = BigInt(whole! + part.padEnd(2, '0'));
  return decimal.startsWith('-') ? -amount : amount;
};

const add = (sums: Record<string, bigint>, key: string, amount: bigint) => {
  sums[key] = (sums[key] ?? 0n) + amount;
};

/** Opens every figure of a report: the documents that it lists sum up to it. */
async function expectOpened(shop: Taxed, rows: any[]): Promise<void> {
  expect(rows.length).toBeGreaterThan(0);
  for (const { start, end, country, category, percent, reason, currency, ...row } of rows) {
    const place = { from: start, until: end, country, category, percent, reason, currency };
    const figures: [any, object, bigint][] = [
      [row.invoiced, { kind: 'invoice' }, 1n],
      [row.credited, { kind: 'credit_note' }, -1n],
      [row.creditedEarlier, { kind: 'credit_note', creditsIssuedBefore: start }, -1n],
    ];
    for (const [figure, filter, sign] of figures) {
      const list = await listDocuments(shop, { input: { ...place, ...filter }, first: 100 });
      expect(list.totalCount).toBe(figure.documents);
      expect(list.nodes).toHaveLength(figure.documents);
      for (const field of ['taxable', 'tax'])
        expect(list.nodes.reduce((total: bigint, each: any) => total + minor(each[field].decimal), 0n)).toBe(
          sign * minor(figure[field].decimal),
        );
    }
  }
}

describe('a year of a German seller', () => {
  let shop: Taxed;
  let invoices: Record<string, any>;
  beforeAll(async () => {
    shop = await openTaxed(app, '2026-01-01', 'DE');
    const customers: Record<string, any> = {};
    for (const name of ['german', 'french', 'frenchCompany', 'american', 'exempt', 'unknown']) {
      customers[name] = await shop.shop.customer();
      await shop.move(customers[name], parties[name]!);
    }
    invoices = {};
    for (const name in customers) invoices[name] = await bill(shop, customers[name], 100);
    await bill(shop, customers['german'], 50, 'usd');
    const voided = await bill(shop, customers['german'], 7);
    await credit(shop, voided.id, 1);
    await ask(shop, 'voidInvoice', { id: voided.id });
    const lost = await bill(shop, customers['german'], 3);
    await ask(shop, 'markInvoiceUncollectible', { id: lost.id });
    await credit(shop, invoices['german'].id, 11.9);
    const drafted = await shop.client.graphql(createDraft, {
      customerId: customers['french'].id,
      items: [{ amount: { amount: 10, currency: 'afn' }, description: 'Draft' }],
    });
    await shop.advance('2026-04-01');
    await credit(shop, invoices['french'].id, 60);
    await shop.move(customers['french'], { address: addressIn('MC') });
    await shop.client.graphql('mutation ($id: ID!) { finalizeInvoice(id: $id) { id } }', {
      id: drafted.createInvoice.id,
    });
    await shop.move(customers['french'], { address: addressIn('EE') });
    await bill(shop, customers['french'], 1);
    await shop.client.graphql(createDraft, {
      customerId: customers['french'].id,
      items: [{ amount: { amount: 10, currency: 'afn' }, description: 'Never finalized' }],
    });
  });

  const expected = [
    '2026-01-01 DE domestic S 19% afn: 193.00 +36.67, 3 of 203.00 +38.57, less 1 of 10.00 +1.90',
    '2026-01-01 DE domestic E 0% afn: 100.00 +0.00, 1 of 100.00 +0.00',
    '2026-01-01 DE domestic S 19% usd: 50.00 +9.50, 1 of 50.00 +9.50',
    '2026-01-01 FR intra_community AE 0% afn: 100.00 +0.00, 1 of 100.00 +0.00',
    '2026-01-01 FR one_stop_shop S 20% afn: 100.00 +20.00, 1 of 100.00 +20.00',
    '2026-01-01 US foreign O 0% afn: 100.00 +0.00, 1 of 100.00 +0.00',
    '2026-04-01 EE one_stop_shop S 24% afn: 1.00 +0.24, 1 of 1.00 +0.24',
    '2026-04-01 FR one_stop_shop S 20% afn: -40.00 +-8.00, 1 of 10.00 +2.00, less 1 of 50.00 +10.00, earlier 1 of 50.00 +10.00',
  ];

  it('has a row for each quarter, country, rate and currency', async () => {
    const report = await readReport(shop);
    expect(report.rows.map(rowText).toSorted()).toEqual(expected.toSorted());
    expect(report).toMatchObject({
      from: '2026-01-01T00:00:00.000Z',
      until: '2027-01-01T00:00:00.000Z',
      timeZone: 'UTC',
      untaxedDocuments: 0,
      totals: [
        { currency: 'afn', documents: 11, taxable: { decimal: '554.00' }, tax: { decimal: '48.91' } },
        { currency: 'usd', documents: 1, taxable: { decimal: '50.00' }, tax: { decimal: '9.50' } },
      ],
    });
    await expectOpened(shop, report.rows);
  });

  it('has the same rows for invoices of a release that kept no country', async () => {
    await app.backdoor.execute('update invoices set tax_country = null');
    expect((await readReport(shop)).rows.map(rowText).toSorted()).toEqual(expected.toSorted());
  });

  it('cuts the periods by months and years, and by the calendar of another place', async () => {
    const starts = async (input: object) => [
      ...new Set((await readReport(shop, input)).rows.map(({ start }: any) => start)),
    ];
    expect(await starts({ ...year, by: 'year' })).toEqual(['2026-01-01T00:00:00.000Z']);
    expect(await starts({ from: '2026-04-01', until: '2026-04-02', by: 'month' })).toEqual([
      '2026-04-01T00:00:00.000Z',
    ]);
    expect(await starts({ from: '2025-12-01', until: '2026-05-01', timeZone: 'America/New_York' })).toEqual([
      '2025-10-01T04:00:00.000Z',
      '2026-01-01T05:00:00.000Z',
    ]);
  });

  it('lists the documents page by page, in both directions', async () => {
    const input = { from: '2026-01-01', until: '2026-04-01', currency: 'afn' };
    const all = (await listDocuments(shop, { input, first: 100, order: 'ASC' })).nodes;
    const ids = (nodes: any[]) => nodes.map(({ documentId }) => documentId);
    expect(all.length).toBe(8);
    const paged: any[] = [];
    let after: string | null = null;
    do {
      const page = await listDocuments(shop, { input, first: 3, order: 'ASC', after });
      paged.push(...page.nodes);
      after = page.nextCursor;
    } while (after);
    expect(ids(paged)).toEqual(ids(all));
    const end = await listDocuments(shop, { input, last: 3 });
    expect(ids(end.nodes)).toEqual(ids(all.slice(0, 3)).toReversed());
    const earlier = await listDocuments(shop, { input, last: 2, before: end.pageInfo.startCursor });
    expect(ids(earlier.nodes)).toEqual(ids(all.slice(3, 5)).toReversed());
    for (const { customerId, customer } of all) expect(customer).toEqual({ id: customerId });
    const refused = await shop.client.post(documentsDocument, {
      input: { ...input, currency: 'usd' },
      after: end.pageInfo.startCursor,
    });
    expect(refused.body.errors[0].extensions.reason).toBe('cursor_invalid');
  });

  it('of another tenant has nothing of it', async () => {
    const other = await openTaxed(app, '2026-06-01', 'DE');
    expect(await readReport(other)).toMatchObject({ rows: [], totals: [], untaxedDocuments: 0 });
    expect((await listDocuments(other, { input: year })).nodes).toEqual([]);
  });
});

it('counts the documents of a seller without an address apart', async () => {
  const shop = await openTaxed(app, '2026-01-01', '');
  await bill(shop, await shop.shop.customer(), 100);
  expect(await readReport(shop)).toMatchObject({ rows: [], totals: [], untaxedDocuments: 1 });
});

const hostile: [root: string, fields: string, path: string, reason: string][] = [
  ['taxReport', 'until: "2025-01-01"', 'until', 'validation_failed'],
  ['taxReport', 'until: "9999-12-31", by: day', 'until', 'validation_failed'],
  ['taxReport', 'until: "2027-01-01", timeZone: "Mars/Olympus"', 'timeZone', 'validation_failed'],
  ['taxReport', 'until: "2027-01-01", timeZone: "\' or 1=1 --"', 'timeZone', 'validation_failed'],
  ['taxDocuments', 'until: "2026-01-01"', 'until', 'validation_failed'],
  ['taxDocuments', 'until: "2027-01-01", currency: "gold"', 'currency', 'currency_unsupported'],
  ['taxDocuments', 'until: "2027-01-01", timeZone: "x"', 'timeZone', 'validation_failed'],
];
it.each(hostile)('%s refuses { %s } at %s with %s', async (root, fields, path, reason) => {
  const shop = await openTaxed(app, '2026-01-01', 'DE');
  const selection = root === 'taxReport' ? 'timeZone' : 'totalCount';
  const { body } = await shop.client.post(
    `{ ${root}(input: { from: "2026-01-01", ${fields} }) { ${selection} } }`,
  );
  const [{ extensions }] = body.errors;
  expect([extensions.reason, extensions.issues[0].path]).toEqual([reason, path]);
});

const step = fc.record({
  what: fc.constantFrom(
    'bill',
    'bill',
    'bill',
    'draft',
    'credit',
    'void',
    'uncollectible',
    'move',
    'advance',
    'sum',
  ),
  customer: fc.nat(2),
  cents: fc.integer({ min: 1, max: 9_999_999 }),
  currency: fc.constantFrom('afn', 'usd', 'eur'),
  country: fc.constantFrom('DE', 'FR', 'HU', 'US', 'EE'),
  which: fc.nat(20),
});

it('is the sum of its documents, by currency, whatever was billed, credited and voided', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 25 }), async (steps) => {
      const shop = await openTaxed(app, '2026-01-01', 'DE');
      const customers = [await shop.shop.customer(), await shop.shop.customer(), await shop.shop.customer()];
      const made: { id: string; currency: string }[] = [];
      let day = 0;
      for (const { what, customer, cents, currency, country, which } of steps) {
        const invoice = made[which % Math.max(made.length, 1)];
        const [payer, amount] = [customers[customer]!, cents / 100];
        if (what === 'bill') made.push({ ...(await bill(shop, payer, amount, currency)), currency });
        if (what === 'draft') {
          const items = [{ amount: { amount, currency }, description: 'Draft' }];
          const { createInvoice } = await shop.client.graphql(createDraft, { customerId: payer.id, items });
          await shop.advance(new Date(Date.UTC(2026, 0, (day += 40))).toISOString());
          await shop.client.graphql('mutation ($id: ID!) { finalizeInvoice(id: $id) { id } }', createInvoice);
          made.push({ ...createInvoice, currency });
        }
        if (what === 'move') await shop.move(payer, { address: addressIn(country) });
        if (what === 'sum') await sumDays(app, shop);
        if (what === 'advance') await shop.advance(new Date(Date.UTC(2026, 0, (day += 7))).toISOString());
        // These may be refused, for example of an invoice that was voided.
        const id = invoice?.id ?? '';
        if (what === 'void')
          await shop.client.post('mutation ($id: ID!) { voidInvoice(id: $id) { id } }', { id });
        if (what === 'uncollectible')
          await shop.client.post('mutation ($id: ID!) { markInvoiceUncollectible(id: $id) { id } }', { id });
        if (what === 'credit' && invoice)
          await shop.client.post(createNote, {
            input: {
              invoiceId: id,
              amount: { amount, currency: invoice.currency },
              kind: 'credit',
              reason: 'x',
            },
          });
      }
      const { invoices, creditNotes } = await shop.client.graphql(`{
        invoices(first: 100) { nodes { id status issuedAt taxes { taxable { decimal currency } tax { decimal } } } }
        creditNotes(first: 100) { nodes { status invoiceId total { decimal currency } tax { decimal } } }
      }`);
      const counted = new Set(
        invoices.nodes
          .filter(({ status, issuedAt }: any) => issuedAt && status !== 'void')
          .map(({ id }: any) => id),
      );
      const expected: Record<string, bigint> = {};
      for (const { id, taxes } of invoices.nodes)
        for (const { taxable, tax } of counted.has(id) ? taxes : []) {
          add(expected, `${taxable.currency} net`, minor(taxable.decimal));
          add(expected, `${taxable.currency} tax`, minor(tax.decimal));
        }
      for (const { status, invoiceId, total, tax } of creditNotes.nodes) {
        if (status !== 'issued' || !counted.has(invoiceId)) continue;
        add(expected, `${total.currency} net`, minor(tax.decimal) - minor(total.decimal));
        add(expected, `${total.currency} tax`, -minor(tax.decimal));
      }
      const report = await readReport(shop, { from: '2026-01-01', until: '2030-01-01' });
      const [ofRows, ofTotals]: Record<string, bigint>[] = [{}, {}];
      for (const [found, sums] of [
        [report.rows, ofRows],
        [report.totals, ofTotals],
      ] as const)
        for (const { currency, taxable, tax } of found) {
          add(sums!, `${currency} net`, minor(taxable.decimal));
          add(sums!, `${currency} tax`, minor(tax.decimal));
        }
      expect(ofRows).toEqual(expected);
      expect(ofTotals).toEqual(expected);
      await shop.advance('2028-01-01');
      await sumDays(app, shop);
      await expectSummed(app, shop);
    }),
    { numRuns: sampledRuns(30, 6) },
  );
});
