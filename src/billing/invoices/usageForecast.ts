/** The usage that later bills are expected to charge: at the rate of the present period so far. */
import { addMs } from '../../lib/time.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { CommitmentWindow } from '../pricing/commitments.ts';
import type { Agreement } from '../pricing/invoiceLines.ts';
import type { Period } from '../pricing/schedule.ts';
import { growsWithTime, scaleCount } from '../pricing/runRate.ts';
import { findChargedStart } from '../pricing/trials.ts';
import type { UsagePeriod } from '../pricing/usageLines.ts';
import { needsEvents, type CountedUsage } from '../pricing/usagePrice.ts';
import { countSpans, listEventValues } from '../usage/spans.ts';
import { buildWindow, buildWindowCharge, readOpenWindows } from './commitmentWindows.ts';
import { computeUsageBill } from './usageBill.ts';
import { planPeriods, readOpenPeriods, type UsageBill } from './usagePeriods.ts';

type SubscriptionRow = Row<'subscriptions'>;
type Zoned = Pick<Row<'tenants'>, 'timezone'>;

/** What a meter has counted in the present period until now. */
interface Rate {
  counted: CountedUsage;
  elapsedMs: number;
  grows: boolean;
}

/** A bill of usage, and whether it is an estimate. */
export interface ExpectedUsage {
  bill: UsageBill;
  isEstimated: boolean;
}

/** The terms of a period that is expected. */
interface ExpectedPeriod extends Period {
  terms: Agreement & { priceId: string };
  anchor: string;
  /** Whether the subscription ends with it. */
  isFinal: boolean;
}

/** The usage that a subscription is expected to be billed, period by period. */
export interface UsageForecast {
  first: ExpectedUsage;
  /** Returns the bill of a period after the present one; periods are to follow each other. */
  expect: (period: ExpectedPeriod) => Promise<UsageBill>;
}

/**
 * Forecasts the usage of a subscription: of the present period until `until`, and of later ones. Undefined, without a query, if it
 * never had a price of usage.
 */
export async function forecastUsage(
  reads: Reads,
  tenant: Zoned,
  subscription: SubscriptionRow,
  { now, until, isFinal }: { now: string; until: string; isFinal: boolean },
): Promise<UsageForecast | undefined> {
  if (subscription.usageSince === null) return undefined;
  const periods = await readOpenPeriods(reads, [subscription.id]);
  const windows = subscription.commitment === null ? [] : await readOpenWindows(reads, [subscription.id]);
  const rates = await readRates(reads, subscription, periods, now);
  const request = { subscription, periods, windows, until, isFinal };
  const bill = await computeUsageBill(reads, tenant, request, (row, part, counted) =>
    row.endsAt === null ? expectCount(rates.get(row.meterId), part, counted, now) : counted,
  );
  return {
    first: { bill, isEstimated: until > now && rates.size > 0 },
    expect: followBill(reads, tenant, subscription, { rates, bill, windows }),
  };
}

/** Counts the usage of the present period until now, by meter. */
async function readRates(
  reads: Reads,
  { trialEndsAt }: SubscriptionRow,
  periods: readonly UsagePeriod[],
  now: string,
): Promise<Map<string, Rate>> {
  const running = periods.filter(({ endsAt }) => endsAt === null);
  const spans = running
    .map((row) => ({ row, from: findChargedStart(trialEndsAt, row.startsAt) }))
    .filter(({ from }) => from < now)
    .map(({ row: { meterId, customerId, pricing }, from }) => ({
      // Events of this instant count.
      span: { meterId, customerId, from, until: addMs(now, 1) },
      pricing,
    }));
  if (spans.length === 0) return new Map();
  const counts = await countSpans(
    reads,
    spans.map(({ span }) => span),
  );
  const id = spans.map(({ span }) => span.meterId);
  const growing = new Set(
    (await reads.many('meters', { where: { id } })).filter(growsWithTime).map((row) => row.id),
  );
  const rates = new Map<string, Rate>();
  for (const [index, { span, pricing }] of spans.entries()) {
    const values = needsEvents(pricing) ? await listEventValues(reads, span) : undefined;
    rates.set(span.meterId, {
      counted: { ...counts[index]!, ...(values && { values }) },
      elapsedMs: Date.parse(now) - Date.parse(span.from),
      grows: growing.has(span.meterId),
    });
  }
  return rates;
}

/** Returns what is expected to be counted in a part of the present period. */
function expectCount(
  rate: Rate | undefined,
  { start, end }: Period,
  counted: CountedUsage,
  now: string,
): CountedUsage {
  if (!rate || end <= now) return counted;
  if (start >= now) return expectAll(rate, { start, end });
  if (!rate.grows) return counted;
  const elapsedMs = Date.parse(now) - Date.parse(start);
  return scaleCount(counted, Date.parse(end) - Date.parse(start), elapsedMs);
}

const expectAll = ({ counted, elapsedMs, grows }: Rate, { start, end }: Period): CountedUsage =>
  grows ? scaleCount(counted, Date.parse(end) - Date.parse(start), elapsedMs) : counted;

/** Returns the function that forecasts the periods after a bill; it remembers what commitments were charged. */
function followBill(
  reads: Reads,
  tenant: Zoned,
  subscription: SubscriptionRow,
  { rates, bill, windows: open }: { rates: Map<string, Rate>; bill: UsageBill; windows: CommitmentWindow[] },
): UsageForecast['expect'] {
  let windows = open;
  const billed: UsagePeriod[] = [];
  let last = bill;
  return async ({ start, end, terms, anchor, isFinal }) => {
    billed.push(...last.periods.map(addCharge));
    windows = last.windows.length > 0 ? last.windows.map(addWindowCharge) : windows;
    if (windows.every(({ endsAt }) => endsAt <= start)) {
      const committed = { ...subscription, ...terms, commitment: subscription.commitment };
      const begun = buildWindow(committed, subscription.id, { at: start, anchor, timeZone: tenant.timezone });
      windows = begun ? [begun] : [];
    }
    const begun = { terms, at: start, anchor, isNewPeriod: true };
    const periods = planPeriods([], subscription, begun).map((row) => ({ ...row, endsAt: end }));
    const request = {
      subscription: { trialEndsAt: null, anchor },
      periods,
      windows,
      until: end,
      isFinal,
      billed,
    };
    last = await computeUsageBill(reads, tenant, request, (row, part, counted) => {
      const rate = rates.get(row.meterId);
      return rate ? expectAll(rate, part) : counted;
    });
    return last;
  };
}

/** The invoices of a forecast have no id. */
const expected = { invoiceId: '' };

const addCharge = ({
  row,
  amountMinor,
  coveredMinor,
  quantity,
}: UsageBill['periods'][number]): UsagePeriod => ({
  ...row,
  charges: [
    ...row.charges,
    { ...expected, amountMinor: String(amountMinor), coveredMinor: String(coveredMinor), quantity },
  ],
});

const addWindowCharge = (billed: UsageBill['windows'][number]): CommitmentWindow => ({
  ...billed.row,
  charges: [...billed.row.charges, buildWindowCharge(billed, expected.invoiceId)],
});
