import { writeOutbox } from './outbox.ts';
import type { Logger } from 'pino';
import { completesWithin } from '../../lib/deadline.ts';
import { BillingError } from '../../lib/errors.ts';
import { TenantReads } from '../../storage/store.ts';
import { openScheduledTenant } from '../../tenancy/tenantScope.ts';
import {
  findTenant,
  type WebhookDispatcher,
  type Service,
  type TenantRow,
  type Working,
} from '../../tenancy/tenants.ts';
import { attemptDelivery, type AttemptParts } from './attempt.ts';
import type { DeliveryRow } from './deliveries.ts';
import type { EndpointRow } from './endpoints.ts';
import {
  createBell,
  endAttempts,
  listTenantRows,
  pause,
  settle,
  startWakingUp,
  wakeHeldBack,
  type Bell,
} from '../queue/workSignal.ts';
import { mostPerEndpoint, computeTenantRoom, computeEndpointShare } from '../queue/shares.ts';

type DispatcherParts = AttemptParts & Pick<WebhookDispatcher, 'mayCallPrivate' | 'findQueryProblem'>;

/** A call in progress. */
interface ActiveCall {
  alias: string;
  endpointId: string;
  /** Resolves with whether the outcome could be recorded. */
  done: Promise<boolean>;
}

/** The state of a dispatcher; all other deliveries are in the database. */
interface DispatcherState {
  parts: AttemptParts;
  /** By delivery id. */
  calls: Map<string, ActiveCall>;
  /** Rings for tenants with new deliveries. */
  bell: Bell;
  /** Tenants that may have more due deliveries than their share allowed. */
  heldBack: Set<string>;
  /** Resolves when the last claim ends. */
  lastClaim: Promise<void>;
  stop: AbortController;
  log?: Logger;
}

/**
 * Creates the dispatcher of due deliveries. Each tenant and each endpoint has a share of the concurrent calls, so that
 * slow endpoints delay neither other endpoints nor other tenants. Each outcome is recorded in its own unit of work. If
 * the process dies, another one claims its deliveries.
 */
export function createDispatcher({
  mayCallPrivate,
  findQueryProblem,
  ...parts
}: DispatcherParts): WebhookDispatcher {
  const state: DispatcherState = {
    parts,
    calls: new Map(),
    bell: createBell(),
    heldBack: new Set(),
    lastClaim: Promise.resolve(),
    stop: new AbortController(),
  };
  return {
    randomBytes: parts.randomBytes,
    mayCallPrivate,
    findQueryProblem,
    queue: writeOutbox,
    wake: state.bell.wake,
    deliverDue: (service, alias, limitMs) => deliverDue(state, service, alias, limitMs),
    start: (service, log) => {
      state.log = log;
      return startPolling(state, service, log);
    },
  };
}

/** Claims due deliveries of a tenant within its share. Claims run one after another, so that none is made twice. */
function claimDeliveries(state: DispatcherState, service: Service, record: TenantRow): Promise<void> {
  const claim = state.lastClaim.then(() => claimForEndpoints(state, service, record));
  state.lastClaim = claim.catch(() => {});
  return claim;
}

async function claimForEndpoints(state: DispatcherState, service: Service, record: TenantRow): Promise<void> {
  if (!record.hasWebhooks || state.stop.signal.aborted) return;
  const tenant = openScheduledTenant(service, record);
  const reads = new TenantReads(service.store.fresh, record.alias);
  const endpoints = await reads.many('webhookEndpoints', { where: {}, orderBy: ['id'] });
  const calls = listCalls(state, record.alias);
  const underWay = ({ id }: EndpointRow) => calls.get(id)?.size ?? 0;
  // Endpoints with the fewest calls in progress come first, otherwise the same few would take every free slot.
  for (const endpoint of endpoints.toSorted((a, b) => underWay(a) - underWay(b))) {
    const own = [...state.calls.values()].filter(({ alias }) => alias === record.alias).length;
    const room = computeTenantRoom(state.calls.size, own);
    const share = computeEndpointShare(own, room, endpoints.length);
    const limit = Math.min(share - underWay(endpoint), room);
    // An endpoint at its own maximum continues when its own calls end.
    const isHeld = underWay(endpoint) + Math.max(0, limit) < mostPerEndpoint;
    if (limit <= 0 && isHeld) state.heldBack.add(record.alias);
    if (limit <= 0) continue;
    const where = { endpointId: endpoint.id, dueAt: { to: tenant.now() } };
    const skipped = calls.get(endpoint.id) ?? new Set();
    const due = await tenant.claim('webhookDeliveries', { where, orderBy: ['dueAt', 'id'], limit }, skipped);
    for (const delivery of due) startDelivery(state, service, endpoint, delivery);
    if (due.length === limit && isHeld) state.heldBack.add(record.alias);
  }
}

/** Returns the deliveries of a tenant in progress, by endpoint. */
function listCalls(state: DispatcherState, alias: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [id, call] of state.calls) {
    if (call.alias !== alias) continue;
    const endpointCalls = found.get(call.endpointId);
    if (endpointCalls) endpointCalls.add(id);
    else found.set(call.endpointId, new Set([id]));
  }
  return found;
}

function startDelivery(
  state: DispatcherState,
  service: Service,
  endpoint: EndpointRow,
  delivery: DeliveryRow,
): void {
  const { parts, calls, stop, log } = state;
  const { id, endpointId, tenantAlias: alias } = delivery;
  const report = (error: unknown) =>
    log?.error({ err: error, tenant: alias, delivery: id }, 'webhook delivery attempt failed');
  const attempt = attemptDelivery(parts, service, endpoint, delivery, { stop: stop.signal, report });
  const done = settle(attempt, report).finally(() => {
    calls.delete(id);
    wakeHeldBack(state.bell, state.heldBack, alias);
  });
  calls.set(id, { alias, endpointId, done });
}

async function deliverDue(
  state: DispatcherState,
  service: Service,
  alias: string,
  limitMs = Number.POSITIVE_INFINITY,
): Promise<void> {
  const endMs = performance.now() + limitMs;
  for (;;) {
    const leftMs = endMs - performance.now();
    if (leftMs <= 0) return;
    const record = await findTenant(service, alias);
    if (!record?.hasWebhooks) return;
    await claimDeliveries(state, service, record);
    const own = [...state.calls.values()].filter((call) => call.alias === alias);
    if (own.length > 0) {
      if (!(await awaitFirst(own, leftMs))) throw new BillingError('unavailable', [], 1);
    } else if (!(await hasDue(service, record))) return;
    // Another process has claimed it.
    else await pause(100);
  }
}

/** Resolves when one of the calls ends, with whether its outcome could be recorded, or after `limitMs`. */
function awaitFirst(calls: ActiveCall[], limitMs: number): Promise<boolean> {
  const ended = Promise.race(calls.map(({ done }) => done));
  return Number.isFinite(limitMs) ? Promise.race([ended, pause(limitMs).then(() => true)]) : ended;
}

async function hasDue(service: Service, record: TenantRow): Promise<boolean> {
  const now = openScheduledTenant(service, record).now();
  const reads = new TenantReads(service.store.fresh, record.alias);
  const endpoints = await reads.many('webhookEndpoints', { where: {} });
  const endpointId = endpoints.map(({ id }) => id);
  return (await reads.one('webhookDeliveries', { endpointId, dueAt: { to: now } })) !== undefined;
}

/**
 * Processes tenants with new deliveries, and every second all tenants, because another process may have queued
 * deliveries.
 */
function startPolling(state: DispatcherState, service: Service, log: Logger): Working {
  const polling = startWakingUp({
    bell: state.bell,
    log,
    failure: 'webhook delivery failed; the next round continues it',
    process: async (woken) => {
      const records = woken
        ? await listTenantRows(service, woken)
        : await service.store.fresh.select('tenants', { where: { hasWebhooks: true }, orderBy: ['alias'] });
      for (const record of records) await claimDeliveries(state, service, record);
    },
  });
  return {
    stop: async (limitMs) => {
      const isInTime = await completesWithin(endAttempts(polling.stop(), state.calls, state.stop), limitMs);
      state.stop.abort();
      if (!isInTime)
        log.warn('stopped before webhook deliveries had ended; the next server makes them again');
    },
  };
}
