/**
 * Monthly recurring revenue (MRR): what a subscription brings in a month, before tax. Everything that shows or records
 * MRR calls these functions.
 */
import { readDecimal } from '../../lib/decimal.ts';
import { divideRoundHalfUp } from '../../lib/money.ts';
import type { BillTax, DiscountTerms } from '../../storage/model/common.ts';
import type { RecordedMrr } from '../../storage/model/revenue.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { applyDiscounts } from './discounts.ts';
import { listItems, toInterval, type Agreement, type Item } from './invoiceLines.ts';
import { computeYearlyAmount, type Interval } from './schedule.ts';
import { isBeforeFirstPeriod } from './trials.ts';

/** What counts as MRR. */
export interface MrrDefinition {
  /** The discounts that lower it. Discounts that end by themselves never do. */
  discounts: 'forever' | 'none';
  /** Whether subscriptions count whose charge failed, until they end. */
  pastDue: boolean;
  /** Whether subscriptions count during their trial, until their first payment. */
  trials: boolean;
  paused: boolean;
  /** Whether subscriptions count whose end is scheduled; without them it is the committed MRR. */
  cancelling: boolean;
}

/** The definition that figures have unless the caller chooses another. */
export const standardDefinition: MrrDefinition = {
  discounts: 'forever',
  pastDue: true,
  trials: false,
  paused: false,
  cancelling: true,
};

/** Returns the number of a definition: 0 for the standard one. Records of movements store sets of these numbers. */
export const numberDefinition = ({ discounts, pastDue, trials, paused, cancelling }: MrrDefinition): number =>
  (discounts === 'none' ? 1 : 0) +
  (pastDue ? 0 : 2) +
  (trials ? 4 : 0) +
  (paused ? 8 : 0) +
  (cancelling ? 0 : 16);

/** All definitions, by their number. */
export const definitions: readonly MrrDefinition[] = Array.from({ length: 32 }, (_, number) => ({
  discounts: number & 1 ? 'none' : 'forever',
  pastDue: !(number & 2),
  trials: Boolean(number & 4),
  paused: Boolean(number & 8),
  cancelling: !(number & 16),
}));

/** Whether a set of definitions contains the one with this number. */
export const hasDefinition = (set: number, number: number): boolean =>
  Math.floor(set / 2 ** number) % 2 === 1;

/**
 * Computes the MRR of an agreement in minor units: without discounts, and after those of the duration `forever`. A
 * twelfth of a year with 365 days, 365/7 weeks or 12 months, without the tax that a price includes; rounded half up once
 * for each item.
 */
export function computeMrr(
  agreement: Agreement,
  foreverDiscounts: DiscountTerms[],
  tax?: BillTax,
): { listMinor: bigint; netMinor: bigint } {
  const lines = listItems(agreement).map((item) => ({
    kind: 'CYCLE' as const,
    item,
    productId: item.productId,
    amountMinor: item.amountMinor,
  }));
  const interval = toInterval(agreement);
  const sum = (all: { item: Item; amountMinor: bigint }[]) =>
    all.reduce((total, { item, amountMinor }) => total + toMonthly(amountMinor, interval, item, tax), 0n);
  const listMinor = sum(lines);
  if (foreverDiscounts.length === 0) return { listMinor, netMinor: listMinor };
  return { listMinor, netMinor: sum(applyDiscounts(lines, foreverDiscounts)) };
}

function toMonthly(amountMinor: bigint, interval: Interval, item: Item, tax: BillTax | undefined): bigint {
  const { numerator, denominator } = computeYearlyAmount(amountMinor, interval);
  const { digits, scale } = readDecimal(findIncludedPercent(item, tax));
  const whole = 100n * 10n ** BigInt(scale);
  return divideRoundHalfUp(numerator * whole, 12n * denominator * (whole + digits));
}

/** Returns the percentage of the tax that the price of an item contains; 0 for a price without tax. */
function findIncludedPercent({ taxBehavior, productId }: Item, tax: BillTax | undefined): string {
  if (taxBehavior !== 'inclusive' || !tax) return '0';
  return (tax.byProduct?.[productId] ?? tax.terms).percent;
}

/** The columns of a subscription that decide whether it counts. */
type Standing = Pick<
  Row<'subscriptions'>,
  | 'cancelledAt'
  | 'pausedAt'
  | 'pastDueSince'
  | 'currentPeriodEnd'
  | 'trialEndsAt'
  | 'billedCount'
  | 'cancelAtPeriodEnd'
  | 'cancelAt'
>;

type MrrState = Pick<RecordedMrr, 'state' | 'paused' | 'cancelling'>;

/** Returns the state by which definitions differ; null for a subscription that has ended, or has not begun. */
export function findMrrState(subscription: Standing): MrrState | null {
  const { cancelledAt, pausedAt, pastDueSince, currentPeriodEnd, cancelAtPeriodEnd, cancelAt } = subscription;
  if (cancelledAt !== null || currentPeriodEnd === null) return null;
  return {
    state: isBeforeFirstPeriod(subscription) ? 'trialing' : pastDueSince === null ? 'active' : 'past_due',
    ...(pausedAt !== null && { paused: true }),
    ...((cancelAtPeriodEnd || cancelAt !== null) && { cancelling: true }),
  };
}

const isCounted = ({ state, paused, cancelling }: MrrState, definition: MrrDefinition): boolean =>
  (state !== 'past_due' || definition.pastDue) &&
  (state !== 'trialing' || definition.trials) &&
  (!paused || definition.paused) &&
  (!cancelling || definition.cancelling);

/** Returns the recorded MRR of a subscription under a definition, in minor units. */
export function measureMrr(recorded: RecordedMrr | null, definition: MrrDefinition): bigint {
  if (recorded === null || !isCounted(recorded, definition)) return 0n;
  return BigInt(definition.discounts === 'none' ? recorded.list : recorded.net);
}
