import { parseDiscounts } from './discounts.ts';
import { parseCurrency } from '../../lib/money.ts';
import { fromStripeAmount } from '../../providers/stripe/amounts.ts';
import { parseObject, parseText, parseWhole, shorten, type Json } from './values.ts';

/** A setting of a Stripe record that cannot be imported, with its field in Stripe's API. */
export interface Loss {
  kind: LossKind;
  field: string;
  why: string;
}

/** Losses that change the amount charged. The subscription stays with Stripe unless the operator accepts them. */
export const acceptableLosses = ['discount', 'tax'] as const;
/** Losses that change how a subscription is charged. The subscription always stays with Stripe. */
const blockingLosses = [
  'items',
  'collection',
  'pause',
  'schedule',
  'pending_update',
  'connect',
  'thresholds',
  'currency',
  'trial',
] as const;
/** Losses that do not change what a subscription is charged. The record is imported and the loss reported. */
const listedLosses = [
  'balance',
  'cash_balance',
  'trial_end_behavior',
  'setup',
  'address',
  'company_name',
  'locale',
  'tax_exempt',
  'tax_id',
  'tax_rate',
] as const;

type LossKind =
  (typeof acceptableLosses)[number] | (typeof blockingLosses)[number] | (typeof listedLosses)[number];

/** Whether a record can be imported despite a loss. */
export const isTolerable = ({ kind }: Loss, accepted: readonly string[]): boolean =>
  (listedLosses as readonly string[]).includes(kind) || accepted.includes(kind);

const isFilled = (value: unknown) => Array.isArray(value) && value.length > 0;

const haveOnePeriod = (items: Json[]) =>
  ['current_period_start', 'current_period_end'].every(
    (field) => new Set(items.map((item) => item[field] as unknown)).size <= 1,
  );

// Tax of subscriptions at Stripe, and what decides it here.
const hasTaxRates = "has tax rates (here the rates of its customer's place apply)";
const hasItemRates = 'has tax rates of its items (here the tax codes of their products decide)';
const isTaxedAutomatically =
  'is taxed automatically (here the address and the tax ids of its customer decide)';
const isTaxedByPercentage = "is taxed by a percentage (here the rates of its customer's place apply)";

/** Lists the settings of a subscription in Stripe's API that cannot be imported. */
export function listSubscriptionLosses(object: Json): Loss[] {
  const items: Json[] = object['items']?.data ?? [];
  const found: [condition: unknown, kind: LossKind, field: string, why: string][] = [
    [object['items']?.has_more === true, 'items', 'items', 'has more items than the file'],
    [!haveOnePeriod(items), 'items', 'items', 'has items with different periods'],
    [
      isFilled(object['add_invoice_items']),
      'setup',
      'add_invoice_items',
      'began with one-off charges, which are not charged here',
    ],
    [!parseDiscounts(object), 'discount', 'discounts', 'has a discount'],
    [items.some((item) => isFilled(item['discounts'])), 'discount', 'items.discounts', 'has a discount'],
    [isFilled(object['default_tax_rates']), 'tax', 'default_tax_rates', hasTaxRates],
    [items.some((item) => isFilled(item['tax_rates'])), 'tax', 'items.tax_rates', hasItemRates],
    [object['automatic_tax']?.enabled === true, 'tax', 'automatic_tax', isTaxedAutomatically],
    [Number(object['tax_percent'] ?? 0) > 0, 'tax', 'tax_percent', isTaxedByPercentage],
    [
      object['collection_method'] === 'send_invoice',
      'collection',
      'collection_method',
      'is paid by invoices that are sent',
    ],
    [
      object['managed_payments']?.enabled === true,
      'collection',
      'managed_payments',
      'is sold by Stripe itself',
    ],
    [object['pause_collection'], 'pause', 'pause_collection', 'is paused'],
    [object['schedule'], 'schedule', 'schedule', 'has a schedule'],
    [isFilled(object['billing_schedules']), 'schedule', 'billing_schedules', 'has a billing schedule'],
    [object['pending_update'], 'pending_update', 'pending_update', 'has a pending update'],
    [object['application_fee_percent'], 'connect', 'application_fee_percent', 'pays an application fee'],
    [object['transfer_data'], 'connect', 'transfer_data', 'transfers its money to another account'],
    [object['on_behalf_of'], 'connect', 'on_behalf_of', 'is charged on behalf of another account'],
    [object['billing_thresholds'], 'thresholds', 'billing_thresholds', 'is billed at thresholds'],
    [
      object['pending_invoice_item_interval'],
      'thresholds',
      'pending_invoice_item_interval',
      'is billed for invoice items between its dates',
    ],
    [
      object['presentment_details'],
      'currency',
      'presentment_details',
      'is paid in another currency than its price',
    ],
    [items.some((item) => item['current_trial']), 'trial', 'items.current_trial', 'has a trial of its item'],
    [
      object['status'] === 'trialing' && object['trial_settings'],
      'trial_end_behavior',
      'trial_settings',
      'has its own rule for a trial that ends without a payment method; here the setting `trialEndWithoutMethod` applies',
    ],
  ];
  return found.flatMap(([condition, kind, field, why]) => (condition ? [{ kind, field, why }] : []));
}

/** A customer's balance with Stripe in a currency, in ISO 4217 minor units; negative for a debt. */
export interface StripeBalance {
  currency: string;
  creditMinor: bigint;
}

/**
 * Reads the balances of a customer. In Stripe's API, `balance` is negative for credit; `invoice_credit_balance`, which
 * has all currencies, is positive for credit (https://docs.stripe.com/api/customers/object).
 */
export function parseBalances(object: Json): StripeBalance[] {
  const all = parseObject(object['invoice_credit_balance'], 'invoice_credit_balance');
  const balances = Object.entries(all).map(([currency, amount]) => ({
    currency: parseCurrency(currency, 'invoice_credit_balance'),
    amount: parseWhole(amount, `invoice_credit_balance.${currency}`),
  }));
  if (balances.length === 0 && object['balance'] && object['currency'])
    balances.push({
      currency: parseCurrency(parseText(object['currency'], 'currency'), 'currency'),
      amount: -parseWhole(object['balance'], 'balance'),
    });
  return balances
    .filter(({ amount }) => amount !== 0)
    .map(({ currency, amount }) => ({ currency, creditMinor: fromStripeAmount(amount, currency) }));
}

/** Lists the settings of a customer in Stripe's API that cannot be imported, except balances. */
export function listCustomerLosses(object: Json): Loss[] {
  const losses: Loss[] = [];
  const cash = parseObject(
    parseObject(object['cash_balance'], 'cash_balance')['available'],
    'cash_balance.available',
  );
  for (const [currency, amount] of Object.entries(cash)) {
    if (amount === 0) continue;
    const smallestUnits = parseWhole(amount, `cash_balance.available.${currency}`);
    const why = `has cash of ${smallestUnits} ${shorten(currency)} (smallest unit) at Stripe`;
    losses.push({ kind: 'cash_balance', field: 'cash_balance', why });
  }
  if (
    object['balance'] &&
    !object['currency'] &&
    Object.keys(object['invoice_credit_balance'] ?? {}).length === 0
  ) {
    const why = `has a balance of ${parseWhole(object['balance'], 'balance')} without a currency`;
    losses.push({ kind: 'balance', field: 'balance', why });
  }
  return losses;
}

/** Lists the discount of a customer if it cannot be imported; it applies to all their subscriptions. */
export const listCustomerDiscounts = (object: Json): Loss[] =>
  !parseDiscounts(object)
    ? [{ kind: 'discount', field: 'customer.discount', why: 'belongs to a customer with a discount' }]
    : [];

/** Lists the losses visible in a row of Stripe's subscription CSV. */
export function listRowLosses(row: Record<string, string>): Loss[] {
  const isSet = (name: string) => !['', '0', '0.0', '0.00'].includes(row[name] ?? '');
  const sends = /send/i.test(row['Collection Method'] ?? '');
  const found: [boolean, LossKind, string, string][] = [
    [isSet('Coupon') || isSet('Discount'), 'discount', 'Coupon', 'has a discount'],
    [isSet('Tax Percent'), 'tax', 'Tax Percent', isTaxedByPercentage],
    [isSet('Application Fee Percent'), 'connect', 'Application Fee Percent', 'pays an application fee'],
    [sends, 'collection', 'Collection Method', 'is paid by invoices that are sent'],
  ];
  return found.flatMap(([condition, kind, field, why]) => (condition ? [{ kind, field, why }] : []));
}

/** A warning for every subscription CSV: the information that it lacks. */
export const csvNote =
  'CSV says nothing of tiers, addresses, tax ids, tax rates, schedules, pauses, several items and payment methods, and not always of discounts and balances: export JSON to see them.';
