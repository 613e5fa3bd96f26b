import type { Logger } from 'pino';
import { expireIntents } from '../renewals/intentExpiry.ts';
import { listPendingPayments, reconcilePayment } from '../renewals/reconciliation.ts';
import { renewBatch, largestBatch } from '../renewals/renewalBatch.ts';
import { advanceClock } from '../renewals/testClock.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import { BillingError, isTransient, refuse } from '../lib/errors.ts';
import { endsWithin } from '../lib/deadline.ts';
import { addMs, toInstant } from '../lib/time.ts';
import { resumeIntent } from '../subscriptions/confirmation.ts';
import { forgetRequests, releaseInterrupted } from '../tenancy/idempotencyPurge.ts';
import { scheduledTenant, type TenantScope } from '../tenancy/tenantScope.ts';
import { findTenant, listTenants, type Service } from '../tenancy/tenants.ts';
import { deleteOldDeliveries } from '../webhooks/deliveries.ts';

const pauseMs = 1000;
/** The server listens first. */
const firstMs = 50;
const unreachableMs = 60_000;
/** A payment that has been under way for longer was left behind by a crash. */
const abandonedMs = 120_000;
const sliceSize = 50;
/** Subscriptions that are billed together beside requests: after a pause, and at most. */
const [firstBeside, largestBeside] = [4, 32];
/** Requests wait for each half of a slice: a machine that takes longer, or is yet to warm up, bills fewer at a time. */
const mostHeldMs = 3;

/** The service at work of its own accord. */
interface Upkeep {
  /**
   * Begins nothing new. Resolves when the slice under way is done, or has had its time: a payment whose provider does
   * not answer is left as by a crash, and the next server asks for its outcome.
   */
  stop(): Promise<void>;
}

/** Subscriptions whose provider could not be reached, and the moment (ms) until which they are left alone. */
type Waiting = Map<string, number>;

/** Starts to perform what falls due, within about a second, until it is stopped; `stopMs` bounds the wait for its end. */
export function startUpkeep(service: Service, log: Logger, stopMs: number): Upkeep {
  const waiting: Waiting = new Map();
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let round = Promise.resolve();

  const turn = async () => {
    try {
      for (let most = firstBeside; !stopped;) {
        const { done, heldMs } = await performRound(service, log, { waiting, most });
        if (done === 0) break;
        most = sizeAfter(most, heldMs);
      }
    } catch (error) {
      log.error({ err: error }, 'scheduled work failed; the next round continues it');
    }
    if (!stopped) timer = setTimeout(begin, pauseMs);
  };
  const begin = () => {
    round = turn();
  };
  timer = setTimeout(begin, firstMs);
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      const isInTime = await endsWithin(round, stopMs);
      if (!isInTime) log.warn('stopped before scheduled work had finished; the next server continues it');
    },
  };
}

/**
 * Performs once everything that is due now, or was due up to `until` (an ISO 8601 instant); answers how much.
 * Error: `unavailable` when the database cannot answer.
 */
export async function performDue(service: Service, log: Logger, until?: string): Promise<number> {
  const waiting: Waiting = new Map();
  for (let total = 0; ;) {
    const { done } = await performRound(service, log, { waiting, most: largestBatch, until });
    if (done === 0) return total;
    total += done;
  }
}

/**
 * Moves the time of a test tenant forward, call by call until it is there; tells `onStep` how far it has come. Resolves
 * with the clock. Errors: `validation_failed`, `unavailable`.
 */
export async function advanceTenant(
  service: Service,
  alias: string,
  to: string,
  onStep: (clockAt: string, remaining: number) => void,
): Promise<string> {
  for (;;) {
    const record = await findTenant(service, alias);
    if (!record)
      return refuse('validation_failed', { path: 'alias', message: `there is no tenant ${alias}` });
    const { clockAt, clockAdvance } = await advanceClock(
      scheduledTenant(service, record, 'system:operator'),
      to,
    );
    if (clockAdvance.reached) return clockAt!;
    onStep(clockAt!, clockAdvance.remaining);
  }
}

/** As many as would have taken as long as a slice may, but no more than twice as many as the last one. */
function sizeAfter(most: number, heldMs: number): number {
  const fitting = Math.floor((most * mostHeldMs) / heldMs);
  return Math.max(firstBeside, Math.min(fitting, 2 * most, largestBeside));
}

/** What a round passes over, how many subscriptions of a tenant it bills, and up to when. */
interface Round {
  waiting: Waiting;
  most: number;
  until?: string;
}

/** How much was taken up, and for how long the longest of it let no request have its turn. */
interface Performed {
  done: number;
  heldMs: number;
}

/** A slice of each tenant in turn, so that none holds up another. */
async function performRound(service: Service, log: Logger, plan: Round): Promise<Performed> {
  const nowMs = service.clock.nowMs();
  for (const [id, untilMs] of plan.waiting) if (untilMs <= nowMs) plan.waiting.delete(id);
  const all: Performed = { done: 0, heldMs: 0 };
  for (const record of await listTenants(service)) {
    try {
      const { done, heldMs } = await performSlice(service, log, record, plan);
      all.done += done;
      all.heldMs = Math.max(all.heldMs, heldMs);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      log.error({ err: error, tenant: record.alias }, 'scheduled work of a tenant failed');
    }
  }
  return all;
}

async function performSlice(
  service: Service,
  log: Logger,
  record: Row<'tenants'>,
  { waiting, most, until }: Round,
): Promise<Performed> {
  const tenant = scheduledTenant(service, record);
  const now = tenant.now();
  const end = until !== undefined && until < now ? until : now;
  const resumed = await resumePayments(service, tenant, waiting);
  const expired = await expireIntents(tenant, end);
  const { claimed, unreachable, heldMs } = await renewBatch(tenant, end, new Set(waiting.keys()), most);
  for (const id of unreachable) waiting.set(id, service.clock.nowMs() + unreachableMs);
  if (resumed + expired + claimed > 0)
    log.info({ tenant: record.alias, subscriptions: claimed, payments: resumed, expired }, 'billed');
  const realNow = toInstant(service.clock.nowMs());
  const released = await releaseInterrupted(tenant, realNow);
  if (released > 0) log.info({ tenant: record.alias, requests: released }, 'released interrupted requests');
  const forgotten = await forgetRequests(tenant, realNow);
  const cleaned = released + forgotten + (await deleteOldDeliveries(tenant));
  return { done: resumed + expired + claimed + cleaned, heldMs };
}

/** Asks what became of payments that nobody follows any more; the provider answers what it answered before. */
async function resumePayments(service: Service, tenant: TenantScope, waiting: Waiting): Promise<number> {
  const now = tenant.now();
  // A clock of its own stands still: there every payment under way is asked about.
  const before = tenant.record.clockAt !== null ? now : addMs(now, -abandonedMs);
  const left = await tenant.read.many('intents', {
    where: { askedAt: { to: before } },
    orderBy: ['askedAt', 'id'],
    limit: sliceSize + waiting.size,
  });
  const due = left.filter(({ id }) => !waiting.has(id)).slice(0, sliceSize);
  const outcomes = await Promise.allSettled(due.map(({ id }) => resumeIntent(tenant, id)));
  const settled = outcomes.filter((outcome, index) => {
    if (isSettled(outcome)) return true;
    waiting.set(due[index]!.id, service.clock.nowMs() + unreachableMs);
    return false;
  });
  return settled.length + (await settleLeft(service, tenant, waiting, before));
}

/** Makes the refunds, and asks about the charges, that nobody follows any more: each once in a while. */
async function settleLeft(
  service: Service,
  tenant: TenantScope,
  waiting: Waiting,
  before: string,
): Promise<number> {
  const left = await listPendingPayments(tenant, before, sliceSize + waiting.size);
  const due = left.filter(({ id }) => !waiting.has(id)).slice(0, sliceSize);
  for (const payment of due) {
    waiting.set(payment.id, service.clock.nowMs() + unreachableMs);
    await reconcilePayment(tenant, payment);
  }
  return due.length;
}

/** A payment that is still under way, or could not be asked about, is asked about again in a while. */
function isSettled(outcome: PromiseSettledResult<Row<'intents'>>): boolean {
  if (outcome.status === 'fulfilled') return outcome.value.status !== 'processing';
  return outcome.reason instanceof BillingError && outcome.reason.reason === 'payment_failed';
}

const isUnavailable = (error: unknown) => error instanceof BillingError && isTransient(error.reason);
