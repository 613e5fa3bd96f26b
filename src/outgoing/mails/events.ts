/** Which events are reported by mail. */
import type { Row } from '../../storage/model/rowTypes.ts';
import type { MailKind } from '../../storage/model/mails.ts';

type Event = Row<'traces'>;

/** What a mail reports: its kind, and which of its texts. */
export interface MailTopic {
  kind: MailKind;
  text: MailText;
}

/** The texts; some kinds have two. */
export type MailText = MailKind | 'invoice_overdue' | 'invoice_sent' | 'plan_change_scheduled';

/** The fields of an event's object that decide. */
interface Shown {
  total?: { amount: number };
  status?: string;
  dueAt?: string | null;
  documentNumber?: string;
  subscriptionId?: string | null;
  paymentId?: string | null;
}

type Changes = Record<string, [unknown, unknown] | undefined>;
type Choose = (object: Shown, changes: Changes) => MailText | undefined;

/** Whether an invoice is to be paid by bank transfer, and has its final number. */
const isPayable = ({ status, dueAt, documentNumber }: Shown) =>
  status === 'open' && typeof dueAt === 'string' && documentNumber !== undefined;

const issued: Choose = (object) => (isPayable(object) ? 'invoice_issued' : undefined);

const texts: Record<string, Choose> = {
  'CustomerEvent.updated': (_, { email }) => email && 'email_changed',
  'InvoiceEvent.created': issued,
  'InvoiceEvent.finalized': issued,
  'InvoiceEvent.payment_awaited': (object, { dueAt }) =>
    isPayable(object) ? (dueAt?.[0] === null ? 'invoice_issued' : 'invoice_overdue') : undefined,
  'InvoiceEvent.paid': ({ total }) => (total && total.amount > 0 ? 'receipt' : undefined),
  'InvoiceEvent.payment_failed': () => 'payment_failed',
  'InvoiceEvent.payment_reminder': (object) => (isPayable(object) ? 'invoice_overdue' : 'payment_failed'),
  'PaymentEvent.refund_succeeded': () => 'refund',
  // The mail about a refund has its credit note.
  'CreditNoteEvent.created': ({ paymentId }) => (paymentId ? undefined : 'credit_note'),
  'SubscriptionEvent.created': () => 'subscription_started',
  'SubscriptionEvent.paused': () => 'subscription_paused',
  // One that was parked goes on, too.
  'SubscriptionEvent.resumed': (_, { pausedAt }) => pausedAt && 'subscription_resumed',
  'SubscriptionEvent.trial_will_end': () => 'trial_ending',
  'SubscriptionEvent.renewal_upcoming': () => 'renewal_upcoming',
  'SubscriptionEvent.upgraded': () => 'plan_changed',
  'SubscriptionEvent.downgraded': () => 'plan_changed',
  'SubscriptionEvent.downgrade_scheduled': () => 'plan_change_scheduled',
  'SubscriptionEvent.cancelled': () => 'cancelled',
  'SubscriptionEvent.cancellation_scheduled': () => 'cancellation_scheduled',
  'CustomerEvent.usage_alert': () => 'usage_alert',
  'SubscriptionEvent.spend_alert': () => 'spend_alert',
  'CustomerEvent.credit_used': () => 'credit_alert',
  'CustomerEvent.credit_low': () => 'credit_alert',
  'PaymentMethodEvent.payment_method_expiring': () => 'payment_method_expiring',
};

const kinds: Partial<Record<MailText, MailKind>> = {
  invoice_overdue: 'invoice_issued',
  invoice_sent: 'invoice_issued',
  plan_change_scheduled: 'plan_changed',
};

/** Returns the kind of mail that has a text. */
export const getMailKind = (text: MailText): MailKind => kinds[text] ?? (text as MailKind);

/** Returns the mail that reports an event; undefined for an event that none reports. */
function findTopic({ activityType, payload }: Event): MailTopic | undefined {
  const choose = texts[`${activityType}.${String(payload['action'])}`];
  const text = choose?.(payload['object'] as Shown, payload['changes'] as Changes);
  return text && { kind: getMailKind(text), text };
}

/** The id of the customer whom an event concerns. */
export const getCustomerId = ({ customerId, payload }: Event): string =>
  customerId ?? (payload['object'] as { customerId: string }).customerId;

/**
 * Returns to whom the mail about an event is sent, and whether that address gets no mail. A change of the address is reported to
 * the former one, which a person who takes over an account does not read.
 */
export function findAddressee(
  { payload }: Event,
  { email, mailBlockedAt }: Pick<Row<'customers'>, 'email' | 'mailBlockedAt'>,
): { recipient: string; isBlocked: boolean } {
  const changes = payload['changes'] as Changes;
  if (!changes['email']) return { recipient: email, isBlocked: mailBlockedAt !== null };
  const wasBlockedAt = changes['mailBlockedAt']?.[0] ?? null;
  return { recipient: String(changes['email'][0]), isBlocked: wasBlockedAt !== null };
}

const alerts: readonly MailText[] = ['usage_alert', 'spend_alert', 'credit_alert'];

const isAlert = (text: MailText): boolean => alerts.includes(text);

/** Returns what an alert is about: a limit, a subscription, or a credit grant. */
function findAlerted({ text, event }: MailTopic & { event: Event }): string {
  const { feature, creditId } = (event.payload['details'] ?? {}) as Record<string, string | undefined>;
  return `${text} ${String(event.payload['resourceId'])} ${feature ?? creditId}`;
}

/**
 * The events to report: a cancellation also reports the failed payment that caused it, and of several shares or amounts that are
 * reached at once the last one, which is the highest, is reported.
 */
export function listTopics(events: Event[]): (MailTopic & { event: Event })[] {
  const found = events.flatMap((event) => {
    const topic = findTopic(event);
    return topic ? [{ ...topic, event }] : [];
  });
  const ended = new Set(
    found.flatMap(({ text, event }) => (text === 'cancelled' ? [String(event.payload['resourceId'])] : [])),
  );
  const highest = new Map(found.map((topic) => [findAlerted(topic), topic]));
  return found.filter((topic) => {
    const { text, event } = topic;
    if (isAlert(text)) return highest.get(findAlerted(topic)) === topic;
    const { payload } = event;
    const { subscriptionId } = payload['object'] as Shown;
    const isFailure = text === 'payment_failed' || text === 'invoice_overdue';
    return !isFailure || !ended.has(subscriptionId ?? '');
  });
}
