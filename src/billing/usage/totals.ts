/**
 * Totals of a customer's usage in a span, which limits compare with: kept so that a check reads one row instead of all buckets of
 * a period. They follow from the buckets, and are removed where those are counted anew.
 */
import { addDecimals, formatDecimal, readSum, type ExactDecimal } from '../../lib/decimal.ts';
import { groupBy } from '../../lib/groupBy.ts';
import { addMs } from '../../lib/time.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads, TenantWrites } from '../../storage/store.ts';
import type { SteppedTenant, TenantScope } from '../../tenancy/tenantScope.ts';
import { countFor, type MeterRow } from './counting.ts';
import { usageSpanMs } from './quarters.ts';
import { countSpans } from './spans.ts';
import { computeUsage, countEvent, emptyTally, isSummable, mergeTally, type Tally } from './tally.ts';
import { readSlices } from './usage.ts';

type TotalRow = Row<'usageTotals'>;
type EventRow = Row<'usageEvents'>;

/** A customer's use of a meter in a period; `until` is exclusive. */
export interface MeterPeriod {
  meter: MeterRow;
  customerId: string;
  from: string;
  until: string;
}

/** Later than any event, and the beginning of a quarter of an hour. */
const endOfTime = '9999-12-31T00:00:00.000Z';

/** The number of buckets from which reading a total is worth a row. */
const bucketsWorthTotal = 96;

/** The span of the total for a period: that of a persistent meter never ends. */
const findSpan = ({ meter, from, until }: MeterPeriod): Pick<TotalRow, 'startsAt' | 'endsAt'> =>
  meter.persistent ? { startsAt: meter.startsAt, endsAt: endOfTime } : { startsAt: from, endsAt: until };

/** Returns the total for a period, if it is kept. */
const findTotal = (reads: Reads, period: MeterPeriod) =>
  reads.one('usageTotals', { meterId: period.meter.id, customerId: period.customerId, ...findSpan(period) });

/** Returns the total for a period among those of its customer. */
function pickTotal(totals: readonly TotalRow[], period: MeterPeriod): TotalRow | undefined {
  const { startsAt, endsAt } = findSpan(period);
  return totals.find(
    (total) => total.meterId === period.meter.id && total.startsAt === startsAt && total.endsAt === endsAt,
  );
}

/** Computes what a meter counts from a total. */
export function computeTotal({ meter, from, until }: MeterPeriod, { events, sum }: TotalRow): ExactDecimal {
  const tally: Tally = { ...emptyTally(), events, sum: readSum(sum) };
  return computeUsage(meter, tally, { fromMs: Date.parse(from), untilMs: Date.parse(until) });
}

/** Who reads usage; without `recordUsage` no totals are kept of what was read. */
export type UsageReader = Pick<SteppedTenant, 'read' | 'record'> &
  Partial<Pick<SteppedTenant, 'mayWrite' | 'recordUsage'>>;

/**
 * Returns what a meter has counted in a period: of its total, if one is kept, otherwise of its buckets. `totals` are those that
 * are kept of the customer and the meter, if they were read before.
 */
export async function readPeriod(
  tenant: UsageReader,
  period: MeterPeriod,
  totals?: readonly TotalRow[],
): Promise<ExactDecimal> {
  const { meter, customerId, from, until } = period;
  const { read } = tenant;
  if (!isSummable(meter)) {
    const [count] = await countSpans(read, [{ meterId: meter.id, customerId, from, until }]);
    return count!.quantity;
  }
  const kept = totals ? pickTotal(totals, period) : await findTotal(read, period);
  if (kept) return computeTotal(period, kept);
  const { total, slices } = await countTotal(read, period);
  if (slices >= bucketsWorthTotal && tenant.mayWrite && meter.totalsSince !== null)
    await tenant.recordUsage?.(({ rows }) => keepTotal(rows, period));
  return computeTotal(period, total);
}

/** Counts the total of a period from the buckets. */
export async function countTotal(
  reads: Reads,
  period: MeterPeriod,
): Promise<{ total: TotalRow; slices: number }> {
  const { meter, customerId } = period;
  const span = findSpan(period);
  const tally = emptyTally();
  const slices = await readSlices(reads, meter, customerId, [span.startsAt, span.endsAt]);
  for (const { at, tally: own } of slices)
    if (at >= span.startsAt && at < span.endsAt) mergeTally(tally, own);
  const { events, sum } = tally;
  const row = { meterId: meter.id, customerId, ...span, events, sum: formatDecimal(sum) };
  return { total: { tenantAlias: meter.tenantAlias, ...row }, slices: slices.length };
}

/**
 * Returns the total of a period, and keeps it from now on unless the customer was deleted meanwhile. Call it within a recording of
 * usage.
 */
export async function keepTotal(rows: TenantWrites, period: MeterPeriod): Promise<TotalRow> {
  const kept = await findTotal(rows, period);
  if (kept) return kept;
  const { total } = await countTotal(rows, period);
  if (await rows.one('customers', { id: period.customerId })) await rows.insertAll('usageTotals', [total]);
  return total;
}

/** Adds new events to the totals that are kept of their customers. */
export async function addToTotals(
  rows: TenantWrites,
  meters: readonly MeterRow[],
  events: readonly EventRow[],
): Promise<void> {
  const kept = meters.filter((meter) => meter.totalsSince !== null);
  const own = events.filter(({ customerId }) => customerId !== null);
  const [first] = own;
  if (kept.length === 0 || !first) return;
  const byCustomer = groupBy(own, ({ customerId }) => customerId!);
  const earliest = own.reduce((least, { at }) => (at < least ? at : least), first.at);
  const totals = await rows.many('usageTotals', {
    where: {
      meterId: kept.map(({ id }) => id),
      customerId: [...byCustomer.keys()],
      endsAt: { after: earliest },
    },
  });
  const meterById = new Map(kept.map((meter) => [meter.id, meter]));
  const changed = totals.flatMap((total) => {
    const meter = meterById.get(total.meterId)!;
    return addEvents(meter, total, byCustomer.get(total.customerId)!) ?? [];
  });
  await rows.upsertAll('usageTotals', ['events', 'sum'], changed);
}

/** Returns a total with the events that are in its span; undefined if none is. */
function addEvents(meter: MeterRow, total: TotalRow, events: readonly EventRow[]): TotalRow | undefined {
  const tally = emptyTally();
  for (const event of events) {
    if (event.at < total.startsAt || event.at >= total.endsAt) continue;
    const counted = countFor(meter, event);
    if (counted) countEvent(meter.aggregation, tally, counted);
  }
  if (tally.events === 0) return undefined;
  const sum = formatDecimal(addDecimals(readSum(total.sum), tally.sum));
  return { ...total, events: total.events + tally.events, sum };
}

/** Removes the totals of customers whose events are counted anew. */
export async function dropTotals(
  rows: TenantWrites,
  meters: readonly MeterRow[],
  customerIds: readonly string[],
): Promise<void> {
  const meterId = meters.filter(({ totalsSince }) => totalsSince !== null).map(({ id }) => id);
  if (meterId.length === 0 || customerIds.length === 0) return;
  await rows.remove('usageTotals', { meterId, customerId: [...customerIds] });
}

const totalsAtOnce = 500;

/** Removes totals of spans that no event can reach any more; returns how many. */
export async function purgeTotals(tenant: TenantScope): Promise<number> {
  if (tenant.record.usageSince === null) return 0;
  const endsAt = { before: addMs(tenant.now(), -usageSpanMs) };
  const old = await tenant.read.many('usageTotals', { where: { endsAt }, limit: totalsAtOnce });
  const [first] = old;
  if (!first) return 0;
  const meterId = [...new Set(old.map((total) => total.meterId))];
  const customerId = [...new Set(old.map((total) => total.customerId))];
  await tenant.recordUsage(({ rows }) => rows.remove('usageTotals', { meterId, customerId, endsAt }));
  return old.length;
}
