import type { Logger } from 'pino';
import { topUpDue } from '../billing/invoices/autoTopUps.ts';
import { expireCredits } from '../billing/invoices/creditExpiry.ts';
import { detachMethods } from '../billing/payments/detachments.ts';
import { eraseRetained } from '../billing/invoices/retention.ts';
import { chargeInvoice, listAbandonedCharges } from '../billing/invoices/oneOffPayments.ts';
import { fetchRates } from '../billing/invoices/fetchedRates.ts';
import { keepServerRates } from '../billing/tax/standardRates.ts';
import { checkDueVatIds } from '../billing/tax/vatIdChecks.ts';
import { finalizeDueInvoices } from '../billing/renewals/invoiceFinalization.ts';
import { expireIntents } from '../billing/renewals/intentExpiry.ts';
import { retryFinalCharges } from '../billing/invoices/finalInvoices.ts';
import { giveNotices } from '../billing/renewals/notices.ts';
import { listPendingPayments, reconcilePayment } from '../billing/renewals/reconciliation.ts';
import { sendAlerts } from '../billing/entitlements/alerts.ts';
import { billThresholds } from '../billing/renewals/thresholds.ts';
import { renewBatch, largestBatch } from '../billing/renewals/renewalBatch.ts';
import { advanceClock } from './testClock.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import { BillingError, isTransient, refuse } from '../lib/errors.ts';
import { completesWithin } from '../lib/deadline.ts';
import { addMs, toInstant } from '../lib/time.ts';
import { purgeReservations } from '../billing/entitlements/reservations.ts';
import { forgetUsage } from '../billing/usage/forgetUsage.ts';
import { purgeUsageIds } from '../billing/usage/purgeIds.ts';
import { purgeTotals } from '../billing/usage/totals.ts';
import { resumeIntent } from '../billing/subscriptions/intents/confirmation.ts';
import { endInterrupted, expireRequests } from '../access/approvals/requests.ts';
import { purgeOperators } from '../access/operators/purge.ts';
import { purgeCodeAttempts } from '../billing/discounts/codeAttempts.ts';
import { endDiscounts } from '../billing/discounts/ends.ts';
import { purgePortal } from '../access/portal/purge.ts';
import { rebuildRevenue } from '../insights/revenue/rebuild.ts';
import { sumTaxes } from '../insights/tax/sumTaxes.ts';
import { recordKeyUses } from '../tenancy/apiKeys.ts';
import { purgeExpiredKeys, releaseInterrupted } from '../tenancy/idempotencyPurge.ts';
import { openScheduledTenant } from '../tenancy/openTenant.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import type { Service } from '../tenancy/service.ts';
import { findTenant, listTenants } from '../tenancy/tenants.ts';
import { deleteOldMails } from '../outgoing/mails/deliveries.ts';
import { deleteOldDeliveries } from '../outgoing/webhooks/deliveries.ts';
import { minuteMs } from '../lib/durations.ts';

const pauseMs = 1000;
/** The first round starts after the server has begun to listen. */
const firstMs = 50;
const unreachableMs = minuteMs;
const restMs = minuteMs;
/** The server among the tenants that rest; no tenant has this alias. */
const serverName = '';
/** A payment pending for longer was abandoned, for example by a crash. */
const abandonedMs = 120_000;
const sliceSize = 50;
/** Batch sizes of renewals while requests are served: the initial and the largest one. */
const [firstBeside, largestBeside] = [4, 32];
/** How long one half of a batch may block the event loop; the batch size adapts to it. */
const mostHeldMs = 3;

/** The running scheduler. */
interface Scheduler {
  /**
   * Starts no further work. Resolves when the current batch is finished, or after `stopMs`: a payment whose
   * provider does not respond is left pending, and the next server asks for its outcome.
   */
  stop(): Promise<void>;
}

/** Ids of records whose provider was unreachable, and the time (ms) of the next attempt. */
type Waiting = Map<string, number>;

/** Starts to perform due work, about once a second, until it is stopped. `stopMs` limits the wait at the stop. */
export function startScheduler(service: Service, log: Logger, stopMs: number): Scheduler {
  const waiting: Waiting = new Map();
  const rested: Waiting = new Map();
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let round = Promise.resolve();

  const runRounds = async () => {
    try {
      for (let most = firstBeside; !stopped;) {
        const { done, heldMs } = await runRound(service, log, { waiting, rested, most });
        if (done === 0) break;
        most = computeNextSize(most, heldMs);
      }
    } catch (error) {
      log.error({ err: error }, 'scheduled work failed; the next round continues it');
    }
    if (!stopped) timer = setTimeout(begin, pauseMs);
  };
  const begin = () => {
    round = runRounds();
  };
  timer = setTimeout(begin, firstMs);
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      const isInTime = await completesWithin(round, stopMs);
      if (!isInTime) log.warn('stopped before scheduled work had finished; the next server continues it');
    },
  };
}

/**
 * Performs all work that is due now, or was due by `until` (an ISO 8601 instant). Resolves with the number of
 * items. Error: `unavailable` if the database is unavailable.
 */
export async function runDueWork(service: Service, log: Logger, until?: string): Promise<number> {
  const waiting: Waiting = new Map();
  const rested: Waiting = new Map();
  for (let total = 0; ;) {
    const { done } = await runRound(service, log, { waiting, rested, most: largestBatch, until });
    if (done === 0) return total;
    total += done;
  }
}

/**
 * Advances the clock of a test tenant to `to` in several steps; `onStep` receives the progress. Resolves with the
 * clock. Errors: `validation_failed`, `unavailable`.
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
      openScheduledTenant(service, record, 'system:operator'),
      to,
    );
    if (clockAdvance.reached) return clockAt!;
    onStep(clockAt!, clockAdvance.remaining);
  }
}

/** Computes the next batch size: one that fits `mostHeldMs`, but at most twice the last one. */
function computeNextSize(most: number, heldMs: number): number {
  const fitting = Math.floor((most * mostHeldMs) / heldMs);
  return Math.max(firstBeside, Math.min(fitting, 2 * most, largestBeside));
}

/** The options of a round: the records and tenants to skip, the batch size for each tenant, and the latest due time. */
interface Round {
  waiting: Waiting;
  /** Tenants that had no unhurried work, and when they are looked at again (ms). */
  rested: Waiting;
  most: number;
  until?: string;
}

/** The number of items performed, and the longest time (ms) that the event loop was blocked. */
interface RoundResult {
  done: number;
  heldMs: number;
}

/** Performs one batch for each tenant in turn, so that no tenant delays another. */
async function runRound(service: Service, log: Logger, plan: Round): Promise<RoundResult> {
  const nowMs = service.clock.nowMs();
  for (const [id, untilMs] of plan.waiting) if (untilMs <= nowMs) plan.waiting.delete(id);
  const all: RoundResult = { done: await purgeServer(service, plan.rested), heldMs: 0 };
  for (const record of await listTenants(service)) {
    try {
      const { done, heldMs } = await runTenantBatch(service, log, record, plan);
      all.done += done;
      all.heldMs = Math.max(all.heldMs, heldMs);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      log.error({ err: error, tenant: record.alias }, 'scheduled work of a tenant failed');
    }
  }
  return all;
}

/** Deletes old data of operators, who belong to no tenant; looks for more a minute after there was none. */
async function purgeServer(service: Service, rested: Waiting): Promise<number> {
  const nowMs = service.clock.nowMs();
  if ((rested.get(serverName) ?? nowMs) > nowMs) return 0;
  const purged = await purgeOperators(service);
  if (purged === 0) rested.set(serverName, nowMs + restMs);
  return purged;
}

async function runTenantBatch(
  service: Service,
  log: Logger,
  record: Row<'tenants'>,
  { waiting, rested, most, until }: Round,
): Promise<RoundResult> {
  const tenant = openScheduledTenant(service, record);
  const now = tenant.now();
  const end = until !== undefined && until < now ? until : now;
  // A tenant of an earlier release, or imported from its file.
  if (record.revenueSince === null) await rebuildRevenue(tenant);
  await recordKeyUses(service, record.alias);
  const resumed = await resumePayments(service, tenant, waiting);
  const expired = (await expireIntents(tenant, end)) + (await expireRequests(tenant, end));
  const compared = await billThresholds(tenant);
  const finalized = await finalizeDueInvoices(tenant, end, sliceSize);
  const credits = await expireCredits(tenant, end);
  const toppedUp = await topUpDue(tenant, end, sliceSize);
  const ended = await endDiscounts(tenant, end);
  const { claimed, unreachable, heldMs } = await renewBatch(tenant, end, new Set(waiting.keys()), most);
  const alerted = await compareAlerts(log, tenant, end);
  for (const id of unreachable) waiting.set(id, service.clock.nowMs() + unreachableMs);
  const { notices, checked, purged } = await runUnhurriedWork(service, tenant, end, rested);
  if (resumed + expired + finalized + claimed > 0)
    log.info(
      { tenant: record.alias, subscriptions: claimed, payments: resumed, expired, finalized },
      'billed',
    );
  if (credits > 0) log.info({ tenant: record.alias, credits }, 'expired credits');
  if (ended > 0) log.info({ tenant: record.alias, discounts: ended }, 'recorded ends of discounts');
  if (notices > 0) log.info({ tenant: record.alias, notices }, 'gave notices');
  const realNow = toInstant(service.clock.nowMs());
  const released = await releaseInterrupted(tenant, realNow);
  if (released > 0) log.info({ tenant: record.alias, requests: released }, 'released interrupted requests');
  const forgotten = await purgeExpiredKeys(tenant, realNow);
  const cleaned = released + forgotten + purged + (await deleteOldDeliveries(tenant));
  const billed = resumed + expired + compared + alerted + finalized + credits + toppedUp + ended + claimed;
  return { done: billed + checked + notices + cleaned, heldMs };
}

/** Compares usage with its alerts, and logs the customers of whom that failed. Returns the number of checks. */
async function compareAlerts(log: Logger, tenant: TenantScope, end: string): Promise<number> {
  const { compared, failures } = await sendAlerts(tenant, end);
  for (const { customerId: customer, error } of failures)
    log.error(
      { err: error, tenant: tenant.alias, customer },
      'the alerts of a customer could not be compared',
    );
  return compared;
}

/**
 * Retries final invoices, gives the notices that are due, asks VIES about VAT ids, stores exchange rates and VAT rates, has providers forget removed methods, sums
 * the tax of days that are over, and deletes old data. Looks for more a minute after there was nothing to do: notices come days
 * ahead, old data is kept for days, and a bill that depends on a VAT id asks by itself.
 */
async function runUnhurriedWork(
  service: Service,
  tenant: TenantScope,
  end: string,
  rested: Waiting,
): Promise<{ notices: number; checked: number; purged: number }> {
  const nowMs = service.clock.nowMs();
  if ((rested.get(tenant.alias) ?? nowMs) > nowMs) return { notices: 0, checked: 0, purged: 0 };
  const retried = await retryFinalCharges(tenant, end, sliceSize);
  const notices = retried + (await giveNotices(tenant, end));
  const renewed = Number(await keepServerRates(tenant, service.vatRates));
  const checked =
    renewed + (await checkDueVatIds(tenant, end)) + (await fetchRates(tenant, service.rateSource));
  const detached = await detachMethods(tenant, end);
  const now = toInstant(nowMs);
  const forgotten =
    (await purgePortal(tenant, now)) + (await purgeCodeAttempts(tenant, now)) + (await purgeUsage(tenant));
  const erased = await eraseRetained(tenant, end, sliceSize);
  const ended = await endInterrupted(tenant);
  const summed = Number(await sumTaxes(tenant));
  const purged = detached + forgotten + erased + ended + summed + (await deleteOldMails(tenant));
  if (notices + checked + purged === 0) rested.set(tenant.alias, nowMs + restMs);
  return { notices, checked, purged };
}

/** Removes what is kept of usage for 35 days: ids of events, totals of past periods, and reservations; and events that are past. */
const purgeUsage = async (tenant: TenantScope): Promise<number> =>
  (await purgeUsageIds(tenant)) +
  (await purgeTotals(tenant)) +
  (await purgeReservations(tenant)) +
  (await forgetUsage(tenant));

/** Asks the provider for the outcome of abandoned payments. Providers return the outcome of the first attempt. */
async function resumePayments(service: Service, tenant: TenantScope, waiting: Waiting): Promise<number> {
  const now = tenant.now();
  // A test tenant's own clock does not advance by itself, so all its pending payments are checked.
  const before = tenant.record.clockAt !== null ? now : addMs(now, -abandonedMs);
  const left = await tenant.read.many('intents', {
    where: { askedAt: { to: before } },
    orderBy: ['askedAt', 'id'],
    limit: sliceSize + waiting.size,
  });
  const due = left.filter(({ id }) => !waiting.has(id)).slice(0, sliceSize);
  const outcomes = await Promise.allSettled(due.map(({ id }) => resumeIntent(tenant, id)));
  const finished = outcomes.filter((outcome, index) => {
    if (isFinal(outcome)) return true;
    waiting.set(due[index]!.id, service.clock.nowMs() + unreachableMs);
    return false;
  });
  const charged = await repeatCharges(service, tenant, waiting, before);
  return finished.length + charged + (await reconcileAbandoned(service, tenant, waiting, before));
}

/** Asks for the outcome of abandoned charges of one-off invoices, each at most once a minute. */
async function repeatCharges(
  service: Service,
  tenant: TenantScope,
  waiting: Waiting,
  before: string,
): Promise<number> {
  const left = await listAbandonedCharges(tenant.read, before, sliceSize + waiting.size);
  const due = left.filter(({ id }) => !waiting.has(id)).slice(0, sliceSize);
  for (const { id } of due) waiting.set(id, service.clock.nowMs() + unreachableMs);
  await Promise.all(due.map((invoice) => chargeInvoice(tenant, invoice, true)));
  return due.length;
}

/** Makes abandoned refunds and asks for the outcome of abandoned charges, each at most once a minute. */
async function reconcileAbandoned(
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

/** Returns whether a payment has a final outcome. Others are checked again later. */
function isFinal(outcome: PromiseSettledResult<Row<'intents'>>): boolean {
  if (outcome.status === 'fulfilled') return outcome.value.status !== 'processing';
  return outcome.reason instanceof BillingError && outcome.reason.reason === 'payment_failed';
}

const isUnavailable = (error: unknown) => error instanceof BillingError && isTransient(error.reason);
