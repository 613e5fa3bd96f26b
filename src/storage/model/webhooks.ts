import { boolean, count, instant, json, nullable, table, text } from './columns.ts';
import { byTenant, tenantKey, timestamps } from './common.ts';

/** One attempt to deliver an event. */
interface DeliveryTry {
  at: string;
  /** Null if there was no response. */
  statusCode: number | null;
  durationMs: number;
  error: string | null;
}

/** Webhook endpoints and deliveries. */
export const webhooks = {
  webhookEndpoints: table(
    'webhook_endpoints',
    {
      tenantAlias: text(),
      id: text(),
      url: text(),
      description: text(),
      /** `SubscriptionEvent` or `SubscriptionEvent.created`; an empty list means all events. */
      events: json<string[]>(),
      /** The GraphQL document that selects the payload from the event. */
      query: nullable(text()),
      /** The shape of events that the query selects from; null for queries of release 0.9 and before. */
      queryShape: nullable(count()),
      active: boolean(),
      disabledReason: nullable(text()),
      /** Encrypted: read access to the database does not permit signing. */
      secret: text(),
      previousSecret: nullable(text()),
      /** Until when the previous secret also signs. */
      previousSecretUntil: nullable(instant()),
      /** The sequence number of the delivery queued last. */
      lastSequence: count(),
      ...timestamps,
    },
    {
      ...byTenant,
      indexes: { webhook_endpoints_created: { columns: ['tenantAlias', 'createdAt', 'id'] } },
      foreign: tenantKey,
    },
  ),

  // The outbox, and afterwards the log. No foreign key, because the log is kept when the endpoint is deleted.
  webhookDeliveries: table(
    'webhook_deliveries',
    {
      tenantAlias: text(),
      id: text(),
      endpointId: text(),
      eventId: text(),
      type: text(),
      /** Deliveries with the same value are sent in order; the events of a subscription share one. */
      chain: text(),
      /** Counts from 1 within the endpoint. */
      sequence: count(),
      status: text<'pending' | 'delivered' | 'failed' | 'cancelled'>(),
      /** The number of attempts since it was queued. */
      attempt: count(),
      tries: json<DeliveryTry[]>(),
      /** When it is attempted next; null if it is finished, or if an earlier delivery of its chain is not. */
      dueAt: nullable(instant()),
      /** Until when another process has claimed it; used if several processes share a database. */
      claimedUntil: nullable(instant()),
      /** The request body, once it has been computed. */
      body: nullable(text()),
      createdAt: instant(),
      finishedAt: nullable(instant()),
    },
    {
      ...byTenant,
      indexes: {
        webhook_deliveries_due: {
          columns: ['tenantAlias', 'endpointId', 'dueAt', 'id'],
          where: { dueAt: { isSet: true } },
        },
        webhook_deliveries_chain: {
          columns: ['tenantAlias', 'endpointId', 'chain', 'sequence'],
          where: { status: 'pending' },
        },
        webhook_deliveries_created: { columns: ['tenantAlias', 'createdAt', 'id'] },
        webhook_deliveries_endpoint: { columns: ['tenantAlias', 'endpointId', 'createdAt', 'id'] },
        webhook_deliveries_event: { columns: ['tenantAlias', 'eventId', 'createdAt', 'id'] },
        webhook_deliveries_status: { columns: ['tenantAlias', 'status', 'createdAt', 'id'] },
      },
      foreign: tenantKey,
    },
  ),
};
