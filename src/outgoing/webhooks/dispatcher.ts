import type { WebhookDispatcher } from '../../tenancy/service.ts';
import { DeliveryQueue } from '../queue/queue.ts';
import { attemptDelivery, type AttemptParts } from './attempt.ts';
import { writeOutbox } from './outbox.ts';

/** The calls that may be under way; each uses a connection and the memory of its message. */
export const mostAtOnce = 256;
/** More would not help: the events of a subscription are delivered one after another. */
export const mostPerEndpoint = 4;

type DispatcherParts = AttemptParts & Pick<WebhookDispatcher, 'mayCallPrivate' | 'findQueryProblem'>;

/** Creates the dispatcher, which queues deliveries and makes them as they become due. */
export function createDispatcher({
  mayCallPrivate,
  findQueryProblem,
  ...parts
}: DispatcherParts): WebhookDispatcher {
  const queue = new DeliveryQueue({
    mostAtOnce,
    mostPerLane: mostPerEndpoint,
    isServed: ({ hasWebhooks }) => hasWebhooks,
    listTenants: async ({ store }) =>
      store.fresh.select('tenants', { where: { hasWebhooks: true }, orderBy: ['alias'] }),
    listLanes: (reads) => reads.many('webhookEndpoints', { where: {}, orderBy: ['id'] }),
    claim: (tenant, { id: endpointId }, due, underWay) =>
      tenant.claim('webhookDeliveries', { ...due, where: { endpointId, ...due.where } }, underWay),
    findDue: async (reads, endpoints, due) =>
      reads.one('webhookDeliveries', { endpointId: endpoints.map(({ id }) => id), ...due }),
    attempt: (service, endpoint, delivery, signals) =>
      attemptDelivery(parts, service, endpoint, delivery, signals),
    log: {
      idField: 'delivery',
      attemptFailed: 'webhook delivery attempt failed',
      roundFailed: 'webhook delivery failed; the next round continues it',
      stoppedEarly: 'stopped before webhook deliveries had ended; the next server makes them again',
    },
  });
  return {
    mayCallPrivate,
    findQueryProblem,
    queue: writeOutbox,
    notify: queue.notify,
    deliverDue: (service, alias, limitMs) => queue.sendDue(service, alias, limitMs),
    start: (service, log) => queue.start(service, log),
  };
}
