import { toInstant } from '../../instants.ts';
import { currencyOf, toMajor, toMinor } from '../../money.ts';
import { fromStripeAmount } from '../../payments/stripeAmounts.ts';
import { rowsOfCsv } from './csv.ts';

export interface StripeCustomer {
  id: string;
  email: string;
  name: string;
  metadata: Record<string, string>;
  paymentMethod: string | null;
}

interface StripeProduct {
  id: string;
  name: string;
  description: string;
  active: boolean;
}

export interface StripePrice {
  id: string;
  product: string;
  productName: string;
  /** In major units. */
  amount: number;
  currency: string;
  interval: string;
  intervalCount: number;
  /** Why it cannot be brought here; undefined where it can. */
  hindrance?: string;
}

export interface StripeSubscription {
  id: string;
  customer: string;
  price: string;
  quantity: number;
  status: string;
  startedAt: string;
  anchor: string;
  periodStart: string;
  periodEnd: string;
  cancelAtPeriodEnd: boolean;
  paymentMethod: string | null;
  hindrance?: string;
}

/** What Stripe's files hold. */
export interface StripeExport {
  customers: StripeCustomer[];
  products: StripeProduct[];
  prices: StripePrice[];
  subscriptions: StripeSubscription[];
}

type Json = Record<string, any>;

/**
 * Reads one file that Stripe exported: the CSV of its dashboard, or objects of its interface as JSON (a list, an
 * array, or one on each line). Throws an Error for what is neither.
 */
export function readStripeFile(text: string, into: StripeExport): void {
  const begin = text.trimStart()[0];
  if (begin === '{' || begin === '[') for (const object of objectsIn(text)) takeObject(object, into);
  else takeRows(rowsOfCsv(text), into);
}

function objectsIn(text: string): Json[] {
  try {
    const value = JSON.parse(text) as Json;
    return (Array.isArray(value) ? value : value['object'] === 'list' ? value['data'] : [value]) as Json[];
  } catch {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    return lines.flatMap((line) => objectsIn(line));
  }
}

/** An id, also where the object itself stands in its place. */
const idOf = (value: unknown): string | null =>
  typeof value === 'string' ? value : ((value as { id?: string } | null | undefined)?.id ?? null);

/** Of what has ended, and is not brought here, some instants are missing. */
const instant = (seconds: unknown) => (seconds === undefined ? '' : toInstant(Number(seconds) * 1000));

function takeObject(object: Json, into: StripeExport): void {
  if (object['object'] === 'customer') into.customers.push(customerOf(object));
  else if (object['object'] === 'product') into.products.push(productOf(object));
  else if (object['object'] === 'price') into.prices.push(priceOf(object));
  else if (object['object'] === 'subscription') into.subscriptions.push(subscriptionOf(object));
  else
    throw new Error(`Stripe's ${String(object['object'])} is not customer, product, price or subscription.`);
}

const customerOf = ({
  id,
  email,
  name,
  metadata,
  invoice_settings: settings,
  default_source: source,
}: Json) => ({
  id: String(id),
  email: String(email ?? ''),
  name: String(name ?? ''),
  metadata: (metadata ?? {}) as Record<string, string>,
  paymentMethod: idOf(settings?.default_payment_method) ?? idOf(source),
});

const productOf = ({ id, name, description, active }: Json) => ({
  id: String(id),
  name: String(name),
  description: String(description ?? ''),
  active: active !== false,
});

function priceOf({
  id,
  product,
  unit_amount: amount,
  currency,
  recurring,
  billing_scheme: scheme,
}: Json): StripePrice {
  const code = currencyOf(String(currency), 'currency');
  return {
    id: String(id),
    product: idOf(product) ?? '',
    productName: '',
    amount: toMajor(fromStripeAmount(Number(amount ?? 0), code), code),
    currency: code,
    interval: String(recurring?.interval ?? ''),
    intervalCount: Number(recurring?.interval_count ?? 1),
    hindrance: hindranceOf(recurring?.interval, recurring?.usage_type, scheme, amount === null),
  };
}

/** Why a price has nothing to stand for it here. */
function hindranceOf(
  interval: unknown,
  usage: unknown,
  scheme: unknown,
  isFraction: boolean,
): string | undefined {
  if (!interval) return 'is charged once, and not by subscription';
  if (usage === 'metered') return 'is charged by use';
  if (scheme === 'tiered') return 'has tiers';
  return isFraction ? 'has fractions of the smallest unit' : undefined;
}

function subscriptionOf(object: Json): StripeSubscription {
  const items: Json[] = object['items']?.data ?? [];
  const [item] = items;
  // Since 2025-03-31 the period is the item's.
  const periodStart = item?.['current_period_start'] ?? object['current_period_start'];
  const periodEnd = item?.['current_period_end'] ?? object['current_period_end'];
  const discounts = [
    object['discount'],
    ...(object['discounts'] ?? []),
    ...(item?.['discounts'] ?? []),
  ].filter(Boolean);
  const hindrances = [
    items.length > 1 && 'has several items',
    discounts.length > 0 && 'has a discount',
    object['collection_method'] === 'send_invoice' && 'is paid by invoices that are sent',
    object['pause_collection'] && 'is paused',
    object['schedule'] && 'has a schedule',
  ];
  return {
    id: String(object['id']),
    customer: idOf(object['customer']) ?? '',
    price: idOf(item?.['price']) ?? '',
    quantity: Number(item?.['quantity'] ?? 1),
    status: String(object['status']),
    startedAt: instant(object['start_date'] ?? object['created']),
    anchor: instant(object['billing_cycle_anchor'] ?? periodEnd),
    periodStart: instant(periodStart),
    periodEnd: instant(periodEnd),
    cancelAtPeriodEnd: object['cancel_at_period_end'] === true,
    paymentMethod: idOf(object['default_payment_method']),
    hindrance: hindrances.find((each) => typeof each === 'string'),
  };
}

function takeRows(rows: Record<string, string>[], into: StripeExport): void {
  const [first] = rows;
  if (!first) return;
  if ('Price ID' in first) into.prices.push(...rows.map(priceOfRow));
  else if ('Current Period End (UTC)' in first) into.subscriptions.push(...rows.map(subscriptionOfRow));
  else if ('Email' in first) into.customers.push(...rows.map(customerOfRow));
  else if ('Name' in first && 'id' in first) into.products.push(...rows.map(productOfRow));
  else
    throw new Error(`No export of Stripe has the columns ${Object.keys(first).slice(0, 5).join(', ')}, ….`);
}

const metadataOf = (row: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(row)
      .filter(([name, value]) => name.endsWith(' (metadata)') && value !== '')
      .map(([name, value]) => [name.slice(0, -' (metadata)'.length), value]),
  );

const customerOfRow = (row: Record<string, string>): StripeCustomer => ({
  id: row['id'] ?? '',
  email: row['Email'] ?? '',
  name: row['Name'] ?? '',
  metadata: metadataOf(row),
  paymentMethod: row['Default Source'] || row['Card ID'] || null,
});

const productOfRow = (row: Record<string, string>): StripeProduct => ({
  id: row['id'] ?? '',
  name: row['Name'] ?? '',
  description: row['Description'] ?? '',
  active: row['Active'] !== 'false',
});

/** Amounts in CSV are in major units, with the decimal sign of the account's language. */
function amountOf(text: string): number {
  if (!/^\d+([.,]\d{1,3})?$/.test(text)) throw new Error(`${JSON.stringify(text)} is no amount.`);
  return Number(text.replace(',', '.'));
}

function priceOfRow(row: Record<string, string>): StripePrice {
  const currency = currencyOf(row['Currency'] ?? '', 'currency');
  const hindrance = hindranceOf(
    row['Interval'],
    row['Usage Type'],
    row['Billing Scheme'],
    row['Amount'] === '',
  );
  const amount = hindrance ? 0 : amountOf(row['Amount'] ?? '');
  toMinor(amount, currency, 'Amount');
  return {
    id: row['Price ID'] ?? '',
    product: row['Product ID'] ?? '',
    productName: row['Product Name'] ?? '',
    amount,
    currency,
    interval: row['Interval'] ?? '',
    intervalCount: Number(row['Interval Count'] || 1),
    hindrance,
  };
}

/** `2025-03-19 05:57` or with seconds, in UTC. */
function utc(text: string | undefined): string {
  const found = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?/.exec(text ?? '');
  if (!found) throw new Error(`${JSON.stringify(text)} is no date of Stripe.`);
  return toInstant(Date.parse(`${found[1]}T${found[2]}${found[3] ?? ':00'}Z`));
}

function subscriptionOfRow(row: Record<string, string>): StripeSubscription {
  const isRunning = row['Status'] === 'active' || row['Status'] === 'trialing';
  // What has ended may lack its dates, and is not brought here anyway.
  const periodEnd = isRunning
    ? utc(
        row['Trial End (UTC)'] && row['Status'] === 'trialing'
          ? row['Trial End (UTC)']
          : row['Current Period End (UTC)'],
      )
    : '';
  const startedAt = isRunning ? utc(row['Start Date (UTC)'] || row['Start (UTC)']) : '';
  return {
    id: row['id'] ?? '',
    customer: row['Customer ID'] ?? '',
    price: row['Plan'] ?? '',
    quantity: Number(row['Quantity'] || 1),
    status: row['Status'] ?? '',
    startedAt,
    // The CSV does not tell the anchor: where the start is none, the next date will be.
    anchor: startedAt,
    periodStart: isRunning ? utc(row['Current Period Start (UTC)']) : '',
    periodEnd,
    cancelAtPeriodEnd: row['Cancel At Period End'] === 'true',
    paymentMethod: null,
    hindrance: undefined,
  };
}
