import { refuse } from '../../lib/errors.ts';
import { parseInstant } from '../../lib/time.ts';
import type { TaxTotal } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { collectBetweenRequests } from '../../runtime/yield.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { listAvailableCredits } from '../invoices/credits.ts';
import {
  listBilledProducts,
  readSources,
  spendSources,
  takeBill,
  takeExtras,
  type BillingTenant,
  type BillSources,
} from '../invoices/gatherBill.ts';
import { toItemLine, type InvoiceItemRow } from '../invoices/invoiceItems.ts';
import { findUnbilledSetupFee } from '../invoices/setupFees.ts';
import { readUsageBill } from '../invoices/usageBill.ts';
import { forecastUsage, type ExpectedUsage, type UsageForecast } from '../invoices/usageForecast.ts';
import type { UsageBill } from '../invoices/usagePeriods.ts';
import { listProductIds, type Agreement, type Line } from '../pricing/invoiceLines.ts';
import {
  computeItemInvoice,
  computeNextInvoice,
  type AppliedBalance,
  type Billable,
} from '../pricing/nextInvoice.ts';
import { findNextAfterPause } from '../pricing/pauses.ts';
import { summarizeTaxes } from '../pricing/tax.ts';
import { isBeforeFirstPeriod } from '../pricing/trials.ts';
import { findAnchorAfterPause } from './resumption.ts';

/** An expected charge, if every earlier charge is paid. */
export interface ForecastCharge {
  subscriptionId: string;
  date: string;
  currency: string;
  totalMinor: bigint;
  /** The lines; empty for an invoice that is already open. */
  lines: Line[];
  taxes: TaxTotal[] | null;
  /** Whether its usage is an estimate: that of the present period so far, at its rate. */
  usageEstimated: boolean;
}

/** The tenant of a forecast, and how its records are read. */
export type ForecastScope = Pick<TenantScope, 'now'> & {
  read: Reads;
  record: BillingTenant;
};

/** What usage is forecast: what was used so far, or what follows from its rate. */
type UsageGuess = 'so_far' | 'run_rate';

const mostCharges = 1000;

interface Walk extends Billable {
  priceId: string;
  subscriptionId: string;
  customerId: string;
  /** The earliest date of the next charge: charges already due come first. */
  earliest: string;
  next?: Agreement;
  ends: boolean;
  /** The set-up fee of the next invoice. */
  setupFeeMinor: bigint | null;
  /** Whether the subscription is not billed at the end of its trial, because it has no payment method. */
  lacksMethod: boolean;
  /** The usage that the next invoice bills, and whether it is an estimate. */
  usage: UsageBill | undefined;
  isEstimated: boolean;
  /** The usage of later invoices. */
  expected: UsageForecast | undefined;
}

const toUsage = ({ bill, isEstimated }: ExpectedUsage): Pick<Walk, 'usage' | 'isEstimated'> => ({
  usage: bill,
  isEstimated,
});

/**
 * Forecasts the charges of a subscription up to an instant, with the function that bills it. Errors:
 * `subscription_not_found`, `validation_failed` (also for more than 1000 charges).
 */
export async function forecastSubscription(
  tenant: ForecastScope,
  id: string,
  until: string,
  usage: UsageGuess = 'so_far',
): Promise<ForecastCharge[]> {
  const end = parseInstant(until, tenant.record.timezone, 'until');
  const subscription = (await tenant.read.one('subscriptions', { id })) ?? refuse('subscription_not_found');
  // Subscriptions of a customer share a balance, so the charge of one depends on the others.
  const siblings = await tenant.read.many('subscriptions', {
    where: { customerId: subscription.customerId, cancelledAt: null },
    orderBy: ['id'],
  });
  const charges = await forecastCustomer(tenant, siblings, end, { usage });
  return charges.filter(({ subscriptionId }) => subscriptionId === id);
}

/**
 * Forecasts the charges of a customer's subscriptions up to an instant, in order. Other requests run meanwhile. `known`
 * has what the bills of the customer take from, if it was read before; `usage` is by default that so far. Error:
 * `validation_failed` for more than 1000 charges.
 */
export const forecastCustomer = (
  tenant: ForecastScope,
  subscriptions: Row<'subscriptions'>[],
  end: string,
  options: { known?: BillSources; usage?: UsageGuess } = {},
): Promise<ForecastCharge[]> => collectBetweenRequests(walkCharges(tenant, subscriptions, end, options));

/** Iterates over the charges; yields undefined for a subscription without an open invoice. */
async function* walkCharges(
  tenant: ForecastScope,
  subscriptions: Row<'subscriptions'>[],
  end: string,
  { known, usage = 'so_far' }: { known?: BillSources; usage?: UsageGuess },
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
  for (const walk of walks) {
    const subscription = subscriptions.find(({ id }) => id === walk.subscriptionId)!;
    const { nextBillingDate: until } = walk;
    const isFinal = hasEnded(walk);
    if (usage === 'so_far') {
      walk.usage = await readUsageBill(read, tenant.record, subscription, until, { isFinal });
      continue;
    }
    walk.expected = await forecastUsage(read, tenant.record, subscription, { now, until, isFinal });
    if (walk.expected) Object.assign(walk, toUsage(walk.expected.first));
  }
  const customerId = subscriptions[0]?.customerId ?? '';
  const sources =
    known ??
    (await readSources(read, tenant.record, {
      customerId,
      running: walks.map(({ subscriptionId }) => subscriptionId),
      currencies: [],
      productIds: walks.flatMap(listWalkProducts),
    }));
  const findCredits = async (currency: string) =>
    known ? [] : listAvailableCredits(read, customerId, currency);
  for (;;) {
    const walk = findEarliest(walks.filter((each) => continues(each, sources) && getNextDate(each) <= end));
    if (!walk) return;
    if (charges === mostCharges) {
      refuse('validation_failed', { path: 'until', message: `must bring at most ${mostCharges} charges` });
    }
    const isFinal = hasEnded(walk);
    const [final] = isFinal ? listFinalItems(walk, sources.items) : [];
    const { currency } = final ?? (isFinal ? walk : (walk.next ?? walk));
    if (!sources.credits.has(currency)) sources.credits.set(currency, await findCredits(currency));
    const { timezone } = tenant.record;
    const { nextBillingDate: start } = walk;
    const charge = isFinal
      ? forecastFinalCharge(walk, sources, currency, timezone)
      : forecastNextCharge(walk, sources, timezone);
    if (charge && !isFinal) await expectUsage(walk, start);
    if (charge) charges += 1;
    yield charge;
  }
}

async function beginWalk(
  reads: Reads,
  subscription: Row<'subscriptions'>,
  now: string,
): Promise<{ walk?: Walk; owed?: ForecastCharge }> {
  const { id, dueAt, nextBillingDate, cancelAtPeriodEnd, nextIntentId, openInvoiceId } = subscription;
  if (dueAt === null || nextBillingDate === null) return {};
  // Without another payment method nothing is charged any more.
  if (subscription.retriesStoppedReason !== null) return {};
  const earliest = dueAt > now ? dueAt : now;
  const open = openInvoiceId ? await reads.one('invoices', { id: openInvoiceId }) : undefined;
  const next = nextIntentId ? await reads.one('intents', { id: nextIntentId }) : undefined;
  const owed: ForecastCharge | undefined = open && {
    subscriptionId: id,
    date: earliest,
    currency: open.currency,
    totalMinor: open.totalMinor,
    lines: [],
    taxes: open.taxes,
    usageEstimated: false,
  };
  const { pausedAt, resumesAt } = subscription;
  // Without a date the pause lasts; a charge that was under way is completed.
  if (pausedAt !== null && resumesAt === null && !cancelAtPeriodEnd) return { ...(owed && { owed }) };
  const from = open?.cycleEnd ?? nextBillingDate;
  const walk: Walk = {
    ...subscription,
    subscriptionId: id,
    nextBillingDate: resumesAt === null ? from : findNextAfterPause(from, resumesAt),
    anchor:
      resumesAt === null ? subscription.anchor : await findAnchorAfterPause(reads, subscription, resumesAt),
    earliest,
    next,
    ends: cancelAtPeriodEnd,
    setupFeeMinor: await findUnbilledSetupFee(reads, subscription),
    lacksMethod: isBeforeFirstPeriod(subscription) && subscription.paymentMethodId === null,
    usage: undefined,
    isEstimated: false,
    expected: undefined,
  };
  return { walk, owed };
}

/** Lets a walk bill the usage of the period that began at `start` with its next invoice. */
async function expectUsage(walk: Walk, start: string): Promise<void> {
  const { expected, nextBillingDate: end, anchor } = walk;
  if (!expected) return;
  walk.usage = await expected.expect({ terms: walk, start, end, anchor, isFinal: hasEnded(walk) });
  walk.isEstimated = true;
}

const hasEnded = ({ ends, cancelAt, nextBillingDate }: Walk) =>
  ends || (cancelAt != null && nextBillingDate >= cancelAt);

/** Lists the items that the final invoice of a walk bills. One without a payment method may be paused instead of ending. */
const listFinalItems = (walk: Walk, items: InvoiceItemRow[]): InvoiceItemRow[] =>
  walk.lacksMethod ? [] : items.filter(({ subscriptionId }) => subscriptionId === walk.subscriptionId);

/** Whether a walk has a further charge. */
const continues = (walk: Walk, { items }: BillSources): boolean =>
  !hasEnded(walk) || listFinalItems(walk, items).length > 0 || owesUsage(walk);

/** Whether a walk has usage that costs something. */
const owesUsage = ({ usage }: Walk): boolean =>
  usage?.lines.some(({ amountMinor }) => amountMinor > 0n) ?? false;

const getNextDate = ({ nextBillingDate, earliest }: Walk) =>
  nextBillingDate > earliest ? nextBillingDate : earliest;

function findEarliest(walks: Walk[]): Walk | undefined {
  return walks.reduce<Walk | undefined>(
    (first, walk) => (first === undefined || getNextDate(walk) < getNextDate(first) ? walk : first),
    undefined,
  );
}

/** Lists the products that a walk bills: of the terms in force, of a scheduled change, and of usage. */
const listWalkProducts = ({ next, usage, ...walk }: Walk): string[] => [
  ...listBilledProducts(walk, usage),
  ...(next ? listProductIds(next) : []),
];

/**
 * Returns the next charge of a walk, advances the walk past it, and uses up the balance, the items and the discounts. A
 * walk ends without a charge if a trial has no payment method.
 */
function forecastNextCharge(walk: Walk, sources: BillSources, timeZone: string): ForecastCharge | undefined {
  const { subscriptionId, nextBillingDate: at, setupFeeMinor } = walk;
  const isEstimated = walk.isEstimated && owesUsage(walk);
  const terms = walk.next ?? walk;
  const { currency } = terms;
  const paidAt = getNextDate(walk);
  const extras = takeBill(sources, { subscriptionId, terms, at, paidAt, setupFeeMinor, usage: walk.usage });
  const cycle = computeNextInvoice(walk, walk.next, extras, timeZone);
  if (walk.lacksMethod && cycle.totalMinor > 0n) {
    walk.ends = true;
    return undefined;
  }
  spendSources(sources, { ...cycle, currency, at, paidAt, billed: extras.billed }, timeZone);
  Object.assign(walk, cycle.agreement, {
    addOns: cycle.addOns,
    anchor: cycle.anchor,
    nextBillingDate: cycle.period.end,
    next: undefined,
    setupFeeMinor: null,
    lacksMethod: false,
    usage: undefined,
  });
  return toCharge(walk, paidAt, currency, { ...cycle, isEstimated });
}

/** Returns the final invoice of a walk in a currency, and uses up the balance, the items and the discounts. */
function forecastFinalCharge(
  walk: Walk,
  sources: BillSources,
  currency: string,
  timeZone: string,
): ForecastCharge {
  const { subscriptionId } = walk;
  const at = getNextDate(walk);
  const billed = listFinalItems(walk, sources.items).filter((item) => item.currency === currency);
  const usage = currency === walk.currency && owesUsage(walk) ? walk.usage : undefined;
  walk.usage = usage ? undefined : walk.usage;
  const productIds = listBilledProducts(walk, usage);
  const extras = takeExtras(sources, { subscriptionId, currency, productIds, at });
  const bill = computeItemInvoice([...(usage?.lines ?? []), ...billed.map(toItemLine)], extras);
  spendSources(sources, { ...bill, currency, at, paidAt: at, billed }, timeZone);
  return toCharge(walk, at, currency, { ...bill, isEstimated: walk.isEstimated && usage !== undefined });
}

const toCharge = (
  { subscriptionId }: Walk,
  date: string,
  currency: string,
  { totalMinor, lines, isEstimated }: AppliedBalance & { isEstimated: boolean },
): ForecastCharge => ({
  subscriptionId,
  date,
  currency,
  totalMinor,
  lines,
  taxes: summarizeTaxes(lines),
  usageEstimated: isEstimated,
});
