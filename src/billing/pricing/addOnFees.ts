/** Set-up fees of add-ons: an add-on has its fee until an invoice charges it, and pays it once. */
import type { AddOn, DiscountTerms } from '../../storage/model/common.ts';
import { applyDiscounts } from './discounts.ts';
import { listItems, nameItem, type Agreement, type Line } from './invoiceLines.ts';
import type { Period } from './schedule.ts';
import { buildSetupFeeLine } from './trials.ts';

type AddOns = AddOn[] | null;

/** Builds the lines of the set-up fees that the add-ons of an agreement still owe, with the period of the invoice. */
export const buildAddOnFeeLines = (agreement: Agreement, period: Period): Line[] =>
  listItems(agreement).flatMap((item) =>
    item.owedFeeMinor === undefined
      ? []
      : [{ ...buildSetupFeeLine(item, item.owedFeeMinor, period), ...nameItem(item) }],
  );

/**
 * Builds the lines of the set-up fees of the add-ons that a change charges, beside the `charges` for their periods. A
 * percentage reduces them; a fixed amount reduces the price of the period alone.
 */
export function buildChangeFeeLines(
  agreement: Agreement,
  charges: Line[],
  discounts: DiscountTerms[],
): Line[] {
  const periods = new Map(
    charges
      .filter(({ kind }) => kind !== 'PRORATION_CREDIT')
      .map(({ priceId, periodStart, periodEnd }) => [priceId, { start: periodStart, end: periodEnd }]),
  );
  const fees = listItems(agreement).flatMap((item) => {
    const period = periods.get(item.addOnPriceId);
    return period && item.addOnPriceId !== undefined
      ? buildAddOnFeeLines(agreement, period).filter(({ priceId }) => priceId === item.addOnPriceId)
      : [];
  });
  return applyDiscounts(
    fees,
    discounts.filter(({ percentOff }) => percentOff !== undefined),
  );
}

/** Returns the add-ons of a new agreement: one that is present already owes the fee that it owes now, if any. */
export const keepFees = (present: AddOns, next: AddOns): AddOns =>
  next?.map((addOn) => {
    const known = present?.find(({ priceId }) => priceId === addOn.priceId);
    return known ? { ...withoutFee(addOn), ...pickFee(known) } : addOn;
  }) ?? null;

/** Returns the add-ons without the fees that lines charge. */
export const dropBilledFees = (addOns: AddOns, lines: Pick<Line, 'kind' | 'priceId'>[]): AddOns => {
  const billed = new Set(lines.filter(({ kind }) => kind === 'SETUP_FEE').map(({ priceId }) => priceId));
  if (!addOns?.some((addOn) => addOn.setupFeeMinor !== undefined && billed.has(addOn.priceId))) return addOns;
  return addOns.map((addOn) => (billed.has(addOn.priceId) ? withoutFee(addOn) : addOn));
};

/** Sums the set-up fees that add-ons still owe, in minor units. */
export const sumAddOnFees = (addOns: AddOns): bigint =>
  (addOns ?? []).reduce((sum, { setupFeeMinor = '0' }) => sum + BigInt(setupFeeMinor), 0n);

const pickFee = ({ setupFeeMinor }: AddOn): Pick<AddOn, 'setupFeeMinor'> =>
  setupFeeMinor === undefined ? {} : { setupFeeMinor };

const withoutFee = ({ setupFeeMinor: _, ...addOn }: AddOn): AddOn => addOn;
