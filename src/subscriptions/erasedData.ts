import type { Row } from '../storage/model/rowTypes.ts';
import { manual } from '../providers/manual.ts';

/** What stands in the place of data that names a customer. Pure. */

const mark = '[erased]';
const erasedUrl = 'https://erased.invalid/';

type Fields = Record<string, unknown>;

/** What an erased customer's record holds; the id within keeps it unique. */
export const erasedCustomer = (id: string) => ({
  firstName: mark,
  lastName: mark,
  email: `${id}@erased.invalid`,
  associatedId: `erased:${id}`,
  metadata: {},
});

/** Whether a customer has been erased, and nothing was written into the record since. */
export const isErased = ({ id, email, firstName, lastName }: Row<'customers'>): boolean =>
  email === erasedCustomer(id).email && firstName === mark && lastName === mark;

const markUnlessNull = <T>(value: T) => (value === null || value === undefined ? value : mark);
const urlUnlessNull = <T>(value: T) => (value === null || value === undefined ? value : erasedUrl);

/** What an intent holds of the payer: where their browser goes to and why, and a hash of that. */
export const erasedIntent = ({ returnUrl, reason, actionUrl }: Row<'intents'>): Partial<Row<'intents'>> => ({
  receiptUrl: erasedUrl,
  returnUrl: urlUnlessNull(returnUrl),
  reason: markUnlessNull(reason),
  actionUrl: urlUnlessNull(actionUrl),
  requestHash: mark,
});

/** What an operator wrote down of money that came in: often the payer's name. A provider's reference names a payment. */
export const erasedReference = ({ provider, reference }: Pick<Row<'payments'>, 'provider' | 'reference'>) =>
  provider === manual.name ? markUnlessNull(reference) : reference;

/** What becomes of the fields of a resource in its traces. */
function replacementsFor(
  activityType: string,
  id: string,
  object: Fields,
): Record<string, (value: unknown) => unknown> {
  if (activityType === 'CustomerEvent') {
    return Object.fromEntries(
      Object.entries(erasedCustomer(id)).map(([field, value]) => [field, () => value]),
    );
  }
  if (activityType === 'IntentEvent') {
    return {
      receiptUrl: urlUnlessNull,
      returnUrl: urlUnlessNull,
      actionUrl: urlUnlessNull,
      reason: markUnlessNull,
    };
  }
  if (activityType === 'SubscriptionEvent') return { metadata: () => ({}) };
  if (activityType === 'PaymentEvent' && object['provider'] === manual.name)
    return { reference: markUnlessNull };
  return {};
}

/**
 * A trace of the customer of that id without what names them, before a change as after it, so that each still begins
 * where the one before it ended; and without the executor, where that is one of their names.
 */
export function eraseTrace(
  { activityType, executorId, payload }: Row<'traces'>,
  id: string,
  names: ReadonlySet<string>,
): Pick<Row<'traces'>, 'payload' | 'executorId'> {
  const object: Fields = { ...(payload['object'] as Fields) };
  const changes = { ...(payload['changes'] as Record<string, [unknown, unknown]>) };
  const isTheirs = payload['resourceId'] === id || object['customerId'] === id;
  for (const [field, replace] of Object.entries(isTheirs ? replacementsFor(activityType, id, object) : {})) {
    if (field in object) object[field] = replace(object[field]);
    const changed = changes[field];
    if (changed) changes[field] = [replace(changed[0]), replace(changed[1])];
  }
  return {
    payload: { ...payload, object, changes },
    executorId: names.has(executorId) ? mark : executorId,
  };
}
