import { count, instant, json, money, nullable, shownIfSet, table, text } from './columns.ts';
import {
  byTenant,
  tenantKey,
  timestamps,
  type CreditNoteLine,
  type JsonObject,
  type TaxCategory,
  type TaxTotal,
} from './common.ts';

/** Who published the exchange rates of a day: the European Central Bank, or the tenant. */
export type RateSource = 'ecb' | 'manual';
import type { LocationPiece } from './locationEvidence.ts';
import type { EInvoiceStatus } from './eInvoices.ts';

/** Credit notes, tax rates, the numbers of documents, and the records from which documents are made. */
export const documenting = {
  // Documents that credit an invoice in whole or in part. Amounts are positive.
  creditNotes: table(
    'credit_notes',
    {
      tenantAlias: text(),
      id: text(),
      documentNumber: text(),
      invoiceId: text(),
      customerId: text(),
      /** Whether the amount is refunded, or credited to the customer's balance or to an open invoice. */
      kind: text<'refund' | 'credit'>(),
      /** Void: its refund failed, so that it credits nothing. */
      status: text<'issued' | 'void'>(),
      reason: nullable(text()),
      memo: nullable(text()),
      currency: text(),
      /** Tax included. */
      totalMinor: money(),
      taxes: nullable(json<TaxTotal[]>()),
      lines: json<CreditNoteLine[]>(),
      /** The refund; null if no money was refunded. */
      paymentId: nullable(text()),
      issuedAt: instant(),
      ...timestamps,
      /** How far its e-invoice has come; null if it is not for an access point. */
      eInvoiceStatus: shownIfSet(text<EInvoiceStatus>()),
    },
    {
      ...byTenant,
      indexes: {
        credit_notes_document_number: { columns: ['tenantAlias', 'documentNumber'], unique: true },
        credit_notes_created: { columns: ['tenantAlias', 'createdAt', 'id'] },
        credit_notes_invoice: { columns: ['tenantAlias', 'invoiceId', 'createdAt', 'id'] },
        credit_notes_customer: { columns: ['tenantAlias', 'customerId', 'createdAt', 'id'] },
        credit_notes_e_invoice: {
          columns: ['tenantAlias', 'eInvoiceStatus', 'createdAt', 'id'],
          where: { eInvoiceStatus: { isSet: true } },
        },
        credit_notes_payment: {
          columns: ['tenantAlias', 'paymentId'],
          where: { paymentId: { isSet: true } },
        },
      },
      foreign: [...tenantKey, { columns: ['tenantAlias', 'invoiceId'], table: 'invoices' }],
    },
  ),

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
      /** When its personal data is erased; set by the erasure of its customer. */
      retainedUntil: nullable(instant()),
      /** What showed where the customer was besides the address; null for nothing. */
      evidence: nullable(json<LocationPiece[]>()),
    },
    {
      ...byTenant,
      indexes: {
        documents_customer: { columns: ['tenantAlias', 'customerId', 'id'] },
        documents_retained: {
          columns: ['tenantAlias', 'retainedUntil', 'id'],
          where: { retainedUntil: { isSet: true } },
        },
      },
      foreign: tenantKey,
    },
  ),

  // The rates of a day by which taxes are converted: those that the European Central Bank published, and the tenant's own.
  exchangeRates: table(
    'exchange_rates',
    {
      tenantAlias: text(),
      /** The calendar date for which they were published. */
      day: text(),
      source: text<RateSource>(),
      /** How much of each currency, in lower case, one euro is worth: decimals. */
      rates: json<Record<string, string>>(),
      ...timestamps,
    },
    { primary: ['tenantAlias', 'day', 'source'], foreign: tenantKey },
  ),

  // The tax of a document in the currency in which its seller owes it (directive 2006/112/EC, article 230), where that is not
  // the currency of the document. Never changes once it has an amount.
  taxConversions: table(
    'tax_conversions',
    {
      tenantAlias: text(),
      /** The invoice or the credit note. */
      id: text(),
      documentCurrency: text(),
      /** The currency of the tax. */
      currency: text(),
      /** The day of the tax, whose rate counts. */
      day: text(),
      /** Below 0 on no document; null while no rate of the day is known. With it go the next three. */
      taxMinor: nullable(money()),
      /** How much of each of the two currencies one euro was worth; without the euro. */
      rates: nullable(json<Record<string, string>>()),
      /** The day of the rates. */
      rateDay: nullable(text()),
      source: nullable(text<RateSource>()),
      createdAt: instant(),
    },
    {
      ...byTenant,
      indexes: {
        tax_conversions_missing: { columns: ['tenantAlias', 'day', 'id'], where: { taxMinor: null } },
      },
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
