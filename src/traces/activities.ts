import type { Row } from '../db/schema.ts';
import { toMajor } from '../money.ts';

/** What becomes of the rows of a table whose every change leaves a trace. */
export interface Activity<Name extends TracedTable> {
  /** What a change is recorded as. */
  type: ActivityType;
  /** The resource as the interface shows it (section 2), which is what the trace's payload carries. */
  show: (row: Row<Name>) => Shown;
  /** What a change of some columns does to it: `{field: [before, after]}`. */
  changesBy: (changes: Partial<Row<Name>>, before: Row<Name>) => Record<string, [unknown, unknown]>;
}

type Shown = Record<string, unknown>;

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

const recurring = ({ executionDate, period, frequency }: Row<'prices'> | Row<'intents'>) => ({
  executionDate,
  period,
  frequency,
});

interface Showing<Name extends TracedTable> {
  /** Columns that are the books' own, or secret. */
  hidden?: (keyof Row<Name>)[];
  /** Columns of which fields are made, which are shown in their place. */
  parts?: (keyof Row<Name>)[];
  make?: (row: Row<Name>) => Shown;
}

function activity<Name extends TracedTable>(
  type: ActivityType,
  { hidden = [], parts = [], make = () => ({}) }: Showing<Name> = {},
): Activity<Name> {
  const unlike = new Set<string>([...hidden, ...parts] as string[]);
  const show = (row: Row<Name>): Shown => {
    const shown: Shown = {};
    for (const column in row) if (!unlike.has(column)) shown[column] = row[column];
    const made = make(row);
    for (const field in made) shown[field] = made[field];
    return shown;
  };
  const changesBy: Activity<Name>['changesBy'] = (changes, before) => {
    const shown: Record<string, [unknown, unknown]> = {};
    const compare = (field: string, was: unknown, is: unknown) => {
      if (was !== is && JSON.stringify(was) !== JSON.stringify(is)) shown[field] = [was, is];
    };
    for (const column in before) {
      if (column in changes && !unlike.has(column)) compare(column, before[column], changes[column]);
    }
    if (!parts.some((column) => column in changes)) return shown;
    const [was, is] = [make(before), make({ ...before, ...changes })];
    for (const field in is) compare(field, was[field], is[field]);
    return shown;
  };
  return { type, show, changesBy };
}

/** The tables whose every change leaves a trace. */
export const activities: { [Name in TracedTable]: Activity<Name> } = {
  tenants: activity('TenantEvent', { hidden: ['cursorSecret', 'hasWebhooks'] }),
  apiKeys: activity('ApiKeyEvent', { hidden: ['secretHash'] }),
  customers: activity('CustomerEvent'),
  groups: activity('GroupEvent'),
  products: activity('ProductEvent'),
  prices: activity('PriceEvent', {
    parts: ['amountMinor', 'currency', 'frequency', 'period', 'executionDate'],
    make: (price) => ({ recurring: recurring(price), details: money(price.amountMinor, price.currency) }),
  }),
  intents: activity('IntentEvent', {
    hidden: ['requestHash', 'dueMinor', 'askedAt'],
    parts: ['amountMinor', 'currency', 'frequency', 'period', 'executionDate'],
    make: (intent) => ({ recurring: recurring(intent), price: money(intent.amountMinor, intent.currency) }),
  }),
  subscriptions: activity('SubscriptionEvent', {
    hidden: ['changingIntentId', 'openInvoiceId', 'claimedUntil'],
    parts: ['amountMinor', 'currency', 'frequency', 'period'],
    make: ({ period, frequency, amountMinor, currency }) => ({
      recurring: { period, frequency },
      price: money(amountMinor, currency),
    }),
  }),
  invoices: activity('InvoiceEvent', {
    hidden: ['attempts', 'chargeStartedAt', 'chargeProvider', 'chargeMethod'],
    parts: ['totalMinor', 'refundedMinor', 'currency'],
    make: ({ totalMinor, refundedMinor, currency }) => ({
      total: money(totalMinor, currency),
      refunded: money(refundedMinor, currency),
    }),
  }),
  payments: activity('PaymentEvent', {
    parts: ['amountMinor', 'currency'],
    make: ({ amountMinor, currency }) => ({ price: money(amountMinor, currency) }),
  }),
  webhookEndpoints: activity('WebhookEvent', { hidden: ['secret', 'previousSecret', 'lastSequence'] }),
};
