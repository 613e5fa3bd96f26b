import type { Row } from '../db/schema.ts';
import { toMajor } from '../money.ts';

/**
 * The tables whose every change leaves a trace: the activity it is recorded as, and the resource
 * as the interface shows it (section 2), which is what the trace's payload carries.
 */
export interface Activity<Name extends TracedTable> {
  type: ActivityType;
  show: (row: Row<Name>) => Record<string, unknown>;
}

export type TracedTable =
  | 'tenants'
  | 'apiKeys'
  | 'customers'
  | 'groups'
  | 'products'
  | 'prices'
  | 'intents'
  | 'subscriptions'
  | 'invoices'
  | 'payments'
  | 'webhookEndpoints';

export const activityTypes = [
  'CustomerEvent',
  'ProductEvent',
  'PriceEvent',
  'GroupEvent',
  'IntentEvent',
  'SubscriptionEvent',
  'InvoiceEvent',
  'PaymentEvent',
  'WebhookEvent',
  'ApiKeyEvent',
  'TenantEvent',
  'ClockEvent',
] as const;

export type ActivityType = (typeof activityTypes)[number];

const money = (amountMinor: bigint, currency: string) => ({
  amount: toMajor(amountMinor, currency),
  currency,
});

/** Adds fields to an object of many, ten times faster than a literal that spreads it; answers it. */
function adding(object: Record<string, unknown>, fields: Record<string, unknown>): Record<string, unknown> {
  for (const field in fields) object[field] = fields[field];
  return object;
}

export const activities: { [Name in TracedTable]: Activity<Name> } = {
  tenants: {
    type: 'TenantEvent',
    show: ({ cursorSecret: _, hasWebhooks: __, ...tenant }) => tenant,
  },
  apiKeys: { type: 'ApiKeyEvent', show: ({ secretHash: _, ...key }) => key },
  customers: { type: 'CustomerEvent', show: (customer) => customer },
  groups: { type: 'GroupEvent', show: (group) => group },
  products: { type: 'ProductEvent', show: (product) => product },
  prices: {
    type: 'PriceEvent',
    show: ({ amountMinor, currency, frequency, period, executionDate, ...price }) =>
      adding(price, {
        recurring: { executionDate, period, frequency },
        details: money(amountMinor, currency),
      }),
  },
  intents: {
    type: 'IntentEvent',
    show: ({
      amountMinor,
      currency,
      frequency,
      period,
      executionDate,
      requestHash: _,
      dueMinor: __,
      askedAt: ___,
      ...intent
    }) =>
      adding(intent, {
        recurring: { executionDate, period, frequency },
        price: money(amountMinor, currency),
      }),
  },
  subscriptions: {
    type: 'SubscriptionEvent',
    show: ({
      amountMinor,
      currency,
      frequency,
      period,
      changingIntentId: _,
      openInvoiceId: __,
      claimedUntil: ___,
      ...subscription
    }) => adding(subscription, { recurring: { period, frequency }, price: money(amountMinor, currency) }),
  },
  invoices: {
    type: 'InvoiceEvent',
    show: ({
      totalMinor,
      refundedMinor,
      currency,
      attempts: _,
      chargeStartedAt: __,
      chargeProvider: ___,
      chargeMethod: ____,
      ...invoice
    }) => adding(invoice, { total: money(totalMinor, currency), refunded: money(refundedMinor, currency) }),
  },
  payments: {
    type: 'PaymentEvent',
    show: ({ amountMinor, currency, ...payment }) => adding(payment, { price: money(amountMinor, currency) }),
  },
  webhookEndpoints: {
    type: 'WebhookEvent',
    show: ({ secret: _, previousSecret: __, lastSequence: ___, ...endpoint }) => endpoint,
  },
};

/** What changed between two states of a resource: `{field: [before, after]}`. */
export function changesBetween(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): Record<string, [unknown, unknown]> {
  const changes: Record<string, [unknown, unknown]> = {};
  for (const field of Object.keys(after)) {
    const was = before[field];
    const is = after[field];
    if (was === is || JSON.stringify(was) === JSON.stringify(is)) continue;
    changes[field] = [was, is];
  }
  return changes;
}
