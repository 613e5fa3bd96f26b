import type { TestApp } from '../../support/app.ts';
import { openBooks, short, type Books } from '../../support/books.ts';

/** A tenant that sells usage: its books, with what tests of prices of usage need. */
export interface UsageShop extends Books {
  customer: any;
  /** Orders a plan with add-ons, and pays. Returns the subscription. */
  order: (price: any, fields?: object) => Promise<string>;
  /** Creates a meter of the event `event`, of which it sums `units` by `model`. */
  meter: (fields?: object) => Promise<string>;
  /** Records usage of the customer, each as `[at, units, properties]`. Returns the ids of the events. */
  use: (...events: [at: string, units: number | string, properties?: object][]) => Promise<string[]>;
  voidUsage: (ids: string[]) => Promise<void>;
  /** The lines and the total of the next invoice with the usage so far, as text. */
  currentUsage: (id: string) => Promise<BillText>;
  /** The lines and the total of the last invoice, as text. */
  lastBill: (id: string) => Promise<BillText & { status: string }>;
}

export interface BillText {
  lines: string[];
  total: number;
}

const lineFields = 'kind description periodStart periodEnd amount { amount } usage';
const currentDocument = `query ($id: ID!) { currentUsage(subscriptionId: $id) {
  total { amount } lines { ${lineFields} } warnings { code }
} }`;
const lastDocument = `query ($id: ID!) { invoices(subscriptionId: $id, first: 1) { nodes {
  status total { amount } lines { ${lineFields} }
} } }`;

/** Writes a line: `usage 12.5 2026-01-01/2026-02-01 Calls, usage`. */
const writeLine = ({ kind, description, amount, periodStart, periodEnd }: any): string =>
  `${kind} ${amount.amount} ${short(periodStart)}/${short(periodEnd)} ${description}`;

/** Writes the lines and the total of a bill. */
export const writeBill = ({ lines, total }: any): BillText => ({
  lines: lines.map(writeLine),
  total: total.amount,
});

let lastEvent = 0;

/** Opens the books of a new test tenant with a customer. */
export async function openUsageShop(app: TestApp, clock = '2026-01-01T00:00:00.000Z'): Promise<UsageShop> {
  const books = await openBooks(app, clock);
  const { client, shop } = books;
  const customer = await shop.customer();
  return {
    ...books,
    customer,
    order: async ({ id: priceId, productId }, fields = {}) => {
      const input = {
        customerId: customer.id,
        productId,
        priceId,
        receiptUrl: 'https://example.com',
        ...fields,
      };
      const document =
        'mutation ($input: CreateSubscriptionIntentInput!) { createSubscriptionIntent(input: $input) { id } }';
      const { id } = (await client.graphql(document, { input })).createSubscriptionIntent;
      return (await shop.confirm(id)).subscriptionId;
    },
    meter: async (fields = {}) => {
      const input = {
        name: 'Units',
        event: 'use',
        aggregation: 'sum',
        value: 'units',
        groupBy: ['model'],
        ...fields,
      };
      const document = 'mutation ($input: CreateMeterInput!) { createMeter(input: $input) { id } }';
      return (await client.graphql(document, { input })).createMeter.id;
    },
    use: async (...events) => {
      const list = events.map(([at, units, properties]) => ({
        id: `use-${++lastEvent}`,
        event: 'use',
        customerId: customer.id,
        at,
        properties: { units, ...properties },
      }));
      const document = `mutation ($events: [UsageEventInput!]!) {
        recordUsage(input: { events: $events }) { accepted refused { reason path } conflicts { index } }
      }`;
      const { recordUsage } = await client.graphql(document, { events: list });
      if (recordUsage.accepted !== list.length) throw new Error(JSON.stringify(recordUsage));
      return list.map(({ id }) => id);
    },
    voidUsage: async (ids) => {
      await client.graphql('mutation ($ids: [String!]!) { voidUsage(input: { ids: $ids }) { voided } }', {
        ids,
      });
    },
    currentUsage: async (id) => writeBill((await client.graphql(currentDocument, { id })).currentUsage),
    lastBill: async (id) => {
      const [last] = (await client.graphql(lastDocument, { id })).invoices.nodes;
      return { ...writeBill(last), status: last.status };
    },
  };
}
