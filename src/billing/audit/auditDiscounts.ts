import { listUsedDiscounts, sumDiscounts } from '../pricing/discounts.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { groupBy } from '../../lib/groupBy.ts';
import type { Books } from './auditSnapshot.ts';
import { isUnpaid, isWrittenOff } from '../invoices/invoices.ts';

type Blame = (subject: string, found: string) => void;

/**
 * Checks the discounts on lines: they are amounts above 0 from lines that are not negative, and those of a paid invoice
 * belong to discounts of its customer. A discount of the duration `once` is on at most one invoice that is owed.
 */
export function auditDiscounts(books: Books, blame: Blame): void {
  const owedWith = countOwedInvoices(books);
  const own = groupBy(books.discounts, ({ customerId }) => customerId);
  for (const line of books.lines) {
    const isWrong = (line.discounts ?? []).some(({ amountMinor }) => BigInt(amountMinor) < 0n);
    if (isWrong || (line.discounts && line.amountMinor < 0n))
      blame(line.id, 'has a discount below 0 or beyond it');
  }
  for (const { id, customerId, status } of books.invoices) {
    if (status !== 'paid') continue;
    const known = new Set((own.get(customerId) ?? []).map((discount) => discount.id));
    const unknown = listUsedDiscounts(books.listLines(id)).filter((used) => !known.has(used));
    if (unknown.length > 0) blame(id, `has discounts that are not of its customer: ${unknown.join(', ')}`);
  }
  for (const { id, spentInvoiceId } of books.discounts) {
    if (spentInvoiceId !== null && (owedWith.get(id) ?? 0) > 1)
      blame(id, `reduces one invoice, but is on ${owedWith.get(id)}`);
    const invoice = spentInvoiceId === null ? undefined : books.invoiceById.get(spentInvoiceId);
    if (!invoice) continue;
    const used = listUsedDiscounts(books.listLines(invoice.id));
    if (!used.includes(id)) blame(id, `was used by ${invoice.id}, whose lines do not have it`);
  }
}

/** Counts the open and paid invoices whose lines each discount reduces. */
function countOwedInvoices(books: Books): Map<string, number> {
  const counts = new Map<string, number>();
  for (const invoice of books.invoices) {
    if (!isUnpaid(invoice) && !isWrittenOff(invoice) && invoice.status !== 'paid') continue;
    for (const used of listUsedDiscounts(books.listLines(invoice.id)))
      counts.set(used, (counts.get(used) ?? 0) + 1);
  }
  return counts;
}

/** Returns the amount of a line before its discounts, in minor units. */
export const addDiscounts = (line: Row<'invoiceLines'>): bigint => line.amountMinor + sumDiscounts([line]);

/** The records of a tenant that count redemptions. */
interface Redemptions {
  coupons: Row<'coupons'>[];
  promotionCodes: Row<'promotionCodes'>[];
  discounts: Pick<Row<'discounts'>, 'couponId' | 'promotionCodeId'>[];
  /** Intents whose payment is in progress. */
  paying: Pick<Row<'intents'>, 'couponId' | 'promotionCodeId' | 'discounts'>[];
}

/** Checks that each coupon and each promotion code counts its discounts and the payments that redeem it. */
export function auditRedemptions(
  { coupons, promotionCodes, discounts, paying }: Redemptions,
  blame: Blame,
): void {
  const redeemed = [...discounts, ...paying.filter((intent) => intent.discounts !== null)];
  const byCoupon = groupBy(redeemed, ({ couponId }) => couponId);
  const byCode = groupBy(redeemed, ({ promotionCodeId }) => promotionCodeId);
  const compare = (id: string, counted: number, found: number) => {
    if (counted !== found) blame(id, `counts ${counted} redemptions, but there are ${found}`);
  };
  for (const { id, timesRedeemed } of coupons) compare(id, timesRedeemed, byCoupon.get(id)?.length ?? 0);
  for (const { id, timesRedeemed } of promotionCodes) compare(id, timesRedeemed, byCode.get(id)?.length ?? 0);
}
