import { TenantReads } from '../../storage/store.ts';
import type { RandomBytes } from '../../lib/ids.ts';
import { listValidSecrets } from '../../lib/signedMessages.ts';
import { openScheduledTenant } from '../../tenancy/openTenant.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { TenantParts } from '../../tenancy/service.ts';
import { findTenant } from '../../tenancy/tenants.ts';
import type { TraceRow } from '../../insights/activity/traces.ts';
import { recordAttemptOutcome, type DeliveryRow } from './deliveries.ts';
import type { EndpointRow } from './endpoints.ts';
import { buildBody, toPublicTrace, buildMessage } from './signing.ts';
import { addressUnusable, type Message, type Post, type PostOutcome } from './httpClient.ts';
import { parseRetryAfter } from '../queue/backoff.ts';
import { reportInternalError, type AttemptSignals } from '../queue/queue.ts';

/** The dependencies of an attempt. */
export interface AttemptParts {
  randomBytes: RandomBytes;
  post: Post;
  /** Executes an endpoint's payload query for an event. */
  render: (
    tenant: TenantScope,
    query: { query: string; shape: number | null },
    trace: TraceRow,
  ) => Promise<{ data: unknown; errors?: unknown }>;
}

/**
 * Makes one attempt of a delivery and records its outcome. An attempt aborted by `stop` is not recorded. An internal
 * error is reported and the attempt fails. Error: `unavailable`; then nothing is recorded and the delivery is still
 * due.
 */
export async function attemptDelivery(
  parts: AttemptParts,
  service: TenantParts,
  endpoint: EndpointRow,
  delivery: DeliveryRow,
  { stop, report }: AttemptSignals,
): Promise<void> {
  const record = (await findTenant(service, endpoint.tenantAlias))!;
  const tenant = openScheduledTenant(service, record);
  const prepared = prepareMessage(parts, service, tenant, endpoint, delivery);
  const message = await reportInternalError(prepared, report, undefined);
  const beganMs = service.clock.nowMs();
  const outcome = message ? await parts.post(message, stop) : internalError;
  if (stop.aborted) return;
  const endedMs = service.clock.nowMs();
  const ended = {
    ...outcome,
    body: message?.body ?? delivery.body,
    // The duration of a look-up would reveal whether the name exists in the internal network.
    durationMs: outcome.error === addressUnusable ? 0 : Math.max(0, endedMs - beganMs),
    retryAfterMs: parseRetryAfter(outcome.retryAfter, endedMs),
    random: parts.randomBytes(1)[0]! / 255,
  };
  await tenant.write((unit) => recordAttemptOutcome(unit, delivery, ended));
}

const internalError: PostOutcome = { statusCode: null, error: 'internal_error', retryAfter: undefined };

async function prepareMessage(
  parts: AttemptParts,
  service: TenantParts,
  tenant: TenantScope,
  endpoint: EndpointRow,
  delivery: DeliveryRow,
): Promise<Message> {
  const body = delivery.body ?? (await composeBody(parts, service, tenant, endpoint, delivery));
  const { secret, previousSecret, previousSecretUntil } = endpoint;
  const secrets = listValidSecrets(secret, previousSecret, previousSecretUntil, tenant.now()).map((each) =>
    service.secretBox.open(each, tenant.alias),
  );
  return buildMessage(endpoint, { ...delivery, body }, secrets, service.clock.nowMs());
}

/**
 * Returns the body of a message. Stores the result of a payload query before sending it, so that every attempt of a
 * message has the same body.
 */
async function composeBody(
  { render }: AttemptParts,
  service: TenantParts,
  tenant: TenantScope,
  { query, queryShape: shape }: EndpointRow,
  { id, eventId, sequence }: DeliveryRow,
): Promise<string> {
  const reads = new TenantReads(service.store.fresh, tenant.alias);
  const trace = (await reads.one('traces', { eventId }))!;
  if (query === null) return buildBody(trace, sequence, toPublicTrace(trace));
  const { data, errors } = await render(tenant, { query, shape }, trace);
  const body = buildBody(trace, sequence, data, errors);
  await tenant.write((unit) => unit.updateUntraced('webhookDeliveries', { id }, { body }));
  return body;
}
