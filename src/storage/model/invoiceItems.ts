import { count, instant, json, money, nullable, shownIfSet, table, text } from './columns.ts';
import {
  byTenant,
  tenantKey,
  timestamps,
  type JsonObject,
  type LineDiscount,
  type OwnTaxTerms,
  type ProductKind,
} from './common.ts';

/** Lines that wait for an invoice. */
export const waiting = {
  invoiceItems: table(
    'invoice_items',
    {
      tenantAlias: text(),
      id: text(),
      customerId: text(),
      /** The subscription whose next invoice it waits for; null for the next invoice of the customer. */
      subscriptionId: nullable(text()),
      kind: text<'ITEM' | 'PRORATION_CREDIT' | 'PRORATION_CHARGE'>(),
      /** Before discounts; negative for a credit. */
      amountMinor: money(),
      currency: text(),
      description: text(),
      quantity: count(),
      periodStart: instant(),
      periodEnd: instant(),
      /** The figures from which the amount was computed. */
      explanation: json<JsonObject>(),
      /** On a credit: the line whose unused time it gives back. */
      creditedLineId: nullable(text()),
      discounts: nullable(json<LineDiscount[]>()),
      priceId: nullable(text()),
      /** Whether the amount contains the tax; null for exclusive. */
      taxBehavior: nullable(text<'exclusive' | 'inclusive'>()),
      /** The tax terms of the item itself, such as those of the credited line; null for those of the invoice. */
      taxTerms: nullable(json<OwnTaxTerms>()),
      /** The invoice that bills it; null while it waits. */
      invoiceId: nullable(text()),
      removedAt: nullable(instant()),
      ...timestamps,
      /** What is sold by a charge; null for an electronic service. */
      productKind: shownIfSet(text<ProductKind>()),
    },
    {
      ...byTenant,
      indexes: {
        invoice_items_customer: { columns: ['tenantAlias', 'customerId', 'createdAt', 'id'] },
        invoice_items_created: { columns: ['tenantAlias', 'createdAt', 'id'] },
        // Few items wait.
        invoice_items_unbilled: {
          columns: ['tenantAlias', 'createdAt', 'id'],
          where: { invoiceId: null, removedAt: null },
        },
        invoice_items_waiting: {
          columns: ['tenantAlias', 'customerId', 'id'],
          where: { invoiceId: null, removedAt: null },
        },
        invoice_items_invoice: {
          columns: ['tenantAlias', 'invoiceId', 'id'],
          where: { invoiceId: { isSet: true } },
        },
      },
      foreign: tenantKey,
    },
  ),
};
