import { count, instant, nullable, shownIfSet, table, text } from './columns.ts';
import { byTenant, tenantKey } from './common.ts';

/** The payment methods of customers. */
export const paying = {
  paymentMethods: table(
    'payment_methods',
    {
      tenantAlias: text(),
      id: text(),
      customerId: text(),
      provider: text(),
      /** The provider's reference for the method; never a card number. */
      reference: text(),
      createdAt: instant(),
      /** Such as `card` or `sepa_debit`; null if the provider did not say. */
      type: nullable(text()),
      /** Such as `visa`. */
      brand: nullable(text()),
      last4: nullable(text()),
      /** The provider's mark of the card or account, by which it is recognized under another reference. */
      fingerprint: nullable(text()),
      /** The first instant after the month in which a card expires. */
      expiresAt: nullable(instant()),
      expiryAnnouncedAt: nullable(instant()),
      /** When it was removed; it is never charged again. */
      removedAt: nullable(instant()),
      /** Null for a method saved before changes of payment methods were traced. */
      updatedAt: nullable(instant()),
      /** The country of the card or the account; null if the provider did not say. */
      country: shownIfSet(text()),
    },
    {
      ...byTenant,
      indexes: {
        payment_methods_customer: { columns: ['tenantAlias', 'customerId', 'createdAt', 'id'] },
        payment_methods_expiry: {
          columns: ['tenantAlias', 'expiresAt', 'id'],
          where: { expiresAt: { isSet: true }, expiryAnnouncedAt: null, removedAt: null },
        },
      },
      foreign: tenantKey,
    },
  ),

  // The methods that their providers are still to forget. Rows are deleted once they have.
  methodDetachments: table(
    'method_detachments',
    {
      tenantAlias: text(),
      id: text(),
      customerId: text(),
      provider: text(),
      /** The provider's reference for the method. */
      reference: text(),
      /** The number of calls that failed. */
      attempts: count(),
      dueAt: instant(),
      createdAt: instant(),
    },
    {
      ...byTenant,
      indexes: { method_detachments_due: { columns: ['tenantAlias', 'dueAt', 'id'] } },
      foreign: tenantKey,
    },
  ),
};
