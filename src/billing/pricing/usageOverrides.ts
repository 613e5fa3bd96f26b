/** Which terms of a price of usage hold when: those of the price, or a customer's own. */
import type { UsagePricing } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Period } from './schedule.ts';

export type UsageOverride = Row<'usagePriceOverrides'>;

type PricedPeriod = Pick<
  Row<'usagePeriods'>,
  'subscriptionId' | 'priceId' | 'meterId' | 'currency' | 'pricing'
>;

/** Whether an override is for the price of a period, at any time. */
const isFor = (
  { subscriptionId, priceId, currency, pricing }: UsageOverride,
  period: Omit<PricedPeriod, 'pricing'>,
): boolean =>
  priceId === period.priceId &&
  (subscriptionId === null || subscriptionId === period.subscriptionId) &&
  currency === period.currency &&
  pricing.usage.meterId === period.meterId;

/**
 * Divides a span of a period where a customer's own terms begin or end, and returns the terms of each part. Those of a
 * subscription go before those of a customer, and otherwise those that began last.
 */
export function divideByOverrides(
  period: PricedPeriod,
  { start, end }: Period,
  overrides: readonly UsageOverride[],
): (Period & { pricing: UsagePricing })[] {
  const own = overrides.filter((override) => isFor(override, period)).toSorted(compareRank);
  const inside = own
    .flatMap(({ startsAt, endsAt }) => [startsAt, endsAt ?? ''])
    .filter((edge) => edge > start && edge < end);
  const edges = [start, ...new Set(inside.toSorted()), end];
  const parts: (Period & { pricing: UsagePricing })[] = [];
  for (const [index, from] of edges.slice(0, -1).entries()) {
    const { pricing } = own.find((override) => holdsAt(override, from)) ?? period;
    const until = edges[index + 1]!;
    const last = parts.at(-1);
    if (last?.pricing === pricing) last.end = until;
    else parts.push({ start: from, end: until, pricing });
  }
  return parts;
}

const holdsAt = ({ startsAt, endsAt }: UsageOverride, at: string): boolean =>
  startsAt <= at && (endsAt === null || at < endsAt);

/** Orders overrides by their rank, the one that goes before all others first. */
function compareRank(a: UsageOverride, b: UsageOverride): number {
  if ((a.subscriptionId === null) !== (b.subscriptionId === null)) return a.subscriptionId === null ? 1 : -1;
  if (a.startsAt !== b.startsAt) return a.startsAt < b.startsAt ? 1 : -1;
  return a.id < b.id ? 1 : -1;
}
