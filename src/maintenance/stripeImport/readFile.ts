import { BillingError } from '../../lib/errors.ts';
import { parseCurrency, toMajor } from '../../lib/money.ts';
import { fromStripeAmount } from '../../providers/stripe/amounts.ts';
import { parseCsv } from './csv.ts';
import { addRows } from './csvRecords.ts';
import { parseDiscounts } from './discounts.ts';
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
import { parseTimestamp, parseWhole } from './values.ts';

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
const parseOptionalTime = (seconds: unknown, field: string) =>
  seconds === undefined ? '' : parseTimestamp(seconds, field);

const adders: Record<string, (object: Json, into: StripeExport) => void> = {
  customer: (object, into) => into.customers.push(parseCustomer(object)),
  product: (object, into) => into.products.push(parseProduct(object)),
  price: (object, into) => into.prices.push(parsePrice(object)),
  subscription: (object, into) => into.subscriptions.push(parseSubscription(object)),
};

/** Adds an object of the API. Throws an Error that names the object if it has no id or a field cannot be read. */
function addObject(object: Json, into: StripeExport): void {
  const kind = String(object['object'] ?? 'object');
  const add = Object.hasOwn(adders, kind) ? adders[kind]! : undefined;
  if (!add) throw new Error(`Stripe's ${kind} is not customer, product, price or subscription.`);
  const { id } = object;
  if (typeof id !== 'string' || id === '') throw new Error(`A ${kind} has no id.`);
  try {
    add(object, into);
  } catch (error) {
    throw new Error(`The ${kind} ${id} cannot be read: ${describeProblem(error)}.`, { cause: error });
  }
}

const describeProblem = (error: unknown) =>
  error instanceof BillingError
    ? error.issues.map(({ path, message }) => `${path} ${message}`).join('; ')
    : (error as Error).message;

const parseCustomer = (object: Json): StripeCustomer => {
  const { id, email, name, metadata, invoice_settings: settings, default_source: source } = object;
  return {
    id: String(id),
    email: String(email ?? ''),
    name: String(name ?? ''),
    metadata: (metadata ?? {}) as Record<string, string>,
    paymentMethod: getId(settings?.default_payment_method) ?? getId(source),
    balances: parseBalances(object),
    discounts: parseDiscounts(object) ?? [],
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
    amount: toMajor(fromStripeAmount(parseWhole(amount ?? 0, 'unit_amount'), code), code),
    currency: code,
    interval: String(recurring?.interval ?? ''),
    intervalCount: parseWhole(recurring?.interval_count ?? 1, 'recurring.interval_count'),
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
    quantity: parseWhole(item?.['quantity'] ?? 1, 'items.quantity'),
    status: String(object['status']),
    startedAt: parseOptionalTime(object['start_date'] ?? object['created'], 'start_date'),
    anchor: parseOptionalTime(object['billing_cycle_anchor'] ?? periodEnd, 'billing_cycle_anchor'),
    periodStart: parseOptionalTime(periodStart, 'current_period_start'),
    periodEnd: parseOptionalTime(periodEnd, 'current_period_end'),
    cancelAtPeriodEnd: object['cancel_at_period_end'] === true,
    cancelAt: object['cancel_at'] ? parseTimestamp(object['cancel_at'], 'cancel_at') : null,
    trialEndsAt: trialEnd ? parseTimestamp(trialEnd, 'trial_end') : null,
    metadata: (object['metadata'] ?? {}) as Record<string, string>,
    paymentMethod: getId(object['default_payment_method']) ?? getId(object['default_source']),
    discounts: parseDiscounts(object) ?? [],
    losses: listSubscriptionLosses(object),
  };
}
