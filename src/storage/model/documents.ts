import { count, instant, json, nullable, table, text } from './columns.ts';
import { byTenant, tenantKey, timestamps, type JsonObject, type TaxCategory } from './common.ts';

/** Tax rates, the numbers of documents, and the records from which documents are made. */
export const documenting = {
  taxRates: table(
    'tax_rates',
    {
      tenantAlias: text(),
      id: text(),
      name: nullable(text()),
      /** ISO 3166-1 alpha-2, in upper case. */
      country: text(),
      region: nullable(text()),
      /** The start of the postcodes to which it applies; null for all. */
      postcode: nullable(text()),
      /** The tax code of the products to which it applies; null for all. */
      taxCode: nullable(text()),
      category: text<TaxCategory>(),
      /** A decimal. */
      percent: text(),
      effectiveFrom: instant(),
      /** From then on it applies to no new bill; null while it applies. */
      archivedAt: nullable(instant()),
      ...timestamps,
    },
    {
      ...byTenant,
      indexes: {
        tax_rates_created: { columns: ['tenantAlias', 'createdAt', 'id'] },
        tax_rates_country: { columns: ['tenantAlias', 'country', 'createdAt', 'id'] },
      },
      foreign: tenantKey,
    },
  ),

  // The last count of each number series and year.
  numberCounters: table(
    'number_counters',
    {
      tenantAlias: text(),
      /** `invoice:2026`, or `invoice` for a series that is never reset. */
      id: text(),
      value: count(),
    },
    { ...byTenant, foreign: tenantKey },
  ),

  // What a document shows, as of its finalization.
  documents: table(
    'documents',
    {
      tenantAlias: text(),
      /** The invoice or the credit note. */
      id: text(),
      customerId: text(),
      record: json<JsonObject>(),
      createdAt: instant(),
    },
    {
      ...byTenant,
      indexes: { documents_customer: { columns: ['tenantAlias', 'customerId', 'id'] } },
      foreign: tenantKey,
    },
  ),

  // Logos are kept as long as documents may show them.
  logos: table(
    'logos',
    {
      tenantAlias: text(),
      /** The SHA-256 of the image. */
      id: text(),
      contentType: text<'image/png' | 'image/jpeg'>(),
      base64: text(),
      createdAt: instant(),
    },
    { ...byTenant, foreign: tenantKey },
  ),
};
