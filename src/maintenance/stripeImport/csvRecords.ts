import { toInstant } from '../../lib/time.ts';
import { formatDecimal } from '../../lib/decimal.ts';
import { decimalFromMinor, parseCurrency, toMinor } from '../../lib/money.ts';
import { listRowLosses, csvNote, type StripeBalance } from './losses.ts';
import { parseCardColumns } from './paymentMethods.ts';
import {
  findPriceObstacle,
  parseTaxBehavior,
  type StripeCustomer,
  type StripeExport,
  type StripePrice,
  type StripeProduct,
  type StripeSubscription,
} from './records.ts';
import {
  expectedForm,
  longestCode,
  parseReference,
  parseText,
  parseWhole,
  readRecord,
  shorten,
} from './values.ts';

/**
 * Parses the rows of a CSV file from Stripe's dashboard and adds them to `into`. Throws an Error for unknown columns,
 * and one that names the record for a value it cannot read.
 */
export function addRows(rows: Record<string, string>[], into: StripeExport): void {
  const [first] = rows;
  if (!first) throw new Error(`The CSV file has no rows. ${expectedForm}`);
  if ('Price ID' in first) {
    for (const row of rows) into.prices.push(readRecord('price', row['Price ID'], () => parsePrice(row)));
  } else if ('Current Period End (UTC)' in first) {
    for (const row of rows)
      into.subscriptions.push(readRecord('subscription', row['id'], () => parseSubscription(row)));
    if (!into.notes.includes(csvNote)) into.notes.push(csvNote);
  } else if ('Email' in first) {
    for (const row of rows) readRecord('customer', row['id'], () => addCustomer(row, into));
  } else if ('Name' in first && 'id' in first) {
    for (const row of rows) into.products.push(readRecord('product', row['id'], () => parseProduct(row)));
  } else {
    const columns = Object.keys(first).slice(0, 5).map(shorten);
    throw new Error(`No export of Stripe has the columns ${columns.join(', ')}, …. ${expectedForm}`);
  }
}

const parseMetadata = (row: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(row)
      .filter(([name, value]) => name.endsWith(' (metadata)') && value !== '')
      .map(([name, value]) => [name.slice(0, -' (metadata)'.length), value]),
  );

function addCustomer(row: Record<string, string>, into: StripeExport): void {
  into.customers.push(parseCustomer(row));
  into.methods.push(...parseCardColumns(row));
}

const parseCustomer = (row: Record<string, string>): StripeCustomer => ({
  id: row['id'] ?? '',
  email: row['Email'] ?? '',
  name: row['Name'] ?? '',
  metadata: parseMetadata(row),
  details: {},
  paymentMethod: parseReference(row['Default Source'] || row['Card ID'], 'Default Source'),
  balances: parseBalance(row),
  discounts: [],
  losses: [],
  discount: [],
});

/** `Account Balance` is in major units, negative for credit. */
function parseBalance(row: Record<string, string>): StripeBalance[] {
  const [text, currency] = [row['Account Balance'] ?? '', (row['Currency'] ?? '').toLowerCase()];
  if (text === '' || currency === '') return [];
  const amountMinor = toMinor(parseAmount(text.replace(/^-/, '')), currency, 'Account Balance');
  if (amountMinor === 0n) return [];
  return [{ currency, creditMinor: text.startsWith('-') ? amountMinor : -amountMinor }];
}

const parseProduct = (row: Record<string, string>): StripeProduct => ({
  id: row['id'] ?? '',
  name: row['Name'] ?? '',
  description: row['Description'] ?? '',
  active: row['Active'] !== 'false',
  taxCode: parseReference(row['Tax Code'], 'Tax Code'),
});

/** CSV amounts are in major units, with the decimal separator of the account's language. */
function parseAmount(text: string): number {
  if (!/^\d+([.,]\d{1,3})?$/.test(text)) throw new Error(`${JSON.stringify(shorten(text))} is not an amount`);
  return Number(text.replace(',', '.'));
}

function parsePrice(row: Record<string, string>): StripePrice {
  const currency = parseCurrency(row['Currency'] ?? '', 'Currency');
  const head = {
    id: row['Price ID'] ?? '',
    active: row['Active'] !== 'false',
    product: parseReference(row['Product ID'], 'Product ID') ?? '',
    productName: row['Product Name'] ?? '',
    productTaxCode: parseReference(row['Product Tax Code'], 'Product Tax Code'),
    currency,
    interval: parseText(row['Interval'], 'Interval', longestCode),
    intervalCount: parseWhole(row['Interval Count'] || 1, 'Interval Count'),
    trialDays: parseWhole(row['Trial Period Days'] || 0, 'Trial Period Days') || null,
    taxBehavior: parseTaxBehavior(row['Tax Behavior'], 'Tax Behavior'),
  };
  const obstacle =
    findPriceObstacle(head.interval, row['Usage Type']) ??
    (row['Billing Scheme'] === 'tiered' ? 'has tiers, which only JSON has' : undefined) ??
    (row['Amount'] === '' ? 'has fractions of the smallest unit, which only JSON has' : undefined);
  if (obstacle !== undefined) return { ...head, obstacle };
  const amountMinor = toMinor(parseAmount(row['Amount'] ?? ''), currency, 'Amount');
  const unitAmount = formatDecimal(decimalFromMinor(amountMinor, currency));
  return { ...head, pricing: { model: 'per_unit', unitAmount } };
}

/** Parses `2025-03-19 05:57`, with or without seconds, in UTC. */
function parseUtc(text: string | undefined): string {
  const found = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?/.exec(text ?? '');
  const ms = found ? Date.parse(`${found[1]}T${found[2]}${found[3] ?? ':00'}Z`) : Number.NaN;
  if (!Number.isNaN(ms)) return toInstant(ms);
  throw new Error(`${JSON.stringify(shorten(text ?? ''))} is not a date in Stripe's format`);
}

function parseSubscription(row: Record<string, string>): StripeSubscription {
  const isRunning = row['Status'] === 'active' || row['Status'] === 'trialing';
  // Ended subscriptions may lack dates; they are not imported.
  const trialEnd = row['Status'] === 'trialing' ? row['Trial End (UTC)'] : undefined;
  const periodEnd = isRunning ? parseUtc(trialEnd || row['Current Period End (UTC)']) : '';
  const startedAt = isRunning ? parseUtc(row['Start Date (UTC)'] || row['Start (UTC)']) : '';
  return {
    id: row['id'] ?? '',
    customer: parseReference(row['Customer ID'], 'Customer ID') ?? '',
    items: [
      {
        price: parseReference(row['Plan'], 'Plan') ?? '',
        quantity: parseWhole(row['Quantity'] || 1, 'Quantity'),
        addedAt: '',
      },
    ],
    status: parseText(row['Status'], 'Status', longestCode),
    startedAt,
    // The CSV has no anchor. If the cycles from the start do not meet the next billing date, `computeAnchor` uses that
    // date.
    anchor: startedAt,
    periodStart: isRunning ? parseUtc(row['Current Period Start (UTC)']) : '',
    periodEnd,
    cancelAtPeriodEnd: row['Cancel At Period End'] === 'true',
    trialEndsAt: trialEnd ? periodEnd : null,
    cancelAt: row['Cancel At (UTC)'] ? parseUtc(row['Cancel At (UTC)']) : null,
    metadata: parseMetadata(row),
    paymentMethod: null,
    discounts: [],
    losses: listRowLosses(row),
  };
}
