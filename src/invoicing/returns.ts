import type { Row } from '../storage/model/rowTypes.ts';
import type { Reads } from '../storage/store.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';

type Line = Row<'invoiceLines'>;
type Amounts = Pick<Line, 'kind' | 'amountMinor' | 'creditedMinor' | 'refundedMinor'>;

/** The kinds of lines that bill a period. All that is given back, by credit or refund, is given back of such a line. */
export const periodKinds = ['CYCLE', 'STUB', 'PRORATION_CHARGE'] as const;

/** Whether a line bills a period. */
export const isPeriodLine = ({ kind }: Pick<Line, 'kind'>): boolean =>
  (periodKinds as readonly string[]).includes(kind);

/** What credits and refunds have given back of a line, in minor units; including what is under way. */
export const sumGivenBack = ({ creditedMinor, refundedMinor }: Amounts): bigint =>
  (creditedMinor ?? 0n) + (refundedMinor ?? 0n);

const computeKept = (line: Amounts): bigint => line.amountMinor - sumGivenBack(line);

/** What an invoice takes from the customer's balance, in minor units. */
export const sumBalanceUsed = (lines: Pick<Line, 'kind' | 'amountMinor'>[]): bigint =>
  lines.reduce(
    (sum, { kind, amountMinor }) => (kind === 'BALANCE' && amountMinor < 0n ? sum - amountMinor : sum),
    0n,
  );

/** What paid an invoice, in minor units: money, and what it took from the customer's balance. 0 unless it is paid. */
export const computePaid = (
  { status, totalMinor }: Pick<Row<'invoices'>, 'status' | 'totalMinor'>,
  lines: Amounts[],
): bigint => (status === 'paid' ? totalMinor + sumBalanceUsed(lines) : 0n);

/**
 * What can still be refunded of an invoice, in minor units: what was paid for it less what was refunded, and never more
 * than credits have left of its lines.
 */
export function computeRefundable(
  invoice: Pick<Row<'invoices'>, 'status' | 'totalMinor' | 'refundedMinor'>,
  lines: Amounts[],
): bigint {
  const unrefundedMinor = computePaid(invoice, lines) - invoice.refundedMinor;
  const keptMinor = lines.filter(isPeriodLine).reduce((sum, line) => sum + computeKept(line), 0n);
  const leastMinor = unrefundedMinor < keptMinor ? unrefundedMinor : keptMinor;
  return leastMinor > 0n ? leastMinor : 0n;
}

/** Adds to what plan changes have credited of a line; a negative amount takes a credit back that came to nothing. */
export async function countCredit(unit: UnitOfWork, lineId: string, amountMinor: bigint): Promise<void> {
  const line = (await unit.one('invoiceLines', { id: lineId }))!;
  await unit.updateUntraced(
    'invoiceLines',
    { id: lineId },
    { creditedMinor: (line.creditedMinor ?? 0n) + amountMinor },
  );
}

/** Takes back the credit that a payment under way has reserved, as nobody will pay it any more. */
export async function releaseCredit(
  unit: UnitOfWork,
  { creditedLineId, creditedMinor }: Pick<Row<'intents'>, 'creditedLineId' | 'creditedMinor'>,
): Promise<void> {
  if (creditedLineId !== null && creditedMinor) await countCredit(unit, creditedLineId, -creditedMinor);
}

/** The columns of an intent that reserve nothing. */
export const nothingReserved = {
  balanceMinor: null,
  creditedLineId: null,
  creditedMinor: null,
  givenBackMinor: null,
};

/** Spreads a refund over the lines of its invoice, each up to what it has left; they must suffice. */
export async function countRefund(unit: UnitOfWork, lines: Line[], amountMinor: bigint): Promise<void> {
  let restMinor = amountMinor;
  for (const line of lines.filter(isPeriodLine)) {
    const partMinor = computeKept(line) < restMinor ? computeKept(line) : restMinor;
    if (partMinor > 0n) await setRefunded(unit, line, (line.refundedMinor ?? 0n) + partMinor);
    restMinor -= partMinor > 0n ? partMinor : 0n;
  }
  if (restMinor > 0n) throw new Error(`The lines of ${lines[0]?.invoiceId} do not cover ${amountMinor}.`);
}

/** Takes a refund that failed back from the lines of its invoice. */
export async function uncountRefund(unit: UnitOfWork, lines: Line[], amountMinor: bigint): Promise<void> {
  let restMinor = amountMinor;
  for (const line of lines.filter(isPeriodLine).toReversed()) {
    const refundedMinor = line.refundedMinor ?? 0n;
    const partMinor = refundedMinor < restMinor ? refundedMinor : restMinor;
    if (partMinor > 0n) await setRefunded(unit, line, refundedMinor - partMinor);
    restMinor -= partMinor;
  }
}

const setRefunded = (unit: UnitOfWork, { id }: Line, refundedMinor: bigint) =>
  unit.updateUntraced('invoiceLines', { id }, { refundedMinor });

/**
 * The line that billed the period which a subscription has paid last; undefined where that was paid in another system,
 * or nothing was.
 */
export async function findPaidLine(
  reads: Reads,
  { id, currentPeriodEnd }: Pick<Row<'subscriptions'>, 'id' | 'currentPeriodEnd'>,
): Promise<Line | undefined> {
  const [invoice] = await reads.many('invoices', {
    where: { subscriptionId: id, status: 'paid' },
    orderBy: ['createdAt', 'id'],
    direction: 'desc',
    limit: 1,
  });
  if (!invoice) return undefined;
  const lines = await reads.many('invoiceLines', { where: { invoiceId: invoice.id }, orderBy: ['id'] });
  return lines.find((line) => isPeriodLine(line) && line.periodEnd === currentPeriodEnd);
}
