import { boolean, instant, json, nullable, table, text } from '../columns.ts';
import { byTenant, tenantKey, timestamps, type JsonObject } from './common.ts';

/** Tenants, their keys and their traces. */
export const tenancy = {
  tenants: table(
    'tenants',
    {
      alias: text(),
      name: text(),
      timezone: text(),
      /** A test tenant owns its time: `clockAt` is its now. */
      test: boolean(),
      clockAt: nullable(instant()),
      /** Signs the cursors of this tenant. */
      cursorSecret: text(),
      /** The days after the first try on which a failed charge is tried again. */
      retryDays: json<number[]>(),
      /** Whether there is an endpoint to tell of events: a tenant without costs no look-up. */
      hasWebhooks: boolean(),
      ...timestamps,
    },
    { primary: ['alias'] },
  ),

  apiKeys: table(
    'api_keys',
    {
      tenantAlias: text(),
      id: text(),
      secretHash: text(),
      scope: text<'read' | 'write'>(),
      createdAt: instant(),
      expiresAt: nullable(instant()),
      revokedAt: nullable(instant()),
    },
    { ...byTenant, foreign: tenantKey },
  ),

  traces: table(
    'traces',
    {
      tenantAlias: text(),
      eventId: text(),
      traceId: text(),
      parentId: nullable(text()),
      isRoot: boolean(),
      executorId: text(),
      activityType: text(),
      payload: json<JsonObject>(),
      createdAt: instant(),
      /** The `resourceId` of the payload, to be found by. Null only until the row's migration has filled it. */
      resourceId: nullable(text()),
    },
    {
      primary: ['tenantAlias', 'eventId'],
      indexes: {
        traces_created: { columns: ['tenantAlias', 'createdAt', 'eventId'] },
        traces_executor: { columns: ['tenantAlias', 'executorId', 'createdAt', 'eventId'] },
        traces_activity: { columns: ['tenantAlias', 'activityType', 'createdAt', 'eventId'] },
        // Followers read in the order of events, which is that of the commits.
        traces_followed_activity: { columns: ['tenantAlias', 'activityType', 'eventId'] },
        traces_followed_executor: { columns: ['tenantAlias', 'executorId', 'eventId'] },
        traces_followed_resource: { columns: ['tenantAlias', 'resourceId', 'eventId'] },
      },
      foreign: tenantKey,
    },
  ),

  /** Requests that clients have named, and what became of them: for a day. */
  idempotency: table(
    'idempotency',
    {
      tenantAlias: text(),
      idempotencyKey: text(),
      /** The mutation within the request; empty for the answer as a whole. */
      field: text(),
      requestHash: text(),
      /** Null while the mutation is under way. */
      outcome: nullable(text()),
      createdAt: instant(),
    },
    {
      primary: ['tenantAlias', 'idempotencyKey', 'field'],
      indexes: { idempotency_created: { columns: ['tenantAlias', 'createdAt'] } },
      foreign: tenantKey,
    },
  ),
};
