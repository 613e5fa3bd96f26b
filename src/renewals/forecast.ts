import { refuse } from '../lib/errors.ts';
import { parseInstant, addMs } from '../lib/time.ts';
import type { Scan } from '../storage/scan.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import type { Reads } from '../storage/store.ts';
import { breathe } from '../runtime/yield.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import { computeAvailableBalance } from '../invoicing/credits.ts';
import { computeNextInvoice, type Billable } from '../pricing/nextInvoice.ts';
import type { Agreement, Line } from '../pricing/invoiceLines.ts';

/** A charge that will be made, if every charge before it is paid. */
export interface ForecastCharge {
  subscriptionId: string;
  date: string;
  currency: string;
  totalMinor: bigint;
  /** What the charge consists of; empty for an invoice that is open already. */
  lines: Line[];
}

/** What will be charged at one instant in one currency. */
export interface ForecastSum {
  date: string;
  currency: string;
  totalMinor: bigint;
  charges: number;
}

const mostCharges = 1000;
/** A hundred thousand subscriptions take some ten seconds, in which others are served. */
const tenantLimitMs = 60_000;
const tenantHorizonMs = 366 * 86_400_000;

interface Walk extends Billable {
  subscriptionId: string;
  /** The charge for what is owed already comes first. */
  earliest: string;
  next?: Agreement;
  ends: boolean;
}

/**
 * What a subscription will be charged up to an instant, by the same function that bills it.
 * Errors: `subscription_not_found`, `validation_failed` (also for more than 1000 charges).
 */
export async function forecastSubscription(
  tenant: TenantScope,
  id: string,
  until: string,
): Promise<ForecastCharge[]> {
  const end = parseInstant(until, tenant.record.timezone, 'until');
  const subscription = (await tenant.read.one('subscriptions', { id })) ?? refuse('subscription_not_found');
  // Subscriptions of one customer share a balance, and so what one will pay depends on the others.
  const siblings = await tenant.read.many('subscriptions', {
    where: { customerId: subscription.customerId, cancelledAt: null },
    orderBy: ['id'],
  });
  const charges = await forecastCustomer(tenant, siblings, end);
  return charges.filter(({ subscriptionId }) => subscriptionId === id);
}

/**
 * What all subscriptions of a tenant will be charged up to an instant, summed by instant and currency; at most a
 * year ahead. Errors: `validation_failed`, `query_timeout`.
 */
export async function forecastTenant(tenant: TenantScope, until: string): Promise<ForecastSum[]> {
  const end = parseInstant(until, tenant.record.timezone, 'until');
  if (end > addMs(tenant.now(), tenantHorizonMs)) {
    refuse('validation_failed', { path: 'until', message: 'must be at most 366 days ahead' });
  }
  return tenant.scan(async (scan) => {
    const sums = new Map<string, ForecastSum>();
    for await (const customers of listDueCustomers(scan, end)) {
      const credits = await readBalances(tenant, customers);
      for (const subscriptions of customers) {
        scan.check();
        const balances = credits.get(subscriptions[0]!.customerId) ?? new Map<string, bigint>();
        for (const charge of await forecastCustomer(tenant, subscriptions, end, balances))
          addToSum(sums, charge);
      }
    }
    return [...sums.values()].toSorted((a, b) => (a.date + a.currency < b.date + b.currency ? -1 : 1));
  }, tenantLimitMs);
}

/** The subscriptions that are due by `end`, those of each customer together and by id; some customers at a time. */
async function* listDueCustomers(scan: Scan, end: string): AsyncGenerator<Row<'subscriptions'>[][]> {
  const slices = scan.slices('subscriptions', {
    where: {},
    filter: { cancelledAt: null, dueAt: { to: end } },
    // As the index has them: it serves every slice without a sort.
    orderBy: ['customerId', 'createdAt', 'id'],
    leaveOut: ['productName', 'metadata'],
    sliceRows: 500,
  });
  let left: Row<'subscriptions'>[] = [];
  for await (const rows of slices) {
    const groups = groupByCustomer([...left, ...rows]);
    // The next slice may begin with more of the last customer.
    left = groups.pop() ?? [];
    yield groups;
  }
  if (left.length > 0) yield [left];
}

function groupByCustomer(sorted: Row<'subscriptions'>[]): Row<'subscriptions'>[][] {
  const groups = new Map<string, Row<'subscriptions'>[]>();
  for (const each of sorted) {
    const group = groups.get(each.customerId);
    if (group) group.push(each);
    else groups.set(each.customerId, [each]);
  }
  return [...groups.values()].map((group) => group.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
}

type Balances = Map<string, bigint>;

/** What customers have in hand, by customer and currency. */
async function readBalances(
  { read }: TenantScope,
  customers: Row<'subscriptions'>[][],
): Promise<Map<string, Balances>> {
  const customerId = customers.map(([first]) => first!.customerId);
  const credits = await read.many('balanceEntries', {
    where: { customerId, remainingMinor: { after: 0n } },
  });
  const balances = new Map<string, Balances>(customerId.map((id) => [id, new Map()]));
  for (const credit of credits) {
    const own = balances.get(credit.customerId)!;
    own.set(credit.currency, (own.get(credit.currency) ?? 0n) + credit.remainingMinor);
  }
  return balances;
}

function addToSum(sums: Map<string, ForecastSum>, { date, currency, totalMinor }: ForecastCharge): void {
  const key = date + currency;
  const sum = sums.get(key) ?? { date, currency, totalMinor: 0n, charges: 0 };
  sums.set(key, { ...sum, totalMinor: sum.totalMinor + totalMinor, charges: sum.charges + 1 });
}

async function forecastCustomer(
  tenant: TenantScope,
  subscriptions: Row<'subscriptions'>[],
  end: string,
  /** What the customer has in hand by currency, where that is known; it is used up. */
  known?: Balances,
): Promise<ForecastCharge[]> {
  const { read } = tenant;
  const now = tenant.now();
  const charges: ForecastCharge[] = [];
  const walks: Walk[] = [];
  for (const subscription of subscriptions) {
    await breathe();
    const { walk, owed } = await beginWalk(read, subscription, now);
    if (owed && owed.date <= end) charges.push(owed);
    if (walk) walks.push(walk);
  }
  const customerId = subscriptions[0]?.customerId ?? '';
  const balances = known ?? new Map<string, bigint>();
  const balanceIn = async (currency: string) =>
    known ? 0n : computeAvailableBalance(read, customerId, currency);
  for (;;) {
    await breathe();
    const walk = findEarliest(walks.filter((each) => !hasEnded(each) && nextDate(each) <= end));
    if (!walk) return charges;
    if (charges.length === mostCharges) {
      refuse('validation_failed', { path: 'until', message: `must bring at most ${mostCharges} charges` });
    }
    const { currency } = walk.next ?? walk;
    if (!balances.has(currency)) balances.set(currency, await balanceIn(currency));
    charges.push(takeNextCharge(walk, balances, tenant.record.timezone));
  }
}

async function beginWalk(
  reads: Reads,
  subscription: Row<'subscriptions'>,
  now: string,
): Promise<{ walk?: Walk; owed?: ForecastCharge }> {
  const { id, dueAt, nextBillingDate, cancelAtPeriodEnd, nextIntentId, openInvoiceId } = subscription;
  if (dueAt === null || nextBillingDate === null) return {};
  const earliest = dueAt > now ? dueAt : now;
  const open = openInvoiceId ? await reads.one('invoices', { id: openInvoiceId }) : undefined;
  const next = nextIntentId ? await reads.one('intents', { id: nextIntentId }) : undefined;
  const owed: ForecastCharge | undefined = open && {
    subscriptionId: id,
    date: earliest,
    currency: open.currency,
    totalMinor: open.totalMinor,
    lines: [],
  };
  const walk: Walk = {
    ...subscription,
    subscriptionId: id,
    nextBillingDate: open?.cycleEnd ?? nextBillingDate,
    earliest,
    next,
    ends: cancelAtPeriodEnd,
  };
  return { walk, owed };
}

const hasEnded = ({ ends, cancelAt, nextBillingDate }: Walk) =>
  ends || (cancelAt != null && nextBillingDate >= cancelAt);

const nextDate = ({ nextBillingDate, earliest }: Walk) =>
  nextBillingDate > earliest ? nextBillingDate : earliest;

function findEarliest(walks: Walk[]): Walk | undefined {
  return walks.reduce<Walk | undefined>(
    (first, walk) => (first === undefined || nextDate(walk) < nextDate(first) ? walk : first),
    undefined,
  );
}

/** The next charge of a walk, which goes on from there; what it takes of the balance is gone. */
function takeNextCharge(walk: Walk, balances: Balances, timeZone: string): ForecastCharge {
  const { currency } = walk.next ?? walk;
  const cycle = computeNextInvoice(walk, walk.next, balances.get(currency)!, timeZone);
  const date = nextDate(walk);
  balances.set(currency, balances.get(currency)! - cycle.balanceMinor);
  Object.assign(walk, cycle.agreement, {
    anchor: cycle.anchor,
    nextBillingDate: cycle.period.end,
    next: undefined,
  });
  return {
    subscriptionId: walk.subscriptionId,
    date,
    currency,
    totalMinor: cycle.totalMinor,
    lines: cycle.lines,
  };
}
