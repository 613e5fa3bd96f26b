import { count, instant, json, money, nullable, table, text } from './columns.ts';
import { byTenant, tenantKey, timestamps, type Frequency } from './common.ts';
import type { CreditRate } from './creditTerms.ts';

/** Types of credit, and the automatic sales of credit. */
export const crediting = {
  creditTypes: table(
    'credit_types',
    {
      tenantAlias: text(),
      id: text(),
      name: text(),
      rates: json<CreditRate[]>(),
      ...timestamps,
    },
    {
      ...byTenant,
      indexes: { credit_types_created: { columns: ['tenantAlias', 'createdAt', 'id'] } },
      foreign: tenantKey,
    },
  ),

  // Credit that is sold to a customer whenever little is left.
  autoTopUps: table(
    'auto_top_ups',
    {
      tenantAlias: text(),
      id: text(),
      customerId: text(),
      /** The credit type, or the currency of money credit. */
      pool: text(),
      currency: text(),
      creditTypeId: nullable(text()),
      name: text(),
      /** It sells when less than this is left, in the unit of the grants. */
      thresholdMinor: money(),
      amountMinor: money(),
      /** What is paid for a unit of the amount, a decimal. */
      costBasis: text(),
      /** How long a sold grant lasts; null for ever. */
      expiresAfter: nullable(json<{ frequency: Frequency; period: number }>()),
      /** The most sales in a calendar month. */
      monthlyLimit: count(),
      /** When what is left is compared next; null until it falls. */
      checkAt: nullable(instant()),
      /** The invoice of the last sale. */
      lastInvoiceId: nullable(text()),
      /** The month of the last sale in the tenant's time zone, `2027-01`, and the sales in it. */
      month: nullable(text()),
      soldInMonth: count(),
      ...timestamps,
    },
    {
      ...byTenant,
      indexes: {
        auto_top_ups_customer: { columns: ['tenantAlias', 'customerId', 'pool'], unique: true },
        auto_top_ups_created: { columns: ['tenantAlias', 'createdAt', 'id'] },
        auto_top_ups_due: {
          columns: ['tenantAlias', 'checkAt', 'id'],
          where: { checkAt: { isSet: true } },
        },
      },
      foreign: tenantKey,
    },
  ),
};
