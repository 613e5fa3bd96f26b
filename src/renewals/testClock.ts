import { BillingError, refuse } from '../lib/errors.ts';
import { parseInstant, addMs } from '../lib/time.ts';
import type { SteppedTenant, TenantScope } from '../tenancy/tenantScope.ts';
import type { TenantRow } from '../tenancy/tenants.ts';
import { expireIntents, listExpiringIntents } from './intentExpiry.ts';
import { finalizeDueInvoices } from './invoiceFinalization.ts';
import { listDueFinalizations } from '../invoicing/finalization.ts';
import { renewBatch } from './renewalBatch.ts';

/** The number of invoices to finalize between two checks. */
const mostFinalized = 100;

const none: ReadonlySet<string> = new Set();
// A daily subscription has about seven thousand invoices in this time; more would block the caller for minutes.
const farthestMs = 20 * 366 * 86_400_000;

/** The number of invoices after which a call stops: about half a minute of work. */
const mostBills = 100_000;

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
 * Moves the clock of a test tenant forward and performs all due work in order. Stops after `most` invoices or when the
 * client disconnects; a repeated call continues from there. A tenant that followed real time has its own clock from
 * then on. Returns the tenant at its new time. Errors: `validation_failed` for a live tenant or a time before the
 * clock, `unavailable` if a provider could not be reached (the clock stays at that instant).
 */
export async function advanceClock(
  tenant: TenantScope,
  to: string,
  most = mostBills,
): Promise<AdvancedTenant> {
  const end = parseTarget(tenant, to);
  let done = 0;
  const isEnough = () => done >= most || tenant.isAbandoned;
  for (;;) {
    const next = await findNextDue(tenant, end);
    if (next !== undefined && isEnough()) return describeAdvance(tenant, end, false);
    const { clockAt: now } = await moveClock(tenant, next ?? end);
    if (next === undefined) return describeAdvance(tenant, end, true);
    // Count instants without an invoice as work, too.
    done += 1;
    await expireIntents(tenant, now!);
    while ((await finalizeDueInvoices(tenant, now!, mostFinalized)) === mostFinalized);
    for (;;) {
      const { claimed, unreachable } = await renewBatch(tenant, now!, none);
      if (unreachable.length > 0) throw new BillingError('unavailable', [], 5);
      done += claimed;
      if (claimed === 0 || isEnough()) break;
    }
    await tenant.deliverDue();
  }
}

/** Parses and checks the target instant. Error: `validation_failed`. */
function parseTarget(tenant: TenantScope, to: string): string {
  const { test, timezone } = tenant.record;
  if (!test) {
    refuse('validation_failed', { path: 'to', message: 'is for test tenants only' });
  }
  const end = parseInstant(to, timezone, 'to');
  const begin = tenant.now();
  if (end < begin) refuse('validation_failed', { path: 'to', message: `is before the clock, ${begin}` });
  if (end > addMs(begin, farthestMs)) {
    refuse('validation_failed', { path: 'to', message: 'must be at most 20 years ahead' });
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

/** Returns the earliest instant up to `end` at which work is due; undefined if there is none. */
async function findNextDue({ read }: TenantScope, end: string): Promise<string | undefined> {
  const [subscription] = await read.many('subscriptions', {
    where: { dueAt: { to: end }, changingIntentId: null },
    orderBy: ['dueAt', 'id'],
    limit: 1,
  });
  const [intent] = await listExpiringIntents(read, end);
  const [invoice] = await listDueFinalizations(read, end, 1);
  const [delivery] = await read.many('webhookDeliveries', {
    where: { dueAt: { to: end } },
    orderBy: ['dueAt', 'id'],
    limit: 1,
  });
  return [subscription?.dueAt, intent?.at, invoice?.finalizeAt, delivery?.dueAt]
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
