import { boolean, count, instant, json, nullable, table, text } from './columns.ts';
import { byTenant, tenantKey, timestamps } from './common.ts';

/** One try to deliver an event. */
interface DeliveryTry {
  at: string;
  /** Null where there was no answer. */
  statusCode: number | null;
  durationMs: number;
  error: string | null;
}

/** Whom a tenant has told of its events, and what became of it. */
export const webhooks = {
  webhookEndpoints: table(
    'webhook_endpoints',
    {
      tenantAlias: text(),
      id: text(),
      url: text(),
      description: text(),
      /** `SubscriptionEvent` or `SubscriptionEvent.created`; none is all. */
      events: json<string[]>(),
      /** The GraphQL document on the event that makes the payload. */
      query: nullable(text()),
      active: boolean(),
      disabledReason: nullable(text()),
      /** Sealed: whoever reads the database cannot sign. */
      secret: text(),
      previousSecret: nullable(text()),
      /** Until when the previous secret signs, too. */
      previousSecretUntil: nullable(instant()),
      /** The number of the delivery that was queued last. */
      lastSequence: count(),
      ...timestamps,
    },
    {
      ...byTenant,
      indexes: { webhook_endpoints_created: { columns: ['tenantAlias', 'createdAt', 'id'] } },
      foreign: tenantKey,
    },
  ),

  // The outbox, and afterwards the log. No foreign key: the log outlives the endpoint.
  webhookDeliveries: table(
    'webhook_deliveries',
    {
      tenantAlias: text(),
      id: text(),
      endpointId: text(),
      eventId: text(),
      type: text(),
      /** What is delivered in order: the events of a subscription share one. */
      chain: text(),
      /** Counts from 1 within the endpoint. */
      sequence: count(),
      status: text<'pending' | 'delivered' | 'failed' | 'cancelled'>(),
      /** How often it was tried since it was queued. */
      attempt: count(),
      tries: json<DeliveryTry[]>(),
      /** When it is tried next; null once it is finished, and while one before it in its chain is not. */
      dueAt: nullable(instant()),
      /** Until when another process may be delivering it; used where several share a database. */
      claimedUntil: nullable(instant()),
      /** What is sent, once it has been settled. */
      body: nullable(text()),
      createdAt: instant(),
      finishedAt: nullable(instant()),
    },
    {
      ...byTenant,
      indexes: {
        webhook_deliveries_due: {
          columns: ['tenantAlias', 'endpointId', 'dueAt', 'id'],
          where: 'due_at is not null',
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
