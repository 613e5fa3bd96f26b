/** What a queued mail says, for the attempt that sends it and for the log that shows it. */
import type { Language } from '../../lib/language.ts';
import type { PortalFlow } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { MailKind } from '../../storage/model/mails.ts';
import { composeMail, type ComposedMail, type MailSource } from './compose.ts';
import { readEventFacts, type EventFacts, type FactScope } from './eventFacts.ts';
import type { MailText } from './events.ts';
import type { MailRow } from './outbox.ts';
import { pickQuoted } from './facts.ts';
import { buildSampleFacts } from './sample.ts';

/** What a mail says, and whose document belongs to it: that of an invoice or of a credit note. */
export interface Content {
  facts: MailSource['facts'];
  invoice?: Row<'invoices'>;
  creditNote?: Row<'creditNotes'>;
}

interface ContentOptions {
  /** Returns the code of a portal's mail; undefined once it has expired. */
  findCode: (mail: MailRow) => MailSource['facts']['code'];
  /** Whether a mail has content although its invoice is paid or closed, or its subscription has ended. */
  evenIfSettled?: boolean;
}

const nobody = { firstName: '', lastName: '' };

/** Reads what a mail says; undefined if there is nothing to say any more. */
export async function readContent(
  scope: FactScope,
  mail: MailRow,
  { findCode, evenIfSettled = false }: ContentOptions,
): Promise<Content | undefined> {
  const { kind, customerId, eventId, createdAt } = mail;
  const { read } = scope;
  const text = getText(mail);
  if (kind === 'test') {
    const { code, ...facts } = buildSampleFacts(createdAt);
    return { facts: text === 'portal_code' ? { ...facts, code } : facts };
  }
  const customer = customerId ? await read.one('customers', { id: customerId }) : undefined;
  if (kind === 'portal_code') {
    const code = findCode(mail);
    return code && { facts: { customer: customer ? pickQuoted(customer) : nobody, code } };
  }
  const trace = eventId ? await read.one('traces', { eventId }) : undefined;
  if (!customer || !trace) return undefined;
  const event: EventFacts | undefined = await readEventFacts(scope, text, trace, evenIfSettled);
  if (!event) return undefined;
  const { invoiceRow: invoice, noteRow: creditNote, ...facts } = event;
  return {
    facts: { customer: pickQuoted(customer), ...facts },
    ...(invoice && { invoice }),
    ...(creditNote && { creditNote }),
  };
}

/** Composes a queued mail. `logo` is the source of the logo's image. */
export const composeDelivery = (
  reads: Reads,
  tenant: Row<'tenants'>,
  mail: MailRow,
  { facts, actionUrl, logo }: Pick<MailSource, 'facts' | 'actionUrl'> & { logo: string | null },
): Promise<ComposedMail> => {
  const { kind, language } = mail as MailRow & { kind: MailKind; language: Language };
  return composeMail(reads, tenant, { kind, text: getText(mail), language, facts, actionUrl }, logo);
};

const getText = ({ kind, data }: MailRow): MailText => (data['text'] ?? kind) as MailText;

/** Returns the page of the portal that a mail's button opens; undefined for a mail without a customer or a button. */
export const findFlow = (mail: MailRow): PortalFlow['type'] | undefined =>
  mail.customerId === null ? undefined : flows[getText(mail)];

const flows: Partial<Record<MailText, PortalFlow['type']>> = {
  receipt: 'invoices',
  invoice_issued: 'invoices',
  invoice_overdue: 'invoices',
  invoice_sent: 'invoices',
  payment_failed: 'payment_method',
  payment_method_expiring: 'payment_method',
  trial_ending: 'overview',
  renewal_upcoming: 'overview',
  plan_changed: 'overview',
  plan_change_scheduled: 'overview',
  cancelled: 'invoices',
  cancellation_scheduled: 'overview',
  refund: 'invoices',
  credit_note: 'invoices',
  subscription_started: 'overview',
  subscription_paused: 'overview',
  subscription_resumed: 'overview',
  usage_alert: 'overview',
  spend_alert: 'overview',
  credit_alert: 'overview',
};
