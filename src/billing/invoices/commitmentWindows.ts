/** The windows of commitments: each begins with a subscription or where the one before ended. */
import { addMs } from '../../lib/time.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { completeRow } from '../../storage/query/tableMeta.ts';
import type { Reads } from '../../storage/store.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { chargeWindow, planWindow, type CommitmentWindow } from '../pricing/commitments.ts';
import type { Line } from '../pricing/invoiceLines.ts';
import { sumUsageCharges, type BilledPeriod } from '../pricing/usageLines.ts';
import { usageSpanMs } from '../usage/quarters.ts';

/** The terms from which a window is built: those of a subscription, or of an order without one. */
type Committed = Pick<
  Row<'subscriptions'>,
  | 'tenantAlias'
  | 'customerId'
  | 'commitment'
  | 'currency'
  | 'productId'
  | 'productName'
  | 'taxBehavior'
  | 'frequency'
  | 'period'
>;

/** Builds the window of a commitment that begins at an instant; undefined without a commitment. */
export function buildWindow(
  { commitment, ...terms }: Committed,
  subscriptionId: string,
  { at, anchor, timeZone }: { at: string; anchor: string; timeZone: string },
): CommitmentWindow | undefined {
  if (commitment === null) return undefined;
  const { customerId, currency, productId, productName, taxBehavior } = terms;
  return completeRow(
    'commitmentWindows',
    {
      id: '',
      customerId,
      subscriptionId,
      openFor: subscriptionId,
      commitment,
      currency,
      productId,
      productName,
      taxBehavior,
      startsAt: at,
      ...planWindow(at, anchor, terms, commitment.periods, timeZone),
      charges: [],
      createdAt: at,
    },
    terms.tenantAlias,
  );
}

/** Reads the open windows of subscriptions, oldest first. */
export const readOpenWindows = async (reads: Reads, openFor: string[]): Promise<CommitmentWindow[]> =>
  openFor.length === 0 ? [] : reads.many('commitmentWindows', { where: { openFor }, orderBy: ['id'] });

/** Begins a window at the start of a period, unless one goes on. */
export async function beginWindow(
  unit: UnitOfWork,
  subscription: Row<'subscriptions'>,
  { at, anchor }: { at: string; anchor: string },
): Promise<void> {
  if (subscription.commitment === null) return;
  const open = await readOpenWindows(unit, [subscription.id]);
  if (open.some(({ endsAt }) => endsAt > at)) return;
  const timeZone = unit.tenant.timezone;
  const window = buildWindow(subscription, subscription.id, { at, anchor, timeZone })!;
  await insertWindow(unit, window);
}

/** Keeps a window that was built. */
export const insertWindow = (unit: UnitOfWork, window: CommitmentWindow) =>
  unit.insertUntraced('commitmentWindows', { ...window, id: unit.id('cmw'), createdAt: unit.now });

/** What a bill charges for a window, as it is recorded. */
export interface BilledWindow {
  row: CommitmentWindow;
  /** Until when the window is billed; null if it goes on. */
  until: string | null;
  overageMinor: bigint;
  missingMinor: bigint;
  coveredMinor: bigint;
}

/** The usage of a bill, whose lines commitments change. */
interface WindowBill {
  windows: readonly CommitmentWindow[];
  /** All periods of usage that have begun in the windows. */
  periods: readonly Row<'usagePeriods'>[];
  billed: BilledPeriod[];
  lines: Line[];
  until: string;
  isFinal: boolean;
}

/** Charges the windows of a subscription: adds their lines to those of its usage, and takes off what was paid before. */
export function chargeWindows({
  windows,
  periods,
  billed,
  lines,
  until,
  isFinal,
}: WindowBill): BilledWindow[] {
  return windows.map((row) => {
    const isInside = ({ startsAt }: Row<'usagePeriods'>) => startsAt >= row.startsAt && startsAt < row.endsAt;
    const own = billed.filter((period) => isInside(period.row));
    const newMinor = own.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
    const inside = [...periods.filter(isInside), ...own.map((period) => period.row)];
    const known = new Map(inside.map((period) => [identify(period), period]));
    const usedMinor = [...known.values()].reduce(
      (sum, { charges }) => sum + sumUsageCharges(charges),
      newMinor,
    );
    const { lines: added, ...charged } = chargeWindow(row, { usedMinor, newMinor, until, isFinal });
    cover(lines, own, charged.coveredMinor);
    lines.push(...added);
    const isOver = isFinal || until >= row.endsAt;
    return { row, until: isOver ? (until < row.endsAt ? until : row.endsAt) : null, ...charged };
  });
}

/** A period that a plan or a forecast begins has no id. */
const identify = ({ id, startsAt, priceId }: Row<'usagePeriods'>): string => id || startsAt + priceId;

/** Takes an amount off lines of usage that was paid as missing before, the last ones first. */
function cover(lines: Line[], billed: BilledPeriod[], coveredMinor: bigint): void {
  let left = coveredMinor;
  for (const period of billed.toReversed()) {
    for (const [index, line] of [...lines.entries()].toReversed()) {
      if (left === 0n) return;
      const { explanation } = line;
      if (!('usagePeriodId' in explanation) || explanation.usagePeriodId !== period.row.id) continue;
      const takenMinor = line.amountMinor < left ? line.amountMinor : left;
      if (takenMinor === 0n) continue;
      left -= takenMinor;
      lines[index] = {
        ...line,
        amountMinor: line.amountMinor - takenMinor,
        explanation: { ...explanation, coveredMinor: String(takenMinor) },
      };
      period.amountMinor -= takenMinor;
      period.coveredMinor += takenMinor;
    }
  }
}

/** Builds what a window keeps of its charge by an invoice. */
export const buildWindowCharge = (
  { overageMinor, missingMinor, coveredMinor }: BilledWindow,
  invoiceId: string,
): CommitmentWindow['charges'][number] => ({
  invoiceId,
  overageMinor: String(overageMinor),
  missingMinor: String(missingMinor),
  coveredMinor: String(coveredMinor),
});

/** Records what an invoice charges for windows. */
export async function recordWindows(
  unit: UnitOfWork,
  windows: readonly BilledWindow[],
  invoiceId: string,
): Promise<void> {
  for (const billed of windows) {
    const { row, until, overageMinor, missingMinor, coveredMinor } = billed;
    const isOver = until !== null && addMs(until, usageSpanMs) <= unit.now;
    const isCharged = overageMinor > 0n || missingMinor > 0n || coveredMinor > 0n;
    if (!isCharged && !isOver) continue;
    const changes = {
      openFor: isOver ? null : row.openFor,
      charges: isCharged ? [...row.charges, buildWindowCharge(billed, invoiceId)] : row.charges,
    };
    await unit.updateUntraced('commitmentWindows', { id: row.id }, changes);
  }
}

/** Ends the windows of a subscription that has ended. */
export async function endWindows(unit: UnitOfWork, subscriptionId: string, at: string): Promise<void> {
  for (const { id, endsAt } of await readOpenWindows(unit, [subscriptionId]))
    await unit.updateUntraced(
      'commitmentWindows',
      { id },
      { openFor: null, endsAt: endsAt < at ? endsAt : at },
    );
}

/** Reads the windows of a subscription that have begun by an instant, and end after another. */
export async function readWindowsOf(
  reads: Reads,
  subscriptionId: string,
  { from, until }: { from: string; until: string },
): Promise<CommitmentWindow[]> {
  const all = await reads.many('commitmentWindows', { where: { subscriptionId }, orderBy: ['id'] });
  return all.filter(({ startsAt, endsAt }) => startsAt < until && endsAt >= from);
}

/** Reads the windows that an invoice has charged. */
async function readBilledWindows(
  reads: Reads,
  { invoiceId, subscriptionId }: { invoiceId: string; subscriptionId: string },
): Promise<CommitmentWindow[]> {
  const all = await reads.many('commitmentWindows', { where: { subscriptionId }, orderBy: ['id'] });
  return all.filter(({ charges }) => charges.some((charge) => charge.invoiceId === invoiceId));
}

/** Lets what an invoice has charged for windows be billed again. */
export async function releaseWindows(
  unit: UnitOfWork,
  invoice: { invoiceId: string; subscriptionId: string },
  isOpen: boolean,
): Promise<void> {
  for (const row of await readBilledWindows(unit, invoice)) {
    const charges = row.charges.filter((charge) => charge.invoiceId !== invoice.invoiceId);
    const openFor = isOpen || row.openFor !== null ? row.subscriptionId : null;
    await unit.updateUntraced('commitmentWindows', { id: row.id }, { charges, openFor });
  }
}
