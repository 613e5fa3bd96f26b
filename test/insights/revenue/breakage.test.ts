/** Breakage: paid credit that has expired, by currency and month, as `revenue` shows it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks } from '../../support/books.ts';
import { findFaults } from '../../support/faults.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '1000000' });
});
afterAll(() => app.close());

const money = (decimal: string, currency = 'afn') => ({ amount: null, decimal, currency });

it('is what was paid for the credit that has expired, by currency and month', async () => {
  const books = await openBooks(app, '2026-01-01');
  const { client } = books;
  const customer = await books.shop.customer();
  const grant = async (input: object) => {
    const document = 'mutation ($input: CreateCreditGrantInput!) { createCreditGrant(input: $input) { id } }';
    const given = { customerId: customer.id, name: 'Credit', category: 'paid', ...input };
    return (await client.graphql(document, { input: given })).createCreditGrant.id as string;
  };
  const { createMeter: meter } = await client.graphql(
    'mutation { createMeter(input: { name: "Calls", event: "call", aggregation: count }) { id } }',
  );
  const { createCreditType: type } = await client.graphql(
    'mutation ($id: ID!) { createCreditType(input: { name: "Credits", rates: [{ meterId: $id, credits: "1" }] }) { id } }',
    { id: meter.id },
  );
  const credits = { creditTypeId: type.id, amount: '1000', currency: 'afn' };
  await grant({ amount: money('10.00'), expiresAt: '2026-01-15' });
  await grant({ amount: money('7.00'), costBasis: '0.5', expiresAt: '2026-01-31T23:59:59Z' });
  await grant({ credits, costBasis: '0.0125', expiresAt: '2026-02-01' });
  await grant({ amount: money('3.00', 'usd'), expiresAt: '2026-02-02' });
  await grant({ amount: money('100.00'), category: 'promotional', expiresAt: '2026-01-15' });
  const voided = await grant({ amount: money('50.00'), expiresAt: '2026-01-20' });
  await client.graphql('mutation ($id: ID!) { voidCreditGrant(id: $id) { id } }', { id: voided });
  // Half of it goes on until March, where a part is used and the rest expires.
  await grant({
    amount: money('20.00'),
    expiresAt: '2026-01-10',
    rollover: { percent: '50', expiresAfter: { frequency: 'Monthly', period: 2 } },
  });
  await books.advance('2026-02-20');
  await client.graphql(
    `mutation ($id: ID!) {
      createInvoice(input: { customerId: $id, items: [{ amount: { amount: 4, currency: "afn" }, description: "Work" }], collect: send_invoice }) { id }
    }`,
    { id: customer.id },
  );
  await books.advance('2026-04-02');
  const breakage = async (currency: string, more = '') => {
    const { revenue } = await client.graphql(
      `{ revenue(currency: "${currency}", from: "2026-01-01", until: "2026-05-01"${more}) {
        points { breakage { decimal } } total { breakage { decimal } }
      } }`,
    );
    return [...revenue.points, revenue.total].map(({ breakage: { decimal } }: any) => decimal);
  };
  expect(await breakage('afn')).toEqual(['23.50', '12.50', '6.00', '0.00', '42.00']);
  expect(await breakage('usd')).toEqual(['0.00', '3.00', '0.00', '0.00', '3.00']);
  expect(await breakage('afn', ', asOf: "2026-01-31T00:00:00Z"')).toEqual([
    '20.00',
    '0.00',
    '0.00',
    '0.00',
    '20.00',
  ]);
  const { creditGrants } = await client.graphql(
    '{ creditGrants(first: 50) { nodes { category currency costBasis uses { nodes { kind amount { decimal } credits } } } } }',
  );
  const sum = creditGrants.nodes
    .filter((each: any) => each.category === 'paid' && each.currency === 'afn')
    .flatMap(({ costBasis, uses }: any) =>
      uses.nodes
        .filter(({ kind }: any) => kind === 'expire')
        .map(({ amount, credits: units }: any) => Number(amount?.decimal ?? units) * Number(costBasis)),
    )
    .reduce((total: number, paid: number) => total + paid, 0);
  expect(sum).toBe(42);
  expect(await findFaults(app, books.alias)).toEqual([]);
});
