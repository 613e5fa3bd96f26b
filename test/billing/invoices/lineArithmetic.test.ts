/** The arithmetic that the console shows behind each line leads to its amount, for every kind of line. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  explainLine,
  toMinor,
  type ExplainedLine,
  type Step,
} from '../../../src/console/billing/arithmetic.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, type Books } from '../../support/books.ts';

const document = `{ invoices(first: 50, order: ASC) { nodes { lines { kind description explanation
  amount { decimal currency } discounts { amount { decimal currency } }
  tax { percent included amount { decimal currency } } } } } }`;

let app: TestApp;
let books: Books;

beforeAll(async () => {
  app = await startApp();
  books = await openBooks(app, '2026-01-01T00:00:00.000Z');
});
afterAll(() => app.close());

/** `tier 40.00`: what a step says. */
const write = ({ kind, amount }: Step) => `${kind} ${amount.decimal}`;

it('leads from the price to the amount of each line', async () => {
  const { shop, client } = books;
  const unit = await books.plan(12.5, {
    prices: [{ details: { amount: 12.5, currency: 'afn' }, model: 'per_unit' }],
  });
  const basic = await books.plan(30);
  const ada = await shop.customer();
  const id = await books.subscribe(ada, unit, 'sandbox_ok', { quantity: 4 });
  await books.subscribe(await shop.customer(), basic);
  await books.advance('2026-01-11T00:00:00.000Z');
  await client.graphql(
    'mutation ($id: ID!) { changeSubscription(id: $id, input: { quantity: 6, billing: charge_now }) { id } }',
    { id },
  );
  const { invoices } = await client.graphql(document);
  const lines: ExplainedLine[] = invoices.nodes.flatMap(
    (invoice: { lines: ExplainedLine[] }) => invoice.lines,
  );
  expect(lines.map((line) => explainLine(line).map(write))).toEqual([
    ['units 50.00'],
    ['fullPrice 30.00'],
    ['fullPrice 50.00', 'share -33.87', 'amount -33.87'],
    ['units 75.00', 'share 50.81', 'amount 50.81'],
  ]);
  for (const line of lines) {
    const last = explainLine(line).findLast(({ kind }) => !kind.startsWith('tax') && kind !== 'total')!;
    expect(toMinor(last.amount)).toBe(toMinor(line.amount));
  }
});
