import { count, instant, json, nullable, table, text } from './columns.ts';
import { byTenant, tenantKey } from './common.ts';
import type { MailedFormat } from './parties.ts';

/** How far an e-invoice has come at the tenant's access point. */
export const eInvoiceStatuses = ['queued', 'sent', 'accepted', 'rejected', 'failed'] as const;

export type EInvoiceStatus = (typeof eInvoiceStatuses)[number];

/** One attempt to hand an e-invoice to the access point. */
export interface EInvoiceTry {
  at: string;
  /** Null if there was no response. */
  statusCode: number | null;
  durationMs: number;
  error: string | null;
}

/** E-invoices for the tenant's access point: the queue, and afterwards the log. */
export const eInvoicing = {
  eInvoiceDeliveries: table(
    'e_invoice_deliveries',
    {
      tenantAlias: text(),
      /** The invoice or the credit note, which has one delivery. */
      id: text(),
      kind: text<'invoice' | 'credit_note'>(),
      customerId: text(),
      format: text<MailedFormat>(),
      status: text<EInvoiceStatus>(),
      /** The number of attempts since it was queued. */
      attempt: count(),
      tries: json<EInvoiceTry[]>(),
      /** Counts from 1; a document that was rejected is sent again under another key. */
      edition: count(),
      /** When it is attempted next; null if no attempt is due. */
      dueAt: nullable(instant()),
      /** Until when another process has claimed it. */
      claimedUntil: nullable(instant()),
      /** The file in Base64 from its first attempt until its last one, so that each sends the same bytes. */
      body: nullable(text()),
      /** The name that the access point has given it. */
      reference: nullable(text()),
      /** The ids of the last signed reports, so that a repeated one changes nothing; null if there was none. */
      reportIds: nullable(json<string[]>()),
      /** Why it was rejected, or why the last attempt failed. */
      lastError: nullable(text()),
      createdAt: instant(),
      /** When the status was reached. */
      statusAt: instant(),
    },
    {
      ...byTenant,
      indexes: {
        e_invoice_deliveries_due: {
          columns: ['tenantAlias', 'dueAt', 'id'],
          where: { dueAt: { isSet: true } },
        },
        e_invoice_deliveries_customer: { columns: ['tenantAlias', 'customerId', 'id'] },
        e_invoice_deliveries_status: { columns: ['tenantAlias', 'status', 'createdAt', 'id'] },
      },
      foreign: tenantKey,
    },
  ),
};
