/** The tool for test tenants: plays a customer, moves the clock, and reports what happened. */
import * as z from 'zod';
import { refuse } from '../../lib/errors.ts';
import type { Caller } from '../caller.ts';
import { idempotencyKey } from '../idempotencyKey.ts';
import { declareTool } from '../tool.ts';
import { id, instant, money, moneyFields, type Money } from '../values.ts';

/** The most events that a report counts. */
const mostCountedEvents = 100;

const subscriber = z.strictObject({
  associatedId: z.string().min(1).max(255).describe('The id of the new customer in your own program.'),
  email: z.string().max(254),
  firstName: z.string().min(1).max(200).default('Test'),
  lastName: z.string().min(1).max(200).default('Customer'),
  priceId: id,
  quantity: z.number().int().min(1).optional(),
  trialDays: z.number().int().min(0).optional(),
  paymentMethod: z
    .string()
    .max(100)
    .default('sandbox_ok')
    .describe('sandbox_ok, sandbox_declined, sandbox_ok_then_declined and the others of guides/test-clocks.'),
});

type Subscriber = z.infer<typeof subscriber>;

const changedInput = z.strictObject({
  subscriber: subscriber
    .optional()
    .describe(
      'A new customer who subscribes before the clock is moved; a payment that fails fails the call.',
    ),
  advanceTo: z
    .string()
    .max(40)
    .optional()
    .describe('Where to move the clock, ISO 8601. Everything due until then is processed.'),
  idempotencyKey,
});

/** Plays in a test tenant. */
export const simulate = declareTool({
  name: 'simulate',
  title: 'Simulate in a test tenant',
  description:
    'In a test tenant only: lets a new customer subscribe with a card of the sandbox, moves the clock of the tenant forward, and reports what happened: events by kind, and the invoices that were issued. Call it again with the same advanceTo while reached is false.',
  effect: 'change',
  input: changedInput,
  output: z.object({
    customerId: z.string().nullable(),
    subscriptionId: z.string().nullable(),
    from: instant.describe('The clock before.'),
    to: instant.describe('The clock now.'),
    reached: z.boolean(),
    eventCount: z.number().describe('All events since the clock showed `from`.'),
    events: z
      .array(z.object({ type: z.string(), action: z.string(), count: z.number() }))
      .describe('The latest 100 events by kind.'),
    invoices: z
      .array(
        z.object({
          invoiceId: z.string(),
          documentNumber: z.string().nullable(),
          customerId: z.string(),
          status: z.string(),
          billingReason: z.string(),
          issuedAt: instant.nullable(),
          total: money,
        }),
      )
      .describe('The latest 10 that were created since.'),
    invoiceCount: z.number(),
  }),
  run: async ({ subscriber: added, advanceTo }, caller) => {
    refuseLive(caller);
    if (!added && advanceTo === undefined)
      refuse('validation_failed', { path: 'advanceTo', message: 'must be given, or subscriber, or both' });
    const from = await readClock(caller);
    const started = added ? await subscribe(added, caller) : { customerId: null, subscriptionId: null };
    const reached = advanceTo === undefined || (await advance(advanceTo, caller));
    return {
      ...started,
      from,
      to: await readClock(caller),
      reached,
      ...(await report(from, caller)),
    };
  },
});

/** Refuses a live tenant, as the clock does. */
function refuseLive({ isTestTenant }: Caller): void {
  if (!isTestTenant)
    refuse('validation_failed', { path: 'tenant', message: 'is for test tenants only', code: 'tests_only' });
}

const readClock = async (caller: Caller): Promise<string> =>
  (await caller.run<{ tenant: { clock: string } }>('query { tenant { clock } }')).tenant.clock;

/** Moves the clock; returns whether it has reached the time. */
async function advance(to: string, caller: Caller): Promise<boolean> {
  const { advanceClock } = await caller.run<{ advanceClock: { clockAdvance: { reached: boolean } | null } }>(
    'mutation ($to: DateTime!) { advanceClock(input: { to: $to }) { clockAdvance { reached } } }',
    { to },
    { to: 'advanceTo' },
  );
  return advanceClock.clockAdvance?.reached ?? true;
}

async function subscribe(
  { priceId, quantity, trialDays, paymentMethod, ...customer }: Subscriber,
  caller: Caller,
): Promise<{ customerId: string; subscriptionId: string | null }> {
  const { price } = await caller.run<{ price: { productId: string } }>(
    'query ($id: ID!) { price(id: $id) { productId } }',
    { id: priceId },
    { id: 'subscriber.priceId' },
  );
  const { createCustomer } = await caller.run<{ createCustomer: { id: string } }>(
    'mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }',
    { input: customer },
    { input: 'subscriber' },
  );
  const input = {
    customerId: createCustomer.id,
    productId: price.productId,
    priceId,
    quantity,
    trialDays,
    receiptUrl: 'https://example.com/receipt',
  };
  const { createSubscriptionIntent: intent } = await caller.run<{ createSubscriptionIntent: { id: string } }>(
    'mutation ($input: CreateSubscriptionIntentInput!) { createSubscriptionIntent(input: $input) { id } }',
    { input },
    { input: 'subscriber' },
  );
  const { confirmIntent } = await caller.run<{ confirmIntent: { subscriptionId: string | null } }>(
    'mutation ($id: ID!, $input: ConfirmIntentInput) { confirmIntent(id: $id, input: $input) { subscriptionId } }',
    { id: intent.id, input: { paymentMethod } },
    { input: 'subscriber' },
  );
  return { customerId: createCustomer.id, subscriptionId: confirmIntent.subscriptionId };
}

interface InvoiceData {
  id: string;
  documentNumber: string | null;
  customerId: string;
  status: string;
  billingReason: string;
  issuedAt: string | null;
  total: Money;
}

/** Reports what has happened since an instant. */
async function report(since: string, caller: Caller) {
  const { traces, invoices } = await caller.run<{
    traces: { totalCount: number; nodes: { activityType: string; payload: { action?: string } }[] };
    invoices: { totalCount: number; nodes: InvoiceData[] };
  }>(
    `query ($since: DateTime!, $first: Int!) {
      traces(startDate: $since, first: $first, order: DESC) { totalCount nodes { activityType payload } }
      invoices(createdAfter: $since, first: 10, order: DESC) { totalCount nodes {
        id documentNumber customerId status billingReason issuedAt total ${moneyFields} } }
    }`,
    { since, first: mostCountedEvents },
  );
  const counts = new Map<string, { type: string; action: string; count: number }>();
  for (const { activityType: type, payload } of traces.nodes) {
    const action = payload.action ?? '';
    const counted = counts.get(`${type} ${action}`) ?? { type, action, count: 0 };
    counts.set(`${type} ${action}`, { ...counted, count: counted.count + 1 });
  }
  return {
    eventCount: traces.totalCount,
    events: [...counts.values()],
    invoiceCount: invoices.totalCount,
    invoices: invoices.nodes.map(({ id: invoiceId, ...rest }) => ({ invoiceId, ...rest })),
  };
}
