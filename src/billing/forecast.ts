import { setImmediate } from 'node:timers/promises';
import { refuse } from '../errors.ts';
import { instantOf, later } from '../instants.ts';
import type { Row } from '../db/schema.ts';
import type { Reads } from '../db/store.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { availableBalance } from './balances.ts';
import { cycleOf, type Billable } from './cycles.ts';
import type { Agreement, Line } from './periods.ts';

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
const customersPerTurn = 200;
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
  tenant: Tenant,
  id: string,
  until: string,
): Promise<ForecastCharge[]> {
  const end = instantOf(until, tenant.record.timezone, 'until');
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
 * year ahead. Error: `validation_failed`.
 */
export async function forecastTenant(tenant: Tenant, until: string): Promise<ForecastSum[]> {
  const end = instantOf(until, tenant.record.timezone, 'until');
  if (end > later(tenant.now(), tenantHorizonMs)) {
    refuse('validation_failed', { path: 'until', message: 'must be at most 366 days ahead' });
  }
  const subscriptions = await tenant.read.many('subscriptions', {
    where: { cancelledAt: null, dueAt: { to: end } },
    orderBy: ['customerId', 'id'],
  });
  const sums = new Map<string, ForecastSum>();
  let customers = 0;
  for (const group of groupsOf(subscriptions)) {
    // A large tenant takes a while: others are let through.
    if (++customers % customersPerTurn === 0) await setImmediate();
    for (const charge of await forecastCustomer(tenant, group, end)) addTo(sums, charge);
  }
  return [...sums.values()].toSorted((a, b) => (a.date + a.currency < b.date + b.currency ? -1 : 1));
}

function addTo(sums: Map<string, ForecastSum>, { date, currency, totalMinor }: ForecastCharge): void {
  const key = date + currency;
  const sum = sums.get(key) ?? { date, currency, totalMinor: 0n, charges: 0 };
  sums.set(key, { ...sum, totalMinor: sum.totalMinor + totalMinor, charges: sum.charges + 1 });
}

function* groupsOf(sorted: Row<'subscriptions'>[]): Generator<Row<'subscriptions'>[]> {
  let group: Row<'subscriptions'>[] = [];
  for (const each of sorted) {
    if (group.length > 0 && group[0]!.customerId !== each.customerId) {
      yield group;
      group = [];
    }
    group.push(each);
  }
  if (group.length > 0) yield group;
}

async function forecastCustomer(
  tenant: Tenant,
  subscriptions: Row<'subscriptions'>[],
  end: string,
): Promise<ForecastCharge[]> {
  const { read } = tenant;
  const now = tenant.now();
  const charges: ForecastCharge[] = [];
  const walks: Walk[] = [];
  for (const subscription of subscriptions) {
    const { walk, owed } = await beginWalk(read, subscription, now);
    if (owed && owed.date <= end) charges.push(owed);
    if (walk) walks.push(walk);
  }
  const balances = new Map<string, bigint>();
  for (;;) {
    const walk = earliestOf(walks.filter((each) => !hasEnded(each) && dateOf(each) <= end));
    if (!walk) return charges;
    if (charges.length === mostCharges) {
      refuse('validation_failed', { path: 'until', message: `must bring at most ${mostCharges} charges` });
    }
    charges.push(await step(read, walk, balances, subscriptions[0]!.customerId, tenant.record.timezone));
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

const dateOf = ({ nextBillingDate, earliest }: Walk) =>
  nextBillingDate > earliest ? nextBillingDate : earliest;

function earliestOf(walks: Walk[]): Walk | undefined {
  return walks.reduce<Walk | undefined>(
    (first, walk) => (first === undefined || dateOf(walk) < dateOf(first) ? walk : first),
    undefined,
  );
}

async function step(
  reads: Reads,
  walk: Walk,
  balances: Map<string, bigint>,
  customerId: string,
  timeZone: string,
): Promise<ForecastCharge> {
  const { currency } = walk.next ?? walk;
  if (!balances.has(currency)) balances.set(currency, await availableBalance(reads, customerId, currency));
  const cycle = cycleOf(walk, walk.next, balances.get(currency)!, timeZone);
  const date = dateOf(walk);
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
