import { toInstant } from '../../lib/time.ts';
import { parseCurrency, toMajor } from '../../lib/money.ts';
import { fromStripeAmount } from '../../providers/stripe/amounts.ts';
import { parseCsv } from './csv.ts';
import { addRows } from './csvRecords.ts';
import {
  parseBalances,
  listCustomerDiscounts,
  listCustomerLosses,
  listSubscriptionLosses,
} from './losses.ts';
import {
  findPriceObstacle,
  type StripeCustomer,
  type StripeExport,
  type StripePrice,
  type StripeSubscription,
} from './records.ts';

type Json = Record<string, any>;

/**
 * Reads one file exported from Stripe into `into`: a CSV of the dashboard, or JSON objects of the API (a list, an
 * array, or one per line). Throws an Error for any other content and for an empty file.
 */
export function readStripeFile(text: string, into: StripeExport): void {
  const begin = text.trimStart()[0];
  if (begin === undefined) throw new Error('The file is empty.');
  if (begin === '{' || begin === '[') for (const object of parseObjects(text, into)) addObject(object, into);
  else addRows(parseCsv(text), into);
}

/** Parses JSON text, or text with JSON on each line, into objects. Adds a note if a list has more pages. */
function parseObjects(text: string, into: StripeExport): Json[] {
  const whole = parseJson(text);
  const values =
    'value' in whole ? [whole.value] : text.split('\n').flatMap((line, index) => parseLine(line, index));
  const objects = values.flatMap((value) => unwrapList(value, into));
  if (objects.every((object) => typeof object === 'object' && object !== null)) return objects;
  throw new Error('The JSON holds something other than objects.');
}

function parseLine(line: string, index: number): unknown[] {
  if (line.trim() === '') return [];
  const parsed = parseJson(line);
  if ('value' in parsed) return [parsed.value];
  throw new Error(`The JSON cannot be read at line ${index + 1}: ${parsed.problem}.`);
}

function parseJson(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

function unwrapList(value: unknown, into: StripeExport): unknown[] {
  if (Array.isArray(value)) return value;
  const { object, data, has_more: hasMore } = (value ?? {}) as Json;
  if (object !== 'list') return [value];
  if (!Array.isArray(data)) throw new Error('A list has no data.');
  const note =
    'A list in the files has further pages at Stripe (has_more): import the files of those pages, too.';
  if (hasMore === true && !into.notes.includes(note)) into.notes.push(note);
  return data;
}

/** Returns the id of a reference: an id, or an expanded object. */
const getId = (value: unknown): string | null =>
  typeof value === 'string' ? value : ((value as { id?: string } | null | undefined)?.id ?? null);

/** Ended subscriptions, which are not imported, lack some timestamps. */
const parseTimestamp = (seconds: unknown) => (seconds === undefined ? '' : toInstant(Number(seconds) * 1000));

function addObject(object: Json, into: StripeExport): void {
  if (object['object'] === 'customer') into.customers.push(parseCustomer(object));
  else if (object['object'] === 'product') into.products.push(parseProduct(object));
  else if (object['object'] === 'price') into.prices.push(parsePrice(object));
  else if (object['object'] === 'subscription') into.subscriptions.push(parseSubscription(object));
  else
    throw new Error(
      `Stripe's ${String(object['object'] ?? 'object')} is not customer, product, price or subscription.`,
    );
}

const parseCustomer = (object: Json): StripeCustomer => {
  const { id, email, name, metadata, invoice_settings: settings, default_source: source } = object;
  return {
    id: String(id),
    email: String(email ?? ''),
    name: String(name ?? ''),
    metadata: (metadata ?? {}) as Record<string, string>,
    paymentMethod: getId(settings?.default_payment_method) ?? getId(source),
    balances: parseBalances(object),
    losses: listCustomerLosses(object),
    discount: listCustomerDiscounts(object),
  };
};

const parseProduct = ({ id, name, description, active }: Json) => ({
  id: String(id),
  name: String(name),
  description: String(description ?? ''),
  active: active !== false,
});

function parsePrice({
  id,
  product,
  unit_amount: amount,
  currency,
  recurring,
  billing_scheme: scheme,
  transform_quantity: transform,
  custom_unit_amount: custom,
}: Json): StripePrice {
  const code = parseCurrency(String(currency), 'currency');
  return {
    id: String(id),
    product: getId(product) ?? '',
    productName: '',
    amount: toMajor(fromStripeAmount(Number(amount ?? 0), code), code),
    currency: code,
    interval: String(recurring?.interval ?? ''),
    intervalCount: Number(recurring?.interval_count ?? 1),
    obstacle: transform
      ? 'divides its quantity'
      : custom
        ? 'is chosen by the payer'
        : findPriceObstacle(recurring?.interval, recurring?.usage_type, scheme, amount === null),
  };
}

function parseSubscription(object: Json): StripeSubscription {
  const items: Json[] = object['items']?.data ?? [];
  const [item] = items;
  // Since API version 2025-03-31 the item has the period.
  const periodStart = item?.['current_period_start'] ?? object['current_period_start'];
  const trialEnd = object['status'] === 'trialing' ? object['trial_end'] : null;
  const periodEnd = trialEnd || (item?.['current_period_end'] ?? object['current_period_end']);
  return {
    id: String(object['id']),
    customer: getId(object['customer']) ?? '',
    price: getId(item?.['price']) ?? '',
    quantity: Number(item?.['quantity'] ?? 1),
    status: String(object['status']),
    startedAt: parseTimestamp(object['start_date'] ?? object['created']),
    anchor: parseTimestamp(object['billing_cycle_anchor'] ?? periodEnd),
    periodStart: parseTimestamp(periodStart),
    periodEnd: parseTimestamp(periodEnd),
    cancelAtPeriodEnd: object['cancel_at_period_end'] === true,
    cancelAt: object['cancel_at'] ? parseTimestamp(object['cancel_at']) : null,
    trialEndsAt: trialEnd ? parseTimestamp(trialEnd) : null,
    metadata: (object['metadata'] ?? {}) as Record<string, string>,
    paymentMethod: getId(object['default_payment_method']) ?? getId(object['default_source']),
    losses: listSubscriptionLosses(object),
  };
}
