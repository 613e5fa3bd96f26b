/** What a customer has of a feature: which products and overrides give it, and how their values combine. Pure. */
import {
  addDecimals,
  multiplyDecimals,
  readDecimal,
  wholeDecimal,
  type ExactDecimal,
} from '../../lib/decimal.ts';
import { findCalendarMonth } from '../../lib/calendarMonth.ts';
import type { EntitlementTerms, EntitlementVersion } from '../../storage/model/entitlements.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { findCycle, type Period } from '../pricing/schedule.ts';
import { isTrialing } from '../pricing/trials.ts';
import { computeAccess } from '../subscriptions/access.ts';
import type { SubscriptionRow, SubscriptionStatus } from '../subscriptions/subscriptions.ts';
import type { Counter } from './counters.ts';

export type FeatureRow = Row<'features'>;
export type ProductEntitlementRow = Row<'productEntitlements'>;
export type OverrideRow = Row<'entitlementOverrides'>;

/** The parts of a tenant that decide about access. */
type AccessTenant = Pick<Row<'tenants'>, 'timezone' | 'retryDays' | 'dunning'>;

/** What is known of a customer and a feature. */
export interface EntitlementFacts {
  feature: FeatureRow;
  customerId: string;
  override: OverrideRow | undefined;
  /** The subscriptions that are not cancelled, oldest first. */
  subscriptions: readonly SubscriptionRow[];
  /** What their products have of the feature. */
  attached: readonly ProductEntitlementRow[];
  /** What counts its use; empty unless it is a limit with a meter or a credit type. */
  counters: readonly Counter[];
}

/** Why nobody has to ask further: where the value comes from, or why there is none. */
export type GrantReason =
  | 'included'
  | 'override'
  | 'not_included'
  | 'no_subscription'
  | Exclude<SubscriptionStatus, 'active' | 'trialing'>;

/** A limit in units. */
interface Limit {
  /** Null for no end. */
  units: ExactDecimal | null;
  /** How many units may be used above it: 0 for a hard limit, null for any number. */
  overage: ExactDecimal | null;
}

/** What a customer has of a feature. */
export interface Grant {
  because: GrantReason;
  /** The value of a boolean or config; null for none, and for limits. */
  value: unknown;
  /** The limit of a feature of that kind; null for the other kinds. */
  limit: Limit | null;
  /** The period in which use is counted. */
  period: Period;
}

/** What an item of a subscription gives. */
interface Source {
  terms: EntitlementTerms;
  quantity: number;
  isAddOn: boolean;
  subscription: SubscriptionRow;
}

const zero = wholeDecimal(0);

/** Returns what a customer has of a feature at an instant. */
export function computeGrant(facts: EntitlementFacts, tenant: AccessTenant, now: string): Grant {
  const { feature, override, subscriptions } = facts;
  const { kind } = feature;
  const sources = subscriptions.flatMap((subscription) => listSources(subscription, facts, tenant, now));
  const open = sources.filter(({ subscription }) => computeAccess(subscription, tenant, now).granted);
  const counted = (open[0] ?? sources[0])?.subscription ?? findGranting(subscriptions, tenant, now);
  const period = findUsePeriod(counted, tenant.timezone, now);
  if (isInForce(override, now)) {
    const only = { terms: override.terms, quantity: 1, isAddOn: false };
    return { ...combine[kind]([only]), because: 'override', period };
  }
  if (open.length > 0) return { ...combine[kind](open), because: 'included', period };
  const because = explainAbsence(sources, subscriptions, tenant, now);
  return { ...combine[kind]([]), because, period };
}

/** Whether an override holds at an instant. Its end is exclusive. */
const isInForce = (override: OverrideRow | undefined, now: string): override is OverrideRow =>
  override !== undefined && (override.endsAt === null || now < override.endsAt);

/** Lists what the items of a subscription give: the main one first. */
function listSources(
  subscription: SubscriptionRow,
  { attached }: EntitlementFacts,
  tenant: AccessTenant,
  now: string,
): Source[] {
  const { start } = findUsePeriod(subscription, tenant.timezone, now);
  const items = [{ ...subscription, isAddOn: false }, ...(subscription.addOns ?? []).map(markAddOn)];
  return items.flatMap(({ productId, quantity, isAddOn }) => {
    const row = attached.find((each) => each.productId === productId);
    const terms = row && findTerms(row, start);
    return terms ? [{ terms, quantity: quantity ?? 1, isAddOn, subscription }] : [];
  });
}

const markAddOn = <Item extends object>(item: Item) => ({ ...item, isAddOn: true });

/**
 * Returns the terms for a subscriber whose period began at an instant: those of the last change that has reached them. A change
 * reaches everybody at once, or those whose period begins after it.
 */
function findTerms(row: ProductEntitlementRow, periodStart: string): EntitlementTerms | null {
  const { terms, since, reach, earlier } = row;
  const versions: EntitlementVersion[] = [...earlier, { terms, since, reach }];
  const last = versions.findLast((each) => each.reach === 'now' || each.since <= periodStart);
  return last?.terms ?? null;
}

/** Returns the first subscription that gives access. */
const findGranting = (subscriptions: readonly SubscriptionRow[], tenant: AccessTenant, now: string) =>
  subscriptions.find((each) => computeAccess(each, tenant, now).granted);

/**
 * Returns the period in which use is counted: the trial, or the billing period that contains the instant, paid or not. Without
 * a subscription it is the calendar month in the tenant's time zone.
 */
export function findUsePeriod(
  subscription: SubscriptionRow | undefined,
  timeZone: string,
  now: string,
): Period {
  if (!subscription || subscription.startsAt > now) return findCalendarMonth(timeZone, now);
  const { startsAt, currentPeriodStart: start, currentPeriodEnd: end, anchor } = subscription;
  if (isTrialing(subscription, now)) return { start: startsAt, end: subscription.trialEndsAt };
  if (start !== null && end !== null && start <= now && now < end) return { start, end };
  const cycle = findCycle(anchor, subscription, timeZone, now);
  const begun = end !== null && end <= now && end > cycle.start ? end : cycle.start;
  return { start: begun < startsAt ? startsAt : begun, end: cycle.end };
}

function explainAbsence(
  sources: readonly Source[],
  subscriptions: readonly SubscriptionRow[],
  tenant: AccessTenant,
  now: string,
): GrantReason {
  const [closed] = sources;
  if (closed) {
    const { reason } = computeAccess(closed.subscription, tenant, now);
    // The end of an active subscription has come, and will be recorded soon.
    return reason === 'active' || reason === 'trialing' ? 'cancelled' : reason;
  }
  return subscriptions.length === 0 ? 'no_subscription' : 'not_included';
}

type Combined = Pick<Grant, 'value' | 'limit'>;
type Given = Pick<Source, 'terms' | 'quantity' | 'isAddOn'>;

/** How the values of several items combine: one yes suffices, one value is chosen, limits add up. */
const combine: Record<FeatureRow['kind'], (given: readonly Given[]) => Combined> = {
  boolean: (given) => ({ value: given.some(({ terms }) => terms.value === true), limit: null }),
  config: (given) => ({ value: given.toSorted(comparePriority)[0]?.terms.value ?? null, limit: null }),
  limit: (given) => ({ value: null, limit: addLimits(given) }),
};

/** The highest priority comes first, then main products, then the older subscription. */
const comparePriority = (a: Given, b: Given): number =>
  (b.terms.priority ?? 0) - (a.terms.priority ?? 0) || Number(a.isAddOn) - Number(b.isAddOn);

function addLimits(given: readonly Given[]): Limit {
  let units: ExactDecimal | null = zero;
  let overage: ExactDecimal | null = zero;
  for (const { terms, quantity } of given) {
    const times = terms.timesQuantity ? wholeDecimal(quantity) : wholeDecimal(1);
    units = addUnits(units, terms.value === null ? null : readDecimal(terms.value as string), times);
    if (terms.soft)
      overage = addUnits(
        overage,
        terms.overageLimit === undefined ? null : readDecimal(terms.overageLimit),
        times,
      );
  }
  return { units, overage };
}

const addUnits = (
  sum: ExactDecimal | null,
  units: ExactDecimal | null,
  times: ExactDecimal,
): ExactDecimal | null =>
  sum === null || units === null ? null : addDecimals(sum, multiplyDecimals(units, times));
