/** Reads the sums of days that are over, by the periods of a report. */
import { Temporal } from 'temporal-polyfill';
import { toInstant } from '../../lib/time.ts';
import type { TaxCategory, TaxReason } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Scan } from '../../storage/scan.ts';
import { findDay, findNextDay } from '../revenue/spans.ts';
import type { Period } from './taxedDocuments.ts';
import { sumColumns, summedColumns } from './taxSums.ts';

/** A sum of the documents of one period. The terms mean nothing in sums that only count documents. */
export interface ReadTaxSum {
  /** The number of the period, from 0. */
  period: number;
  currency: string;
  kind: Row<'taxSums'>['kind'];
  country: string | null;
  category: TaxCategory;
  percent: string;
  reason?: TaxReason;
  documents: number;
  taxableMinor: bigint;
  taxMinor: bigint;
}

/**
 * Divides a range into the days of the tenant's time zone that are summed and lie in one period, and the rest, whose
 * documents have to be read: what follows `until`, and days that a bound of another time zone splits.
 */
export function divideRange(
  bounds: readonly string[],
  until: string,
  timezone: string,
): { summed: Period[]; others: Period[] } {
  const summed: Period[] = [];
  const others: Period[] = [];
  let readFrom = bounds[0]!;
  for (const [nth, end] of bounds.slice(1).entries()) {
    const start = bounds[nth]!;
    const day = findDay(start, timezone);
    const from = day === start ? day : findNextDay(day, timezone);
    const before = end < until ? findDay(end, timezone) : until;
    if (from >= before) continue;
    if (readFrom < from) others.push({ from: readFrom, before: from });
    const last = summed.at(-1);
    if (last?.before === from) last.before = before;
    else summed.push({ from, before });
    readFrom = before;
  }
  const end = bounds.at(-1)!;
  if (readFrom < end) others.push({ from: readFrom, before: end });
  return { summed, others };
}

/** Reads the sums of days by period. Error: `query_timeout`. */
export async function readTaxSums(
  scan: Scan,
  days: readonly Period[],
  bounds: readonly string[],
): Promise<ReadTaxSum[]> {
  if (days.length === 0) return [];
  const groups = await scan.sum('taxSums', {
    where: {},
    within: { column: 'day', ranges: days.map(({ from, before }) => [from, before] as const) },
    by: sumColumns,
    byPeriod: { day: bounds },
    sums: summedColumns,
  });
  return groups.map(({ dayPeriod, country, reason, documents, ...sum }) => ({
    ...sum,
    period: Number(dayPeriod) - 1,
    country: country || null,
    documents: Number(documents),
    ...(reason ? { reason } : {}),
  })) as unknown as ReadTaxSum[];
}

/** The terms of a sum, in the form of a document's. */
export type SumTerms = Pick<ReadTaxSum, 'country' | 'category' | 'percent' | 'reason' | 'currency'>;

/** Which sums are meant; what is undefined does not matter. */
export interface SumFilter {
  kind?: 'invoice' | 'credit_note' | null;
  country?: string | null;
  category?: TaxCategory | null;
  percent?: string | null;
  /** Null for tax that is charged. */
  reason?: TaxReason | null;
  currency?: string;
  matches?: (terms: SumTerms) => boolean;
}

/** Returns the days that have an invoice with such a tax; neighbours are joined. Error: `query_timeout`. */
export async function findDaysWith(
  scan: Scan,
  days: readonly Period[],
  filter: SumFilter,
  timezone: string,
): Promise<Period[]> {
  const groups = await readMatching(scan, days, filter, ['day']);
  // PostgreSQL writes the instants of groups in its own form.
  const found = new Set(
    groups.map(({ day }) => toInstant(Temporal.Instant.from(day as string).epochMilliseconds)),
  );
  const periods: Period[] = [];
  for (const from of [...found].toSorted()) {
    const before = findNextDay(from, timezone);
    const last = periods.at(-1);
    if (last?.before === from) last.before = before;
    else periods.push({ from, before });
  }
  return periods;
}

/** Counts the taxes of the invoices of days, as the report counts documents. Error: `query_timeout`. */
export async function countSummedInvoices(
  scan: Scan,
  days: readonly Period[],
  filter: SumFilter,
): Promise<number> {
  const groups = await readMatching(scan, days, filter, []);
  return groups.reduce((total, { documents }) => total + Number(documents), 0);
}

async function readMatching(
  scan: Scan,
  days: readonly Period[],
  { kind, country, category, percent, reason, currency, matches }: SumFilter,
  by: readonly (keyof Row<'taxSums'>)[],
) {
  if (days.length === 0) return [];
  const groups = await scan.sum('taxSums', {
    where: {
      kind: kind ?? ['invoice', 'credit_note'],
      country: country === undefined ? undefined : (country ?? ''),
      category: category ?? undefined,
      reason: reason === undefined ? undefined : (reason ?? ''),
      currency,
    },
    within: { column: 'day', ranges: days.map(({ from, before }) => [from, before] as const) },
    by: [...by, ...(matches ? matchedColumns : (['percent'] as const))],
    sums: ['documents'],
  });
  return groups.filter(
    (group) =>
      Number(group['documents']) > 0 &&
      (!percent || Number(group['percent']) === Number(percent)) &&
      (!matches || matches(toTerms(group as unknown as SumGroup))),
  );
}

const matchedColumns = ['country', 'category', 'percent', 'reason', 'currency'] as const;

type SumGroup = Pick<Row<'taxSums'>, (typeof matchedColumns)[number]>;

const toTerms = ({ country, category, percent, reason, currency }: SumGroup): SumTerms => ({
  country: country || null,
  category: category as TaxCategory,
  percent,
  currency,
  ...(reason && { reason }),
});
