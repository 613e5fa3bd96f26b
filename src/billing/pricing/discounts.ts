/**
 * Discounts: which of them reduce a bill, the amounts they take off its lines, and when they are used up. Renewals,
 * forecasts, first bills and previews call the same functions.
 */
import { shareByLargestRemainder } from './largestRemainder.ts';
import { readDecimal } from '../../lib/decimal.ts';
import { divideRoundHalfUp } from '../../lib/money.ts';
import type { AppliedBilling, DiscountTerms, LineDiscount } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { sumLines, type Item, type Line } from './invoiceLines.ts';
import { computeCycleStart } from './schedule.ts';

/** A discount with the coupon that defines it. */
export interface GivenDiscount {
  discount: Row<'discounts'>;
  coupon: Row<'coupons'>;
}

/** The kinds of lines whose amount a discount reduces. Proration lines contain their discounts already. */
const discountableKinds: readonly Line['kind'][] = ['CYCLE', 'STUB', 'SETUP_FEE', 'ITEM', 'USAGE'];

/** Whether discounts and credit grants lower lines of a kind. */
export const isDiscountable = (kind: Line['kind']): boolean => discountableKinds.includes(kind);

/** What discounts read of a line, and write to it. */
type Discountable = Pick<Line, 'kind' | 'amountMinor' | 'productId' | 'discounts'>;

/**
 * Deducts discounts from the lines of a bill, in the order given. A discount is computed from the sum of the lines it
 * covers, rounded half up once, and shared among them by largest remainder. No line falls below 0; the excess of a
 * discount is lost.
 */
export const applyDiscounts = <L extends Discountable>(lines: L[], terms: DiscountTerms[]): L[] =>
  terms.reduce(deduct, lines);

/**
 * Returns what discounts take off the amounts of a whole cycle of each item, by the price of the add-on; undefined for the
 * main price. Proration charges a share of the discounted amount.
 */
export function discountItems(
  items: Item[],
  terms: DiscountTerms[],
): Map<string | undefined, LineDiscount[]> {
  const whole = items.map(({ addOnPriceId, productId, amountMinor }): Discountable & { key?: string } => ({
    kind: 'CYCLE',
    key: addOnPriceId,
    productId,
    amountMinor,
  }));
  return new Map(applyDiscounts(whole, terms).map(({ key, discounts }) => [key, discounts ?? []]));
}

function deduct<L extends Discountable>(lines: L[], terms: DiscountTerms): L[] {
  const covered = lines.filter((line) => isCovered(line, terms));
  const discountMinor = computeDiscount(sumLines(covered), terms);
  if (discountMinor === 0n) return lines;
  const shares = shareByLargestRemainder(
    discountMinor,
    covered.map(({ amountMinor }) => amountMinor),
  );
  return lines.map((line) => {
    const shareMinor = shares[covered.indexOf(line)] ?? 0n;
    if (shareMinor === 0n) return line;
    const discounts = [...(line.discounts ?? []), toLineDiscount(terms.discountId, shareMinor)];
    return { ...line, amountMinor: line.amountMinor - shareMinor, discounts };
  });
}

const toLineDiscount = (discountId: string, amountMinor: bigint): LineDiscount => ({
  discountId,
  amountMinor: String(amountMinor),
});

const isCovered = ({ kind, amountMinor, productId }: Discountable, { productIds }: DiscountTerms): boolean =>
  isDiscountable(kind) &&
  amountMinor > 0n &&
  (productIds === undefined || (productId !== undefined && productIds.includes(productId)));

/** Returns the amount that a discount takes off a sum of lines, in minor units; at most the sum. */
function computeDiscount(sumMinor: bigint, { percentOff, amountOffMinor }: DiscountTerms): bigint {
  if (percentOff !== undefined) {
    const { digits, scale } = readDecimal(percentOff);
    return divideRoundHalfUp(sumMinor * digits, 100n * 10n ** BigInt(scale));
  }
  const fixedMinor = BigInt(amountOffMinor!);
  return fixedMinor < sumMinor ? fixedMinor : sumMinor;
}

/** Sums what discounts and credit grants took off lines, in minor units. */
export const sumDiscounts = (lines: { discounts?: LineDiscount[] | null }[]): bigint =>
  lines.reduce(
    (sum, { discounts }) => (discounts ?? []).reduce((total, each) => total + BigInt(each.amountMinor), sum),
    0n,
  );

/** Sums the charges and credits of a bill before discounts, as priced and without its balance line, in minor units. */
export const computeSubtotal = (
  lines: (Pick<Line, 'kind' | 'amountMinor'> & { discounts?: LineDiscount[] | null })[],
): bigint =>
  lines.reduce(
    (sum, { kind, amountMinor }) => (kind === 'BALANCE' ? sum : sum + amountMinor),
    sumDiscounts(lines),
  );

/** Lists the discounts used on lines, without duplicates and without credit grants. */
export const listUsedDiscounts = (lines: { discounts?: LineDiscount[] | null }[]): string[] => [
  ...new Set(lines.flatMap(({ discounts }) => listDiscounts(discounts).map(({ discountId }) => discountId))),
];

/** Lists what discounts took off a line, without credit grants. */
export const listDiscounts = (discounts: LineDiscount[] | null | undefined): LineDiscount[] =>
  (discounts ?? []).filter(({ creditId }) => creditId === undefined);

/** Whether a discount still reduces bills for periods that start at `at`. */
export const isInForce = (
  { removedAt, spentInvoiceId, endsAt }: Pick<Row<'discounts'>, 'removedAt' | 'spentInvoiceId' | 'endsAt'>,
  at: string,
): boolean => removedAt === null && spentInvoiceId === null && (endsAt === null || at < endsAt);

/**
 * Selects the discounts of a bill for a period that starts at `at`: those of the subscription, or if it has none, those
 * of the customer. `subscriptionId` is undefined for a subscription that has not started. A charge that waits for the next
 * invoice gets no discount of the duration `once`: that invoice uses it, on its own lines.
 */
export function selectDiscounts(
  given: GivenDiscount[],
  {
    subscriptionId,
    currency,
    at,
    billing,
  }: { subscriptionId?: string; currency: string; at: string; billing?: AppliedBilling | null },
): DiscountTerms[] {
  if (given.length === 0) return [];
  const inForce = given.filter(({ discount }) => isInForce(discount, at));
  const own = inForce.filter(({ discount }) => discount.subscriptionId === (subscriptionId ?? ''));
  const selected = own.length > 0 ? own : inForce.filter(({ discount }) => discount.subscriptionId === null);
  return selected
    .filter(({ coupon }) => coupon.currency === null || coupon.currency === currency)
    .filter(({ coupon }) => billing !== 'next_invoice' || coupon.duration !== 'once')
    .toSorted((a, b) => a.discount.position - b.discount.position)
    .map(({ discount, coupon }) => toTerms(coupon, discount.id));
}

/** Returns the terms of a discount by a coupon. */
export function toTerms(coupon: Row<'coupons'>, discountId: string): DiscountTerms {
  const { id: couponId, percentOff, amountOffMinor, productIds } = coupon;
  return {
    discountId,
    couponId,
    ...(percentOff === null ? { amountOffMinor: String(amountOffMinor) } : { percentOff }),
    ...(productIds && { productIds }),
  };
}

/**
 * Returns how a discount changes when an invoice for a period that starts at `at` uses it: one of the duration `once` is
 * spent, and the months of a repeating one are counted from its first use. Returns undefined if nothing changes.
 */
export function computeUse(
  { discount, coupon }: GivenDiscount,
  invoiceId: string,
  at: string,
  timeZone: string,
): Partial<Row<'discounts'>> | undefined {
  if (coupon.duration === 'once') return { spentInvoiceId: invoiceId };
  if (coupon.duration === 'forever' || discount.endsAt !== null) return undefined;
  const months = { frequency: 'Monthly' as const, period: coupon.durationInMonths! };
  return { endsAt: computeCycleStart(at, months, timeZone, 1) };
}

/** Returns the discounts after a bill with these lines for a period that starts at `at`: some of them are used up. */
export function spendDiscounts(
  given: GivenDiscount[],
  lines: { discounts?: LineDiscount[] | null }[],
  at: string,
  timeZone: string,
): GivenDiscount[] {
  const used = new Set(listUsedDiscounts(lines));
  return given.map((each) =>
    used.has(each.discount.id)
      ? { ...each, discount: { ...each.discount, ...computeUse(each, 'forecast', at, timeZone) } }
      : each,
  );
}
