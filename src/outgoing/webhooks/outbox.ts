import type { MaybePromise } from '../../lib/maybePromise.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { toCurrentSpelling } from '../../tenancy/traces/eventTypes.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';

type Event = Row<'traces'>;
type Endpoint = Row<'webhookEndpoints'>;

/** Returns the public name of an event: `SubscriptionEvent.created`. */
export const getEventName = ({ activityType, payload }: Event): string =>
  `${activityType}.${toCurrentSpelling(String(payload['action']))}`;

/** The event that tests an endpoint. Only that endpoint receives it, regardless of its filter. */
export const testEvent = 'WebhookEvent.tested';

/**
 * Queues the events of a unit of work for the endpoints that want them, in the same transaction. Within a chain, only
 * the first unfinished delivery is due.
 */
export function writeOutbox(unit: UnitOfWork): MaybePromise<void> {
  if (unit.tenant.hasWebhooks && unit.events.length > 0) return queueEvents(unit);
}

async function queueEvents(unit: UnitOfWork): Promise<void> {
  const events = [...unit.events];
  const endpoints = await unit.many('webhookEndpoints', { where: {}, orderBy: ['id'] });
  for (const endpoint of endpoints) {
    const wanted = events.filter((event) => wants(endpoint, event));
    if (wanted.length === 0) continue;
    for (const [index, event] of wanted.entries()) {
      await queueDelivery(unit, endpoint, event, endpoint.lastSequence + index + 1);
    }
    const lastSequence = endpoint.lastSequence + wanted.length;
    await unit.change('webhookEndpoints', endpoint, { lastSequence });
    unit.queued += wanted.length;
  }
}

function wants({ id, active, events }: Endpoint, event: Event): boolean {
  const type = getEventName(event);
  const isAboutItself = event.payload['resourceId'] === id;
  if (type === testEvent) return isAboutItself;
  if (type === 'WebhookEvent.created' && isAboutItself) return false;
  return active && (events.length === 0 || events.includes(event.activityType) || events.includes(type));
}

async function queueDelivery(
  unit: UnitOfWork,
  endpoint: Endpoint,
  event: Event,
  sequence: number,
): Promise<void> {
  const chain = await findChain(unit, event);
  const ahead = await unit.one('webhookDeliveries', { endpointId: endpoint.id, chain, status: 'pending' });
  await unit.insertUntraced('webhookDeliveries', {
    id: unit.id('whd'),
    endpointId: endpoint.id,
    eventId: event.eventId,
    type: getEventName(event),
    chain,
    sequence,
    status: 'pending',
    attempt: 0,
    tries: [],
    dueAt: ahead ? null : unit.now,
    createdAt: unit.now,
  });
}

/**
 * Returns the chain within which an event is delivered in order: a subscription, its invoices, its payments and its
 * first intent share the id of that intent; prices share the id of their product; any other record has its own chain.
 */
async function findChain(reads: Reads, { activityType, payload }: Event): Promise<string> {
  const object = payload['object'] as Record<string, string | null | undefined>;
  const own = String(payload['resourceId']);
  if (activityType === 'SubscriptionEvent') return object['paymentIntentId'] ?? own;
  if (activityType === 'PriceEvent') return object['productId'] ?? own;
  if (activityType !== 'InvoiceEvent' && activityType !== 'PaymentEvent') return own;
  const { invoiceId, subscriptionId, intentId } = object;
  if (invoiceId) {
    const invoice = await reads.one('invoices', { id: invoiceId });
    return findSubscriptionChain(reads, invoice?.subscriptionId, invoice?.intentId ?? own);
  }
  if (subscriptionId) return findSubscriptionChain(reads, subscriptionId, own);
  if (!intentId) return own;
  const intent = await reads.one('intents', { id: intentId });
  return findSubscriptionChain(reads, intent?.changesSubscriptionId, intentId);
}

async function findSubscriptionChain(
  reads: Reads,
  id: string | null | undefined,
  otherwise: string,
): Promise<string> {
  const subscription = id ? await reads.one('subscriptions', { id }) : undefined;
  return subscription?.paymentIntentId ?? otherwise;
}
