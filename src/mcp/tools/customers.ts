/** Tools about one customer: finding it, what it has, what it uses, and what happened. */
import * as z from 'zod';
import { refuse } from '../../lib/errors.ts';
import { declareTool } from '../tool.ts';
import {
  findNextCursor,
  id,
  instant,
  joinName,
  markedText,
  markText,
  money,
  moneyFields,
  nextCursor,
  pageFields,
  pageInput,
  type Money,
  type PageInfo,
} from '../values.ts';

const customerFields = `id associatedId firstName lastName companyName email createdAt
  mrr ${moneyFields} balance ${moneyFields}`;

interface CustomerData {
  id: string;
  associatedId: string;
  firstName: string;
  lastName: string;
  companyName: string | null;
  email: string;
  createdAt: string;
  mrr: Money[];
  balance: Money[];
}

const customer = z.object({
  customerId: z.string(),
  associatedId: markedText.nullable().describe('The id of the customer in your own program.'),
  name: markedText.nullable(),
  companyName: markedText.nullable(),
  email: markedText.nullable(),
  createdAt: instant,
  mrr: z.array(money).describe('Monthly recurring revenue, by currency.'),
  balance: z.array(money).describe('Credit that pays the next charges, by currency.'),
});

const toCustomer = (data: CustomerData): z.infer<typeof customer> => ({
  customerId: data.id,
  associatedId: markText(data.associatedId),
  name: markText(joinName(data)),
  companyName: markText(data.companyName),
  email: markText(data.email),
  createdAt: data.createdAt,
  mrr: data.mrr,
  balance: data.balance,
});

/** Finds customers. */
export const findCustomer = declareTool({
  name: 'find_customer',
  title: 'Find a customer',
  description:
    'Finds customers by any part of a name, company, email address, associatedId or id. Start here whenever a person or a company is named; other tools take the customerId.',
  effect: 'read',
  input: z.strictObject({
    query: z.string().trim().min(2).max(200).describe('A part of a name, an email address or an id.'),
    ...pageInput(5, 20),
  }),
  output: z.object({ customers: z.array(customer), nextCursor }),
  run: async ({ query, first, after }, caller) => {
    const { customers } = await caller.run<{ customers: { nodes: CustomerData[] } & PageInfo }>(
      `query ($query: String!, $first: Int!, $after: String) {
        customers(search: $query, first: $first, after: $after) { nodes { ${customerFields} } ${pageFields} }
      }`,
      { query, first, after },
    );
    return { customers: customers.nodes.map(toCustomer), nextCursor: findNextCursor(customers) };
  },
});

/** How a customer is named: by one of both ids. */
const customerInput = {
  customerId: id.optional().describe('The id of the customer.'),
  associatedId: z.string().min(1).max(255).optional().describe('Or its id in your own program.'),
};

interface NamedCustomer {
  customerId?: string | undefined;
  associatedId?: string | undefined;
}

/** Refuses an input that does not name exactly one customer. */
function checkNamed({ customerId, associatedId }: NamedCustomer): void {
  if ((customerId === undefined) === (associatedId === undefined))
    refuse('validation_failed', {
      path: 'customerId',
      message: 'must be given, or associatedId, and not both',
    });
}

interface SubscriptionData {
  id: string;
  status: string;
  productId: string;
  productName: string;
  priceId: string;
  quantity: number;
  agreedPrice: Money;
  mrr: Money;
  currentPeriodStart: string | null;
  currentPeriodEnd: string | null;
  nextInvoiceAt: string | null;
  trialEndsAt: string | null;
  cancelAtPeriodEnd: boolean;
  pastDueSince: string | null;
}

const subscription = z.object({
  subscriptionId: z.string(),
  status: z.string(),
  productId: z.string(),
  productName: z.string(),
  priceId: z.string(),
  quantity: z.number(),
  agreedPrice: money.describe('For one cycle.'),
  mrr: money,
  currentPeriodStart: instant.nullable(),
  currentPeriodEnd: instant.nullable(),
  nextInvoiceAt: instant.nullable(),
  trialEndsAt: instant.nullable(),
  cancelAtPeriodEnd: z.boolean(),
  pastDueSince: instant.nullable(),
});

const subscriptionFields = `id status productId productName priceId quantity agreedPrice ${moneyFields} mrr ${moneyFields}
  currentPeriodStart currentPeriodEnd nextInvoiceAt trialEndsAt cancelAtPeriodEnd pastDueSince`;

const toSubscription = ({ id: subscriptionId, ...rest }: SubscriptionData) => ({ subscriptionId, ...rest });

interface InvoiceData {
  id: string;
  documentNumber: string | null;
  status: string;
  issuedAt: string | null;
  dueAt: string | null;
  overdue: boolean;
  total: Money;
  amountDue: Money;
}

const invoice = z.object({
  invoiceId: z.string(),
  documentNumber: z.string().nullable(),
  status: z.string(),
  issuedAt: instant.nullable(),
  dueAt: instant.nullable(),
  overdue: z.boolean(),
  total: money,
  amountDue: money,
});

const toInvoice = ({ id: invoiceId, ...rest }: InvoiceData) => ({ invoiceId, ...rest });

interface MethodData {
  type: string | null;
  brand: string | null;
  last4: string | null;
  expiryMonth: number | null;
  expiryYear: number | null;
  isExpired: boolean;
}

/** Shows what a customer has. */
export const showCustomer = declareTool({
  name: 'show_customer',
  title: 'Show a customer',
  description:
    'Shows one customer: its latest subscriptions with their next invoice date, its latest invoices, its balance and its payment method.',
  effect: 'read',
  input: z.strictObject(customerInput),
  output: z.object({
    customer,
    subscriptions: z.array(subscription).describe('The latest 10.'),
    invoices: z.array(invoice).describe('The latest 10.'),
    paymentMethod: z
      .object({
        type: z.string().nullable(),
        brand: z.string().nullable(),
        last4: z.string().nullable(),
        expiryMonth: z.number().nullable(),
        expiryYear: z.number().nullable(),
        isExpired: z.boolean(),
      })
      .nullable(),
  }),
  run: async (input, caller) => {
    checkNamed(input);
    const { customer: found } = await caller.run<{
      customer: CustomerData & {
        subscriptions: { nodes: SubscriptionData[] };
        invoices: { nodes: InvoiceData[] };
        defaultPaymentMethod: MethodData | null;
      };
    }>(
      `query ($id: ID, $associatedId: String) { customer(id: $id, associatedId: $associatedId) { ${customerFields}
        subscriptions(first: 10, order: DESC) { nodes { ${subscriptionFields} } }
        invoices(first: 10, order: DESC) { nodes {
          id documentNumber status issuedAt dueAt overdue total ${moneyFields} amountDue ${moneyFields} } }
        defaultPaymentMethod { type brand last4 expiryMonth expiryYear isExpired }
      } }`,
      { id: input.customerId, associatedId: input.associatedId },
      { id: 'customerId' },
    );
    return {
      customer: toCustomer(found),
      subscriptions: found.subscriptions.nodes.map(toSubscription),
      invoices: found.invoices.nodes.map(toInvoice),
      paymentMethod: found.defaultPaymentMethod,
    };
  },
});

interface EntitlementData {
  feature: { id: string; key: string; name: string; kind: string };
  allowed: boolean;
  because: string;
  limit: string | null;
  used: string | null;
  remaining: string | null;
  reserved: string | null;
  resetsAt: string | null;
  value: unknown;
}

interface CurrentUsage {
  effectiveAt: string;
  total: Money;
  lines: { kind: string; usage: string | null; amount: Money; periodStart: string; periodEnd: string }[];
}

/** Shows what a customer may use and has used. */
export const showUsage = declareTool({
  name: 'customer_usage',
  title: 'Show usage and entitlements',
  description:
    'Shows what a customer may use (entitlements with limit, used and remaining) and what its active subscriptions have used so far, with the next invoice as it stands now.',
  effect: 'read',
  input: z.strictObject(customerInput),
  output: z.object({
    customerId: z.string(),
    entitlements: z.array(
      z.object({
        featureId: z.string(),
        key: z.string(),
        name: z.string(),
        kind: z.string(),
        allowed: z.boolean(),
        because: z.string(),
        limit: z.string().nullable(),
        used: z.string().nullable(),
        remaining: z.string().nullable(),
        reserved: z.string().nullable(),
        resetsAt: instant.nullable(),
        value: z.unknown(),
      }),
    ),
    subscriptions: z
      .array(
        z.object({
          subscriptionId: z.string(),
          productName: z.string(),
          nextInvoiceAt: instant,
          nextInvoiceTotal: money,
          usage: z.array(
            z.object({
              units: z.string().nullable(),
              amount: money,
              periodStart: instant,
              periodEnd: instant,
            }),
          ),
        }),
      )
      .describe('At most 5 active subscriptions, each with its next invoice as it stands now.'),
  }),
  run: async (input, caller) => {
    checkNamed(input);
    const { customer: found, entitlements } = await caller.run<{
      customer: { id: string; activeSubscriptions: { id: string; productName: string; status: string }[] };
      entitlements: EntitlementData[];
    }>(
      `query ($id: ID, $associatedId: String) {
        customer(id: $id, associatedId: $associatedId) { id activeSubscriptions { id productName status } }
        entitlements(customerId: $id, associatedId: $associatedId) { allowed because limit used remaining reserved resetsAt
          value feature { id key name kind } }
      }`,
      { id: input.customerId, associatedId: input.associatedId },
      { id: 'customerId' },
    );
    const subscriptions = [];
    for (const { id: subscriptionId, productName } of found.activeSubscriptions.slice(0, 5)) {
      const { currentUsage } = await caller.run<{ currentUsage: CurrentUsage }>(
        `query ($id: ID!) { currentUsage(subscriptionId: $id) { effectiveAt total ${moneyFields}
          lines { kind usage periodStart periodEnd amount ${moneyFields} } } }`,
        { id: subscriptionId },
      );
      const { effectiveAt: nextInvoiceAt, total: nextInvoiceTotal, lines } = currentUsage;
      const usage = lines
        .filter(({ kind }) => kind === 'usage')
        .map(({ usage: units, amount, periodStart, periodEnd }) => ({
          units,
          amount,
          periodStart,
          periodEnd,
        }));
      subscriptions.push({ subscriptionId, productName, nextInvoiceAt, nextInvoiceTotal, usage });
    }
    return {
      customerId: found.id,
      entitlements: entitlements.map(({ feature, ...rest }) => {
        const { id: featureId, ...named } = feature;
        return { featureId, ...named, ...rest };
      }),
      subscriptions,
    };
  },
});

interface TraceData {
  eventId: string;
  activityType: string;
  createdAt: string;
  executorId: string;
  payload: { action?: string; changes?: object } & Record<string, unknown>;
}

/** Lists what happened to a customer. */
export const listEvents = declareTool({
  name: 'customer_events',
  title: 'List what happened to a customer',
  description:
    'Lists what happened to a customer, the newest first: orders, invoices, payments, changes of subscriptions, each with its time and who did it.',
  effect: 'read',
  input: z.strictObject({ customerId: id, ...pageInput(10, 50) }),
  output: z.object({
    events: z.array(
      z.object({
        eventId: z.string(),
        at: instant,
        type: z.string().describe('The kind of record, such as InvoiceEvent.'),
        action: z.string().describe('What happened to it, such as paid.'),
        by: markedText.nullable().describe('The key, the operator or the part of the server that did it.'),
      }),
    ),
    nextCursor,
  }),
  run: async ({ customerId, first, after }, caller) => {
    const { customer: found } = await caller.run<{
      customer: { timeline: { nodes: TraceData[] } & PageInfo };
    }>(
      `query ($id: ID!, $first: Int!, $after: String) { customer(id: $id) {
        timeline(first: $first, after: $after, order: DESC) { nodes { eventId activityType createdAt executorId payload }
        ${pageFields} } } }`,
      { id: customerId, first, after },
      { id: 'customerId' },
    );
    const events = found.timeline.nodes.map(({ eventId, createdAt, activityType, executorId, payload }) => ({
      eventId,
      at: createdAt,
      type: activityType,
      action: payload.action ?? '',
      by: markText(executorId),
    }));
    return { events, nextCursor: findNextCursor(found.timeline) };
  },
});
