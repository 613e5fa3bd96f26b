/** What a bill charges for usage. Renewals, final bills, drafts and all previews call these functions. */
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { chargeUsagePeriod, type UsagePeriod } from '../pricing/usageLines.ts';
import { needsEvents } from '../pricing/usagePrice.ts';
import { countSpans, listEventValues } from '../usage/spans.ts';
import { readBilledPeriods, readOpenPeriods, type UsageBill } from './usagePeriods.ts';

/** The periods of a subscription, and what decides which part of them is free. */
export interface PlannedUsage {
  subscription: Pick<Row<'subscriptions'>, 'trialEndsAt' | 'anchor'>;
  periods: readonly UsagePeriod[];
}

/** The usage of a subscription that a bill charges. */
interface UsageRequest extends PlannedUsage {
  /** The end of the time that is billed; periods end there that have no end. */
  until: string;
}

type Zoned = Pick<Row<'tenants'>, 'timezone'>;

/**
 * Returns what the bill of a subscription charges for usage until an instant; undefined, without a query, if it never had a
 * price of usage. `voidedId` is an invoice that is voided first.
 */
export async function readUsageBill(
  reads: Reads,
  tenant: Zoned,
  subscription: Row<'subscriptions'>,
  until: string,
  voidedId?: string,
): Promise<UsageBill | undefined> {
  if (subscription.usageSince === null) return undefined;
  const open = await readOpenPeriods(reads, [subscription.id]);
  const released = voidedId === undefined ? [] : await readBilledPeriods(reads, voidedId);
  const closed = released.filter(({ openFor }) => openFor === null);
  const periods = [...closed, ...open].map((row) => dropCharges(row, voidedId));
  return computeUsageBill(reads, tenant, { subscription, periods, until });
}

/** Returns what is charged for the usage of periods that have ended. */
export const readBilledUsage = (
  reads: Reads,
  tenant: Zoned,
  subscription: PlannedUsage['subscription'],
  periods: readonly UsagePeriod[],
): Promise<UsageBill> => computeUsageBill(reads, tenant, { subscription, periods, until: '' });

/** Returns a period without what an invoice has charged for it. */
const dropCharges = (row: UsagePeriod, invoiceId: string | undefined): UsagePeriod =>
  row.charges.some((charge) => charge.invoiceId === invoiceId)
    ? { ...row, charges: row.charges.filter((charge) => charge.invoiceId !== invoiceId) }
    : row;

/** Returns what a bill charges for the usage of periods. */
export async function computeUsageBill(
  reads: Reads,
  tenant: Zoned,
  request: UsageRequest,
): Promise<UsageBill> {
  const [bill] = await computeUsageBills(reads, tenant, [request]);
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
  const requests = metered.map(({ subscription, until }) => ({
    subscription,
    periods: open.filter(({ subscriptionId }) => subscriptionId === subscription.id),
    until,
  }));
  const bills = await computeUsageBills(reads, tenant, requests);
  return new Map(metered.map(({ subscription }, index) => [subscription.id, bills[index]!]));
}

/** Returns what bills charge for usage, in the order of the requests. Usage during a trial is free. */
async function computeUsageBills(
  reads: Reads,
  { timezone }: Zoned,
  requests: readonly UsageRequest[],
): Promise<UsageBill[]> {
  const parts = requests.map(listParts);
  const spans = parts.flat().map(({ row, start, end }) => ({
    meterId: row.meterId,
    customerId: row.customerId,
    from: start,
    until: end,
  }));
  const counts = await countSpans(reads, spans);
  let index = 0;
  const bills: UsageBill[] = [];
  for (const [position, own] of parts.entries()) {
    const bill: UsageBill = { lines: [], periods: [], open: requests[position]!.periods };
    for (const { row, ...span } of own) {
      const [wanted, count] = [spans[index]!, counts[index]!];
      index += 1;
      const values = needsEvents(row.pricing) ? await listEventValues(reads, wanted) : undefined;
      const counted = values ? { ...count, values } : count;
      const { lines, amountMinor, quantity } = chargeUsagePeriod(row, span, counted, timezone);
      bill.lines.push(...lines);
      bill.periods.push({ row, until: span.end, amountMinor, quantity });
    }
    bills.push(bill);
  }
  return bills;
}

/** Lists the parts of periods that a bill charges. */
function listParts({ subscription: { trialEndsAt, anchor }, periods, until }: UsageRequest) {
  return periods.flatMap((row) => {
    const isInTrial = trialEndsAt !== null && row.startsAt < trialEndsAt;
    const start = isInTrial ? trialEndsAt : row.startsAt;
    const end = row.endsAt ?? until;
    return start < end ? [{ row, start, end, anchor: isInTrial ? anchor : row.anchor }] : [];
  });
}
