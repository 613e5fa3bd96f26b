import { refuse } from '../../lib/errors.ts';
import { addMs } from '../../lib/time.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { testEvent } from './outbox.ts';
import { readPage, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import type { SteppedTenant, TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import type { PostOutcome } from './httpClient.ts';
import { computeRetryDelay } from '../queue/backoff.ts';
import { appendTry, computeRestart, deleteOldRows, keepIfCurrent } from '../queue/records.ts';

export type DeliveryRow = Row<'webhookDeliveries'>;

export const deliveryStatuses = ['pending', 'delivered', 'failed', 'cancelled'] as const;

const gone = 410;

/** The outcome of an attempt. */
interface AttemptOutcome extends Pick<PostOutcome, 'statusCode' | 'error'> {
  /** The body sent; null if none could be composed. */
  body: string | null;
  durationMs: number;
  /** The delay that the endpoint asked for. */
  retryAfterMs: number;
  /** From 0 to 1; spreads retries. */
  random: number;
}

/** Records the outcome of an attempt. When the delivery is finished, the next one of its chain becomes due. */
export async function recordAttemptOutcome(
  unit: UnitOfWork,
  attempted: DeliveryRow,
  ended: AttemptOutcome,
): Promise<void> {
  const { id } = attempted;
  const delivery = keepIfCurrent(await unit.one('webhookDeliveries', { id }), attempted);
  if (!delivery) return;
  const { statusCode, error, durationMs, body } = ended;
  const made = delivery.attempt + 1;
  const tries = appendTry(delivery.tries, { at: unit.now, statusCode, durationMs, error });
  const progress = { attempt: made, tries, claimedUntil: null };
  if (error === null) return finishDelivery(unit, delivery, { ...progress, status: 'delivered' });
  const isLast = statusCode === gone || delivery.type === testEvent;
  const delayMs = isLast ? undefined : computeRetryDelay(made, ended.random, ended.retryAfterMs);
  if (delayMs !== undefined) {
    // Stores the body, so that a retry sends the same message even if the endpoint changes.
    const again = { ...progress, body, dueAt: addMs(unit.now, delayMs) };
    return unit.updateUntraced('webhookDeliveries', { id }, again);
  }
  await finishDelivery(unit, delivery, { ...progress, body, status: 'failed' });
  if (statusCode === gone) await disableEndpoint(unit, delivery.endpointId);
}

async function finishDelivery(
  unit: UnitOfWork,
  delivery: DeliveryRow,
  changes: Partial<DeliveryRow>,
): Promise<void> {
  const { id, endpointId, chain } = delivery;
  await unit.updateUntraced('webhookDeliveries', { id }, { ...changes, dueAt: null, finishedAt: unit.now });
  const [next] = await unit.many('webhookDeliveries', {
    where: { endpointId, chain, status: 'pending' },
    orderBy: ['sequence'],
    limit: 1,
  });
  if (!next || next.dueAt !== null) return;
  await unit.updateUntraced('webhookDeliveries', { id: next.id }, { dueAt: unit.now });
}

/** Disables an endpoint that returned 410 Gone and cancels its pending deliveries. */
async function disableEndpoint(unit: UnitOfWork, id: string): Promise<void> {
  const endpoint = await unit.one('webhookEndpoints', { id });
  if (!endpoint?.active) return;
  const off = { active: false, disabledReason: 'it answered 410 Gone' };
  await unit.change('webhookEndpoints', endpoint, off, { action: 'disabled' });
  await cancelPending(unit, id);
}

/** Cancels the pending deliveries of an endpoint. */
export function cancelPending(unit: UnitOfWork, endpointId: string): Promise<void> {
  const cancelled = { status: 'cancelled' as const, dueAt: null, claimedUntil: null, finishedAt: unit.now };
  return unit.updateUntraced('webhookDeliveries', { endpointId, status: 'pending' }, cancelled);
}

/**
 * Queues a test event for an endpoint, regardless of its event filter. Returns its delivery. Error:
 * `webhook_endpoint_not_found`.
 */
export async function testEndpoint(tenant: SteppedTenant, id: string): Promise<DeliveryRow> {
  const { value: eventId } = await tenant.checkpoint('event recorded', async (unit) => {
    const endpoint = (await unit.one('webhookEndpoints', { id })) ?? refuse('webhook_endpoint_not_found');
    return unit.recordEvent('webhookEndpoints', endpoint, 'tested');
  });
  return (await tenant.read.one('webhookDeliveries', { endpointId: id, eventId }))!;
}

/**
 * Delivers an event again, as the same message with the same id. A finished delivery gets its own chain, so that it
 * delays no other; one that waits for a retry is attempted at once; one that waits for its predecessor stays unchanged.
 * Errors: `delivery_not_found`, `webhook_endpoint_not_found`.
 */
export async function replayDelivery(unit: UnitOfWork, id: string): Promise<DeliveryRow> {
  const delivery = await findDelivery(unit, id);
  if (!(await unit.one('webhookEndpoints', { id: delivery.endpointId })))
    refuse('webhook_endpoint_not_found');
  const restarted = computeRestart(delivery, unit.now);
  if (!restarted) return delivery;
  await unit.updateUntraced('webhookDeliveries', { id }, restarted);
  unit.queued += 1;
  return { ...delivery, ...restarted };
}

/** Returns the delivery with this id. Error: `delivery_not_found`. */
export async function findDelivery(reads: Reads, id: string): Promise<DeliveryRow> {
  return (await reads.one('webhookDeliveries', { id })) ?? refuse('delivery_not_found');
}

interface DeliveryFilter {
  endpointId?: string | null;
  eventId?: string | null;
  status?: DeliveryRow['status'] | null;
}

/**
 * Lists the tenant's deliveries; newest first by default. Errors: `validation_failed`, `cursor_invalid`,
 * `query_timeout`.
 */
export function listDeliveries(
  tenant: TenantScope,
  filter: DeliveryFilter,
  args: PageArgs,
): Promise<Page<DeliveryRow>> {
  const [byEvent, byEndpoint, byStatus] = [
    { eventId: filter.eventId ?? undefined },
    { endpointId: filter.endpointId ?? undefined },
    { status: filter.status ?? undefined },
  ];
  // One index is used. An event has few deliveries; an endpoint may have many.
  const conditions =
    byEvent.eventId !== undefined
      ? { where: byEvent, filter: { ...byEndpoint, ...byStatus } }
      : byEndpoint.endpointId !== undefined
        ? { where: byEndpoint, filter: byStatus, isScan: byStatus.status !== undefined }
        : { where: byStatus };
  const list = { name: 'deliveries', table: 'webhookDeliveries', by: ['createdAt', 'id'] } as const;
  return readPage(tenant, { ...list, ...conditions }, args);
}

/** Deletes finished deliveries older than 90 days, a few at a time. Returns their number. */
export const deleteOldDeliveries = (tenant: TenantScope): Promise<number> =>
  deleteOldRows(tenant, 'webhookDeliveries', deliveryStatuses);
