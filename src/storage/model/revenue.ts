import { boolean, count, instant, money, nullable, table, text } from './columns.ts';
import { tenantKey, byTenant, type TaxCategory, type TaxReason } from './common.ts';

/** Recurring revenue: how that of each customer moved, sums of the money that was invoiced and moved, and sums of its tax. */
export const revenue = {
  // A change of a customer's monthly recurring revenue (MRR) in one currency, written with the change that causes it.
  // What changes it differs between definitions: one row covers all definitions under which it is the same.
  mrrMovements: table(
    'mrr_movements',
    {
      tenantAlias: text(),
      id: text(),
      customerId: text(),
      subscriptionId: text(),
      currency: text(),
      at: instant(),
      /** By customer: the first MRR is new, the last one lost is churn, and that of a former payer a reactivation. */
      kind: text<'new' | 'expansion' | 'contraction' | 'churn' | 'reactivation'>(),
      /** Below 0 for contraction and churn. */
      amountMinor: money(),
      /** The MRR of the customer in this currency afterwards. */
      mrrAfterMinor: money(),
      /** The change in the number of subscriptions with MRR: 1, 0 or -1. */
      subscriptions: count(),
      /** The set of definitions to which it belongs: bit n for definition n. */
      definitions: count(),
      /** Whether it belongs to the standard definition. */
      isStandard: boolean(),
      /** When the customer first had MRR in this currency under these definitions. */
      cohortAt: instant(),
    },
    {
      ...byTenant,
      indexes: {
        // Has all columns that sums need, so that they read no rows.
        mrr_movements_sums: {
          columns: [
            'tenantAlias',
            'currency',
            'at',
            'kind',
            'definitions',
            'cohortAt',
            'amountMinor',
            'subscriptions',
          ],
        },
        mrr_movements_at: { columns: ['tenantAlias', 'isStandard', 'at', 'id'] },
        mrr_movements_kind: { columns: ['tenantAlias', 'isStandard', 'kind', 'at', 'id'] },
        mrr_movements_customer: { columns: ['tenantAlias', 'customerId', 'at', 'id'] },
      },
      foreign: tenantKey,
    },
  ),

  // Sums of money, kept up with each unit of work: one row for each quarter of an hour and one for each day of the
  // tenant's time zone. Other time zones begin their days at a quarter of an hour.
  revenueSums: table(
    'revenue_sums',
    {
      tenantAlias: text(),
      currency: text(),
      span: text<'day' | 'quarter'>(),
      /** The start of the span. */
      at: instant(),
      /** What invoices asked for, without tax. */
      invoicedMinor: money(),
      /** Without tax. */
      paidMinor: money(),
      refundedMinor: money(),
      creditedMinor: money(),
      /** Invoices whose first charge failed, with tax. */
      failedCount: count(),
      failedMinor: money(),
      /** Invoices paid after a failed charge, with tax. */
      recoveredCount: count(),
      recoveredMinor: money(),
      trialsStarted: count(),
      trialsConverted: count(),
      trialsLost: count(),
    },
    { primary: ['tenantAlias', 'currency', 'span', 'at'], foreign: tenantKey },
  ),

  // The tax of the invoices that were issued on a day that is over, for the tax report: summed once, and kept up when one
  // of them changes afterwards, such as by being voided. Left out of files: made from the invoices.
  taxSums: table(
    'tax_sums',
    {
      tenantAlias: text(),
      /** The start of the day in the tenant's time zone. */
      day: instant(),
      currency: text(),
      /**
       * By what the documents do, as in the report. `taxed` counts them once, however many rates they have, and `untaxed`
       * those without a computed tax.
       */
      kind: text<'invoice' | 'credit_note' | 'taxed' | 'untaxed'>(),
      /** Empty for a country that is not known, and in rows that only count. So are the next three. */
      country: text(),
      category: text<TaxCategory | ''>(),
      percent: text(),
      reason: text<TaxReason | ''>(),
      documents: count(),
      /** Below 0 if the documents reduce the tax. */
      taxableMinor: money(),
      taxMinor: money(),
    },
    {
      primary: ['tenantAlias', 'day', 'currency', 'kind', 'country', 'category', 'percent', 'reason'],
      foreign: tenantKey,
    },
  ),

  // What was sold to private customers in other member states in a calendar year, without tax: the threshold of article 59c. In
  // euros with what other currencies are in them, and in these what has no exchange rate. Only of tenants with a place of supply.
  unionSales: table(
    'union_sales',
    {
      tenantAlias: text(),
      year: count(),
      currency: text(),
      netMinor: money(),
      /** When the seller was warned that little is left, and when the threshold was exceeded; null for not yet. */
      warnedAt: nullable(instant()),
      exceededAt: nullable(instant()),
    },
    { primary: ['tenantAlias', 'year', 'currency'], foreign: tenantKey },
  ),

  // The part of it that was sold in other currencies than the euro, by day. What has no exchange rate is in `unionSales` in its own
  // currency, what has one in euros.
  unionSalesDays: table(
    'union_sales_days',
    {
      tenantAlias: text(),
      /** The calendar date in the tenant's time zone. */
      day: text(),
      currency: text(),
      netMinor: money(),
      /** In cents of a euro, by the rates that are known now; null for none. */
      euroMinor: nullable(money()),
    },
    { primary: ['tenantAlias', 'day', 'currency'], foreign: tenantKey },
  ),

  // Up to where the days of a tenant are summed; without a row none is.
  taxProgress: table(
    'tax_progress',
    {
      tenantAlias: text(),
      /** The start of the first day that is not. */
      until: instant(),
      /** Counts the changes of invoices of earlier days, which summing must not overlook. */
      changes: count(),
    },
    { primary: ['tenantAlias'], foreign: tenantKey },
  ),
};

/** What of a subscription's MRR was written to movements; amounts in minor units as text. */
export interface RecordedMrr {
  currency: string;
  /** Without discounts. */
  list: string;
  /** After the discounts of the duration `forever`. */
  net: string;
  state: 'trialing' | 'active' | 'past_due';
  paused?: true;
  /** Whether its end is scheduled. */
  cancelling?: true;
}
