import { refuse } from '../lib/errors.ts';
import { parseInstant } from '../lib/time.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import type { Reads } from '../storage/store.ts';
import { collectBetweenRequests } from '../runtime/collect.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import { listGivenDiscounts } from '../discounts/use.ts';
import { computeAvailableBalance } from '../invoicing/credits.ts';
import { computeUse, listUsedDiscounts, selectDiscounts, type GivenDiscount } from '../pricing/discounts.ts';
import { computeNextInvoice, type Billable } from '../pricing/nextInvoice.ts';
import type { Agreement, Line } from '../pricing/invoiceLines.ts';

/** An expected charge, if every earlier charge is paid. */
export interface ForecastCharge {
  subscriptionId: string;
  date: string;
  currency: string;
  totalMinor: bigint;
  /** The lines; empty for an invoice that is already open. */
  lines: Line[];
}

const mostCharges = 1000;

interface Walk extends Billable {
  subscriptionId: string;
  /** The earliest date of the next charge: charges already due come first. */
  earliest: string;
  next?: Agreement;
  ends: boolean;
}

/**
 * Forecasts the charges of a subscription up to an instant, with the function that bills it. Errors:
 * `subscription_not_found`, `validation_failed` (also for more than 1000 charges).
 */
export async function forecastSubscription(
  tenant: TenantScope,
  id: string,
  until: string,
): Promise<ForecastCharge[]> {
  const end = parseInstant(until, tenant.record.timezone, 'until');
  const subscription = (await tenant.read.one('subscriptions', { id })) ?? refuse('subscription_not_found');
  // Subscriptions of a customer share a balance, so the charge of one depends on the others.
  const siblings = await tenant.read.many('subscriptions', {
    where: { customerId: subscription.customerId, cancelledAt: null },
    orderBy: ['id'],
  });
  const charges = await forecastCustomer(tenant, siblings, end);
  return charges.filter(({ subscriptionId }) => subscriptionId === id);
}

/** A customer's available balance by currency code, in minor units. */
export type Balances = Map<string, bigint>;

/** The records of a customer that were read before a forecast. */
interface KnownCustomer {
  balances: Balances;
  discounts: GivenDiscount[];
}

/**
 * Forecasts the charges of a customer's subscriptions up to an instant, in order. Other requests run meanwhile. `known`
 * are the customer's balance by currency and discounts, if they were read before; the forecast uses them up. Error:
 * `validation_failed` for more than 1000 charges.
 */
export const forecastCustomer = (
  tenant: TenantScope,
  subscriptions: Row<'subscriptions'>[],
  end: string,
  known?: KnownCustomer,
): Promise<ForecastCharge[]> => collectBetweenRequests(walkCharges(tenant, subscriptions, end, known));

/** Iterates over the charges; yields undefined for a subscription without an open invoice. */
async function* walkCharges(
  tenant: TenantScope,
  subscriptions: Row<'subscriptions'>[],
  end: string,
  known?: KnownCustomer,
): AsyncGenerator<ForecastCharge | undefined> {
  const { read } = tenant;
  const now = tenant.now();
  const walks: Walk[] = [];
  let charges = 0;
  for (const subscription of subscriptions) {
    const { walk, owed } = await beginWalk(read, subscription, now);
    const charge = owed && owed.date <= end ? owed : undefined;
    if (charge) charges += 1;
    if (walk) walks.push(walk);
    yield charge;
  }
  const customerId = subscriptions[0]?.customerId ?? '';
  const balances = known?.balances ?? new Map<string, bigint>();
  const discounts = known?.discounts ?? (await listGivenDiscounts(read, tenant.record, customerId));
  const findBalance = async (currency: string) =>
    known ? 0n : computeAvailableBalance(read, customerId, currency);
  for (;;) {
    const walk = findEarliest(walks.filter((each) => !hasEnded(each) && getNextDate(each) <= end));
    if (!walk) return;
    if (charges === mostCharges) {
      refuse('validation_failed', { path: 'until', message: `must bring at most ${mostCharges} charges` });
    }
    const { currency } = walk.next ?? walk;
    if (!balances.has(currency)) balances.set(currency, await findBalance(currency));
    charges += 1;
    yield forecastNextCharge(walk, balances, discounts, tenant.record.timezone);
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

const getNextDate = ({ nextBillingDate, earliest }: Walk) =>
  nextBillingDate > earliest ? nextBillingDate : earliest;

function findEarliest(walks: Walk[]): Walk | undefined {
  return walks.reduce<Walk | undefined>(
    (first, walk) => (first === undefined || getNextDate(walk) < getNextDate(first) ? walk : first),
    undefined,
  );
}

/** Returns the next charge of a walk, advances the walk past it, and uses up the balance and the discounts. */
function forecastNextCharge(
  walk: Walk,
  balances: Balances,
  discounts: GivenDiscount[],
  timeZone: string,
): ForecastCharge {
  const { subscriptionId, nextBillingDate: at } = walk;
  const { currency } = walk.next ?? walk;
  const extras = {
    balanceMinor: balances.get(currency)!,
    discounts: selectDiscounts(discounts, { subscriptionId, currency, at }),
  };
  const cycle = computeNextInvoice(walk, walk.next, extras, timeZone);
  const used = new Set(listUsedDiscounts(cycle.lines));
  for (const given of discounts.filter(({ discount }) => used.has(discount.id))) {
    given.discount = { ...given.discount, ...computeUse(given, 'forecast', at, timeZone) };
  }
  const date = getNextDate(walk);
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
