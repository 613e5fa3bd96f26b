/** The date of supply of one-off charges: on the line, on the document and in the e-invoice. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, type Books } from '../../support/books.ts';
import { findFaults } from '../../support/faults.ts';
import { afn } from '../../support/oneOff.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
});
afterAll(() => app.close());

const work = (supply: object) => ({ amount: afn(10), description: 'Work', ...supply });

/** Bills charges at once; answers the lines' periods and the document as text. */
async function bill({ client }: Books, customerId: string, items: object[]) {
  const { createInvoice } = await client.graphql(
    `mutation ($input: CreateInvoiceInput!) { createInvoice(input: $input) {
      lines { periodStart periodEnd } document(format: html) { base64 }
    } }`,
    { input: { customerId, items } },
  );
  return {
    periods: createInvoice.lines.map(({ periodStart, periodEnd }: any) => `${periodStart}/${periodEnd}`),
    text: Buffer.from(createInvoice.document.base64, 'base64')
      .toString()
      .replaceAll(/<style>.*<\/style>|<[^>]+>|\s+/gs, ' '),
  };
}

describe('a charge', () => {
  const rows: [string, string, object, string, RegExp][] = [
    [
      'on a day',
      'UTC',
      { suppliedAt: '2025-12-30' },
      '2025-12-30T00:00:00.000Z/2025-12-31T00:00:00.000Z',
      /Date of supply +30 Dec 2025 /,
    ],
    [
      'on a day of the tenant',
      'Asia/Kabul',
      { suppliedAt: '2026-02-03' },
      '2026-02-02T19:30:00.000Z/2026-02-03T19:30:00.000Z',
      /Date of supply +3 Feb 2026 /,
    ],
    [
      'over days, one of them with 25 hours',
      'Europe/Berlin',
      { servicePeriod: { from: '2025-10-01', to: '2025-10-31' } },
      '2025-09-30T22:00:00.000Z/2025-10-31T23:00:00.000Z',
      /Service period +1 Oct 2025 – 31 Oct 2025 /,
    ],
    [
      'over a single day',
      'UTC',
      { servicePeriod: { from: '2025-10-01', to: '2025-10-01' }, suppliedAt: null },
      '2025-10-01T00:00:00.000Z/2025-10-02T00:00:00.000Z',
      /Date of supply +1 Oct 2025 /,
    ],
  ];
  it.each(rows)('%s in %s', async (_, timeZone, supply, period, shown) => {
    const books = await openBooks(app, '2026-01-10', timeZone);
    const customer = await books.shop.customer();
    const { periods, text } = await bill(books, customer.id, [work(supply)]);
    expect(periods).toEqual([period]);
    expect(text).toMatch(shown);
    const { previewInvoice } = await books.client.graphql(
      `query ($id: ID!, $items: [OneOffChargeInput!]!) {
        previewInvoice(customerId: $id, items: $items) { lines { periodStart periodEnd } }
      }`,
      { id: customer.id, items: [work(supply)] },
    );
    expect(previewInvoice.lines.map((line: any) => `${line.periodStart}/${line.periodEnd}`)).toEqual([
      period,
    ]);
    expect(await findFaults(app, books.alias)).toEqual([]);
  });

  it('without a day states none, beside others their own', async () => {
    const books = await openBooks(app, '2026-01-10');
    const customer = await books.shop.customer();
    const { text: plain } = await bill(books, customer.id, [work({})]);
    expect(plain).not.toMatch(/Date of supply|Service period/);
    const { text } = await bill(books, customer.id, [
      work({ suppliedAt: '2026-01-02' }),
      work({ suppliedAt: '2026-01-05' }),
    ]);
    expect(text).toMatch(/Service period +2 Jan 2026 – 5 Jan 2026 /);
    expect(text).toMatch(/Work +2 Jan 2026 .*Work +5 Jan 2026 /);
  });

  it('of another time waits for a renewal, whose period it does not change, nor later plan changes', async () => {
    const books = await openBooks(app, '2026-01-01');
    const customer = await books.shop.customer();
    const { id: groupId } = await books.shop.group();
    const [price, better] = [await books.plan(50, { groupId }), await books.plan(80, { groupId })];
    const id = await books.subscribe(customer, price);
    await books.client.graphql(
      'mutation ($input: CreateInvoiceItemInput!) { createInvoiceItem(input: $input) { id } }',
      {
        input: {
          customerId: customer.id,
          subscriptionId: id,
          ...work({ servicePeriod: { from: '2027-03-01', to: '2027-03-31' } }),
        },
      },
    );
    await books.advance('2026-02-01');
    const { invoices } = await books.client.graphql(
      `{ invoices(first: 1) { nodes {
        lines { kind periodStart periodEnd }
        document(format: html) { base64 }
      } } }`,
    );
    const [{ lines, document }] = invoices.nodes;
    const text = Buffer.from(document.base64, 'base64')
      .toString()
      .replaceAll(/<style>.*<\/style>|<[^>]+>|\s+/gs, ' ');
    expect(lines).toMatchObject([
      { kind: 'cycle', periodStart: '2026-02-01T00:00:00.000Z' },
      { kind: 'item', periodStart: '2027-03-01T00:00:00.000Z', periodEnd: '2027-04-01T00:00:00.000Z' },
    ]);
    expect(text).toMatch(/Service period +1 Feb 2026 – 28 Feb 2026 /);
    expect(text).toMatch(/1 Mar 2027 – 31 Mar 2027/);
    await books.advance('2026-02-10');
    const { subscription } = await books.client.graphql(
      `mutation ($id: ID!, $input: ChangeSubscriptionInput!) {
        subscription: changeSubscription(id: $id, input: $input) { status }
      }`,
      { id, input: { priceId: better.id, at: '2026-02-05T00:00:00Z' } },
    );
    expect(subscription).toBeTruthy();
    await books.advance('2026-03-02');
    expect(await findFaults(app, books.alias)).toEqual([]);
  });
});

const bothGiven = { suppliedAt: '2026-01-01', servicePeriod: { from: '2026-01-01', to: '2026-01-02' } };
it.each([
  [{ suppliedAt: '2026-02-30' }, 'suppliedAt'],
  [{ suppliedAt: '2026-01-01T00:00:00Z' }, 'suppliedAt'],
  [{ suppliedAt: '' }, 'suppliedAt'],
  [{ suppliedAt: '0000-01-01' }, 'suppliedAt'],
  [{ suppliedAt: '9999-12-31' }, 'suppliedAt'],
  [{ servicePeriod: { from: '2026-01-02', to: '2026-01-01' } }, 'servicePeriod.to'],
  [{ servicePeriod: { from: 'x', to: '2026-01-01' } }, 'servicePeriod.from'],
  [bothGiven, 'suppliedAt'],
])('%j is refused, and nothing is billed', async (supply, field) => {
  const books = await openBooks(app, '2026-01-10');
  const customer = await books.shop.customer();
  const input = { customerId: customer.id, items: [work({}), work(supply)] };
  const { body } = await books.client.post(
    'mutation ($input: CreateInvoiceInput!) { createInvoice(input: $input) { id } }',
    { input },
  );
  expect(body.errors[0].extensions).toMatchObject({
    reason: 'validation_failed',
    issues: [{ path: `items.1.${field}` }],
  });
  expect(await books.invoices()).toEqual([]);
});
