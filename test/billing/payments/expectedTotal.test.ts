/** `expectedTotal`: what is charged equals what was shown, or nothing happens. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, type Books } from '../../support/books.ts';
import { afn, documents } from '../../support/oneOff.ts';

const changeDocument = `mutation ($id: ID!, $priceId: ID!, $expected: MoneyInput) {
  changeSubscription(id: $id, input: { priceId: $priceId, expectedTotal: $expected }) { priceId }
}`;
const confirmDocument = `mutation ($id: ID!, $method: String, $methodId: ID, $expected: MoneyInput) {
  confirmIntent(id: $id, input: { paymentMethod: $method, paymentMethodId: $methodId, expectedTotal: $expected }) { status }
}`;
const payDocument = `mutation ($id: ID!, $expected: MoneyInput) {
  payInvoice(id: $id, input: { expectedTotal: $expected }) { status }
}`;
const methodsDocument = 'query ($id: ID!) { customer(id: $id) { paymentMethods { nodes { id } } } }';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
});
afterAll(() => app.close());

/** A request that charges 10 AFN now, and what it charges. */
interface Charging {
  books: Books;
  request: [document: string, variables: Record<string, unknown>];
  /** How many charges the tenant has had that succeeded. */
  count: () => Promise<number>;
}

async function open(book: (books: Books) => Promise<Charging['request']>): Promise<Charging> {
  const books = await openBooks(app, '2026-06-01');
  const request = await book(books);
  const where = { tenantAlias: books.alias, kind: 'charge' as const, status: 'succeeded' as const };
  const count = async () =>
    (await app.service.store.committed.select('payments', { where, orderBy: ['id'] })).length;
  return { books, request, count };
}

/** An upgrade from 10 to 30 in the middle of June, in a group that prorates. */
async function upgrade(books: Books) {
  const customer = await books.shop.customer();
  const { id: groupId } = await books.shop.group({ prorateUpgrades: true });
  const id = await books.subscribe(customer, await books.plan(10, { groupId }));
  const next = await books.plan(30, { groupId });
  await books.advance('2026-06-16');
  return { customer, id, next };
}

const charging: Record<string, () => Promise<Charging>> = {
  'a change of a subscription': () =>
    open(async (books) => {
      const { id, next } = await upgrade(books);
      return [changeDocument, { id, priceId: next.id }];
    }),
  'an intent paid with a new method': () =>
    open(async (books) => {
      const { customer, next } = await upgrade(books);
      return [
        confirmDocument,
        { id: (await books.shop.intent(customer, next)).intentId, method: 'sandbox_ok' },
      ];
    }),
  'an intent paid with a saved method': () =>
    open(async (books) => {
      const { customer, next } = await upgrade(books);
      const found = await books.client.graphql(methodsDocument, { id: customer.id });
      const methodId = found.customer.paymentMethods.nodes[0].id;
      return [confirmDocument, { id: (await books.shop.intent(customer, next)).intentId, methodId }];
    }),
  'an invoice of one-off charges': () =>
    open(async (books) => {
      const { customer } = await upgrade(books);
      const items = [{ amount: afn(10), description: 'Work' }];
      const { createInvoice } = await books.client.graphql(documents.createInvoice, {
        customerId: customer.id,
        items,
        collect: 'send_invoice',
      });
      return [payDocument, { id: createInvoice.id }];
    }),
  'an invoice of a subscription': () =>
    open(async (books) => {
      const customer = await books.shop.customer();
      const id = await books.subscribe(customer, await books.plan(10), 'sandbox_ok_then_declined');
      await books.advance('2026-07-02');
      const { id: invoiceId } = (await books.invoices(id)).at(-1);
      const { committed } = app.service.store;
      const [method] = await committed.select('paymentMethods', { where: { tenantAlias: books.alias } });
      // The card works again.
      await app.service.store.transact(books.alias, (queries) =>
        queries.update(
          'paymentMethods',
          { tenantAlias: books.alias, id: method!.id },
          { reference: 'sandbox_ok' },
        ),
      );
      return [payDocument, { id: invoiceId }];
    }),
};

const refused: [name: string, expected: object, reason: string, path: string][] = [
  ['more', { amount: 10.01, currency: 'afn' }, 'amount_changed', 'expectedTotal'],
  ['less', { decimal: '9.99', currency: 'AFN' }, 'amount_changed', 'expectedTotal'],
  ['nothing', { amount: 0, currency: 'afn' }, 'amount_changed', 'expectedTotal'],
  [
    'the largest amount',
    { decimal: '10000000000000000', currency: 'afn' },
    'amount_changed',
    'expectedTotal',
  ],
  [
    'too much',
    { decimal: '10000000000000000.01', currency: 'afn' },
    'validation_failed',
    'expectedTotal.decimal',
  ],
  ['a negative amount', { amount: -10, currency: 'afn' }, 'validation_failed', 'expectedTotal.amount'],
  ['no amount', { currency: 'afn' }, 'validation_failed', 'expectedTotal'],
  [
    'two amounts',
    { amount: 10, decimal: '10', currency: 'afn' },
    'validation_failed',
    'expectedTotal.decimal',
  ],
  ['too many decimals', { decimal: '10.001', currency: 'afn' }, 'amount_precision', 'expectedTotal.decimal'],
  ['another currency', { amount: 10, currency: 'usd' }, 'currency_mismatch', 'expectedTotal.currency'],
  ['no currency', { amount: 10, currency: 'zzz' }, 'currency_unsupported', 'expectedTotal.currency'],
];

describe.each(Object.entries(charging))('%s', (_name, begin) => {
  it('is refused for any other expected total, and nothing is written', async () => {
    const { books, request, count } = await begin();
    const [document, variables] = request;
    const before = await count();
    for (const [, expected, reason, path] of refused) {
      const body = await books.perform({
        graphql: [document, { ...variables, expected }],
        reason: reason as 'amount_changed',
        paths: [path],
      });
      if (reason !== 'amount_changed') continue;
      expect(body.errors[0].extensions).toMatchObject({
        status: 409,
        issues: [{ message: 'is 10.00 AFN now', total: { amount: 10, decimal: '10.00', currency: 'afn' } }],
      });
    }
    expect(await count()).toBe(before);
    const { errors } = (await books.client.post(document, { ...variables, expected: afn(10) })).body;
    expect(errors).toBeUndefined();
    expect(await count()).toBe(before + 1);
  });

  it('is charged once by 50 requests at once with the expected total, and never by those with another', async () => {
    const { books, request, count } = await begin();
    const [document, variables] = request;
    const before = await count();
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        const expected = n % 2 === 0 ? afn(10) : afn(n);
        const { body } = await books.client.post(document, { ...variables, expected });
        return { isExpected: n % 2 === 0, reason: body.errors?.[0].extensions.reason };
      }),
    );
    expect(await count()).toBe(before + 1);
    expect(answers.some(({ isExpected, reason }) => isExpected && reason === undefined)).toBe(true);
    const known = ['amount_changed', 'invoice_not_open', 'intent_not_payable', 'unavailable'];
    for (const { isExpected, reason } of answers) if (!isExpected) expect(known).toContain(reason);
  });
});

it('a change at the end of the period costs nothing now', async () => {
  const books = await openBooks(app, '2026-06-01');
  const { id: groupId } = await books.shop.group();
  const id = await books.subscribe(await books.shop.customer(), await books.plan(30, { groupId }));
  const priceId = (await books.plan(10, { groupId })).id;
  const wanted = (amount: number): [string, object] => [
    changeDocument,
    { id, priceId, expected: afn(amount) },
  ];
  await books.perform({ graphql: wanted(10) as [string, Record<string, unknown>], reason: 'amount_changed' });
  const { errors } = (await books.client.post(...(wanted(0) as [string, Record<string, unknown>]))).body;
  expect(errors).toBeUndefined();
});
