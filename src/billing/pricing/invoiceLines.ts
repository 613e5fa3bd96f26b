import type { LineDiscount, LineTax, OwnTaxTerms, Pricing, ProductKind } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { computeCycleAmount, type TierCharge } from './priceModel.ts';
import { prorate, type Explanation } from './proration.ts';
import { computeGross } from './tax.ts';
import type { CommitmentExplanation, UsageLineExplanation } from './usagePrice.ts';
import { describeInterval, computeFirstPeriod, type Interval } from './schedule.ts';

/** The terms that a subscriber agreed to: a copy of the catalogue at that time. */
export type Agreement = Pick<
  Row<'subscriptions'>,
  | 'productId'
  | 'productName'
  | 'amountMinor'
  | 'currency'
  | 'frequency'
  | 'period'
  | 'quantity'
  | 'pricing'
  | 'addOns'
  | 'taxBehavior'
>;

/** An item of an agreement with its own terms: the main price, or an add-on. */
export interface Item extends Agreement {
  /** The price of an add-on; none for the main price. */
  addOnPriceId?: string;
  /** The set-up fee that an add-on still owes. */
  owedFeeMinor?: bigint;
}

/** A line of an invoice before it is written. */
export interface Line {
  kind: Row<'invoiceLines'>['kind'];
  description: string;
  amountMinor: bigint;
  currency: string;
  periodStart: string;
  periodEnd: string;
  explanation:
    | (Explanation & QuantityExplanation)
    | ItemExplanation
    | UsageLineExplanation
    | CommitmentExplanation
    | { balanceMinor: string }
    | { priceMinor: string };
  /** On a credit: the line whose unused time it gives back. */
  creditedLineId?: string;
  /** The discounts and credit grants that the amount already contains. */
  discounts?: LineDiscount[];
  /** The price of an add-on; none on lines of the main price. */
  priceId?: string;
  /** The price and the meter of a line of usage, by which credit grants select lines; not stored with it. */
  usageOf?: { priceId: string; meterId: string };
  /** The product, by which coupons select lines; none on lines without a product. */
  productId?: string;
  /** The product of an add-on; otherwise that of the invoice. */
  productName?: string;
  /** What is sold, on lines without a product; an electronic service by default. */
  productKind?: ProductKind;
  /** Whether the amount contains the tax; exclusive by default. */
  taxBehavior?: 'exclusive' | 'inclusive' | null;
  /** The tax terms of the line itself, such as those of the line that it credits; null for an untaxed line. */
  taxTerms?: OwnTaxTerms | null;
  /** The tax, once it is computed. */
  tax?: LineTax;
}

/** Returns the billing interval of an agreement. */
export const toInterval = ({ frequency, period }: Pick<Agreement, 'frequency' | 'period'>): Interval => ({
  frequency,
  period,
});

/** Lists the items of an agreement, the main price first. */
export function listItems(agreement: Agreement): Item[] {
  const { addOns, currency, frequency, period } = agreement;
  if (addOns === null) return [agreement];
  // Not `...agreement`: copying all columns of a subscription takes V8 30 µs.
  const parts = addOns.map(({ priceId, quantity, pricing, amountMinor, setupFeeMinor, ...addOn }): Item => ({
    currency,
    frequency,
    period,
    addOns: null,
    productId: addOn.productId,
    productName: addOn.productName,
    // A flat price has no quantity.
    quantity: pricing === null ? null : quantity,
    pricing,
    amountMinor: BigInt(amountMinor),
    addOnPriceId: priceId,
    owedFeeMinor: setupFeeMinor === undefined ? undefined : BigInt(setupFeeMinor),
    taxBehavior: addOn.taxBehavior ?? null,
  }));
  return [agreement, ...parts];
}

/** Lists the products of the items of an agreement. */
export const listProductIds = (agreement: Agreement): string[] =>
  listItems(agreement).map(({ productId }) => productId);

/** Returns the amount of a whole cycle of all items, in minor units. */
export const sumItems = ({ amountMinor, addOns }: Pick<Agreement, 'amountMinor' | 'addOns'>): bigint =>
  (addOns ?? []).reduce((sum, addOn) => sum + BigInt(addOn.amountMinor), amountMinor);

/** Names the product on the line of an item, and an add-on by its price and product; says if the price contains the tax. */
export const nameItem = ({
  addOnPriceId,
  productId,
  productName,
  taxBehavior,
}: Item): Pick<Line, 'productId' | 'priceId' | 'productName' | 'taxBehavior'> => ({
  productId,
  ...(addOnPriceId !== undefined && { priceId: addOnPriceId, productName }),
  ...(taxBehavior === 'inclusive' && { taxBehavior }),
});

/**
 * Builds the lines for the period that starts at `start`, one for each item with the main price first, and returns the
 * anchor of the schedule. Usage is billed when the period has ended, so an add-on of usage has no line; the main price has
 * one of 0, because a paid period is a line. The period is a full cycle, or a stub until the next cycle start, charged by time. Without an
 * `anchor` the schedule starts at `start`; `until` cuts the period off.
 */
export function buildPeriodLines(
  agreement: Agreement,
  anchor: string | null,
  start: string,
  timeZone: string,
  until?: string | null,
): { lines: [Line, ...Line[]]; anchor: string } {
  const interval = toInterval(agreement);
  const first = computeFirstPeriod(start, anchor, interval, timeZone);
  const isCut = Boolean(until && until > first.periodStart && until < first.periodEnd);
  const part = { start: first.periodStart, end: isCut ? until! : first.periodEnd };
  const kind = first.isStub || isCut ? 'STUB' : 'CYCLE';
  const buildLine = (item: Item): Line => {
    const whole = { start: first.fullStart, end: first.fullEnd };
    const { amountMinor, explanation } = prorate(item.amountMinor, part, whole);
    return {
      kind,
      description: describePeriod(item, kind),
      amountMinor,
      currency: item.currency,
      periodStart: part.start,
      periodEnd: part.end,
      explanation: { ...explanation, ...explainQuantity(item) },
      ...nameItem(item),
    };
  };
  const [main, ...addOns] = listItems(agreement);
  const billed = addOns.filter(({ pricing }) => !pricing?.usage);
  return { lines: [buildLine(main!), ...billed.map(buildLine)], anchor: first.anchor };
}

/** Returns the description of a line for a period. Only a whole cycle shows its quantity: a part costs less. */
export function describePeriod(agreement: Agreement, kind: Line['kind']): string {
  const { productName, quantity } = agreement;
  const units = kind === 'CYCLE' && quantity !== null && quantity > 1 ? `${quantity} × ` : '';
  return `${units}${productName}, ${describeInterval(toInterval(agreement))}`;
}

/** How the amount of a one-off charge is computed. */
export interface ItemExplanation {
  quantity: number;
  /** A decimal in major units. */
  unitAmount: string;
}

/** How the price of a cycle is computed from the quantity; nothing for a flat price. */
export interface QuantityExplanation {
  model?: Pricing['model'];
  quantity?: number;
  /** Of a unit or a package; a decimal in major units. */
  unitAmount?: string;
  packageSize?: number;
  tiers?: TierCharge[];
}

/** Returns the figures from which the amount of a whole cycle is computed. */
export function explainQuantity({
  pricing,
  quantity,
  amountMinor,
  currency,
}: Agreement): QuantityExplanation {
  if (pricing === null || pricing.usage) return {};
  const figures = { model: pricing.model, quantity: quantity ?? 1 };
  if (pricing.model === 'per_unit') return { ...figures, unitAmount: pricing.unitAmount };
  if (pricing.model === 'package') {
    return { ...figures, unitAmount: pricing.unitAmount, packageSize: pricing.packageSize };
  }
  return {
    ...figures,
    tiers: computeCycleAmount({ amountMinor, currency, pricing }, figures.quantity).tiers,
  };
}

/** The sum of lines with their tax, in minor units. */
export const sumLines = (lines: { amountMinor: bigint; tax?: LineTax | null }[]): bigint =>
  lines.reduce((sum, line) => sum + computeGross(line), 0n);
