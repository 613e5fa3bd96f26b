import { sumDiscounts } from '../pricing/discounts.ts';
import type { Line } from '../pricing/invoiceLines.ts';
import type { LineDiscount, ProductKind } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { Match } from '../../storage/query/queries.ts';
import { readCreatedPage, type CreatedRange, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { countCredit } from '../payments/returns.ts';

export type InvoiceItemRow = Row<'invoiceItems'>;

/** The conditions of items that no invoice bills yet. */
export const waitingItem = { invoiceId: null, removedAt: null } as const;

/** A line that is to wait for the next invoice. */
export interface NewItem {
  customerId: string;
  /** The subscription whose next invoice bills it; null for the next invoice of the customer. */
  subscriptionId: string | null;
  /** An `ITEM` by default. */
  kind?: InvoiceItemRow['kind'];
  /** Before discounts, in minor units; negative for a credit. */
  amountMinor: bigint;
  currency: string;
  description: string;
  quantity?: number;
  /** The billed period; by default the instant of the creation. */
  period?: { start: string; end: string };
  /** The figures from which the amount was computed. */
  explanation: Line['explanation'];
  /** On a credit: the line whose unused time it gives back. Counts the credit on that line. */
  creditedLineId?: string;
  /** The discounts to deduct from the amount, for a prorated charge. */
  discounts?: LineDiscount[];
  /** The price of an add-on. */
  priceId?: string;
  /** What is sold; an electronic service by default. */
  productKind?: ProductKind;
  /** Whether the amount contains the tax; exclusive by default. */
  taxBehavior?: Line['taxBehavior'];
  /** The tax terms of the item itself; those of its invoice by default, and none for a credit. */
  taxTerms?: Line['taxTerms'];
}

/** Adds a line that waits for the next invoice of its subscription or customer. `causedBy` is the parent of its trace. */
export async function addInvoiceItem(
  unit: UnitOfWork,
  item: NewItem,
  causedBy?: string,
): Promise<InvoiceItemRow> {
  const { period, explanation, discounts, priceId, creditedLineId } = item;
  const { customerId, subscriptionId, amountMinor, currency, description } = item;
  if (unit.tenant.invoiceItemsSince === null)
    await unit.change('tenants', unit.tenant, { invoiceItemsSince: unit.now });
  const added = await unit.create(
    'invoiceItems',
    {
      id: unit.id('itm'),
      customerId,
      subscriptionId,
      kind: item.kind ?? 'ITEM',
      amountMinor,
      currency,
      description,
      quantity: item.quantity ?? 1,
      periodStart: period?.start ?? unit.now,
      periodEnd: period?.end ?? unit.now,
      explanation: { ...explanation },
      creditedLineId,
      discounts,
      priceId,
      taxBehavior: item.taxBehavior,
      taxTerms: item.taxTerms,
      productKind: item.productKind,
      createdAt: unit.now,
      updatedAt: unit.now,
    },
    { causedBy },
  );
  if (creditedLineId !== undefined)
    await countCredit(unit, creditedLineId, -computeItemGross(added), added.id);
  return added;
}

/** Returns the amount of a credit that waits, with its tax, in minor units; negative. */
export const computeItemGross = ({ amountMinor, taxTerms }: InvoiceItemRow): bigint =>
  amountMinor + BigInt(taxTerms?.taxMinor ?? 0);

/** Lists the items of a customer that wait for an invoice, oldest first. */
export const listWaitingItems = async (reads: Reads, customerId: string): Promise<InvoiceItemRow[]> =>
  reads.many('invoiceItems', { where: { customerId, ...waitingItem }, orderBy: ['id'] });

/** Whether an item waits for an invoice, is billed, or was deleted. */
export type ItemStatus = 'waiting' | 'billed' | 'deleted';

/** Returns the status of an item. */
export const getItemStatus = ({ invoiceId, removedAt }: InvoiceItemRow): ItemStatus =>
  removedAt !== null ? 'deleted' : invoiceId === null ? 'waiting' : 'billed';

const statusConditions = {
  waiting: waitingItem,
  billed: { removedAt: null, invoiceId: { isSet: true } },
  deleted: { removedAt: { isSet: true } },
} satisfies Record<ItemStatus, Match<'invoiceItems'>>;

interface ItemFilter {
  customerId?: string | null;
  status?: ItemStatus | null;
}

/** Lists the tenant's invoice items; newest first by default. Errors: `validation_failed`, `cursor_invalid`, `query_timeout`. */
export function listInvoiceItems(
  tenant: TenantScope,
  { customerId, status }: ItemFilter,
  args: PageArgs & CreatedRange,
): Promise<Page<InvoiceItemRow>> {
  const byStatus: Match<'invoiceItems'> = status ? statusConditions[status] : {};
  const isOfOne = typeof customerId === 'string';
  const isIndexed = !isOfOne && status === 'waiting';
  const where = { ...(isOfOne && { customerId }), ...(isIndexed && byStatus) };
  const filter = isIndexed ? {} : byStatus;
  return readCreatedPage(tenant, { name: 'invoiceItems', table: 'invoiceItems', where, filter }, args);
}

/** Returns the subscriptions of waiting items that have ended: the next invoice of the customer bills their items. */
export async function findEndedSubscriptions(
  reads: Reads,
  items: InvoiceItemRow[],
): Promise<ReadonlySet<string>> {
  const id = [...new Set(items.flatMap(({ subscriptionId }) => subscriptionId ?? []))];
  if (id.length === 0) return new Set();
  const ended = await reads.many('subscriptions', { where: { id, cancelledAt: { isSet: true } } });
  return new Set(ended.map((subscription) => subscription.id));
}

/** Whether a waiting item is billed by the next invoice of its customer, of any kind. */
export const isOfCustomer = (
  { subscriptionId }: Pick<InvoiceItemRow, 'subscriptionId'>,
  ended: ReadonlySet<string>,
): boolean => subscriptionId === null || ended.has(subscriptionId);

/**
 * Whether the next invoice of a subscription in a currency bills a waiting item of its customer. `ended` has the
 * subscriptions that have ended.
 */
export const isBilledWith = (
  item: InvoiceItemRow,
  subscriptionId: string,
  currency: string,
  ended: ReadonlySet<string>,
): boolean =>
  item.currency === currency && (item.subscriptionId === subscriptionId || isOfCustomer(item, ended));

/** Builds the invoice line of an item. */
export function toItemLine(item: InvoiceItemRow): Line {
  const { kind, description, amountMinor, currency, periodStart, periodEnd, discounts } = item;
  const { creditedLineId, priceId, taxBehavior, taxTerms, productKind } = item;
  return {
    kind,
    description,
    amountMinor: amountMinor - sumDiscounts([item]),
    currency,
    periodStart,
    periodEnd,
    explanation: item.explanation as unknown as Line['explanation'],
    ...(creditedLineId !== null && { creditedLineId }),
    ...(discounts !== null && { discounts }),
    ...(priceId !== null && { priceId }),
    ...(taxBehavior !== null && { taxBehavior }),
    ...(productKind !== null && { productKind }),
    // A credit without terms is for a line without tax.
    ...((taxTerms !== null || kind === 'PRORATION_CREDIT') && { taxTerms }),
  };
}

/** Marks items billed by an invoice that has their lines. */
export async function markItemsBilled(
  unit: UnitOfWork,
  items: InvoiceItemRow[],
  { id: invoiceId }: Pick<Row<'invoices'>, 'id'>,
): Promise<void> {
  for (const item of items)
    await unit.change('invoiceItems', item, { invoiceId }, { action: 'billed', causedBy: invoiceId });
}

/** Lets the items of an invoice that is closed without payment wait for the next invoice. */
export async function releaseItems(
  unit: UnitOfWork,
  { id: invoiceId }: Pick<Row<'invoices'>, 'id'>,
): Promise<void> {
  if (unit.tenant.invoiceItemsSince === null) return;
  const released = { action: 'released', causedBy: invoiceId } as const;
  const items = await unit.many('invoiceItems', { where: { invoiceId }, orderBy: ['id'] });
  for (const item of items) await unit.change('invoiceItems', item, { invoiceId: null }, released);
}

/** Deletes a waiting item, and the credit that it counts on a line. */
export async function removeItem(
  unit: UnitOfWork,
  item: InvoiceItemRow,
  causedBy?: string,
): Promise<InvoiceItemRow> {
  const { creditedLineId } = item;
  const removal = { action: 'deleted', causedBy } as const;
  const removed = await unit.change('invoiceItems', item, { removedAt: unit.now }, removal);
  if (creditedLineId !== null) await countCredit(unit, creditedLineId, computeItemGross(item), item.id);
  return removed;
}
