import { columnNames } from '../storage/query/tableMeta.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import { toMajor } from '../lib/money.ts';
import { compileObjectMapper } from '../runtime/compileMapper.ts';
import { activityTypeByTable, type ActivityType, type TracedTable } from './eventTypes.ts';

/** How changes of a table are recorded in traces. */
export interface Activity<Name extends TracedTable> {
  /** The activity type of a change. */
  type: ActivityType;
  /** Returns the resource as the interface shows it, for the trace's payload. */
  show: (row: Row<Name>) => Shown;
  /** Returns how a change of columns appears in the resource: `{field: [before, after]}`. */
  computeChanges: (changes: Partial<Row<Name>>, before: Row<Name>) => Record<string, [unknown, unknown]>;
}

type Shown = Record<string, unknown>;

const money = (amountMinor: bigint, currency: string) => ({
  amount: toMajor(amountMinor, currency),
  currency,
});

const recurring = ({ executionDate, period, frequency }: Row<'prices'> | Row<'intents'>) => ({
  executionDate,
  period,
  frequency,
});

/** The amount that a price names: for the cycle, a unit or a package; 0 where it has tiers. */
const details = ({ pricing, amountMinor, currency }: Row<'prices'>) =>
  pricing && 'unitAmount' in pricing
    ? { amount: Number(pricing.unitAmount), currency }
    : money(amountMinor, currency);

/** The fields of a price that charges a quantity; a flat price has none of them. */
function priceModel({ pricing, minQuantity, maxQuantity, nickname }: Row<'prices'>): Shown {
  const named = nickname === null ? {} : { nickname };
  return pricing === null ? named : { ...named, ...pricing, minQuantity, maxQuantity };
}

const agreedModel = ({ pricing, quantity }: Pick<Row<'intents'>, 'pricing' | 'quantity'>): Shown =>
  pricing === null ? {} : { quantity, ...pricing };

/** The fields that are set: a plain price or subscription shows none of the others. */
const pickSet = (fields: Shown): Shown =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

const setupFee = ({ setupFeeMinor, currency }: Pick<Row<'prices'>, 'setupFeeMinor' | 'currency'>) =>
  setupFeeMinor === null ? null : money(setupFeeMinor, currency);

/** The add-ons, their amounts in major units. */
const showAddOns = ({ addOns, currency }: Pick<Row<'intents'>, 'addOns' | 'currency'>) =>
  addOns?.map(({ amountMinor, setupFeeMinor, ...addOn }) => ({
    ...addOn,
    price: money(BigInt(amountMinor), currency),
    ...(setupFeeMinor !== undefined && { setupFee: money(BigInt(setupFeeMinor), currency) }),
  })) ?? null;

const showOrder = (intent: Row<'intents'>): Shown =>
  pickSet({
    addOns: showAddOns(intent),
    billing: intent.billing,
    trialDays: intent.trialDays,
    setupFee: setupFee(intent),
    couponId: intent.couponId,
    promotionCodeId: intent.promotionCodeId,
  });

/** The add-ons and the trial of a subscription; nothing for a plain one. */
const showItems = (subscription: Row<'subscriptions'>): Shown =>
  subscription.addOns === null && subscription.trialEndsAt === null
    ? {}
    : pickSet({ addOns: showAddOns(subscription), trialEndsAt: subscription.trialEndsAt });

interface ActivityOptions<Name extends TracedTable> {
  /** Columns that are the books' own, or secret. */
  hidden?: (keyof Row<Name>)[];
  /** Columns that `make` turns into fields, which are shown instead of them. */
  parts?: (keyof Row<Name>)[];
  make?: (row: Row<Name>) => Shown;
}

function buildActivity<Name extends TracedTable>(
  name: Name,
  { hidden = [], parts = [], make = () => ({}) }: ActivityOptions<Name> = {},
): Activity<Name> {
  const hiddenColumns = new Set<string>(hidden as string[]);
  const excluded = new Set<string>([...hidden, ...parts] as string[]);
  const shownColumns = columnNames(name).filter((column) => !excluded.has(column));
  let mapColumns: ((row: object) => Shown) | undefined;
  const show = (row: Row<Name>): Shown => {
    mapColumns ??= compileObjectMapper(shownColumns.map((column) => ({ name: column })));
    return Object.assign(mapColumns(row), make(row));
  };
  const computeChanges: Activity<Name>['computeChanges'] = (changes, before) => {
    const shown: Record<string, [unknown, unknown]> = {};
    const compare = (field: string, was: unknown, is: unknown) => {
      if (!isSame(was, is)) shown[field] = [was, is];
    };
    if (Object.keys(changes).every((column) => hiddenColumns.has(column))) return shown;
    for (const column in changes) if (!excluded.has(column)) compare(column, before[column], changes[column]);
    if (!parts.some((column) => column in changes)) return shown;
    const [was, is] = [make(before), make({ ...before, ...changes })];
    // Fields of a price model come and go with the model: a missing one is null.
    for (const field in { ...was, ...is }) compare(field, was[field] ?? null, is[field] ?? null);
    return shown;
  };
  return { type: activityTypeByTable[name], show, computeChanges: computeChanges };
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null;

const isSame = (was: unknown, is: unknown) =>
  was === is || (isObject(was) && isObject(is) && JSON.stringify(was) === JSON.stringify(is));

/** The activity of each traced table. */
export const activities: { [Name in TracedTable]: Activity<Name> } = {
  tenants: buildActivity('tenants', {
    hidden: ['cursorSecret', 'hasWebhooks', 'discountsSince', 'invoiceItemsSince'],
    parts: ['changePolicy', 'trialEndWithoutMethod'],
    make: ({ changePolicy, trialEndWithoutMethod }) => pickSet({ changePolicy, trialEndWithoutMethod }),
  }),
  apiKeys: buildActivity('apiKeys', { hidden: ['secretHash'] }),
  customers: buildActivity('customers'),
  groups: buildActivity('groups', { hidden: ['nameLower'] }),
  products: buildActivity('products', { hidden: ['nameLower'] }),
  prices: buildActivity('prices', {
    parts: [
      'amountMinor',
      'currency',
      'frequency',
      'period',
      'executionDate',
      'pricing',
      'minQuantity',
      'maxQuantity',
      'nickname',
      'trialDays',
      'setupFeeMinor',
    ],
    make: (price) => ({
      recurring: recurring(price),
      details: details(price),
      ...priceModel(price),
      ...pickSet({ trialDays: price.trialDays, setupFee: setupFee(price) }),
    }),
  }),
  coupons: buildActivity('coupons', {
    parts: ['amountOffMinor', 'currency'],
    make: ({ amountOffMinor, currency }) => ({
      amountOff: amountOffMinor === null ? null : money(amountOffMinor, currency!),
    }),
  }),
  promotionCodes: buildActivity('promotionCodes', {
    hidden: ['activeCode'],
    parts: ['minimumAmountMinor', 'currency'],
    make: ({ minimumAmountMinor, currency }) => ({
      minimumAmount: minimumAmountMinor === null ? null : money(minimumAmountMinor, currency!),
    }),
  }),
  discounts: buildActivity('discounts', {
    parts: ['spentInvoiceId'],
    make: ({ spentInvoiceId }) => ({ usedBy: spentInvoiceId }),
  }),
  intents: buildActivity('intents', {
    hidden: [
      'requestHash',
      'dueMinor',
      'askedAt',
      'balanceMinor',
      'creditedLineId',
      'creditedMinor',
      'givenBackMinor',
      'credits',
      'discounts',
    ],
    parts: [
      'amountMinor',
      'currency',
      'frequency',
      'period',
      'executionDate',
      'quantity',
      'pricing',
      'addOns',
      'billing',
      'trialDays',
      'setupFeeMinor',
      'couponId',
      'promotionCodeId',
    ],
    make: (intent) => ({
      recurring: recurring(intent),
      price: money(intent.amountMinor, intent.currency),
      ...agreedModel(intent),
      ...showOrder(intent),
    }),
  }),
  subscriptions: buildActivity('subscriptions', {
    hidden: ['changingIntentId', 'openInvoiceId', 'claimedUntil', 'trialEndAnnouncedAt'],
    parts: ['amountMinor', 'currency', 'frequency', 'period', 'quantity', 'pricing', 'addOns', 'trialEndsAt'],
    make: (subscription) => ({
      recurring: { period: subscription.period, frequency: subscription.frequency },
      price: money(subscription.amountMinor, subscription.currency),
      ...agreedModel(subscription),
      ...showItems(subscription),
    }),
  }),
  invoices: buildActivity('invoices', {
    hidden: ['attempts', 'chargeStartedAt', 'chargeProvider', 'chargeMethod'],
    parts: ['totalMinor', 'refundedMinor', 'currency'],
    make: ({ totalMinor, refundedMinor, currency }) => ({
      total: money(totalMinor, currency),
      refunded: money(refundedMinor, currency),
    }),
  }),
  invoiceItems: buildActivity('invoiceItems', {
    hidden: ['explanation', 'creditedLineId', 'discounts', 'priceId'],
    parts: ['amountMinor', 'currency'],
    make: ({ amountMinor, currency }) => ({ price: money(amountMinor, currency) }),
  }),
  payments: buildActivity('payments', {
    hidden: ['toBalanceMinor'],
    parts: ['amountMinor', 'currency'],
    make: ({ amountMinor, currency }) => ({ price: money(amountMinor, currency) }),
  }),
  webhookEndpoints: buildActivity('webhookEndpoints', {
    hidden: ['secret', 'previousSecret', 'lastSequence'],
  }),
};
