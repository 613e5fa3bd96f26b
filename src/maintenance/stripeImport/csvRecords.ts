import { toInstant } from '../../lib/time.ts';
import { parseCurrency, toMinor } from '../../lib/money.ts';
import { listRowLosses, csvNote, type StripeBalance } from './losses.ts';
import {
  findPriceObstacle,
  type StripeCustomer,
  type StripeExport,
  type StripePrice,
  type StripeProduct,
  type StripeSubscription,
} from './records.ts';

/**
 * Parses the rows of a CSV file from Stripe's dashboard and adds them to `into`. Throws an Error for unknown columns.
 */
export function addRows(rows: Record<string, string>[], into: StripeExport): void {
  const [first] = rows;
  if (!first) throw new Error('The CSV has a heading at most, and no rows.');
  if ('Price ID' in first) into.prices.push(...rows.map(parsePrice));
  else if ('Current Period End (UTC)' in first) {
    into.subscriptions.push(...rows.map(parseSubscription));
    if (!into.notes.includes(csvNote)) into.notes.push(csvNote);
  } else if ('Email' in first) into.customers.push(...rows.map(parseCustomer));
  else if ('Name' in first && 'id' in first) into.products.push(...rows.map(parseProduct));
  else
    throw new Error(`No export of Stripe has the columns ${Object.keys(first).slice(0, 5).join(', ')}, ….`);
}

const parseMetadata = (row: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(row)
      .filter(([name, value]) => name.endsWith(' (metadata)') && value !== '')
      .map(([name, value]) => [name.slice(0, -' (metadata)'.length), value]),
  );

const parseCustomer = (row: Record<string, string>): StripeCustomer => ({
  id: row['id'] ?? '',
  email: row['Email'] ?? '',
  name: row['Name'] ?? '',
  metadata: parseMetadata(row),
  paymentMethod: row['Default Source'] || row['Card ID'] || null,
  balances: parseBalance(row),
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
});

/** CSV amounts are in major units, with the decimal separator of the account's language. */
function parseAmount(text: string): number {
  if (!/^\d+([.,]\d{1,3})?$/.test(text)) throw new Error(`${JSON.stringify(text)} is not an amount.`);
  return Number(text.replace(',', '.'));
}

function parsePrice(row: Record<string, string>): StripePrice {
  const currency = parseCurrency(row['Currency'] ?? '', 'currency');
  const obstacle = findPriceObstacle(
    row['Interval'],
    row['Usage Type'],
    row['Billing Scheme'],
    row['Amount'] === '',
  );
  const amount = obstacle ? 0 : parseAmount(row['Amount'] ?? '');
  toMinor(amount, currency, 'Amount');
  return {
    id: row['Price ID'] ?? '',
    product: row['Product ID'] ?? '',
    productName: row['Product Name'] ?? '',
    amount,
    currency,
    interval: row['Interval'] ?? '',
    intervalCount: Number(row['Interval Count'] || 1),
    obstacle,
  };
}

/** Parses `2025-03-19 05:57`, with or without seconds, in UTC. */
function parseUtc(text: string | undefined): string {
  const found = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?/.exec(text ?? '');
  if (!found) throw new Error(`${JSON.stringify(text)} is not a date in Stripe's format.`);
  return toInstant(Date.parse(`${found[1]}T${found[2]}${found[3] ?? ':00'}Z`));
}

function parseSubscription(row: Record<string, string>): StripeSubscription {
  const isRunning = row['Status'] === 'active' || row['Status'] === 'trialing';
  // Ended subscriptions may lack dates; they are not imported.
  const trialEnd = row['Status'] === 'trialing' ? row['Trial End (UTC)'] : undefined;
  const periodEnd = isRunning ? parseUtc(trialEnd || row['Current Period End (UTC)']) : '';
  const startedAt = isRunning ? parseUtc(row['Start Date (UTC)'] || row['Start (UTC)']) : '';
  return {
    id: row['id'] ?? '',
    customer: row['Customer ID'] ?? '',
    price: row['Plan'] ?? '',
    quantity: Number(row['Quantity'] || 1),
    status: row['Status'] ?? '',
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
    losses: listRowLosses(row),
  };
}
