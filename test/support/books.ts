import { expect } from 'vitest';
import { openTenant } from '../../src/tenancy/openTenant.ts';
import { findTenant } from '../../src/tenancy/tenants.ts';
import type { Client, TestApp } from './app.ts';
import { performer, type Perform } from './scenario.ts';
import { createShop, type Shop } from './shop.ts';

/** A test tenant and its books: advances its clock and reads its invoices as short text for tables. */
export interface Books {
  alias: string;
  client: Client;
  shop: Shop;
  perform: Perform;
  /** Advances the tenant's clock. Returns its time. */
  advance: (to: string) => Promise<string>;
  /** Creates a price of a new product: an amount in AFN, monthly by default. */
  plan(amount: number, fields?: object): Promise<any>;
  /** Creates and pays an intent, which starts or changes a subscription. Returns the subscription's id. */
  subscribe(customer: any, price: any, method?: string, fields?: object): Promise<string>;
  subscription(id: string): Promise<any>;
  /** Every invoice of a subscription, oldest first, each proved to add up. */
  invoices(subscriptionId?: string): Promise<any[]>;
  /** `2026-01-31 paid 50`: date of issue, status and total of each invoice. */
  bills(subscriptionId?: string): Promise<string[]>;
  /** `cycle 50 2026-01-31/2026-02-28`: every line of every invoice. */
  lines(subscriptionId?: string): Promise<string[]>;
  /** `2026-01-31 charge failed 50`: every try to move money for a subscription. */
  tries(subscriptionId: string): Promise<string[]>;
  /** `2026-03-01 50`: date and total of each forecast charge. */
  forecast(subscriptionId: string, until: string): Promise<string[]>;
  /** The remaining credits of a customer, oldest first, in minor units. */
  credits(customer: any): Promise<bigint[]>;
  run(mutation: string, id: string): Promise<any>;
}

const subscriptionFields = `id status productName billedCount firstBillingDate nextBillingDate currentPeriodStart
  currentPeriodEnd cancelAtPeriodEnd pastDueSince pausedAt dueAt parkedReason cancelledAt agreedPrice { amount currency }`;
const lineFields =
  'kind description amount { amount currency } discounts { amount { decimal } } creditGrants { amount { decimal } } periodStart periodEnd explanation';
const subscriptionDocument = `query ($id: ID!) { subscription(id: $id) { ${subscriptionFields} } }`;
const invoicesDocument = `query ($id: ID, $after: String) {
  invoices(subscriptionId: $id, first: 100, after: $after, order: ASC) { nextCursor nodes {
    id number status billingReason subscriptionId createdAt paidAt total { amount currency } refunded { amount }
    lines { ${lineFields} }
  } }
}`;
const forecastDocument = `query ($id: ID!, $until: DateTime!) {
  forecast(subscriptionId: $id, until: $until) { date total { amount currency } lines { ${lineFields} } }
}`;

let lastTenant = 0;

/** Creates a test tenant whose clock begins at `clock`. */
export async function openBooks(app: TestApp, clock: string, timezone = 'UTC'): Promise<Books> {
  const alias = `books-${++lastTenant}`;
  const client = await app.tenant({ alias, timezone, test: true, clock });
  const shop = createShop(client, alias);
  const { committed } = app.service.store;

  const invoices = async (id?: string) => {
    const found: any[] = [];
    for (let after: string | null | undefined; after !== null;) {
      const { nodes, nextCursor } = (await client.graphql(invoicesDocument, { id, after })).invoices;
      found.push(...nodes);
      after = nextCursor;
    }
    for (const each of found) expectToAddUp(each);
    return found;
  };
  const forecast = async (id: string, until: string) => {
    const charges = (await client.graphql(forecastDocument, { id, until })).forecast;
    for (const each of charges) if (each.lines.length > 0) expectToAddUp(each);
    return charges.map(({ date, total }: any) => `${short(date)} ${total.amount}`);
  };
  const tries = async (subscriptionId: string) => {
    const invoiceIds = (await invoices(subscriptionId)).map(({ id }) => id as string);
    const where = { tenantAlias: alias, invoiceId: invoiceIds };
    const payments = await committed.select('payments', { where, orderBy: ['id'] });
    return payments.map(
      ({ createdAt, kind, status, amountMinor }) =>
        `${short(createdAt)} ${kind} ${status} ${Number(amountMinor) / 100}`,
    );
  };
  return {
    alias,
    client,
    shop,
    perform: performer(app, client, alias),
    advance: async (to) =>
      (
        await client.graphql('mutation ($to: DateTime!) { advanceClock(input: { to: $to }) { clock } }', {
          to,
        })
      ).advanceClock.clock,
    plan: async (amount, fields) => (await shop.product({ amount, ...fields })).price,
    subscribe: async (customer, price, method, fields) =>
      (await shop.confirm((await shop.intent(customer, price, fields)).intentId, method)).subscriptionId,
    subscription: async (id) => (await client.graphql(subscriptionDocument, { id })).subscription,
    invoices,
    bills: async (id) =>
      (await invoices(id)).map(
        ({ createdAt, status, total }) => `${short(createdAt)} ${status} ${total.amount}`,
      ),
    lines: async (id) => (await invoices(id)).flatMap(({ lines }) => lines.map(lineText)),
    tries,
    forecast,
    credits: async ({ id: customerId }) =>
      (
        await committed.select('balanceEntries', {
          where: { tenantAlias: alias, customerId, kind: 'credit' },
          orderBy: ['id'],
        })
      ).map(({ remainingMinor }) => remainingMinor),
    run: async (mutation, id) =>
      (await client.graphql(`mutation ($id: ID!) { ${mutation} { ${subscriptionFields} } }`, { id }))[
        mutation.slice(0, mutation.indexOf('('))
      ],
  };
}

/** Opens the scope of the tenant, for tests of rules without a request. */
export async function openScope(app: TestApp, { alias }: Books) {
  const tenant = (await findTenant(app.service, alias))!;
  const origin = { traceId: app.service.ids.traceId(), executorId: 'test' };
  return openTenant(app.service, { tenant, keyId: 'test', scope: 'write' }, origin);
}

/** Shortens an instant: `2026-01-31`, or `2026-01-31T10:00` unless it is midnight. */
export function short(instant: string): string {
  return instant.replace('T00:00:00.000Z', '').replace(':00.000Z', '');
}

/** A line as text: `cycle 50 2026-01-31/2026-02-28`. */
export function lineText({ kind, amount, periodStart, periodEnd }: any): string {
  return `${kind} ${amount.amount} ${short(periodStart)}/${short(periodEnd)}`;
}

const decimals: Record<string, number> = { afn: 2, eur: 2, usd: 2, jpy: 0, isk: 0, kwd: 3 };

/** Computes each line's amount again from its own figures, and the total from the lines. */
function expectToAddUp({ lines, total }: any): void {
  const sum = lines.reduce((sumMinor: bigint, line: any) => {
    const minor = recomputed(line) - sumDiscounts(line);
    // Most tests are about lines without discounts and grants.
    if (line.discounts.length === 0) delete line.discounts;
    if (line.creditGrants.length === 0) delete line.creditGrants;
    expect(line.amount, JSON.stringify(line)).toEqual(convertToMajor(minor, total.currency));
    return sumMinor + minor;
  }, 0n);
  expect(total).toEqual(convertToMajor(sum, total.currency));
}

/** What discounts and credit grants took off a line. */
const sumDiscounts = ({ discounts, creditGrants }: any): bigint =>
  [...discounts, ...creditGrants].reduce(
    (sum: bigint, { amount }: any) => sum + BigInt(amount.decimal.replace('.', '')),
    0n,
  );

function recomputed(line: any): bigint {
  const { kind, explanation, periodStart, periodEnd } = line;
  // `usagePrice.test.ts` computes the amounts of usage.
  if (kind === 'usage') return BigInt(Math.round(line.amount.amount * 100)) + sumDiscounts(line);
  if (kind === 'balance') return BigInt(explanation.balanceMinor);
  if (kind === 'item') return BigInt(explanation.quantity) * BigInt(explanation.unitAmount.replace('.', ''));
  if (kind === 'setup_fee') return BigInt(explanation.priceMinor);
  const { priceMinor, remainingMs, totalMs, rounding, paidMinor = '1', givenBackMinor = '0' } = explanation;
  expect([rounding, remainingMs]).toEqual(['half_up', Date.parse(periodEnd) - Date.parse(periodStart)]);
  if (kind === 'cycle') expect(remainingMs).toBe(totalMs);
  const paid = BigInt(paidMinor);
  const exact = BigInt(priceMinor) * BigInt(remainingMs) * (paid - BigInt(givenBackMinor));
  const total = BigInt(totalMs) * paid;
  const down = exact / total;
  const minor = (exact % total) * 2n >= total ? down + 1n : down;
  return kind === 'proration_credit' ? -minor : minor;
}

/** By way of its decimals: dividing would round what is beyond 2^53 once more. */
function convertToMajor(minor: bigint, currency: string) {
  const unit = 10n ** BigInt(decimals[currency]!);
  const [sign, rest] = minor < 0n ? ['-', -minor] : ['', minor];
  const text = `${sign}${rest / unit}.${String(rest % unit).padStart(decimals[currency]!, '0')}`;
  return { amount: Number(text) + 0, currency };
}
