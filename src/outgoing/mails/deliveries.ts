/** The log and the queue of mails. */
import { refuse } from '../../lib/errors.ts';
import { addMs } from '../../lib/time.ts';
import type { Reads } from '../../storage/store.ts';
import { readPage, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import { findRecipient } from '../../tenants/mailSettings.ts';
import { type MailKind } from '../../storage/model/mails.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { computeRetryDelay } from '../queue/backoff.ts';
import { appendTry, computeRestart, deleteOldRows, keepIfCurrent } from '../queue/records.ts';
import { isKept, type MailRow } from './outbox.ts';

export const mailStatuses = ['pending', 'sent', 'failed', 'bounced', 'cancelled'] as const;
type MailStatus = MailRow['status'];

const eventsAtOnce = 1000;

/** The outcome of an attempt. */
export interface MailOutcome {
  status: 'sent' | 'deferred' | 'refused' | 'cancelled';
  /** The reply of the server; null if there was none. */
  response: string | null;
  /** Null after a success. */
  error: string | null;
  subject: string | null;
  durationMs: number;
  /** Whether the recipient accepts no mail at all. */
  blocks: boolean;
  /** The address of the mail's button, encrypted; of a test tenant only. */
  actionUrl?: string;
  /** The instant after which the mail is useless, if any. */
  expiresAt: string | null;
  /** From 0 to 1; spreads retries. */
  random: number;
}

/** Records the outcome of an attempt. When the mail is finished, the next one of its chain becomes due. */
export async function recordOutcome(unit: UnitOfWork, attempted: MailRow, ended: MailOutcome): Promise<void> {
  const { id } = attempted;
  const mail = keepIfCurrent(await unit.one('mailDeliveries', { id }), attempted);
  if (!mail) return;
  const { status, response, error, durationMs, subject } = ended;
  const made = mail.attempt + 1;
  const tries = appendTry(mail.tries, { at: unit.now, durationMs, response, error });
  const progress = { attempt: made, tries, claimedUntil: null, subject: subject ?? mail.subject };
  const { actionUrl } = ended;
  const sent = actionUrl === undefined ? mail : { ...mail, data: { ...mail.data, actionUrl } };
  if (status === 'sent') return finish(unit, sent, { ...progress, status: 'sent' });
  if (status === 'cancelled') return finish(unit, mail, { ...progress, status: 'cancelled' });
  const delayMs = status === 'refused' ? undefined : computeRetryDelay(made, ended.random);
  const dueAt = delayMs === undefined ? undefined : addMs(unit.now, delayMs);
  if (dueAt !== undefined && !(ended.expiresAt !== null && dueAt >= ended.expiresAt))
    return unit.updateUntraced('mailDeliveries', { id }, { ...progress, dueAt });
  await finish(unit, mail, { ...progress, status: 'failed' });
  if (ended.blocks) await blockAddress(unit, mail, response ?? 'refused');
}

async function finish(unit: UnitOfWork, mail: MailRow, changes: Partial<MailRow>): Promise<void> {
  const done = { ...changes, dueAt: null, claimedUntil: null, finishedAt: unit.now };
  await unit.updateUntraced('mailDeliveries', { id: mail.id }, { ...done, data: chooseKeptData(unit, mail) });
  await releaseNext(unit, mail.chain);
}

/** A code that was sent is forgotten, but in a test tenant, whose mails the console shows whole. */
const chooseKeptData = ({ tenant }: UnitOfWork, { kind, data }: MailRow): MailRow['data'] =>
  kind === 'portal_code' && !tenant.test ? { text: data['text'] } : data;

async function releaseNext(unit: UnitOfWork, chain: string): Promise<void> {
  const [next] = await unit.many('mailDeliveries', {
    where: { chain, status: 'pending' },
    orderBy: ['id'],
    limit: 1,
  });
  if (!next || next.dueAt !== null) return;
  await unit.updateUntraced('mailDeliveries', { id: next.id }, { dueAt: unit.now });
  unit.queuedMails += 1;
}

/** Marks the customer's address as unusable and cancels the mails that wait for it. */
async function blockAddress(unit: UnitOfWork, mail: MailRow, reason: string): Promise<void> {
  const customer = mail.customerId ? await unit.one('customers', { id: mail.customerId }) : undefined;
  // A test tenant writes to another address, and the customer may have another one by now.
  if (customer?.email.trim() !== mail.recipient) return;
  await unit.change('customers', customer, { mailBlockedAt: unit.now, mailBlockedReason: reason });
  await cancelPendingMails(unit, { customerId: customer.id }, 'address_blocked');
}

/** Cancels the mails that are not sent yet, of a customer or of all. */
export async function cancelPendingMails(
  unit: UnitOfWork,
  where: { customerId?: string },
  error: string,
): Promise<void> {
  const attempted = { at: unit.now, durationMs: 0, response: null, error };
  for (const { id, tries, attempt } of await unit.many('mailDeliveries', {
    where: { ...where, status: 'pending' },
  })) {
    const cancelled = {
      status: 'cancelled' as const,
      attempt: attempt + 1,
      tries: [...tries, attempted],
      dueAt: null,
      claimedUntil: null,
      finishedAt: unit.now,
    };
    await unit.updateUntraced('mailDeliveries', { id }, cancelled);
  }
}

/** A report that a mail did not reach its recipient, or was not wanted. */
export interface Bounce {
  messageId: string | null;
  recipient: string | null;
  type: 'bounce' | 'complaint';
  reason: string;
}

/**
 * Records a bounce: the mail counts as bounced, and its customer's address gets no more mail. A report about an unknown
 * mail changes nothing. Returns whether one was found.
 */
export async function recordBounce(unit: UnitOfWork, bounce: Bounce): Promise<boolean> {
  const mail = await findBounced(unit, bounce);
  if (!mail) return false;
  if (mail.status === 'bounced') return true;
  const attempted = { at: unit.now, durationMs: 0, response: bounce.reason, error: bounce.type };
  await finish(unit, mail, {
    status: 'bounced',
    attempt: mail.attempt + 1,
    tries: appendTry(mail.tries, attempted),
  });
  await blockAddress(unit, mail, `${bounce.type}: ${bounce.reason}`);
  return true;
}

/** The customers with an address are few, but nothing bounds their number. */
const mostWithAddress = 20;

async function findBounced(reads: Reads, { messageId, recipient }: Bounce): Promise<MailRow | undefined> {
  if (messageId !== null) {
    const mail = await reads.one('mailDeliveries', { messageId });
    return mail && (recipient === null || mail.recipient === recipient) ? mail : undefined;
  }
  if (recipient === null) return undefined;
  const customers = await reads.many('customers', { where: { email: recipient }, limit: mostWithAddress });
  const latest: MailRow[] = [];
  for (const { id: customerId } of customers) {
    const [mail] = await reads.many('mailDeliveries', {
      where: { customerId },
      orderBy: ['createdAt', 'id'],
      direction: 'desc',
      limit: 1,
    });
    if (mail?.recipient === recipient) latest.push(mail);
  }
  return latest.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1))[0];
}

/**
 * Sends a mail again, with the same message id: a failed, bounced or cancelled one, or a sent one that was lost. One that
 * waits for a retry is attempted at once; one that waits for an earlier mail stays unchanged. Errors:
 * `mail_delivery_not_found`, `validation_failed` for a mail that cannot be sent again.
 */
export async function resendMail(unit: UnitOfWork, id: string): Promise<MailRow> {
  const mail = await findMailDelivery(unit, id);
  const fail = (message: string) => refuse('validation_failed', { path: 'id', message });
  if (mail.kind === 'portal_code') fail('is a code, which is sent once');
  const customer = mail.customerId ? await unit.one('customers', { id: mail.customerId }) : undefined;
  if (mail.customerId !== null && !customer) fail('belongs to a deleted customer');
  // The customer may have another address by now; only the notice of that goes to the former one.
  const isToFormer = mail.kind === 'email_changed';
  if (customer?.mailBlockedAt && !isToFormer) fail('has a blocked address');
  const address = customer && !isToFormer ? customer.email : mail.recipient;
  const recipient =
    (isKept(mail) ? mail.recipient : undefined) ??
    findRecipient(unit.tenant, mail.kind as MailKind, address) ??
    fail('is for a customer of a test tenant, which has no test recipient');
  const restart = computeRestart(mail, unit.now);
  if (!restart) return mail;
  const restarted = { recipient, ...restart };
  await unit.updateUntraced('mailDeliveries', { id }, restarted);
  unit.queuedMails += 1;
  return { ...mail, ...restarted };
}

/** Returns the delivery with this id. Error: `mail_delivery_not_found`. */
export const findMailDelivery = async (reads: Reads, id: string): Promise<MailRow> =>
  (await reads.one('mailDeliveries', { id })) ?? refuse('mail_delivery_not_found');

interface MailFilter {
  customerId?: string | null;
  kind?: MailKind | null;
  status?: MailStatus | null;
}

/** Lists the tenant's mails; newest first by default. Errors: `validation_failed`, `cursor_invalid`, `query_timeout`. */
export function listMailDeliveries(
  tenant: TenantScope,
  { customerId, kind, status }: MailFilter,
  args: PageArgs,
): Promise<Page<MailRow>> {
  const byKind = { kind: kind ?? undefined };
  const byStatus = { status: status ?? undefined };
  // One index is used. A customer has few mails.
  const conditions =
    customerId !== null && customerId !== undefined
      ? { where: { customerId }, filter: { ...byKind, ...byStatus } }
      : byStatus.status !== undefined
        ? { where: byStatus, filter: byKind, isScan: byKind.kind !== undefined }
        : { where: byKind };
  const list = { name: 'mailDeliveries', table: 'mailDeliveries', by: ['createdAt', 'id'] } as const;
  return readPage(tenant, { ...list, ...conditions }, args);
}

/** Deletes finished mails older than 90 days, a few at a time. Returns their number. */
export const deleteOldMails = (tenant: TenantScope): Promise<number> =>
  deleteOldRows(tenant, 'mailDeliveries', mailStatuses);

/** Returns for each resource the mails that report its events, oldest first. */
export async function listMailsAbout(reads: Reads, resourceIds: readonly string[]): Promise<MailRow[][]> {
  const events = await reads.many('traces', {
    where: { resourceId: [...resourceIds] },
    leaveOut: ['payload'],
  });
  const resourceByEvent = new Map(events.map(({ eventId, resourceId }) => [eventId, resourceId!]));
  const found = new Map<string, MailRow[]>(resourceIds.map((id) => [id, []]));
  const eventIds = [...resourceByEvent.keys()];
  for (let start = 0; start < eventIds.length; start += eventsAtOnce) {
    const eventId = eventIds.slice(start, start + eventsAtOnce);
    const mails = await reads.many('mailDeliveries', { where: { eventId }, orderBy: ['eventId', 'kind'] });
    for (const mail of mails) found.get(resourceByEvent.get(mail.eventId!)!)!.push(mail);
  }
  return resourceIds.map((id) => found.get(id)!);
}
