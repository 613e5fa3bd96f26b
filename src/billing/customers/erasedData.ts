import type { Row } from '../../storage/model/rowTypes.ts';
import { listPersonal } from '../../storage/query/tableMeta.ts';
import { manual } from '../../providers/manual.ts';

/** The replacements for a customer's personal data, as pure functions. */

/** Replaces personal data. */
export const erasedMark = '[erased]';

const erasedUrl = 'https://erased.invalid/';

type Fields = Record<string, unknown>;

const erasedColumns = Object.fromEntries(listPersonal('customers').map((column) => [column, null]));

const buildErasedEmail = (id: string) => `${id}@erased.invalid`;

/** Returns the fields of an erased customer; the id keeps `associatedId` unique. */
export const buildErasedCustomer = (id: string): Partial<Row<'customers'>> => ({
  ...erasedColumns,
  firstName: erasedMark,
  lastName: erasedMark,
  email: buildErasedEmail(id),
  associatedId: `erased:${id}`,
  metadata: {},
  // Nothing is left to check.
  vatIdCheckDueAt: null,
  vatIdStatus: null,
});

/** Whether a customer is erased and was not changed since. */
export const isErased = ({ id, email, firstName, lastName }: Row<'customers'>): boolean =>
  email === buildErasedEmail(id) && firstName === erasedMark && lastName === erasedMark;

/** Returns a mail without its recipient and its texts. A pending one is not sent any more. */
export function buildErasedMail(
  { status, attempt, tries, data, customerId, subject }: Row<'mailDeliveries'>,
  now: string,
): Partial<Row<'mailDeliveries'>> {
  const isPending = status === 'pending';
  const attempted = { at: now, durationMs: 0, response: null, error: 'customer_erased' };
  return {
    recipient: buildErasedEmail(customerId!),
    data: { text: data['text'] },
    subject: eraseText(subject),
    // A reply may contain the address.
    tries: [
      ...tries.map((each) => ({ ...each, response: eraseText(each.response) })),
      ...(isPending ? [attempted] : []),
    ],
    ...(isPending && {
      status: 'cancelled',
      attempt: attempt + 1,
      dueAt: null,
      claimedUntil: null,
      finishedAt: now,
    }),
  };
}

/** Returns the replacement for a text; null and undefined stay. */
export const eraseText = <T>(value: T) => (value === null || value === undefined ? value : erasedMark);

/** The erased description of a one-off charge. */
export const erasedDescription = { description: erasedMark };

/** Returns the erased fields of a code that was for one customer. Its text is not the form of a code, so nobody redeems it. */
export const buildErasedCode = (id: string) => ({ code: `erased:${id}` });

/** Returns the erased texts of a credit note, which an operator wrote. */
export const buildErasedNote = ({
  reason,
  memo,
  lines,
}: Pick<Row<'creditNotes'>, 'reason' | 'memo' | 'lines'>) => ({
  reason: eraseText(reason),
  memo: eraseText(memo),
  lines: eraseDescriptions(lines),
});

const eraseDescriptions = <L extends object>(lines: L[]): L[] =>
  lines.map((line) => ({ ...line, ...erasedDescription }));

const eraseUrl = <T>(value: T) => (value === null || value === undefined ? value : erasedUrl);

/** Returns the erased fields of an intent: the payer's URLs, the reason, the metadata, and the hash of the request. */
export const buildErasedIntent = ({
  returnUrl,
  reason,
  actionUrl,
  metadata,
}: Row<'intents'>): Partial<Row<'intents'>> => ({
  receiptUrl: erasedUrl,
  returnUrl: eraseUrl(returnUrl),
  reason: eraseText(reason),
  actionUrl: eraseUrl(actionUrl),
  requestHash: erasedMark,
  metadata: eraseMetadata(metadata),
});

/** Returns the replacement for metadata; null and undefined stay. */
export const eraseMetadata = <T>(value: T) => (value === null || value === undefined ? value : {});

/** Returns the erased fields of a payment method: everything that identifies the card or account. */
export const buildErasedMethod = () => ({
  reference: '',
  fingerprint: null,
  ...erasedMethodDetails,
});

const erasedMethodDetails = { brand: null, last4: null, expiresAt: null, country: null };

/** Returns the erased fields of a request for an action: its arguments, and what people wrote about it. */
export const buildErasedRequest = ({
  reason,
  declineReason,
}: Pick<Row<'actionRequests'>, 'reason' | 'declineReason'>) => ({
  input: {},
  reason: eraseText(reason),
  declineReason: eraseText(declineReason),
});

/** Returns the erased fields of a subscription: its metadata, and what the customer wrote at its end. */
export const buildErasedSubscription = ({
  cancellationComment,
}: Pick<Row<'subscriptions'>, 'cancellationComment'>) => ({
  metadata: {},
  cancellationComment: eraseText(cancellationComment),
});

/**
 * Returns the erased fields of a payment: its metadata, and its reference if an operator entered it, who often enters the
 * payer's name. A provider's reference identifies only a payment and stays.
 */
export const buildErasedPayment = ({
  provider,
  reference,
  metadata,
}: Pick<Row<'payments'>, 'provider' | 'reference' | 'metadata'>) => ({
  reference: provider === manual.name ? eraseText(reference) : reference,
  metadata: eraseMetadata(metadata),
});

/** Returns the replacement for each personal field of a trace about the resource with this id. */
function findReplacements(
  activityType: string,
  id: string,
  object: Fields,
): Record<string, (value: unknown) => unknown> {
  if (activityType === 'CustomerEvent') {
    return Object.fromEntries(
      Object.entries(buildErasedCustomer(id)).map(([field, value]) => [field, () => value]),
    );
  }
  if (activityType === 'IntentEvent') {
    return {
      receiptUrl: eraseUrl,
      returnUrl: eraseUrl,
      actionUrl: eraseUrl,
      reason: eraseText,
      metadata: eraseMetadata,
    };
  }
  if (activityType === 'PromotionCodeEvent') {
    return { code: () => buildErasedCode(id).code };
  }
  if (activityType === 'PaymentMethodEvent')
    return Object.fromEntries(Object.keys(erasedMethodDetails).map((field) => [field, () => null]));
  if (activityType === 'ActionRequestEvent')
    return { input: () => ({}), reason: eraseText, declineReason: eraseText };
  if (activityType === 'CustomerNoteEvent') return { text: eraseText };
  if (activityType === 'AutoTopUpEvent') return { name: eraseText };
  if (activityType === 'EntitlementOverrideEvent') return { value: () => null };
  if (activityType === 'InvoiceItemEvent') return { description: eraseText };
  if (activityType === 'CreditNoteEvent')
    return { reason: eraseText, memo: eraseText, lines: (lines) => eraseDescriptions(lines as object[]) };
  if (activityType === 'SubscriptionEvent') return { metadata: () => ({}), cancellationComment: eraseText };
  if (activityType === 'InvoiceEvent') return { metadata: eraseMetadata };
  if (activityType === 'PaymentEvent') {
    const isManual = object['provider'] === manual.name;
    return { metadata: eraseMetadata, ...(isManual && { reference: eraseText }) };
  }
  return {};
}

/**
 * Returns a trace without the customer's personal data. Replaces values before and after each change, so that
 * consecutive traces still match, and the executor if it is one of the customer's names.
 */
export function eraseTrace(
  { activityType, executorId, payload }: Row<'traces'>,
  id: string,
  names: ReadonlySet<string>,
): Pick<Row<'traces'>, 'payload' | 'executorId'> {
  const object: Fields = { ...(payload['object'] as Fields) };
  const changes = { ...(payload['changes'] as Record<string, [unknown, unknown]>) };
  const isTheirs = payload['resourceId'] === id || object['customerId'] === id;
  for (const [field, replace] of Object.entries(
    isTheirs ? findReplacements(activityType, String(payload['resourceId']), object) : {},
  )) {
    if (field in object) object[field] = replace(object[field]);
    const changed = changes[field];
    if (changed) changes[field] = [replace(changed[0]), replace(changed[1])];
  }
  const details = payload['details'] as Fields | undefined;
  // What an access point wrote about an e-invoice may name them.
  const isQuoted = isTheirs && details?.['message'] !== undefined;
  return {
    payload: {
      ...payload,
      object,
      changes,
      ...(isQuoted && { details: { ...details, message: eraseText(details['message']) } }),
    },
    executorId: names.has(executorId) ? erasedMark : executorId,
  };
}
