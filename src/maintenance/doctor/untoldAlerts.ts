/** Whether what customers have used and spent was told: thresholds that are reached, but of which no event tells. */
import { findAlertPeriod } from '../../billing/usage/alertPeriods.ts';
import { findReached, listUntold, type Reached } from '../../billing/entitlements/alerts.ts';
import { listUntoldAmounts, measureSpending, type Spent } from '../../billing/entitlements/spendAlerts.ts';
import { countFor, type MeterRow } from '../../billing/usage/counting.ts';
import { hasAlerts } from '../../billing/usage/usageChecks.ts';
import { minuteMs } from '../../lib/durations.ts';
import { BillingError } from '../../lib/errors.ts';
import { toMajor } from '../../lib/money.ts';
import { addMs } from '../../lib/time.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Queries } from '../../storage/query/queries.ts';
import { TenantReads } from '../../storage/store.ts';
import { readPages } from '../tenantFiles/tableScan.ts';

/** The comparison follows the recording within a moment; one that is this old should have been told. */
const delayMs = 5 * minuteMs;

type Report = (fault: { subject: string; found: string }) => void;

/** When a customer was last compared for new events, and when events were last taken back. */
interface LastUse {
  receivedAt: string;
  voidedAt: string;
}

type LastUses = ReturnType<typeof createLastUses>;

/** Follows the events of a tenant, in the order of receipt: when each customer, and each meter with alerts, has had the last one. */
export function createLastUses(meters: readonly MeterRow[], tenant: Row<'tenants'>) {
  const alerting = meters.filter((meter) => hasAlerts(meter, tenant));
  const customers = new Map<string, LastUse>();
  const counted = new Map<string, LastUse>();
  return {
    customers,
    follow: (events: readonly Row<'usageEvents'>[]): void => {
      for (const event of events) {
        const { customerId } = event;
        if (customerId === null || event.backfilled) continue;
        note(customers, customerId, event);
        for (const meter of alerting)
          if (countFor(meter, event)) note(counted, `${customerId} ${meter.id}`, event);
      }
    },
    /** Returns the last use that meters have counted for a customer; undefined for none. */
    findCounted: (customerId: string, meterIds: readonly string[]): LastUse | undefined => {
      const uses = meterIds.flatMap((meterId) => counted.get(`${customerId} ${meterId}`) ?? []);
      return uses.length === 0 ? undefined : uses.reduce(findLater);
    },
  };
}

function note(uses: Map<string, LastUse>, key: string, { receivedAt, voidedAt }: Row<'usageEvents'>): void {
  const use = { receivedAt, voidedAt: voidedAt ?? '' };
  const known = uses.get(key);
  uses.set(key, known ? findLater(known, use) : use);
}

const findLast = (...instants: readonly (string | null | undefined)[]): string =>
  instants.reduce<string>((last, each) => (each && each > last ? each : last), '');

const findLater = (one: LastUse, other: LastUse): LastUse => ({
  receivedAt: findLast(one.receivedAt, other.receivedAt),
  voidedAt: findLast(one.voidedAt, other.voidedAt),
});

/** A tenant at an instant, with the last uses of its events. */
interface Examined {
  tenant: Row<'tenants'>;
  uses: LastUses;
  /** When the tenant last set the shares of alerts. */
  percentsSetAt: string;
  now: string;
}

/**
 * Measures the limits and the spending of customers whose last event is some minutes old and waits for no comparison. What has changed
 * after that event is compared at the next one, so it is passed over, and so is what grows without events.
 */
export async function examineUntold(queries: Queries, examined: Examined, report: Report): Promise<void> {
  const { tenant, uses, now } = examined;
  const waiting = new Set<string>();
  for await (const page of readPages(queries, 'limitChecks', tenant.alias))
    for (const { customerId } of page) waiting.add(customerId);
  const reads = new TenantReads(queries, tenant.alias);
  const creditTypes = await reads.many('creditTypes', { where: {} });
  const typesChangedAt = findLast(...creditTypes.map(({ updatedAt }) => updatedAt));
  for (const [customerId, use] of uses.customers) {
    if (waiting.has(customerId) || use.receivedAt > addMs(now, -delayMs)) continue;
    try {
      for (const each of await findReached({ read: reads, record: tenant }, customerId, now))
        await examineLimit(reads, { ...examined, typesChangedAt }, each, report);
      for (const each of await measureSpending({ read: reads, record: tenant }, customerId, now))
        await examineAmounts(reads, use, each, report);
    } catch (error) {
      if (error instanceof BillingError && error.reason === 'customer_not_found') continue;
      const message = error instanceof Error ? error.message : String(error);
      report({ subject: customerId, found: `has usage that cannot be compared with its alerts: ${message}` });
    }
  }
}

async function examineLimit(
  reads: TenantReads,
  { uses, percentsSetAt, typesChangedAt }: Examined & { typesChangedAt: string },
  reached: Reached,
  report: Report,
): Promise<void> {
  const { customerId, feature: key, percents, used, limit, period, resets, facts } = reached;
  const { feature, override, attached, counters } = facts;
  const meterIds = counters.map(({ meter }) => meter.id);
  const use = uses.findCounted(customerId, meterIds);
  if (!use || counters.some(({ meter }) => growsAlone(meter))) return;
  const periodStart = findAlertPeriod(resets ? period.start : null);
  const told = await reads.one('limitAlerts', { customerId, feature: key, periodStart });
  const untold = listUntold(percents, told);
  if (untold.length === 0) return;
  const subscriptions = await reads.many('subscriptions', { where: { customerId } });
  const changedAt = findLast(
    period.start,
    use.voidedAt,
    override?.endsAt,
    ...[feature, override, ...attached, ...subscriptions, ...counters.map(({ meter }) => meter)].map(
      (row) => row?.updatedAt,
    ),
    feature.creditTypeId === null ? null : typesChangedAt,
    feature.alertPercents === null ? percentsSetAt : null,
  );
  if (use.receivedAt > changedAt)
    report({
      subject: customerId,
      found: `has used ${used} of ${limit} of ${key} from ${period.start}, but was not told ${untold.join(', ')} percent`,
    });
}

async function examineAmounts(
  reads: TenantReads,
  { receivedAt, voidedAt }: LastUse,
  spent: Spent,
  report: Report,
): Promise<void> {
  const { subscriptionId, period, spentMinor } = spent;
  const subscription = (await reads.one('subscriptions', { id: subscriptionId }))!;
  const untold = listUntoldAmounts(subscription, spent);
  if (untold.length === 0) return;
  const priced = await reads.many('usagePeriods', { where: { subscriptionId } });
  const meters = await reads.many('meters', {
    where: { id: [...new Set(priced.map(({ meterId }) => meterId))] },
  });
  if (meters.some(growsAlone)) return;
  if (receivedAt <= findLast(period.start, voidedAt, subscription.updatedAt)) return;
  const { currency } = subscription;
  const amounts = untold.map((minor) => toMajor(minor, currency)).join(', ');
  report({
    subject: subscriptionId,
    found: `has spent ${toMajor(spentMinor, currency)} ${currency} from ${period.start}, but was not told ${amounts}`,
  });
}

/** Whether what a meter counts grows with time, without events. */
const growsAlone = ({ aggregation }: MeterRow): boolean => aggregation === 'weighted_sum';
