import { BillingError, refuse } from '../lib/errors.ts';
import { expireRequests, listExpiring } from '../access/approvals/requests.ts';
import { parseInstant, addMs } from '../lib/time.ts';
import type { SteppedTenant, TenantScope } from '../tenancy/tenantScope.ts';
import type { TenantRow } from '../tenancy/tenants.ts';
import { endDiscounts, findNextEnd } from '../billing/discounts/ends.ts';
import { listDueTopUps, topUpDue } from '../billing/invoices/autoTopUps.ts';
import { expireCredits, matchExpiring } from '../billing/invoices/creditExpiry.ts';
import { listDueRetries, retryFinalCharges } from '../billing/invoices/finalInvoices.ts';
import { expireIntents, listExpiringIntents } from '../billing/renewals/intentExpiry.ts';
import { finalizeDueInvoices } from '../billing/renewals/invoiceFinalization.ts';
import { listDueFinalizations } from '../billing/invoices/finalization.ts';
import { eraseRetained, findRetentionEnd } from '../billing/invoices/retention.ts';
import { giveNotices, listNextNotices } from '../billing/renewals/notices.ts';
import { renewBatch } from '../billing/renewals/renewalBatch.ts';
import { listChecks, listLimitChecks } from '../billing/usage/usageChecks.ts';
import { sendAlerts } from '../billing/entitlements/alerts.ts';
import { billThresholds } from '../billing/renewals/thresholds.ts';
import { dayMs } from '../lib/durations.ts';

/** The number of invoices to finalize between two checks. */
const mostFinalized = 100;

const none: ReadonlySet<string> = new Set();
// A daily subscription has about seven thousand invoices in this time; more would block the caller for minutes.
const farthestMs = 20 * 366 * dayMs;

/** The number of items of due work after which a call stops: about half a minute of work. */
const mostItems = 100_000;

/**
 * How long a call waits for webhooks in all. An endpoint that fails or hangs is tried eleven times for each message, each
 * time at an instant of its own; the dispatcher makes the rest of the attempts while the clock moves on.
 */
const mostDeliveryMs = 2000;

/** The progress of an advance. */
export interface ClockAdvance {
  /** Whether the clock reached its target and all work due until then is done. */
  reached: boolean;
  /** The number of subscriptions still due before the target; each may be billed more than once. */
  remaining: number;
}

/** The tenant with its new clock, and the progress. */
export type AdvancedTenant = TenantRow & { clockAdvance: ClockAdvance };

/**
 * Moves the clock of a test tenant forward and performs all due work in order. Stops after `most` renewals, payment
 * retries and expired intents, or when the client disconnects; an instant without any of them counts as one. A repeated
 * call continues from there. A tenant that followed real time has its own clock from then on. Returns the tenant at its new time. Errors: `validation_failed` for a live tenant or a time before the
 * clock, `unavailable` if a provider could not be reached (the clock stays at that instant).
 */
export async function advanceClock(
  tenant: TenantScope,
  to: string,
  most = mostItems,
): Promise<AdvancedTenant> {
  const end = parseTarget(tenant, to);
  let done = 0;
  let deliveryMs = 0;
  const isEnough = () => done >= most || tenant.isAbandoned;
  for (let now: string | null = tenant.now(); ;) {
    const beganMs = performance.now();
    const delivers = deliveryMs < mostDeliveryMs;
    const next = await findNextDue(tenant, now!, end, delivers);
    if (next !== undefined && isEnough()) return describeAdvance(tenant, end, false);
    ({ clockAt: now } = await moveClock(tenant, next ?? end));
    const before = done;
    done += await repeat(() => expireCredits(tenant, now!));
    // Alerts that have failed are no reason to stop at an instant.
    if (next === undefined) done += await repeat(async () => (await sendAlerts(tenant, now!)).compared);
    if (next === undefined && done === before) return describeAdvance(tenant, end, true);
    done += await expireIntents(tenant, now!);
    done += await repeat(() => expireRequests(tenant, now!));
    done += await repeat(() => topUpDue(tenant, now!, mostFinalized));
    done += await endDiscounts(tenant, now!);
    done += await repeat(() => billThresholds(tenant));
    done += await repeat(async () => (await sendAlerts(tenant, now!)).compared);
    done += await finalizeAllDue(tenant, now!);
    for (;;) {
      const { claimed, unreachable } = await renewBatch(tenant, now!, none);
      if (unreachable.length > 0) throw new BillingError('unavailable', [], 5);
      done += claimed;
      if (claimed === 0 || isEnough()) break;
    }
    done += await retryFinalCharges(tenant, now!, mostItems);
    done += await eraseAllRetained(tenant, now!);
    done += await repeat(() => giveNotices(tenant, now!));
    const billedMs = performance.now();
    if (delivers) await tenant.deliverDue(mostDeliveryMs - deliveryMs);
    const hasBilled = done > before;
    deliveryMs += performance.now() - (hasBilled ? billedMs : beganMs);
    // Only webhooks were due.
    if (!hasBilled) done += 1;
  }
}

/** Repeats a step until it finds nothing to do; returns the number of all that it did. */
async function repeat(step: () => Promise<number>): Promise<number> {
  for (let all = 0; ;) {
    const done = await step();
    if (done === 0) return all;
    all += done;
  }
}

/** Erases all documents whose retention has ended; returns their number. */
async function eraseAllRetained(tenant: TenantScope, now: string): Promise<number> {
  for (let all = 0; ;) {
    const erased = await eraseRetained(tenant, now, mostFinalized);
    all += erased;
    if (erased < mostFinalized) return all;
  }
}

/** Finalizes all invoices whose grace has ended; returns their number. */
async function finalizeAllDue(tenant: TenantScope, now: string): Promise<number> {
  let done = 0;
  for (;;) {
    const finalized = await finalizeDueInvoices(tenant, now, mostFinalized);
    done += finalized;
    if (finalized < mostFinalized) return done;
  }
}

/** Parses and checks the target instant. Error: `validation_failed`. */
function parseTarget(tenant: TenantScope, to: string): string {
  const { test, timezone } = tenant.record;
  if (!test) {
    refuse('validation_failed', { path: 'to', message: 'is for test tenants only', code: 'tests_only' });
  }
  const end = parseInstant(to, timezone, 'to');
  const begin = tenant.now();
  if (end < begin)
    refuse('validation_failed', { path: 'to', message: `is before the clock, ${begin}`, code: 'not_later' });
  if (end > addMs(begin, farthestMs)) {
    refuse('validation_failed', {
      path: 'to',
      message: 'must be at most 20 years ahead',
      code: 'too_far_ahead',
      limit: 7305,
    });
  }
  return end;
}

async function describeAdvance(
  { read }: TenantScope,
  end: string,
  reached: boolean,
): Promise<AdvancedTenant> {
  const remaining = reached ? 0 : await read.count('subscriptions', { dueAt: { to: end } });
  return { ...(await read.one('tenants', {}))!, clockAdvance: { reached, remaining } };
}

/** Returns the earliest instant up to `end` at which work is due, webhooks if `delivers`; undefined if there is none. */
async function findNextDue(
  tenant: TenantScope,
  now: string,
  end: string,
  delivers: boolean,
): Promise<string | undefined> {
  const { read } = tenant;
  const [subscription] = await read.many('subscriptions', {
    where: { dueAt: { to: end }, changingIntentId: null },
    orderBy: ['dueAt', 'id'],
    limit: 1,
  });
  const [intent] = await listExpiringIntents(read, end);
  const [invoice] = await listDueFinalizations(read, end, 1);
  const [delivery] = delivers
    ? await read.many('webhookDeliveries', {
        where: { dueAt: { to: end } },
        orderBy: ['dueAt', 'id'],
        limit: 1,
      })
    : [];
  const [eInvoice] =
    delivers && tenant.record.eInvoiceFormats !== null
      ? await read.many('eInvoiceDeliveries', {
          where: { dueAt: { to: end } },
          orderBy: ['dueAt', 'id'],
          limit: 1,
        })
      : [];
  // Only credits that expire later: of an expired one a payment in progress may reserve the rest.
  const [credit] = await read.many('balanceEntries', {
    where: matchExpiring({ after: now, to: end }),
    orderBy: ['expiresAt', 'id'],
    limit: 1,
  });
  const [grown] = await listChecks(read, 1);
  const [used] = await listLimitChecks(read, now, 1);
  const [low] = await listDueTopUps(read, end, 1);
  const [retry] = await listDueRetries(read, end, 1);
  const [request] = await listExpiring(read, end, 1);
  const notices = await listNextNotices(tenant, now, end);
  return [
    subscription?.dueAt,
    intent?.at,
    invoice?.finalizeAt,
    delivery?.dueAt,
    eInvoice?.dueAt,
    credit?.expiresAt,
    retry?.retryAt,
    low?.checkAt,
    request?.expiresAt,
    (grown ?? used) && now,
    await findNextEnd(tenant, end),
    await findRetentionEnd(read, end),
    ...notices,
  ]
    .filter((each) => typeof each === 'string')
    .toSorted()[0];
}

/** Moves the clock forward only: overdue work runs at the current time. */
function moveClock(tenant: SteppedTenant, instant: string): Promise<TenantRow> {
  return tenant.writeStep(async (unit) => {
    const clockAt = instant > unit.now ? instant : unit.now;
    return unit.change('tenants', unit.tenant, { clockAt }, { action: 'advanced', as: 'ClockEvent' });
  });
}
