/** A cursor is valid for one list, with one order and one filter; also while conditions change with time. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { openBooks, type Books } from '../support/books.ts';

let app: TestApp;
let books: Books;
let values: Record<string, string>;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
  books = await openBooks(app, '2026-06-01');
  const [customer, other] = [await books.shop.customer(), await books.shop.customer()];
  for (let n = 0; n < 3; n++) await books.subscribe(customer, await books.plan(10));
  values = { customer: customer.id, other: other.id };
});
afterAll(() => app.close());

const fill = (args: string) => args.replaceAll(/\$(\w+)/g, (_, name) => JSON.stringify(values[name]));

const fetchPage = (list: string, args: string) =>
  books.client.post(`{ ${list}(${fill(args)}) { nodes { __typename } pageInfo { endCursor } } }`);

const rows: [list: string, own: string, others: string[]][] = [
  ['customers', 'order: ASC', ['order: DESC']],
  ['products', 'active: true', ['order: DESC', 'active: false', 'name: "a"', 'active: true, order: ASC']],
  [
    'products',
    'orderBy: sort_order',
    [
      'order: ASC',
      'orderBy: created_at',
      'orderBy: sort_order, order: DESC',
      'orderBy: sort_order, active: true',
    ],
  ],
  ['subscriptions', 'status: active', ['order: DESC', 'status: scheduled', 'customerId: $customer']],
  ['subscriptions', 'customerId: $customer', ['customerId: $other', 'customerId: $customer, status: active']],
  [
    'invoices',
    'customerId: $customer',
    ['order: DESC', 'status: open', 'customerId: $customer, overdue: true'],
  ],
  [
    'traces',
    'activityType: SubscriptionEvent',
    ['order: DESC', 'activityType: InvoiceEvent', 'startDate: "2026-01-01"'],
  ],
];

describe.each(rows)('a cursor of %s(%s)', (list, own, others) => {
  it('continues its list a moment later, and no other', async () => {
    const { body } = await fetchPage(list, `first: 1, ${own}`);
    const cursor: string = body.data[list].pageInfo.endCursor;
    const next = await fetchPage(list, `first: 1, after: "${cursor}", ${own}`);
    expect(next.body.errors).toBeUndefined();
    expect(next.body.data[list].nodes).toHaveLength(1);
    for (const other of others) {
      const refused = await fetchPage(list, `first: 1, after: "${cursor}", ${other}`);
      expect(refused.body.errors?.[0].extensions.reason, other).toBe('cursor_invalid');
    }
  });
});
