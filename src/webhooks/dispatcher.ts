import { writeOutbox } from './outbox.ts';
import type { Logger } from 'pino';
import { completesWithin } from '../lib/deadline.ts';
import { BillingError } from '../lib/errors.ts';
import { TenantReads } from '../storage/store.ts';
import { openScheduledTenant } from '../tenancy/tenantScope.ts';
import {
  findTenant,
  type WebhookDispatcher,
  type Service,
  type TenantRow,
  type Working,
} from '../tenancy/tenants.ts';
import { attemptDelivery, type AttemptParts } from './attempt.ts';
import type { DeliveryRow } from './deliveries.ts';
import type { EndpointRow } from './endpoints.ts';
import { mostPerEndpoint, computeTenantRoom, computeEndpointShare } from './shares.ts';

/** The server listens first. */
const firstMs = 50;
const lookMs = 1000;
/** How long those under way may take to end when the service stops. */
const graceMs = 3000;

type DispatcherParts = AttemptParts & Pick<WebhookDispatcher, 'mayCallPrivate' | 'findQueryProblem'>;

/** A call under way. */
interface Flight {
  alias: string;
  endpointId: string;
  /** Whether how it ended could be kept. */
  done: Promise<boolean>;
}

/** The state of a dispatcher; deliveries that are not in it are in the database. */
interface Memory {
  parts: AttemptParts;
  /** By the ids of their deliveries. */
  flights: Map<string, Flight>;
  /** Tenants for whom there is something new to do. */
  woken: Set<string>;
  /** Tenants who may have more to do than their share had room for. */
  heldBack: Set<string>;
  ring: () => void;
  /** Resolves when the last taking up is over. */
  taken: Promise<void>;
  stop: AbortController;
  log?: Logger;
}

/**
 * Takes deliveries that are due to their endpoints: each tenant and each endpoint has its share of the calls at once, so
 * that a slow endpoint delays no other, and a tenant whose endpoints all hang no other tenant.
 * A delivery is finished in a unit of its own; one whose process dies is taken up by the next.
 */
export function createDispatcher({
  mayCallPrivate,
  findQueryProblem,
  ...parts
}: DispatcherParts): WebhookDispatcher {
  const memory: Memory = {
    parts,
    flights: new Map(),
    woken: new Set(),
    heldBack: new Set(),
    ring: () => {},
    taken: Promise.resolve(),
    stop: new AbortController(),
  };
  return {
    randomBytes: parts.randomBytes,
    mayCallPrivate,
    findQueryProblem,
    queue: writeOutbox,
    wake: (alias) => wake(memory, alias),
    deliverDue: (service, alias) => deliverDue(memory, service, alias),
    start: (service, log) => {
      memory.log = log;
      return startRounds(memory, service, log);
    },
  };
}

function wake(memory: Memory, alias: string): void {
  memory.woken.add(alias);
  memory.ring();
}

/** Takes up what is due for a tenant and has room; one turn after another, so that nothing is taken twice. */
function claimDeliveries(memory: Memory, service: Service, record: TenantRow): Promise<void> {
  const turn = memory.taken.then(() => claimForEndpoints(memory, service, record));
  memory.taken = turn.catch(() => {});
  return turn;
}

async function claimForEndpoints(memory: Memory, service: Service, record: TenantRow): Promise<void> {
  if (!record.hasWebhooks || memory.stop.signal.aborted) return;
  const tenant = openScheduledTenant(service, record);
  const reads = new TenantReads(service.store.fresh, record.alias);
  const endpoints = await reads.many('webhookEndpoints', { where: {}, orderBy: ['id'] });
  const flights = listFlights(memory, record.alias);
  const underWay = ({ id }: EndpointRow) => flights.get(id)?.size ?? 0;
  // Those that have the fewest under way come first, or the same few would take each place that becomes free.
  for (const endpoint of endpoints.toSorted((a, b) => underWay(a) - underWay(b))) {
    const own = [...memory.flights.values()].filter(({ alias }) => alias === record.alias).length;
    const room = computeTenantRoom(memory.flights.size, own);
    const share = computeEndpointShare(own, room, endpoints.length);
    const limit = Math.min(share - underWay(endpoint), room);
    // Where an endpoint has all it may ever have, its own calls make room when they end.
    const isHeld = underWay(endpoint) + Math.max(0, limit) < mostPerEndpoint;
    if (limit <= 0 && isHeld) memory.heldBack.add(record.alias);
    if (limit <= 0) continue;
    const where = { endpointId: endpoint.id, dueAt: { to: tenant.now() } };
    const passOver = flights.get(endpoint.id) ?? new Set();
    const due = await tenant.claim('webhookDeliveries', { where, orderBy: ['dueAt', 'id'], limit }, passOver);
    for (const delivery of due) begin(memory, service, endpoint, delivery);
    if (due.length === limit && isHeld) memory.heldBack.add(record.alias);
  }
}

/** The deliveries of a tenant that are under way, by their endpoints. */
function listFlights(memory: Memory, alias: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [id, flight] of memory.flights) {
    if (flight.alias !== alias) continue;
    const ofEndpoint = found.get(flight.endpointId);
    if (ofEndpoint) ofEndpoint.add(id);
    else found.set(flight.endpointId, new Set([id]));
  }
  return found;
}

function begin(memory: Memory, service: Service, endpoint: EndpointRow, delivery: DeliveryRow): void {
  const { parts, flights, stop, log } = memory;
  const { id, endpointId, tenantAlias: alias } = delivery;
  const report = (error: unknown) =>
    log?.error({ err: error, tenant: alias, delivery: id }, 'a delivery could not be made');
  const attempt = attemptDelivery(parts, service, endpoint, delivery, { stop: stop.signal, report });
  const done = attempt
    .then(
      () => true,
      async (error: unknown) => {
        report(error);
        // Nothing was kept, so it is still due: not at once again.
        await pause(lookMs);
        return false;
      },
    )
    .finally(() => {
      flights.delete(id);
      for (const held of memory.heldBack) memory.woken.add(held);
      memory.heldBack.clear();
      wake(memory, alias);
    });
  flights.set(id, { alias, endpointId, done });
}

async function deliverDue(memory: Memory, service: Service, alias: string): Promise<void> {
  for (;;) {
    const record = await findTenant(service, alias);
    if (!record?.hasWebhooks) return;
    await claimDeliveries(memory, service, record);
    const own = [...memory.flights.values()].filter((flight) => flight.alias === alias);
    if (own.length > 0) {
      if (!(await Promise.race(own.map(({ done }) => done)))) throw new BillingError('unavailable', [], 1);
    } else if (!(await hasDue(service, record))) return;
    // Another process has it in hand.
    else await pause(100);
  }
}

async function hasDue(service: Service, record: TenantRow): Promise<boolean> {
  const now = openScheduledTenant(service, record).now();
  const reads = new TenantReads(service.store.fresh, record.alias);
  const endpoints = await reads.many('webhookEndpoints', { where: {} });
  const endpointId = endpoints.map(({ id }) => id);
  return (await reads.one('webhookDeliveries', { endpointId, dueAt: { to: now } })) !== undefined;
}

/** Looks at the tenants that were woken, and each second at all: another process may have queued something. */
function startRounds(memory: Memory, service: Service, log: Logger): Working {
  let stopped = false;
  let isTimeToLook = false;
  const look = () => {
    isTimeToLook = true;
    memory.ring();
  };
  const first = setTimeout(look, firstMs);
  const ticking = setInterval(look, lookMs);

  const turn = async () => {
    const aliases = [...memory.woken];
    const looks = isTimeToLook;
    memory.woken.clear();
    isTimeToLook = false;
    try {
      const records = looks
        ? await service.store.fresh.select('tenants', { where: { hasWebhooks: true }, orderBy: ['alias'] })
        : await listTenantRows(service, aliases);
      for (const record of records) await claimDeliveries(memory, service, record);
    } catch (error) {
      log.error({ err: error }, 'webhook delivery failed; the next round continues it');
    }
  };
  const rung = () =>
    new Promise<void>((resolve) => {
      memory.ring = resolve;
      if (memory.woken.size > 0 || isTimeToLook || stopped) resolve();
    });
  const work = async () => {
    for (;;) {
      await rung();
      if (stopped) return;
      await turn();
    }
  };
  const working = work();
  return {
    stop: async (limitMs) => {
      stopped = true;
      clearTimeout(first);
      clearInterval(ticking);
      memory.ring();
      const isInTime = await completesWithin(endCalls(memory, working), limitMs);
      memory.stop.abort();
      if (!isInTime)
        log.warn('stopped before webhook deliveries had ended; the next server makes them again');
    },
  };
}

/** Lets the calls under way end for a while, then aborts them. */
async function endCalls(memory: Memory, working: Promise<void>): Promise<void> {
  await working;
  const ended = Promise.all([...memory.flights.values()].map(({ done }) => done));
  await Promise.race([ended, pause(graceMs)]);
  memory.stop.abort();
  await ended;
}

const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms).unref());

async function listTenantRows(service: Service, aliases: string[]): Promise<TenantRow[]> {
  const found = await Promise.all(aliases.map((alias) => findTenant(service, alias)));
  return found.filter((record) => record !== undefined);
}
