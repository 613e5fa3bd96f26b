/** Follows what a customer may do: plans and overrides that change, use, reservations, and the passing of time. */
import { setTimeout as pause } from 'node:timers/promises';
import { secondMs } from '../../lib/durations.ts';
import { BillingError } from '../../lib/errors.ts';
import { abortOnReturn } from '../../runtime/followPages.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { findLatestEvent } from '../../tenancy/traces/follow.ts';
import { findLatestUsage } from '../../tenancy/usageRecorder.ts';
import { evaluateAll, isShown } from './entitlements.ts';
import type { Entitlement } from './evaluate.ts';
import { findCustomerId } from './facts.ts';

/** The least time between two evaluations, so that the use of others costs little. */
const leastMs = secondMs / 4;
/** The longest time between two: what only time changes, and a reservation of another server, is noticed after it. */
const longestMs = 5 * secondMs;

/**
 * Returns what a customer may do with each feature, and then each that changes, until the iterator is returned or the customer is
 * deleted. Error: `customer_not_found`.
 */
export async function followEntitlements(
  tenant: TenantScope,
  customerId: string,
): Promise<AsyncIterableIterator<Entitlement>> {
  await findCustomerId(tenant.primaryReads, { customerId });
  return abortOnReturn((stop) => readChanges(tenant, customerId, stop));
}

async function* readChanges(
  tenant: TenantScope,
  customerId: string,
  stop: AbortSignal,
): AsyncGenerator<Entitlement, undefined> {
  const known = new Map<string, string>();
  for (let isFirst = true; !stop.aborted; isFirst = false) {
    const waking = new AbortController();
    const ended = AbortSignal.any([stop, waking.signal]);
    // Begins to wait before reading, so that a change during the read is noticed.
    const notice = waitForNotice(tenant, ended);
    const [seen, at] = [await readMark(tenant), performance.now()];
    const evaluated = await evaluateNow(tenant, customerId);
    if (!evaluated) return undefined;
    for (const entitlement of listChanged(evaluated, known)) {
      if (isFirst && !isShown(entitlement)) continue;
      if (stop.aborted) return undefined;
      yield entitlement;
    }
    await pause(leastMs, undefined, { signal: stop }).catch(() => {});
    await waitForChange(tenant, { notice, seen, untilMs: at + longestMs, stop: ended });
    waking.abort();
  }
  return undefined;
}

/** Returns what a customer may do; undefined if the tenant or the customer was deleted. */
async function evaluateNow(tenant: TenantScope, customerId: string): Promise<Entitlement[] | undefined> {
  const current = await tenant.reopen();
  if (!current) return undefined;
  try {
    return await evaluateAll(current, { customerId });
  } catch (error) {
    if (error instanceof BillingError && error.reason === 'customer_not_found') return undefined;
    throw error;
  }
}

/** Returns what differs from what is known, which it replaces. */
function listChanged(evaluated: readonly Entitlement[], known: Map<string, string>): Entitlement[] {
  return evaluated.filter((entitlement) => {
    const { key } = entitlement.feature;
    // A period that begins changes nothing by itself.
    const { alertPeriod: _, ...shown } = entitlement;
    const text = JSON.stringify(shown);
    if (known.get(key) === text) return false;
    known.set(key, text);
    return true;
  });
}

interface Waiting {
  notice: Promise<boolean>;
  /** The mark before the last evaluation. */
  seen: string;
  untilMs: number;
  stop: AbortSignal;
}

/** Resolves when something was written that may concern the customer, here or by another server, or when it is time. */
async function waitForChange(tenant: TenantScope, { notice, seen, untilMs, stop }: Waiting): Promise<void> {
  for (let next = notice; ; next = waitForNotice(tenant, stop)) {
    if ((await next) || stop.aborted || performance.now() >= untilMs) return;
    if ((await readMark(tenant)) !== seen) return;
  }
}

/** Resolves to true when this server has written something of the tenant, and to false after about a second. */
const waitForNotice = (tenant: TenantScope, stop: AbortSignal): Promise<boolean> =>
  Promise.race([tenant.waitForEvents(stop), tenant.waitForUsage(stop)]);

/** Returns a text that changes with each trace and each usage event of the tenant. */
const readMark = async (tenant: TenantScope): Promise<string> =>
  (await Promise.all([findLatestEvent(tenant), findLatestUsage(tenant.primaryReads)])).join(' ');
