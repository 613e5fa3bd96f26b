import { boolean, count, instant, json, nullable, table, text } from './columns.ts';
import { byTenant, tenantKey, timestamps, type BankAccount, type JsonObject } from './common.ts';

/** Tenants, their keys and their traces. */
export const tenancy = {
  tenants: table(
    'tenants',
    {
      alias: text(),
      name: text(),
      timezone: text(),
      /** A test tenant follows real time until it is given a clock: from then on `clockAt` is its now. */
      test: boolean(),
      clockAt: nullable(instant()),
      /** Signs the cursors of this tenant. */
      cursorSecret: text(),
      /** The days after the first try on which a failed charge is tried again. */
      retryDays: json<number[]>(),
      /** The payment providers that new payments may use; null for all that the server has. */
      paymentProviders: nullable(json<string[]>()),
      /** Days after issue until an invoice paid by hand is due; null for none. */
      paymentTermsDays: nullable(count()),
      /** The account that payers transfer money to. */
      bankAccount: nullable(json<BankAccount>()),
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
        // Followers read in the order of events, which is that of the commits. Each index costs every write: the
        // followers of a type or an executor look through the events instead, a bounded number at a time.
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
      /** Null while the mutation is under way, or interrupted. */
      outcome: nullable(text()),
      /** The values of its checkpoints so far. */
      progress: nullable(text()),
      /** The execution that performs it: a token. */
      owner: nullable(text()),
      /** Until then no other execution may go on with it; null when it is done, or interrupted. */
      claimedUntil: nullable(instant()),
      createdAt: instant(),
    },
    {
      primary: ['tenantAlias', 'idempotencyKey', 'field'],
      indexes: {
        idempotency_created: { columns: ['tenantAlias', 'createdAt'] },
        idempotency_claimed: {
          columns: ['tenantAlias', 'claimedUntil'],
          where: 'outcome is null',
        },
      },
      foreign: tenantKey,
    },
  ),
};
