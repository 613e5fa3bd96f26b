import { parseDiscounts } from './discounts.ts';
import {
  listCustomerDiscounts,
  listCustomerLosses,
  listSubscriptionLosses,
  parseBalances,
} from './losses.ts';
import type { StripeCustomer, StripeItem, StripeProduct, StripeSubscription } from './records.ts';
import { parseTaxDetails } from './taxDetails.ts';
import {
  longestCode,
  parseList,
  parseObject,
  parseReference,
  parseText,
  parseTimestamp,
  parseWhole,
  type Json,
} from './values.ts';

/** Reads a customer of Stripe's API. Throws an Error for a field it cannot read. */
export function parseCustomer(object: Json): StripeCustomer {
  const settings = parseObject(object['invoice_settings'], 'invoice_settings');
  const { details, losses } = parseTaxDetails(object);
  return {
    id: String(object['id']),
    email: parseText(object['email'], 'email'),
    // `name` may be that of a business; `individual_name` is that of a person.
    name: parseText(object['individual_name'], 'individual_name') || parseText(object['name'], 'name'),
    metadata: parseObject(object['metadata'], 'metadata'),
    details,
    paymentMethod:
      parseReference(settings['default_payment_method'], 'invoice_settings.default_payment_method') ??
      parseReference(object['default_source'], 'default_source'),
    balances: parseBalances(object),
    discounts: parseDiscounts(object) ?? [],
    losses: [...listCustomerLosses(object), ...losses],
    discount: listCustomerDiscounts(object),
  };
}

/** Reads a product of Stripe's API. Throws an Error for a field it cannot read. */
export const parseProduct = (object: Json): StripeProduct => ({
  id: String(object['id']),
  name: parseText(object['name'], 'name'),
  description: parseText(object['description'], 'description'),
  active: object['active'] !== false,
  taxCode: parseReference(object['tax_code'], 'tax_code'),
});

/** Reads a subscription of Stripe's API. Throws an Error for a field it cannot read. */
export function parseSubscription(object: Json): StripeSubscription {
  const items = parseList(parseObject(object['items'], 'items')['data'], 'items.data');
  const [item = {}] = items;
  const status = parseText(object['status'], 'status', longestCode);
  // Since API version 2025-03-31 the item has the period.
  const findTime = (field: string) => parseOptionalTime(item[field] ?? object[field], field);
  const trialEndsAt =
    (status === 'trialing' ? parseOptionalTime(object['trial_end'], 'trial_end') : '') || null;
  const periodEnd = trialEndsAt ?? findTime('current_period_end');
  return {
    id: String(object['id']),
    customer: parseReference(object['customer'], 'customer') ?? '',
    items: items.map(parseItem),
    status,
    startedAt: parseOptionalTime(object['start_date'] ?? object['created'], 'start_date'),
    anchor: parseOptionalTime(object['billing_cycle_anchor'], 'billing_cycle_anchor') || periodEnd,
    periodStart: findTime('current_period_start'),
    periodEnd,
    cancelAtPeriodEnd: object['cancel_at_period_end'] === true,
    cancelAt: parseOptionalTime(object['cancel_at'], 'cancel_at') || null,
    trialEndsAt,
    metadata: parseObject(object['metadata'], 'metadata'),
    paymentMethod:
      parseReference(object['default_payment_method'], 'default_payment_method') ??
      parseReference(object['default_source'], 'default_source'),
    discounts: parseDiscounts(object) ?? [],
    losses: listSubscriptionLosses(object),
  };
}

const parseItem = (item: Json): StripeItem => ({
  price: parseReference(item['price'], 'items.price') ?? '',
  quantity: parseWhole(item['quantity'] ?? 1, 'items.quantity'),
  addedAt: parseOptionalTime(item['created'], 'items.created'),
});

/** Ended subscriptions, which are not imported, lack some timestamps. */
const parseOptionalTime = (seconds: unknown, field: string): string =>
  seconds === undefined || seconds === null ? '' : parseTimestamp(seconds, field);
