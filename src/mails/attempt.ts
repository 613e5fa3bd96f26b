/** One attempt to send a mail. */
import { BillingError, isTransient } from '../lib/errors.ts';
import type { RandomBytes } from '../lib/ids.ts';
import type { Language } from '../lib/language.ts';
import { findInvoiceDocument } from '../invoicing/documentFiles.ts';
import type { PortalFlow } from '../storage/model/common.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import { TenantReads } from '../storage/store.ts';
import type { MailKind } from '../tenancy/mailSettings.ts';
import { openScheduledTenant, type TenantScope } from '../tenancy/tenantScope.ts';
import { findTenant, type Service } from '../tenancy/tenants.ts';
import {
  attachedLogo,
  buildMessage,
  composeMail,
  findLogo,
  type Attachment,
  type ComposedMail,
} from './compose.ts';
import { recordOutcome, type MailOutcome } from './deliveries.ts';
import { readEventFacts } from './eventFacts.ts';
import type { MailText } from './events.ts';
import type { MailFacts } from './facts.ts';
import type { MailRow } from './outbox.ts';
import { buildSampleFacts, pickNames } from './sample.ts';
import type { MailServers } from './servers.ts';
import type { SendResult } from './transport.ts';

/** Returns the address of the portal's page for a customer; null if the tenant has no portal. */
type CreatePortalLink = (
  tenant: TenantScope,
  customerId: string,
  flow: PortalFlow['type'],
) => Promise<string | null>;

/** The dependencies of an attempt. */
export interface MailParts {
  servers: MailServers;
  randomBytes: RandomBytes;
  createPortalLink: CreatePortalLink;
}

/** Less than the time for which a mail is claimed. */
const attemptMs = 45_000;

/**
 * Makes one attempt to send a mail and records its outcome right after the reply. An attempt aborted by `stop` is not
 * recorded. An internal error is reported and the attempt fails. Error: `unavailable`; then nothing is recorded and the
 * mail is still due.
 */
export async function attemptMail(
  parts: MailParts,
  service: Service,
  delivery: MailRow,
  { stop, report }: { stop: AbortSignal; report: (error: unknown) => void },
): Promise<void> {
  const record = (await findTenant(service, delivery.tenantAlias))!;
  const tenant = openScheduledTenant(service, record);
  const beganMs = service.clock.nowMs();
  const ended = await send(parts, service, tenant, delivery, stop).catch((error: unknown) => {
    if (error instanceof BillingError && isTransient(error.reason)) throw error;
    report(error);
    return failInternally;
  });
  if (stop.aborted && ended.status !== 'sent') return;
  const durationMs = Math.max(0, service.clock.nowMs() - beganMs);
  const random = parts.randomBytes(1)[0]! / 255;
  await tenant.write((unit) => recordOutcome(unit, delivery, { ...ended, durationMs, random }));
}

type Ended = Omit<MailOutcome, 'durationMs' | 'random'>;

const nothingMore = { response: null, subject: null, blocks: false, expiresAt: null };
const failInternally: Ended = { status: 'deferred', error: 'internal_error', ...nothingMore };

async function send(
  { servers, createPortalLink }: MailParts,
  service: Service,
  tenant: TenantScope,
  delivery: MailRow,
  stop: AbortSignal,
): Promise<Ended> {
  const route = await servers.find(service, tenant.record);
  if (!route) return { status: 'cancelled', error: 'no_mail_server', ...nothingMore };
  const reads = new TenantReads(service.store.fresh, tenant.alias);
  const content = await readContent(service, tenant, reads, delivery);
  if (!content) return { status: 'cancelled', error: 'no_longer_needed', ...nothingMore };
  const { facts, attachments } = content;
  const { kind, customerId } = delivery;
  const text = getText(delivery);
  const flow = flows[text];
  const actionUrl = flow && customerId ? await createPortalLink(tenant, customerId, flow) : null;
  const logo = await findLogo(reads, tenant.record);
  const source = { kind: kind as MailKind, text, language: delivery.language as Language, facts, actionUrl };
  const mail = await composeMail(reads, tenant.record, source, logo ? attachedLogo : null);
  const message = buildMessage(tenant.record, delivery, route.sender, mail, logo, attachments);
  const result = await route.send(message, AbortSignal.any([stop, AbortSignal.timeout(attemptMs)]));
  return {
    ...describeResult(result),
    subject: hideCode(mail, facts),
    expiresAt: facts.code?.expiresAt ?? null,
  };
}

const getText = ({ kind, data }: MailRow): MailText => (data['text'] ?? kind) as MailText;

/** The subject as the log keeps it. */
const hideCode = ({ subject }: ComposedMail, { code }: Omit<MailFacts, 'merchant'>): string =>
  code ? subject.replaceAll(code.code, '•'.repeat(code.code.length)) : subject;

function describeResult(result: SendResult): Pick<Ended, 'status' | 'response' | 'error' | 'blocks'> {
  if (result.status === 'sent')
    return { status: 'sent', response: result.response, error: null, blocks: false };
  const { status, error, response } = result;
  return { status, error, response, blocks: status === 'refused' && result.blocks };
}

/** The page of the portal that each mail's button opens. */
const flows: Partial<Record<MailText, PortalFlow['type']>> = {
  receipt: 'invoices',
  invoice_issued: 'invoices',
  invoice_overdue: 'invoices',
  payment_failed: 'payment_method',
  payment_method_expiring: 'payment_method',
  trial_ending: 'overview',
  renewal_upcoming: 'overview',
  plan_changed: 'overview',
  plan_change_scheduled: 'overview',
  cancelled: 'invoices',
  cancellation_scheduled: 'overview',
};

interface Content {
  facts: Omit<MailFacts, 'merchant'>;
  attachments: Attachment[];
}

/** Reads what a mail says; undefined if there is nothing to say any more. */
async function readContent(
  service: Service,
  tenant: TenantScope,
  reads: TenantReads,
  delivery: MailRow,
): Promise<Content | undefined> {
  const { kind, customerId, eventId, data } = delivery;
  const text = getText(delivery);
  if (kind === 'test') {
    const { code, ...facts } = buildSampleFacts(tenant.now());
    return { facts: text === 'portal_code' ? { ...facts, code } : facts, attachments: [] };
  }
  const customer = customerId ? await reads.one('customers', { id: customerId }) : undefined;
  if (kind === 'portal_code') return readCode(service, tenant, customer, data);
  const trace = eventId ? await reads.one('traces', { eventId }) : undefined;
  if (!customer || !trace) return undefined;
  const event = await readEventFacts(tenant, reads, text, trace);
  if (!event) return undefined;
  const { invoiceRow, ...facts } = event;
  const attachments = invoiceRow ? await attachDocument(tenant, invoiceRow) : [];
  return { facts: { customer: pickNames(customer), ...facts }, attachments };
}

/** Reads the code of a portal's mail; undefined once it has expired. */
function readCode(
  service: Service,
  tenant: TenantScope,
  customer: Row<'customers'> | undefined,
  data: Record<string, unknown>,
): Content | undefined {
  const { sealed, expiresAt } = data as { sealed?: string; expiresAt?: string };
  if (sealed === undefined || expiresAt === undefined || expiresAt <= tenant.now()) return undefined;
  const code = service.secretBox.open(sealed, tenant.alias);
  const nobody = { firstName: '', lastName: '', companyName: null };
  const facts = { customer: customer ? pickNames(customer) : nobody, code: { code, expiresAt } };
  return { facts, attachments: [] };
}

/** Returns the PDF of an invoice that has one. */
async function attachDocument(tenant: TenantScope, invoice: Row<'invoices'>): Promise<Attachment[]> {
  if (invoice.documentNumber === null) return [];
  return [await findInvoiceDocument(tenant, invoice, 'pdf')];
}
