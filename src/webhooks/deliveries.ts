import { refuse } from '../lib/errors.ts';
import { addMs } from '../lib/time.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import type { Reads } from '../storage/store.ts';
import { testEvent } from './outbox.ts';
import { readPage, type Page, type PageArgs } from '../tenancy/pagination.ts';
import type { SteppedTenant, TenantScope } from '../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';
import type { PostOutcome } from './httpClient.ts';
import { delayAfter } from './backoff.ts';

export type DeliveryRow = Row<'webhookDeliveries'>;

export const deliveryStatuses = ['pending', 'delivered', 'failed', 'cancelled'] as const;

const mostTriesKept = 50;
const keptMs = 90 * 86_400_000;
const forgottenAtOnce = 200;
const gone = 410;

/** One try, as it ended. */
interface Ended extends Pick<PostOutcome, 'statusCode' | 'error'> {
  /** What was sent; null where nothing could be. */
  body: string | null;
  durationMs: number;
  /** What the endpoint asked to wait. */
  retryAfterMs: number;
  /** From 0 to 1: spreads the next try. */
  random: number;
}

/** Keeps how a try ended, and lets the next of the chain go where this one is finished. */
export async function recordAttemptOutcome(
  unit: UnitOfWork,
  { id, attempt }: DeliveryRow,
  ended: Ended,
): Promise<void> {
  const delivery = await unit.one('webhookDeliveries', { id });
  // Cancelled meanwhile, or settled by another process.
  if (delivery?.status !== 'pending' || delivery.attempt !== attempt) return;
  const { statusCode, error, durationMs, body } = ended;
  const made = delivery.attempt + 1;
  const tries = [...delivery.tries, { at: unit.now, statusCode, durationMs, error }].slice(-mostTriesKept);
  const told = { attempt: made, tries, claimedUntil: null };
  if (error === null) return finish(unit, delivery, { ...told, status: 'delivered' });
  const isLast = statusCode === gone || delivery.type === testEvent;
  const delayMs = isLast ? undefined : delayAfter(made, ended.random, ended.retryAfterMs);
  if (delayMs !== undefined) {
    // Whatever the endpoint holds by then, the next try sends the same.
    const again = { ...told, body, dueAt: addMs(unit.now, delayMs) };
    return unit.updateUntraced('webhookDeliveries', { id }, again);
  }
  await finish(unit, delivery, { ...told, body, status: 'failed' });
  if (statusCode === gone) await disableEndpoint(unit, delivery.endpointId);
}

async function finish(unit: UnitOfWork, delivery: DeliveryRow, changes: Partial<DeliveryRow>): Promise<void> {
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

/** The endpoint has answered that it is gone: it is told of nothing more. */
async function disableEndpoint(unit: UnitOfWork, id: string): Promise<void> {
  const endpoint = await unit.one('webhookEndpoints', { id });
  if (!endpoint?.active) return;
  const off = { active: false, disabledReason: 'it answered 410 Gone' };
  await unit.change('webhookEndpoints', endpoint, off, { action: 'disabled' });
  await cancelPending(unit, id);
}

/** Gives up what waits for an endpoint. */
export function cancelPending(unit: UnitOfWork, endpointId: string): Promise<void> {
  const cancelled = { status: 'cancelled' as const, dueAt: null, claimedUntil: null, finishedAt: unit.now };
  return unit.updateUntraced('webhookDeliveries', { endpointId, status: 'pending' }, cancelled);
}

/**
 * Sends a test event to an endpoint, once and whatever it asks for; answers its delivery, which waits to be made.
 * Error: `webhook_endpoint_not_found`.
 */
export async function testEndpoint(tenant: SteppedTenant, id: string): Promise<DeliveryRow> {
  const { value: eventId } = await tenant.checkpoint(async (unit) => {
    const endpoint = (await unit.one('webhookEndpoints', { id })) ?? refuse('webhook_endpoint_not_found');
    return unit.recordEvent('webhookEndpoints', endpoint, 'tested');
  });
  return (await tenant.read.one('webhookDeliveries', { endpointId: id, eventId }))!;
}

/**
 * Delivers an event again: the same message under the same id. One that is finished goes for itself, so that it
 * holds nothing back; one that waits for its next try is tried at once; one that waits for another is left so.
 * Errors: `delivery_not_found`, `webhook_endpoint_not_found`.
 */
export async function replayDelivery(unit: UnitOfWork, id: string): Promise<DeliveryRow> {
  const delivery = await findDelivery(unit, id);
  if (!(await unit.one('webhookEndpoints', { id: delivery.endpointId })))
    refuse('webhook_endpoint_not_found');
  if (delivery.status === 'pending' && (delivery.dueAt === null || delivery.dueAt <= unit.now))
    return delivery;
  const anew =
    delivery.status === 'pending'
      ? { dueAt: unit.now }
      : { status: 'pending' as const, dueAt: unit.now, chain: id, attempt: 0, finishedAt: null };
  await unit.updateUntraced('webhookDeliveries', { id }, anew);
  unit.queued += 1;
  return { ...delivery, ...anew };
}

/** The delivery of that id. Error: `delivery_not_found`. */
export async function findDelivery(reads: Reads, id: string): Promise<DeliveryRow> {
  return (await reads.one('webhookDeliveries', { id })) ?? refuse('delivery_not_found');
}

interface DeliveryFilter {
  endpointId?: string | null;
  eventId?: string | null;
  status?: DeliveryRow['status'] | null;
}

/** The tenant's deliveries, newest first unless ordered otherwise. Errors: `validation_failed`, `cursor_invalid`, `query_timeout`. */
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
  // An index serves one of them. Of an event there are few deliveries, of an endpoint as many as it likes.
  const conditions =
    byEvent.eventId !== undefined
      ? { where: byEvent, filter: { ...byEndpoint, ...byStatus } }
      : byEndpoint.endpointId !== undefined
        ? { where: byEndpoint, filter: byStatus, isScan: byStatus.status !== undefined }
        : { where: byStatus };
  const list = { name: 'deliveries', table: 'webhookDeliveries', by: ['createdAt', 'id'] } as const;
  return readPage(tenant, { ...list, ...conditions }, args);
}

/** Forgets deliveries that were finished and are older than 90 days, a few at a time; answers how many. */
export async function forgetDeliveries(tenant: TenantScope): Promise<number> {
  const old = await tenant.read.many('webhookDeliveries', {
    where: {
      createdAt: { before: addMs(tenant.now(), -keptMs) },
      status: deliveryStatuses.filter((status) => status !== 'pending'),
    },
    orderBy: ['createdAt', 'id'],
    limit: forgottenAtOnce,
  });
  if (old.length === 0) return 0;
  await tenant.write((unit) => unit.removeUntraced('webhookDeliveries', { id: old.map(({ id }) => id) }));
  return old.length;
}
