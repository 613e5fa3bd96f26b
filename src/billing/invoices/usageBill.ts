/** What a bill charges for usage. Renewals, final bills, drafts and all previews call these functions. */
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { Period } from '../pricing/schedule.ts';
import { findChargedStart } from '../pricing/trials.ts';
import {
  chargeUsagePeriod,
  isBilled,
  type CountedPart,
  type UsagePart,
  type UsagePeriod,
} from '../pricing/usageLines.ts';
import { divideByOverrides, type UsageOverride } from '../pricing/usageOverrides.ts';
import { needsEvents, type CountedUsage, type UsageLineExplanation } from '../pricing/usagePrice.ts';
import { countSpans, listEventValues, type UsageSpan } from '../usage/spans.ts';
import type { CommitmentWindow } from '../pricing/commitments.ts';
import { chargeWindows, readOpenWindows, type BilledWindow } from './commitmentWindows.ts';
import { readBilledPeriods, readOpenPeriods, type UsageBill } from './usagePeriods.ts';

/** The periods of a subscription, and what decides which part of them is free. */
export interface PlannedUsage {
  subscription: Pick<Row<'subscriptions'>, 'trialEndsAt' | 'anchor'>;
  periods: readonly UsagePeriod[];
  /** The windows of its commitments; none by default. */
  windows?: readonly CommitmentWindow[];
}

/** The usage of a subscription that a bill charges. */
interface UsageRequest extends PlannedUsage {
  /** The end of the time that is billed; periods end there that have no end. */
  until: string;
  /** Whether periods without an end go on, so that their usage so far is billed. */
  isInterim?: boolean;
  /** Whether the subscription ends then, and its commitment with it. */
  isFinal?: boolean;
  /** Periods that no database has, because a forecast has billed them. */
  billed?: readonly UsagePeriod[];
}

/** Returns what a forecast expects in a part of a period of which its meter has counted this. */
type Expect = (row: UsagePeriod, part: Period, counted: CountedUsage) => CountedUsage;

type Zoned = Pick<Row<'tenants'>, 'timezone'>;

/**
 * Returns what the bill of a subscription charges for usage until an instant; undefined, without a query, if it never had a
 * price of usage. `voidedId` is an invoice that is voided first; `isFinal` ends the commitment of the subscription.
 */
export async function readUsageBill(
  reads: Reads,
  tenant: Zoned,
  subscription: Row<'subscriptions'>,
  until: string,
  { voidedId, isFinal }: { voidedId?: string | undefined; isFinal?: boolean } = {},
): Promise<UsageBill | undefined> {
  if (subscription.usageSince === null) return undefined;
  const open = await readOpenPeriods(reads, [subscription.id]);
  const released = voidedId === undefined ? [] : await readBilledPeriods(reads, voidedId);
  const closed = released.filter(({ openFor }) => openFor === null);
  const periods = [...closed, ...open].map((row) => dropCharges(row, voidedId));
  const windows = (await readWindows(reads, [subscription])).map((row) => dropCharges(row, voidedId));
  return computeUsageBill(reads, tenant, { subscription, periods, windows, until, isFinal });
}

/** Reads the open windows of the subscriptions that have a commitment. */
const readWindows = (
  reads: Reads,
  subscriptions: readonly Row<'subscriptions'>[],
): Promise<CommitmentWindow[]> =>
  readOpenWindows(
    reads,
    subscriptions.filter(({ commitment }) => commitment !== null).map(({ id }) => id),
  );

/**
 * Returns what a bill within a period charges: the usage so far, of what no invoice has billed as a whole. Late usage waits for the
 * next invoice.
 */
export async function readInterimBill(
  reads: Reads,
  tenant: Zoned,
  subscription: Row<'subscriptions'>,
  until: string,
): Promise<UsageBill> {
  const open = await readOpenPeriods(reads, [subscription.id]);
  const periods = open.filter((row) => !isBilled(row));
  const windows = (await readWindows(reads, [subscription])).filter(({ endsAt }) => endsAt >= until);
  return computeUsageBill(reads, tenant, { subscription, periods, windows, until, isInterim: true });
}

/** Returns what is charged for the usage of periods that have ended, and for windows of commitments until an instant. */
export const readBilledUsage = (
  reads: Reads,
  tenant: Zoned,
  subscription: PlannedUsage['subscription'],
  usage: Pick<UsageRequest, 'periods' | 'windows' | 'until'>,
): Promise<UsageBill> => computeUsageBill(reads, tenant, { subscription, ...usage });

/** Returns a period or a window without what an invoice has charged for it. */
const dropCharges = <R extends { charges: { invoiceId: string }[] }>(
  row: R,
  invoiceId: string | undefined,
): R =>
  row.charges.some((charge) => charge.invoiceId === invoiceId)
    ? { ...row, charges: row.charges.filter((charge) => charge.invoiceId !== invoiceId) }
    : row;

/** Returns what a bill charges for the usage of periods. */
export async function computeUsageBill(
  reads: Reads,
  tenant: Zoned,
  request: UsageRequest,
  expect?: Expect,
): Promise<UsageBill> {
  const [bill] = await computeUsageBills(reads, tenant, [request], expect);
  return bill!;
}

/**
 * Returns what the bills of many subscriptions charge for usage, by subscription: each until the instant `findEnd` returns. Reads
 * the usage of all of them at once.
 */
export async function readUsageBills<S extends Row<'subscriptions'>>(
  reads: Reads,
  tenant: Zoned,
  subscriptions: readonly S[],
  findEnd: (subscription: S) => string | null,
  endsThen: (subscription: S) => boolean = () => false,
): Promise<Map<string, UsageBill>> {
  const metered = subscriptions.flatMap((subscription) => {
    const until = subscription.usageSince === null ? null : findEnd(subscription);
    return until === null ? [] : [{ subscription, until }];
  });
  if (metered.length === 0) return new Map();
  const open = await readOpenPeriods(
    reads,
    metered.map(({ subscription }) => subscription.id),
  );
  const windows = await readWindows(
    reads,
    metered.map(({ subscription }) => subscription),
  );
  const requests = metered.map(({ subscription, until }) => ({
    subscription,
    periods: open.filter(({ subscriptionId }) => subscriptionId === subscription.id),
    windows: windows.filter(({ subscriptionId }) => subscriptionId === subscription.id),
    until,
    isFinal: endsThen(subscription),
  }));
  const bills = await computeUsageBills(reads, tenant, requests);
  return new Map(metered.map(({ subscription }, index) => [subscription.id, bills[index]!]));
}

/** Returns the units of periods that no rate of their price matches, however often they were billed. */
export async function listUnmatchedUsage(
  reads: Reads,
  tenant: Zoned,
  request: UsageRequest,
): Promise<{ usagePeriodId: string; from: string; unmatched: string }[]> {
  // Without its charges a period has a line for all of its units.
  const periods = request.periods.map((row) => ({ ...row, charges: [] }));
  const { lines } = await computeUsageBill(reads, tenant, { ...request, periods });
  return lines.flatMap(({ explanation, periodStart: from }) => {
    const { usagePeriodId, unmatched, part } = explanation as UsageLineExplanation;
    return unmatched !== undefined && part === 'usage' ? [{ usagePeriodId, from, unmatched }] : [];
  });
}

/** Returns what bills charge for usage, in the order of the requests. Usage during a trial is free. */
async function computeUsageBills(
  reads: Reads,
  { timezone }: Zoned,
  requests: readonly UsageRequest[],
  expect: Expect = (_row, _part, counted) => counted,
): Promise<UsageBill[]> {
  const overrides = await readOverrides(
    reads,
    requests.flatMap(({ periods }) => periods),
  );
  const billed = requests.map((request) => listBilled(request, overrides));
  const counts = await countSpans(
    reads,
    billed.flat().flatMap(({ row, parts }) => parts.map((part) => toSpan(row, part))),
  );
  let index = 0;
  const bills: UsageBill[] = [];
  for (const [position, own] of billed.entries()) {
    const request = requests[position]!;
    const bill: UsageBill = { lines: [], periods: [], open: request.periods, windows: [] };
    for (const { row, parts } of own) {
      const counted: CountedPart[] = [];
      for (const part of parts) {
        const count = counts[index++]!;
        const values = needsEvents(part.pricing)
          ? await listEventValues(reads, toSpan(row, part))
          : undefined;
        counted.push({ ...part, counted: expect(row, part, values ? { ...count, values } : count) });
      }
      const isInterim = Boolean(request.isInterim) && row.endsAt === null;
      const { lines, ...charged } = chargeUsagePeriod(row, counted, timezone, isInterim);
      bill.lines.push(...lines);
      bill.periods.push({ row, until: parts.at(-1)!.end, isInterim, coveredMinor: 0n, ...charged });
    }
    bill.windows = await chargeCommitments(reads, request, bill);
    bills.push(bill);
  }
  return bills;
}

/** Charges the windows of commitments, in which earlier periods may have begun. */
async function chargeCommitments(
  reads: Reads,
  { windows = [], until: end, isInterim, isFinal = false, billed: expected = [] }: UsageRequest,
  { periods: billed, lines }: UsageBill,
): Promise<BilledWindow[]> {
  const [first] = windows;
  if (!first) return [];
  const { subscriptionId } = first;
  // What is missing is known when the window has ended.
  const until = isInterim ? '' : end;
  const startsAt = { from: windows.map((row) => row.startsAt).toSorted()[0]! };
  const known =
    subscriptionId === '' ? [] : await reads.many('usagePeriods', { where: { subscriptionId, startsAt } });
  return chargeWindows({ windows, periods: [...known, ...expected], billed, lines, until, isFinal });
}

const toSpan = ({ meterId, customerId }: UsagePeriod, { start, end }: Period): UsageSpan => ({
  meterId,
  customerId,
  from: start,
  until: end,
});

/** Lists the periods that a bill charges, each in the parts in which its terms hold. */
function listBilled(
  { subscription: { trialEndsAt, anchor }, periods, until }: UsageRequest,
  overrides: readonly UsageOverride[],
): { row: UsagePeriod; parts: UsagePart[] }[] {
  return periods.flatMap((row) => {
    const start = findChargedStart(trialEndsAt, row.startsAt);
    const end = row.endsAt ?? until;
    if (start >= end) return [];
    const cycles = start === row.startsAt ? row.anchor : anchor;
    const parts = divideByOverrides(row, { start, end }, overrides);
    return [{ row, parts: parts.map((part) => ({ ...part, anchor: cycles })) }];
  });
}

/** Reads the own terms of the customers who have periods. */
async function readOverrides(reads: Reads, periods: readonly UsagePeriod[]): Promise<UsageOverride[]> {
  const customerId = [...new Set(periods.map((row) => row.customerId))];
  return customerId.length === 0 ? [] : reads.many('usagePriceOverrides', { where: { customerId } });
}
