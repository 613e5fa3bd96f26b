/** The use of discounts by invoices and payments: reading those of a customer, and marking them used or free. */
import { computeUse, listUsedDiscounts, type GivenDiscount } from '../pricing/discounts.ts';
import type { LineDiscount } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { createDiscount, removeDiscount, type DiscountRow } from './discounts.ts';
import { findOfferOfIntent, hasFirstPurchaseDiscount, releaseRedemption } from './redemption.ts';

type Discounted = { discounts?: LineDiscount[] | null }[];
type IntentRow = Row<'intents'>;
type InvoiceRow = Row<'invoices'>;
type TenantDates = Pick<Row<'tenants'>, 'discountsSince'>;

const isLeft = ({ removedAt, spentInvoiceId }: DiscountRow) => removedAt === null && spentInvoiceId === null;

/**
 * Lists the discounts of a customer that are neither removed nor spent, with their coupons; those that `freedBy`, an
 * invoice to be voided, has spent are free.
 */
export async function listGivenDiscounts(
  reads: Reads,
  tenant: TenantDates,
  customerId: string,
  freedBy?: string,
): Promise<GivenDiscount[]> {
  if (tenant.discountsSince === null) return [];
  const all = await reads.many('discounts', { where: { customerId }, orderBy: ['id'] });
  const rows = all.map((row) =>
    freedBy !== undefined && row.spentInvoiceId === freedBy ? { ...row, spentInvoiceId: null } : row,
  );
  const given: GivenDiscount[] = [];
  for (const discount of rows.filter(isLeft)) {
    given.push({ discount, coupon: (await reads.one('coupons', { id: discount.couponId }))! });
  }
  return given;
}

/** Lists the discounts of many customers that are neither removed nor spent, by customer. */
export async function listGivenDiscountsOfAll(
  reads: Reads,
  tenant: TenantDates,
  customerIds: string[],
): Promise<Map<string, GivenDiscount[]>> {
  const given = new Map<string, GivenDiscount[]>(customerIds.map((id) => [id, []]));
  if (tenant.discountsSince === null) return given;
  const rows = await reads.many('discounts', { where: { customerId: customerIds, removedAt: null } });
  const left = rows.filter(isLeft);
  if (left.length === 0) return given;
  const ids = [...new Set(left.map(({ couponId }) => couponId))];
  const coupons = await reads.many('coupons', { where: { id: ids } });
  const byId = new Map(coupons.map((coupon) => [coupon.id, coupon]));
  for (const discount of left) {
    given.get(discount.customerId)!.push({ discount, coupon: byId.get(discount.couponId)! });
  }
  return given;
}

/**
 * Marks the discounts on the lines of an issued invoice used: one of the duration `once` is spent, the months of a
 * repeating one begin.
 */
export async function useDiscounts(
  unit: UnitOfWork,
  invoice: Pick<Row<'invoices'>, 'id' | 'customerId' | 'intentId' | 'cycleStart'>,
  lines: Discounted,
): Promise<void> {
  const used = listUsedDiscounts(lines);
  if (used.length === 0) return;
  const holder = { id: invoice.id, at: invoice.cycleStart, reservedBy: invoice.intentId };
  await markUsed(unit, invoice.customerId, used, holder);
}

/** Marks the discounts of the duration `once` on the lines of a payment that starts used by its intent. */
export async function reserveDiscounts(
  unit: UnitOfWork,
  { id, customerId }: Pick<IntentRow, 'id' | 'customerId'>,
  lines: Discounted,
): Promise<void> {
  const used = listUsedDiscounts(lines);
  if (used.length > 0) await markUsed(unit, customerId, used, { id, reservedBy: null });
}

async function markUsed(
  unit: UnitOfWork,
  customerId: string,
  used: string[],
  { id, at, reservedBy }: { id: string; at?: string; reservedBy: string | null },
): Promise<void> {
  const rows = await unit.many('discounts', { where: { customerId }, orderBy: ['id'] });
  for (const discount of rows.filter((row) => used.includes(row.id))) {
    const { spentInvoiceId } = discount;
    if (spentInvoiceId !== null && spentInvoiceId !== reservedBy) continue;
    const coupon = (await unit.one('coupons', { id: discount.couponId }))!;
    // The months of a repeating discount begin with an invoice, not with a payment that may fail.
    if (at === undefined && coupon.duration !== 'once') continue;
    const use = computeUse({ discount, coupon }, id, at ?? unit.now, unit.tenant.timezone);
    if (use) await unit.change('discounts', discount, use, { action: 'used', causedBy: id });
  }
}

/**
 * Frees the discounts that a voided invoice had used: one of the duration `once` can be used again, and the months of a
 * repeating one that the invoice began are counted from the next invoice with it that is owed.
 */
export async function freeDiscounts(unit: UnitOfWork, invoice: InvoiceRow): Promise<void> {
  if (unit.tenant.discountsSince === null) return;
  const rows = await listDiscounts(unit, invoice.customerId);
  await freeSpent(unit, rows, invoice.id);
  const begun = rows.filter(({ endsAt }) => endsAt !== null);
  if (begun.length > 0) await restartMonths(unit, begun, invoice);
}

const listDiscounts = (unit: UnitOfWork, customerId: string) =>
  unit.many('discounts', { where: { customerId }, orderBy: ['id'] });

/** Frees the discounts of the duration `once` that an invoice, or the payment of an intent, had used. */
async function freeSpent(unit: UnitOfWork, rows: DiscountRow[], id: string): Promise<void> {
  for (const discount of rows.filter(({ spentInvoiceId }) => spentInvoiceId === id)) {
    await unit.change('discounts', discount, { spentInvoiceId: null }, { action: 'released', causedBy: id });
  }
}

/** Counts the months of repeating discounts anew that began with an invoice that is not owed any more. */
async function restartMonths(unit: UnitOfWork, rows: DiscountRow[], invoice: InvoiceRow): Promise<void> {
  const { id } = invoice;
  const used = listUsedDiscounts(await unit.many('invoiceLines', { where: { invoiceId: id } }));
  for (const discount of rows.filter((row) => used.includes(row.id))) {
    // The months of an imported discount began elsewhere.
    if (discount.endsAt !== (await computeEnd(unit, discount, invoice))) continue;
    const first = await findFirstUse(unit, discount);
    const endsAt = first ? await computeEnd(unit, discount, first) : null;
    await unit.change('discounts', discount, { endsAt }, { action: 'released', causedBy: id });
  }
}

/** Returns the end of a repeating discount whose months begin with an invoice. */
async function computeEnd(
  unit: UnitOfWork,
  given: DiscountRow,
  { id, cycleStart }: InvoiceRow,
): Promise<string | null | undefined> {
  const coupon = (await unit.one('coupons', { id: given.couponId }))!;
  const discount = { ...given, endsAt: null };
  return computeUse({ discount, coupon }, id, cycleStart, unit.tenant.timezone)?.endsAt;
}

/** Finds the first invoice with a discount that is owed. */
async function findFirstUse(
  unit: UnitOfWork,
  { id, customerId }: DiscountRow,
): Promise<InvoiceRow | undefined> {
  const owed = await unit.many('invoices', {
    where: { customerId, status: ['open', 'paid'] },
    orderBy: ['createdAt', 'id'],
  });
  const lines = await unit.many('invoiceLines', { where: { invoiceId: owed.map((invoice) => invoice.id) } });
  const using = lines.filter((line) => listUsedDiscounts([line]).includes(id));
  return owed.find((invoice) => using.some(({ invoiceId }) => invoiceId === invoice.id));
}

/** Releases the redemption and the discounts that a payment without success had reserved. */
export async function releaseDiscounts(unit: UnitOfWork, intent: IntentRow): Promise<void> {
  if (intent.discounts === null) return;
  const offer = await findOfferOfIntent(unit, intent);
  if (offer) await releaseRedemption(unit, offer);
  await freeSpent(unit, await listDiscounts(unit, intent.customerId), intent.id);
}

/**
 * Creates the discount that a paid intent redeemed, on its subscription. The payment is billed as its payer confirmed it.
 * If the customer has meanwhile got another discount of a code for the first purchase, this one reduces nothing else.
 */
export async function giveRedeemedDiscount(
  unit: UnitOfWork,
  intent: IntentRow,
  subscriptionId: string,
): Promise<void> {
  const offer = await findOfferOfIntent(unit, intent);
  const id = intent.discounts?.at(-1)?.discountId;
  if (!offer || id === undefined) return;
  const { customerId } = intent;
  await createDiscount(unit, offer, { customerId, subscriptionId, id });
  const isSecond = offer.code?.firstPurchaseOnly && (await hasFirstPurchaseDiscount(unit, customerId, id));
  if (isSecond) await removeDiscount(unit, id);
}
