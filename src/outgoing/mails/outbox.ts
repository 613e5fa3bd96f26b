import { findLanguage } from '../../lib/language.ts';
import { isMailAddress } from '../../lib/mailAddress.ts';
import type { MailKind } from '../../storage/model/mails.ts';
import type { MaybePromise } from '../../lib/maybePromise.ts';
import type { NewRow, Row } from '../../storage/model/rowTypes.ts';
import type { Mailer, NewMail } from '../../tenancy/service.ts';
import { findMailSettings, findRecipient, isKindSent } from '../../tenants/mailSettings.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { findAddressee, getCustomerId, listTopics } from './events.ts';

export type MailRow = Row<'mailDeliveries'>;
type NewMailRow = NewRow<'mailDeliveries'>;

export interface OutboxOptions {
  /** The domain of message ids. */
  domain: string;
  /** Whether a test tenant keeps its mails: nobody receives them, and the console shows them. */
  keeps: (tenant: Row<'tenants'>, kind: MailKind) => boolean;
}

/** Whether a mail of a test tenant is kept for the console: no server ever gets it. */
export const isKept = ({ data }: Pick<NewMailRow, 'data'>): boolean => data['isKept'] === true;

/** Why a mail is finished without an attempt. */
type Refusal = 'address_invalid' | 'address_blocked' | 'no_mail_server' | 'no_test_recipient';

/**
 * Queues the mails for the events of a unit of work, in the same transaction: with one query for the customers, one for
 * the mails ahead, and one statement that inserts them all. Within a chain, only the first unfinished mail is due.
 */
export function queueEventMails(
  { isOn, ...options }: Pick<Mailer, 'isOn'> & OutboxOptions,
  unit: UnitOfWork,
): MaybePromise<void> {
  if (unit.events.length === 0 || !isOn(unit.tenant)) return;
  const settings = findMailSettings(unit.tenant);
  const topics = listTopics(unit.events).filter(({ kind }) => isKindSent(settings, kind));
  if (topics.length > 0) return queueTopics(unit, topics, options);
}

async function queueTopics(
  unit: UnitOfWork,
  topics: ReturnType<typeof listTopics>,
  options: OutboxOptions,
): Promise<void> {
  const id = [...new Set(topics.map(({ event }) => getCustomerId(event)))];
  const customers = new Map<string, Row<'customers'>>();
  for (const customer of await unit.many('customers', { where: { id } }))
    customers.set(customer.id, customer);
  const ahead = await unit.many('mailDeliveries', { where: { chain: id, status: 'pending' } });
  const busy = new Set(ahead.map(({ chain }) => chain));
  await unit.batch(async (_, unitOfEach) => {
    const rows = unitOfEach();
    for (const { kind, text, event } of topics) {
      // A customer who is deleted or erased in this unit is not written to.
      const customer = customers.get(getCustomerId(event));
      if (!customer) continue;
      const language = findLanguage(customer.locale) ?? 'en';
      const { recipient, isBlocked } = findAddressee(event, customer);
      const mail = { kind, customerId: customer.id, recipient, language, data: { text } };
      const row = buildRow(unit, options, mail, { chain: customer.id, isBlocked, eventId: event.eventId });
      if (row.status === 'pending' && busy.has(row.chain)) row.dueAt = null;
      if (row.status === 'pending') busy.add(row.chain);
      await rows.insertUntraced('mailDeliveries', row);
      unit.queuedMails += 1;
    }
  });
}

/** Queues a mail that reports no event; it waits for no other. Returns the delivery. */
export async function queueMail(
  { canSend, ...options }: Pick<Mailer, 'canSend'> & OutboxOptions,
  unit: UnitOfWork,
  mail: NewMail,
): Promise<MailRow> {
  const built = buildRow(unit, options, mail, mail);
  const row = await unit.insertUntraced(
    'mailDeliveries',
    isKept(built) || canSend(unit.tenant) ? built : refuseRow(unit, built, 'no_mail_server'),
  );
  unit.queuedMails += 1;
  return row;
}

function buildRow(
  unit: UnitOfWork,
  { domain, keeps }: OutboxOptions,
  { kind, customerId, recipient: wanted, language, data = {} }: NewMail,
  { chain, isBlocked = false, eventId }: { chain?: string; isBlocked?: boolean; eventId?: string } = {},
): NewMailRow {
  const id = unit.id('mail');
  // A mail that is kept stays so: its recipient is a customer, whom no test tenant writes to.
  const mustKeep = keeps(unit.tenant, kind);
  const found = mustKeep ? wanted.trim() : findRecipient(unit.tenant, kind, wanted);
  const recipient = found ?? wanted.trim();
  const row: NewMailRow = {
    id,
    kind,
    customerId,
    recipient,
    language,
    eventId,
    data: mustKeep ? { ...data, isKept: true } : data,
    messageId: `<${id}@${domain}>`,
    chain: chain ?? id,
    status: 'pending',
    attempt: 0,
    tries: [],
    dueAt: unit.now,
    createdAt: unit.now,
  };
  if (found === null) return refuseRow(unit, row, 'no_test_recipient');
  if (!isMailAddress(recipient)) return refuseRow(unit, row, 'address_invalid');
  return isBlocked && !unit.tenant.test ? refuseRow(unit, row, 'address_blocked') : row;
}

/** Finishes a mail without an attempt; the log says why. */
const refuseRow = ({ now: at }: UnitOfWork, row: NewMailRow, error: Refusal): NewMailRow => ({
  ...row,
  status: 'cancelled',
  tries: [{ at, durationMs: 0, response: null, error }],
  dueAt: null,
  finishedAt: at,
});
