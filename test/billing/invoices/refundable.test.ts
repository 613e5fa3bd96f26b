/** What an invoice has left to refund changes only with an event of that invoice, in the request that changes it. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, type Books } from '../../support/books.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

interface Sold {
  books: Books;
  subscription: string;
  invoice: string;
  better: any;
  customer: any;
}

interface Act {
  mutation: string;
  variables: (sold: Sold) => object | Promise<object>;
  /** The amount that can be refunded afterwards; 100 before the first act. */
  refundable: number;
  /** The events of the invoice, each with the amount in its details. */
  events: string[];
}

const change =
  'mutation ($id: ID!, $input: ChangeSubscriptionInput!) { changeSubscription(id: $id, input: $input) { id } }';
const changeTo =
  (billing: string) =>
  ({ subscription: id, better }: Sold) => ({
    id,
    input: { priceId: better.id, billing },
  });
const note = 'mutation ($input: CreateCreditNoteInput!) { createCreditNote(input: $input) { id } }';

/** An intent to upgrade, confirmed with a transfer that is awaited. */
async function findAwaited({ books, customer, better }: Sold): Promise<object> {
  const { intentId } = await books.shop.intent(customer, better);
  return { id: intentId };
}

const upgrade = 'mutation ($id: ID!) { confirmIntent(id: $id, input: { paymentMethod: "manual" }) { id } }';
const findOpenIntent = async ({ books }: Sold) => {
  const document = '{ intents(first: 1, order: DESC) { nodes { id } } }';
  return { id: (await books.client.graphql(document)).intents.nodes[0].id };
};

/** Each subscription has begun on 1 June 2026 with 100 a month, and half of the month is over. */
const roads: { name: string; method?: string; acts: Act[] }[] = [
  {
    name: 'an upgrade that is charged at once',
    acts: [
      {
        mutation: change,
        variables: changeTo('charge_now'),
        refundable: 50,
        events: ['refundable_changed 50'],
      },
    ],
  },
  {
    name: 'an upgrade that the next invoice bills',
    acts: [
      {
        mutation: change,
        variables: changeTo('next_invoice'),
        refundable: 50,
        events: ['refundable_changed 50'],
      },
    ],
  },
  {
    name: 'an upgrade whose charge is declined',
    method: 'sandbox_ok_then_declined',
    acts: [
      {
        mutation: change,
        variables: changeTo('charge_now'),
        refundable: 100,
        events: ['refundable_changed 50', 'refundable_changed 100'],
      },
    ],
  },
  {
    name: 'an upgrade by a transfer, and its cancellation',
    acts: [
      { mutation: upgrade, variables: findAwaited, refundable: 50, events: ['refundable_changed 50'] },
      {
        mutation: 'mutation ($id: ID!) { cancelIntent(id: $id) { id } }',
        variables: findOpenIntent,
        refundable: 100,
        events: ['refundable_changed 100'],
      },
    ],
  },
  {
    name: 'a refund, a credit note, and an upgrade that credits what is left of the time',
    acts: [
      {
        mutation:
          'mutation ($id: ID!) { refundInvoice(id: $id, input: { amount: { amount: 20, currency: "afn" } }) { id } }',
        variables: ({ invoice: id }) => ({ id }),
        refundable: 80,
        events: ['refund_started'],
      },
      {
        mutation: note,
        variables: ({ invoice: invoiceId }) => ({
          input: { invoiceId, kind: 'credit', amount: { amount: 10, currency: 'afn' } },
        }),
        refundable: 70,
        events: ['credited'],
      },
      {
        mutation: change,
        variables: changeTo('charge_now'),
        refundable: 35,
        events: ['refundable_changed 35'],
      },
    ],
  },
  {
    name: 'a change without proration',
    acts: [{ mutation: change, variables: changeTo('none'), refundable: 100, events: [] }],
  },
  {
    name: 'a change at the end of the period',
    acts: [{ mutation: change, variables: changeTo('period_end'), refundable: 100, events: [] }],
  },
];

async function sell(method?: string): Promise<Sold> {
  const books = await openBooks(app, '2026-06-01');
  const customer = await books.shop.customer();
  const { id: groupId } = await books.shop.group({ prorateUpgrades: true });
  const subscription = await books.subscribe(customer, await books.plan(100, { groupId }), method);
  const better = await books.plan(300, { groupId });
  await books.advance('2026-06-16');
  const [{ id: invoice }] = await books.invoices(subscription);
  return { books, subscription, invoice, better, customer };
}

const readRefundable = async ({ books, invoice }: Sold): Promise<number> =>
  (
    await books.client.graphql('query ($id: ID!) { invoice(id: $id) { refundable { amount } } }', {
      id: invoice,
    })
  ).invoice.refundable.amount;

/** Lists the events of the invoice that a request wrote. */
async function listInvoiceEvents({ books, invoice: resourceId }: Sold, traceId: string): Promise<string[]> {
  const where = { tenantAlias: books.alias, traceId, resourceId };
  const traces = await app.service.store.committed.select('traces', { where, orderBy: ['eventId'] });
  return traces.map(({ payload, isRoot }: any) => {
    const amount = payload.details?.amount as number | undefined;
    if (amount !== undefined) expect(isRoot).toBe(false);
    return amount === undefined ? payload.action : `${payload.action} ${amount}`;
  });
}

it.each(roads)('$name', async ({ method, acts }) => {
  const sold = await sell(method);
  expect(await readRefundable(sold)).toBe(100);
  for (const { mutation, variables, refundable, events } of acts) {
    const traceId = randomBytes(16).toString('hex');
    const traceparent = `00-${traceId}-00000000000000aa-01`;
    await sold.books.client.post(mutation, { ...(await variables(sold)) }, { traceparent });
    expect([await readRefundable(sold), await listInvoiceEvents(sold, traceId)]).toEqual([
      refundable,
      events,
    ]);
  }
});
