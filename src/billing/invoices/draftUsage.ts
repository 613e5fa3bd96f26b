/** The usage of a draft: events that came since it was made still go to the period of their time. */
import { applyDiscounts, listUsedDiscounts, sumDiscounts, toTerms } from '../pricing/discounts.ts';
import type { Line } from '../pricing/invoiceLines.ts';
import type { DiscountTerms } from '../../storage/model/common.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { insertLine, type InvoiceLineRow, type InvoiceRow } from './invoices.ts';
import { readWindowsOf } from './commitmentWindows.ts';
import { readBilledUsage } from './usageBill.ts';
import { readBilledPeriods, releaseUsage, recordUsageCharges } from './usagePeriods.ts';

/** The windows of a subscription that has ended are over. */
const endOfTime = '9999-12-31T23:59:59.999Z';

/**
 * Replaces the lines of usage of a draft by those of what is counted now, and deducts its discounts anew. Returns its lines. A
 * draft without usage stays as it is.
 */
export async function refreshUsage(
  unit: UnitOfWork,
  invoice: InvoiceRow,
  rows: InvoiceLineRow[],
): Promise<InvoiceLineRow[]> {
  if (rows.every(({ kind }) => kind !== 'USAGE') || invoice.subscriptionId === null) return rows;
  // Usage that came since a threshold was reached is billed when its period has ended.
  if (invoice.billingReason === 'usage_threshold') return rows;
  const subscription = (await unit.one('subscriptions', { id: invoice.subscriptionId }))!;
  await releaseUsage(unit, invoice);
  const periods = await readBilledPeriods(unit, invoice.id);
  // An erased customer has none any more.
  if (periods.length === 0) return rows;
  const until = invoice.billingReason === 'subscription_end' ? endOfTime : invoice.cycleStart;
  const from = periods.map(({ startsAt }) => startsAt).toSorted()[0]!;
  const windows = await readWindowsOf(unit, invoice.subscriptionId, { from, until });
  const usage = await readBilledUsage(unit, unit.tenant, subscription, { periods, windows, until });
  const others = rows.filter(({ kind }) => kind !== 'USAGE');
  const terms = await readTerms(unit, rows);
  const lines = applyDiscounts(
    [...others.map(toDiscountable), ...usage.lines.map((line) => ({ ...line, row: null }))],
    terms,
  );
  await unit.removeUntraced('invoiceLines', { invoiceId: invoice.id, kind: 'USAGE' });
  const refreshed: InvoiceLineRow[] = [];
  for (const { row, ...line } of lines)
    refreshed.push(
      row === null
        ? await insertLine(unit, invoice, line as Line, '')
        : await discountRow(unit, row, line.amountMinor, line.discounts ?? null),
    );
  await recordUsageCharges(unit, usage, invoice.id);
  return refreshed;
}

/** Returns a line before its discounts. */
const toDiscountable = (row: InvoiceLineRow) => ({
  row,
  kind: row.kind,
  amountMinor: isProration(row) ? row.amountMinor : row.amountMinor + sumDiscounts([row]),
  ...(row.productId !== null && { productId: row.productId }),
  ...(isProration(row) && row.discounts && { discounts: row.discounts }),
});

/** The discounts of proration lines are a part of their amount. */
const isProration = ({ kind }: InvoiceLineRow) => kind === 'PRORATION_CREDIT' || kind === 'PRORATION_CHARGE';

async function discountRow(
  unit: UnitOfWork,
  row: InvoiceLineRow,
  amountMinor: bigint,
  discounts: InvoiceLineRow['discounts'],
): Promise<InvoiceLineRow> {
  if (row.amountMinor === amountMinor) return row;
  await unit.updateUntraced('invoiceLines', { id: row.id }, { amountMinor, discounts });
  return { ...row, amountMinor, discounts };
}

/** Reads the terms of the discounts that the lines of a draft have, in their order. */
async function readTerms(unit: UnitOfWork, rows: InvoiceLineRow[]): Promise<DiscountTerms[]> {
  const terms: DiscountTerms[] = [];
  for (const id of listUsedDiscounts(rows.filter((row) => !isProration(row)))) {
    const discount = await unit.one('discounts', { id });
    const coupon = discount && (await unit.one('coupons', { id: discount.couponId }));
    if (discount && coupon) terms.push(toTerms(coupon, discount.id));
  }
  return terms;
}
