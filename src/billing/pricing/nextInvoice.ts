import type { AddOn, BillTax, DiscountTerms } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { buildAddOnFeeLines, dropBilledFees, keepFees } from './addOnFees.ts';
import { applyGrants, type Grant } from './creditGrants.ts';
import { applyDiscounts } from './discounts.ts';
import { toInterval, buildPeriodLines, sumLines, type Agreement, type Line } from './invoiceLines.ts';
import { isSameInterval, type Period } from './schedule.ts';
import { applyTax } from './tax.ts';
import { buildSetupFeeLine } from './trials.ts';

/** The columns of a subscription that determine its next invoice. A forecast advances a copy of them. */
export interface Billable extends Agreement {
  anchor: string;
  /** The start of the next period. */
  nextBillingDate: string;
  /** The scheduled cancellation; the period that contains it is cut off there. */
  cancelAt?: string | null;
}

export interface NextInvoice {
  /** The agreement that was billed. */
  agreement: Agreement;
  /** Its add-ons after the invoice, which has charged their set-up fees. */
  addOns: AddOn[] | null;
  anchor: string;
  period: Period;
  lines: Line[];
  /** The lines before credits pay. */
  unpaid: Line[];
  totalMinor: bigint;
  /** The amount used from the customer's balance, in minor units. */
  balanceMinor: bigint;
  /** The amount added to the customer's balance, in minor units, because the credits exceed the charges. */
  surplusMinor: bigint;
}

/** What an invoice contains besides the lines of its period. */
export interface BillExtras {
  /** The customer's available balance in minor units. */
  balanceMinor: bigint;
  /** The set-up fee, on the first invoice of a subscription that has one. */
  setupFeeMinor?: bigint | null;
  /** The lines that wait for this invoice, before discounts. */
  items?: Line[];
  /** The discounts to deduct, in order. */
  discounts?: DiscountTerms[];
  /** The tax; none if the seller charges none. */
  tax?: BillTax | null;
  /** The credit grants that lower it before tax. */
  grants?: GivenGrants;
}

/** Credit grants in the order of their use, the instant of their use, and the main price of the subscription. */
interface GivenGrants {
  list: Grant[];
  at: string;
  mainPriceId?: string | undefined;
}

/**
 * Computes the invoice for the next period. Renewals and forecasts both use this function. `next` is the agreement of a
 * scheduled downgrade, which takes effect here.
 */
export function computeNextInvoice(
  current: Billable,
  next: Agreement | undefined,
  { items = [], discounts = [], setupFeeMinor, ...extras }: BillExtras,
  timeZone: string,
): NextInvoice {
  const agreement = next ? { ...next, addOns: keepFees(current.addOns, next.addOns) } : current;
  const start = current.nextBillingDate;
  const keepsAnchor = isSameInterval(toInterval(current), toInterval(agreement));
  const { lines: periodLines, anchor } = buildPeriodLines(
    agreement,
    keepsAnchor ? current.anchor : start,
    start,
    timeZone,
    current.cancelAt,
  );
  const [main] = periodLines;
  const period = { start: main.periodStart, end: main.periodEnd };
  const fees = setupFeeMinor ? [buildSetupFeeLine(agreement, setupFeeMinor, period)] : [];
  const addOnFees = agreement.addOns === null ? [] : buildAddOnFeeLines(agreement, period);
  const lines = applyDiscounts([...periodLines, ...fees, ...addOnFees, ...items], discounts);
  const billed = addOnFees.length > 0 ? dropBilledFees(agreement.addOns, addOnFees) : agreement.addOns;
  return { agreement, addOns: billed, anchor, period, ...applyCredits(lines, extras) };
}

/** Lowers the lines of a bill by credit grants, adds their tax, and pays from the balance. */
function applyCredits(
  lines: Line[],
  { grants, tax, balanceMinor }: Pick<BillExtras, 'grants' | 'tax' | 'balanceMinor'>,
): ItemBill {
  const unpaid = applyTax(lines, tax).lines;
  if (!grants || grants.list.length === 0) return { unpaid, ...applyBalance(unpaid, balanceMinor) };
  const lowered = applyGrants(lines, grants.list, grants.at, grants.mainPriceId);
  return { unpaid, ...applyBalance(applyTax(lowered, tax).lines, balanceMinor) };
}

/** A bill without a period. */
export interface ItemBill extends AppliedBalance {
  /** The lines before credits pay. */
  unpaid: Line[];
}

/**
 * Computes an invoice without a period, of lines before discounts: one of one-off charges, or the final one of a
 * subscription.
 */
export function computeItemInvoice(
  items: Line[],
  { discounts = [], ...extras }: Omit<BillExtras, 'items' | 'setupFeeMinor'>,
): ItemBill {
  return applyCredits(applyDiscounts(items, discounts), extras);
}

/** A bill after its balance. */
export type AppliedBalance = Pick<NextInvoice, 'lines' | 'totalMinor' | 'balanceMinor' | 'surplusMinor'>;

/**
 * Pays the sum of the lines from the available balance (minor units), or adds a negative sum to the balance, with a line
 * for either. The total is 0 or more.
 */
export function applyBalance(charged: Line[], availableMinor: bigint): AppliedBalance {
  const sumMinor = sumLines(charged);
  const surplusMinor = sumMinor < 0n ? -sumMinor : 0n;
  const mostMinor = availableMinor < sumMinor ? availableMinor : sumMinor;
  const balanceMinor = mostMinor > 0n ? mostMinor : 0n;
  const addedMinor = surplusMinor - balanceMinor;
  const lines = addedMinor === 0n ? charged : [...charged, buildBalanceLine(charged[0]!, addedMinor)];
  return { lines, totalMinor: sumMinor + addedMinor, balanceMinor, surplusMinor };
}

/**
 * Returns the lines of a draft: what credits pay follows at finalization, but credits beyond the charges are left as
 * balance already, so that its total is 0 or more.
 */
export const toDraftLines = (lines: Line[]): Line[] =>
  applyBalance(
    lines.filter(({ kind }) => kind !== 'BALANCE'),
    0n,
  ).lines;

/**
 * Builds a line that uses (negative) or adds to (positive) the customer's balance, with the period and currency of
 * `line`.
 */
export function buildBalanceLine(of: Line, amountMinor: bigint): Line {
  return {
    kind: 'BALANCE',
    description: amountMinor < 0n ? 'Paid from the balance' : 'Left as balance',
    amountMinor,
    currency: of.currency,
    periodStart: of.periodStart,
    periodEnd: of.periodEnd,
    explanation: { balanceMinor: String(amountMinor) },
  };
}

/** Returns the columns of a subscription that hold the agreement. */
export function pickAgreement(from: Row<'intents'>) {
  const { productId, priceId, groupId, productName, amountMinor, currency, frequency, period } = from;
  const { quantity, pricing, addOns, taxBehavior } = from;
  const paymentIntentId = from.id;
  return {
    paymentIntentId,
    productId,
    priceId,
    groupId,
    productName,
    amountMinor,
    currency,
    frequency,
    period,
    quantity,
    pricing,
    addOns,
    taxBehavior,
  };
}
