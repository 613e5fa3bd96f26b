import { listGivenDiscounts } from '../discounts/use.ts';
import { selectDiscounts } from '../pricing/discounts.ts';
import type { Line } from '../pricing/invoiceLines.ts';
import { computeItemInvoice, type AppliedBalance } from '../pricing/nextInvoice.ts';
import type { Reads } from '../../storage/store.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { computeAvailableBalance, computeReturnable } from './credits.ts';
import { readTaxBook, resolveTax } from '../tax/taxBook.ts';
import type { InvoiceRow } from './invoices.ts';

/** Lines to bill that belong to no period, before discounts. */
interface Charged {
  customerId: string;
  /** The subscription whose discounts apply; by default those of the customer. */
  subscriptionId?: string;
  /** The products by which the tax is found. */
  productIds?: string[];
  currency: string;
  lines: Line[];
  /** An invoice that is voided before: what it used of the discounts and the balance is free. */
  voided?: InvoiceRow | undefined;
}

/** A bill without a period. */
export interface ItemBill extends AppliedBalance {
  currency: string;
  /** The lines before the balance pays. */
  unpaid: Line[];
}

/**
 * Computes a bill without a period: of one-off charges, or of what still waits when a subscription ends. Previews and
 * invoices both use this function.
 */
export async function computeItemBill(
  reads: Reads,
  { now, tenant }: Pick<UnitOfWork, 'now' | 'tenant'>,
  { customerId, subscriptionId, productIds = [], currency, lines, voided }: Charged,
): Promise<ItemBill> {
  const given = await listGivenDiscounts(reads, tenant, customerId, voided?.id);
  const discounts = selectDiscounts(given, { ...(subscriptionId && { subscriptionId }), currency, at: now });
  const book = await readTaxBook(reads, tenant, [customerId], productIds);
  const tax = resolveTax(book, customerId, productIds, now);
  const availableMinor = await computeAvailableBalance(reads, customerId, currency, now);
  const returnedMinor = voided?.currency === currency ? await computeReturnable(reads, voided, now) : 0n;
  const balanceMinor = availableMinor + returnedMinor;
  return { currency, ...computeItemInvoice(lines, { balanceMinor, discounts, tax: tax ?? null }) };
}
