/** The facts of a subscription that a customer reads: its price, its status and its next invoice. */
import { BillingError } from '../../lib/errors.ts';
import { choosePlural, fillText } from '../../lib/texts.ts';
import { forecastCustomer, type ForecastCharge } from '../../billing/renewals/forecast.ts';
import { findNextInvoiceAt } from '../../billing/pricing/pauses.ts';
import { isBeforeFirstPeriod } from '../../billing/pricing/trials.ts';
import type { Agreement } from '../../billing/pricing/invoiceLines.ts';
import { findQuantity } from '../../billing/subscriptions/changes/agreement.ts';
import type { IntentRow } from '../../billing/subscriptions/intents/intents.ts';
import {
  computeStatus,
  type SubscriptionRow,
  type SubscriptionStatus,
} from '../../billing/subscriptions/subscriptions.ts';
import type { Pricing } from '../../storage/model/common.ts';
import type { CustomerVisit, PortalVisit } from './visit.ts';

/** A subscription with what its page needs. */
export interface SubscriptionFacts {
  subscription: SubscriptionRow;
  status: SubscriptionStatus;
  /** The next charge, by the function that forecasts it. */
  next?: ForecastCharge;
  /** The change scheduled for the end of the period. */
  scheduled?: IntentRow;
}

/** Reads the facts of a customer's subscriptions. */
export async function readFacts(
  { tenant }: CustomerVisit,
  subscriptions: SubscriptionRow[],
): Promise<SubscriptionFacts[]> {
  const running = subscriptions.filter(({ cancelledAt }) => cancelledAt === null);
  const next = await forecastNext(tenant, running);
  const scheduledIds = running.flatMap(({ nextIntentId }) => nextIntentId ?? []);
  const intents =
    scheduledIds.length > 0 ? await tenant.read.many('intents', { where: { id: scheduledIds } }) : [];
  return subscriptions.map((subscription) => ({
    subscription,
    status: computeStatus(subscription, tenant.now()),
    next: next.get(subscription.id),
    scheduled: intents.find(({ id }) => id === subscription.nextIntentId),
  }));
}

/** Returns the next charge of each subscription. They share a balance, so all are forecast together. */
async function forecastNext(
  tenant: CustomerVisit['tenant'],
  subscriptions: SubscriptionRow[],
): Promise<Map<string, ForecastCharge>> {
  const dates = subscriptions.flatMap(({ nextBillingDate, resumesAt }) =>
    [nextBillingDate ?? [], resumesAt ?? []].flat(),
  );
  const end = [...dates, tenant.now()].reduce((last, each) => (each > last ? each : last));
  const next = new Map<string, ForecastCharge>();
  try {
    const sorted = subscriptions.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    for (const charge of await forecastCustomer(tenant, sorted, end)) {
      if (!next.has(charge.subscriptionId)) next.set(charge.subscriptionId, charge);
    }
  } catch (error) {
    // Too many charges before the last of the dates: the page shows the dates alone.
    if (!(error instanceof BillingError) || error.reason !== 'validation_failed') throw error;
  }
  return next;
}

/** The units that a price is for; null for a flat price. */
type Units = { pricing: Pricing | null; quantity: number };

/** Formats the price of a whole cycle, and of a unit: `€5.00 a month`, `€5.00 per unit a month`, `€15.00 a month · €5.00 per unit`. */
export function describePrice(
  { language, texts, formats }: PortalVisit,
  { frequency, period, currency }: Pick<Agreement, 'frequency' | 'period' | 'currency'>,
  amountMinor: bigint,
  { pricing, quantity }: Units,
): string {
  if (pricing?.usage && (pricing.model !== 'per_unit' || pricing.usage.rates)) return texts.byUsage;
  const amount = formats.money(amountMinor, currency);
  const unit =
    pricing?.model === 'per_unit'
      ? fillText(texts.perUnit, { price: formats.unitAmount(pricing.unitAmount, currency) })
      : undefined;
  const cycle = fillText(choosePlural(language, texts.per[frequency], period), {
    price: unit !== undefined && quantity === 1 ? unit : amount,
    count: formats.number(period),
  });
  if (pricing === null || quantity === 1) return cycle;
  const count = { count: formats.number(quantity) };
  return `${cycle} · ${unit ?? fillText(choosePlural(language, texts.forUnits, quantity), count)}`;
}

/** Formats the name of an item with its quantity: `3 × Seats`. */
export const nameUnits = ({ formats }: PortalVisit, name: string, quantity: number): string =>
  quantity > 1 ? `${formats.number(quantity)} × ${name}` : name;

/** Returns the name of a subscription's product, with its quantity. */
export const nameSubscription = (visit: PortalVisit, subscription: SubscriptionRow): string =>
  nameUnits(visit, subscription.productName, findQuantity(subscription));

/** Returns the sentences about the next invoice, the end or the change of a subscription. */
export function describeNext(visit: PortalVisit, facts: SubscriptionFacts): string[] {
  const { subscription, status } = facts;
  const { texts, formats } = visit;
  const { cancelledAt, pausedAt, resumesAt } = subscription;
  if (cancelledAt !== null) return [fillText(texts.endedOn, { day: formats.day(cancelledAt) })];
  const ending = describeEnding(visit, subscription);
  const paused = [
    ...(pausedAt === null ? [] : [fillText(texts.pausedSince, { day: formats.day(pausedAt) })]),
    ...(resumesAt === null ? [] : [fillText(texts.resumesOn, { day: formats.day(resumesAt) })]),
  ];
  if (ending) return [...paused, ...ending];
  if (status === 'paused') return resumesAt === null ? paused : [...paused, ...describeCharge(visit, facts)];
  if (status === 'past_due') return [describeDebt(visit, facts)];
  return [
    ...describeStart(visit, facts),
    ...describeTrial(visit, facts),
    ...describeCharge(visit, facts),
    ...describeScheduled(visit, facts),
  ];
}

function describeEnding(
  { texts, formats }: PortalVisit,
  subscription: SubscriptionRow,
): string[] | undefined {
  const { cancelAt, cancelAtPeriodEnd, currentPeriodEnd } = subscription;
  const end = cancelAt ?? (cancelAtPeriodEnd ? currentPeriodEnd : null);
  return end === null ? undefined : [fillText(texts.endsOn, { day: formats.day(end) })];
}

function describeDebt({ texts, formats }: PortalVisit, { subscription, next }: SubscriptionFacts): string {
  const { amountMinor, currency } = subscription;
  return fillText(texts.pastDue, {
    amount: formats.money(next?.totalMinor ?? amountMinor, next?.currency ?? currency),
  });
}

const describeStart = (
  { texts, formats }: PortalVisit,
  { subscription, status }: SubscriptionFacts,
): string[] =>
  status === 'scheduled' ? [fillText(texts.startsOn, { day: formats.day(subscription.startsAt) })] : [];

/** Whether a trial ends without a charge, unless its first period costs nothing. */
const lacksMethod = (subscription: SubscriptionRow): boolean =>
  isBeforeFirstPeriod(subscription) && subscription.paymentMethodId === null;

function describeTrial(
  { texts, formats }: PortalVisit,
  { subscription, status, next }: SubscriptionFacts,
): string[] {
  const { trialEndsAt } = subscription;
  if (status !== 'trialing' || trialEndsAt === null) return [];
  return [
    fillText(!next && lacksMethod(subscription) ? texts.trialNeedsMethod : texts.trialUntil, {
      day: formats.day(trialEndsAt),
    }),
  ];
}

function describeCharge(
  { texts, formats }: PortalVisit,
  { subscription, next }: SubscriptionFacts,
): string[] {
  if (next) {
    const { totalMinor, currency, date, lines } = next;
    const invoice = fillText(texts.nextInvoice, {
      amount: formats.money(totalMinor, currency),
      day: formats.day(date),
    });
    const fromBalance = lines
      .filter(({ kind, amountMinor }) => kind === 'BALANCE' && amountMinor < 0n)
      .map(({ amountMinor }) => `${texts.lines.BALANCE}: ${formats.money(-amountMinor, currency)}`);
    return [invoice, ...fromBalance];
  }
  const at = findNextInvoiceAt(subscription, undefined);
  if (at === null || at === subscription.trialEndsAt || lacksMethod(subscription)) return [];
  return [fillText(texts.nextDate, { day: formats.day(at) })];
}

function describeScheduled(visit: PortalVisit, { subscription, scheduled }: SubscriptionFacts): string[] {
  const { texts, formats } = visit;
  if (!scheduled || subscription.nextBillingDate === null) return [];
  const name = nameUnits(visit, scheduled.productName, findQuantity(scheduled));
  return [visit.fill(texts.changesTo, { product: name, day: formats.day(subscription.nextBillingDate) })];
}
