import { count, instant, json, nullable, table, text } from './columns.ts';
import { byTenant, tenantKey, timestamps, type JsonObject } from './common.ts';

/** Mails that report events; a tenant can switch each of them off. */
export const eventMailKinds = [
  'receipt',
  'invoice_issued',
  'payment_failed',
  'payment_method_expiring',
  'trial_ending',
  'renewal_upcoming',
  'plan_changed',
  'cancelled',
  'cancellation_scheduled',
  'email_changed',
  'refund',
  'credit_note',
  'subscription_started',
  'subscription_paused',
  'subscription_resumed',
  'usage_alert',
  'spend_alert',
  'credit_alert',
] as const;

/** All kinds of mail. */
export const mailKinds = [...eventMailKinds, 'portal_code', 'test'] as const;

export type MailKind = (typeof mailKinds)[number];

/** One attempt to hand a mail to the mail server. */
export interface MailTry {
  at: string;
  durationMs: number;
  /** The reply of the server, or why there was none. */
  response: string | null;
  error: string | null;
}

/** Mails to customers: templates and deliveries. */
export const mails = {
  // Texts of a tenant that replace the standard ones.
  mailTemplates: table(
    'mail_templates',
    {
      tenantAlias: text(),
      id: text(),
      kind: text(),
      /** A language tag of the catalogue of texts, such as `de`. */
      language: text(),
      subject: text(),
      /** The paragraphs above the facts, as plain text with placeholders; null for the standard ones. */
      body: nullable(text()),
      ...timestamps,
    },
    {
      ...byTenant,
      indexes: {
        mail_templates_kind: { columns: ['tenantAlias', 'kind', 'language'], unique: true },
        mail_templates_created: { columns: ['tenantAlias', 'createdAt', 'id'] },
      },
      foreign: tenantKey,
    },
  ),

  // The queue, and afterwards the log.
  mailDeliveries: table(
    'mail_deliveries',
    {
      tenantAlias: text(),
      id: text(),
      kind: text(),
      customerId: nullable(text()),
      recipient: text(),
      language: text(),
      /** The event that the mail reports; null for a test and for a code. */
      eventId: nullable(text()),
      /** What the mail says, as of the event. Sealed if it contains a code or a link that signs in. */
      data: json<JsonObject>(),
      subject: nullable(text()),
      /** The same in every attempt, so that the receiving side recognizes a repeated mail. */
      messageId: text(),
      /** Mails with the same value are sent in order. */
      chain: text(),
      status: text<'pending' | 'sent' | 'failed' | 'bounced' | 'cancelled'>(),
      attempt: count(),
      tries: json<MailTry[]>(),
      /** When it is attempted next; null if it is finished, or if an earlier mail of its chain is not. */
      dueAt: nullable(instant()),
      /** Until when another process has claimed it. */
      claimedUntil: nullable(instant()),
      createdAt: instant(),
      finishedAt: nullable(instant()),
    },
    {
      ...byTenant,
      indexes: {
        mail_deliveries_due: { columns: ['tenantAlias', 'dueAt', 'id'], where: { dueAt: { isSet: true } } },
        mail_deliveries_chain: { columns: ['tenantAlias', 'chain', 'id'], where: { status: 'pending' } },
        mail_deliveries_created: { columns: ['tenantAlias', 'createdAt', 'id'] },
        mail_deliveries_customer: { columns: ['tenantAlias', 'customerId', 'createdAt', 'id'] },
        mail_deliveries_status: { columns: ['tenantAlias', 'status', 'createdAt', 'id'] },
        mail_deliveries_recipient: { columns: ['tenantAlias', 'recipient', 'createdAt', 'id'] },
        mail_deliveries_kind: { columns: ['tenantAlias', 'kind', 'createdAt', 'id'] },
        mail_deliveries_message: { columns: ['tenantAlias', 'messageId'], unique: true },
        mail_deliveries_event: {
          columns: ['tenantAlias', 'eventId', 'kind'],
          unique: true,
          where: { eventId: { isSet: true } },
        },
      },
      foreign: tenantKey,
    },
  ),
};
