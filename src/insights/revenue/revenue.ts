import { parseCurrency } from '../../lib/money.ts';
import { parseInstant } from '../../lib/time.ts';
import { numberDefinition, type MrrDefinition } from '../../billing/pricing/mrr.ts';
import {
  addMoved,
  beginPeriod,
  computeRate,
  computeRates,
  type MovedSum,
  type PeriodMovements,
  type RevenueRates,
} from '../../billing/pricing/revenueFigures.ts';
import type { Group } from '../../storage/query/grouping.ts';
import type { Scan } from '../../storage/scan.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { listBounds, matchUntil, parseTimeZone, type Range, type RevenueInterval } from './buckets.ts';
import { addSums, sumMoney } from './money.ts';
import type { Sums } from './recordSums.ts';

/** Which figures are asked for. */
export interface RevenueQuestion {
  currency: string;
  /** The first day or instant. */
  from: string;
  /** The day or instant before which the range ends. */
  until: string;
  by: RevenueInterval;
  /** The zone of the calendar. Default: the tenant's. */
  timeZone?: string | null;
  /** Later movements do not count. Default: now. */
  asOf?: string | null;
  definition: MrrDefinition;
}

/** The figures of one period. */
export interface RevenuePeriod extends PeriodMovements, Sums, RevenueRates {
  start: string;
  /** Exclusive. */
  end: string;
  currency: string;
  netRevenueMinor: bigint;
  /** What customers have paid for credit that has expired. */
  breakageMinor: bigint;
  trialConversionRate: string | null;
}

/** The figures of a range, by period and in total. */
export interface RevenueFigures {
  currency: string;
  timeZone: string;
  asOf: string;
  points: RevenuePeriod[];
  total: RevenuePeriod;
}

/** Reads the common part of a question. Error: `validation_failed`, `currency_unsupported`. */
export function readRange(tenant: TenantScope, question: Omit<RevenueQuestion, 'definition'>): Range {
  const timeZone = parseTimeZone(question.timeZone ?? tenant.record.timezone, 'timeZone');
  const { asOf, by, from, until } = question;
  return {
    currency: parseCurrency(question.currency, 'currency'),
    timeZone,
    asOf: asOf ? parseInstant(asOf, timeZone, 'asOf') : tenant.now(),
    bounds: listBounds({ from, until, by, timeZone }),
  };
}

/**
 * Returns the revenue figures of a tenant in one currency, by calendar period. Errors: `validation_failed`,
 * `currency_unsupported`, `query_timeout`.
 */
export function findRevenue(tenant: TenantScope, question: RevenueQuestion): Promise<RevenueFigures> {
  const range = readRange(tenant, question);
  const { bounds, currency, timeZone, asOf } = range;
  return tenant.scan(async (scan) => {
    const moved = await sumMovements(scan, range, numberDefinition(question.definition));
    const sums = await sumMoney(scan, tenant.record.timezone, range, Boolean(question.asOf));
    const broken = await sumBreakage(scan, range);
    const opening = beginPeriod({ mrrEndMinor: 0n, activeCustomers: 0, activeSubscriptions: 0 });
    for (const each of moved.before) addMoved(opening, each);
    const points: RevenuePeriod[] = [];
    let last = opening;
    for (const [nth, money] of sums.entries()) {
      last = beginPeriod(last);
      for (const each of moved.within[nth]!) addMoved(last, each);
      points.push(finish(currency, bounds[nth]!, bounds[nth + 1]!, last, money, broken[nth]!));
    }
    const total = beginPeriod(opening);
    for (const each of moved.within.flat()) addMoved(total, each);
    return {
      currency,
      timeZone,
      asOf,
      points,
      total: finish(
        currency,
        bounds[0]!,
        bounds.at(-1)!,
        total,
        sums.reduce(addSums),
        broken.reduce((sum, minor) => sum + minor),
      ),
    };
  });
}

function finish(
  currency: string,
  start: string,
  end: string,
  period: PeriodMovements,
  sums: Sums,
  breakageMinor: bigint,
): RevenuePeriod {
  const { trialsConverted, trialsLost } = sums;
  return {
    start,
    end,
    currency,
    ...period,
    ...sums,
    ...computeRates(period),
    netRevenueMinor: sums.paidMinor - sums.refundedMinor,
    breakageMinor,
    trialConversionRate: computeRate(trialsConverted, trialsConverted + trialsLost),
  };
}

/** Sums what was paid for credit that has expired in each period. */
async function sumBreakage(scan: Scan, { currency, bounds, asOf }: Range): Promise<bigint[]> {
  const groups = await scan.sum('balanceEntries', {
    where: {
      currency,
      breakageMinor: { isSet: true },
      createdAt: { from: bounds[0]!, ...matchUntil(bounds.at(-1)!, asOf) },
    },
    byPeriod: { createdAt: bounds.slice(0, -1) },
    sums: ['breakageMinor'],
  });
  const sums = bounds.slice(1).map(() => 0n);
  for (const group of groups)
    sums[(group['createdAtPeriod'] as number) - 1] = group['breakageMinor'] as bigint;
  return sums;
}

type Kind = Row<'mrrMovements'>['kind'];

const toMoved = ({ kind, amountMinor, rows, subscriptions }: Group): MovedSum => ({
  kind: kind as Kind,
  amountMinor: amountMinor as bigint,
  movements: rows,
  subscriptions: Number(subscriptions),
});

/** Sums the movements before the range, and those within each period, under a definition. */
async function sumMovements(
  scan: Scan,
  { currency, bounds, asOf }: Range,
  definition: number,
): Promise<{ before: MovedSum[]; within: MovedSum[][] }> {
  const groups = await scan.sum('mrrMovements', {
    where: { currency, definitions: { hasBit: definition }, at: matchUntil(bounds.at(-1)!, asOf) },
    by: ['kind'],
    byPeriod: { at: bounds.slice(0, -1) },
    sums: ['amountMinor', 'subscriptions'],
  });
  const [before, ...within] = bounds.map((): MovedSum[] => []);
  for (const group of groups) {
    const period = group['atPeriod'] as number;
    (period === 0 ? before! : within[period - 1]!).push(toMoved(group));
  }
  return { before: before!, within };
}
