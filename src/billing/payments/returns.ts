import type { ReservedCredit } from '../../storage/model/subscriptions.ts';
import { atLeastZero, leastOf, toMajor } from '../../lib/money.ts';
import { computeGross } from '../pricing/tax.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';

type Line = Row<'invoiceLines'>;
type Amounts = Pick<Line, 'kind' | 'amountMinor' | 'creditedMinor' | 'refundedMinor' | 'tax'>;

/** The kinds of lines that bill a period. */
export const periodKinds = ['CYCLE', 'STUB', 'PRORATION_CHARGE'] as const;

/** The kinds of lines that charge something. Credits and refunds are always counted on lines of these kinds. */
const chargeKinds = [...periodKinds, 'SETUP_FEE', 'ITEM', 'USAGE'] as const;

/** Whether a line bills a period. */
export const isPeriodLine = ({ kind }: Pick<Line, 'kind'>): boolean =>
  (periodKinds as readonly string[]).includes(kind);

/** Whether a line charges an amount, so that it can be credited and refunded. */
export const isChargeLine = ({ kind }: Pick<Line, 'kind'>): boolean =>
  (chargeKinds as readonly string[]).includes(kind);

/** Sums the credits and refunds counted on a line with their tax, in minor units, including pending ones. */
export const sumGivenBack = ({ creditedMinor, refundedMinor }: Amounts): bigint =>
  (creditedMinor ?? 0n) + (refundedMinor ?? 0n);

/** Returns the part of a line and its tax that was not given back, in minor units. */
const computeKept = (line: Amounts): bigint => computeGross(line) - sumGivenBack(line);

/** Sums what the lines of an invoice charge with their tax and have not given back, in minor units. */
export const sumKept = (lines: Amounts[]): bigint =>
  lines.filter(isChargeLine).reduce((sum, line) => sum + computeKept(line), 0n);

/** Sums the amount that an invoice uses from the customer's balance, in minor units. */
export const sumBalanceUsed = (lines: Pick<Line, 'kind' | 'amountMinor'>[]): bigint =>
  lines.reduce(
    (sum, { kind, amountMinor }) => (kind === 'BALANCE' && amountMinor < 0n ? sum - amountMinor : sum),
    0n,
  );

/** Sums what credits for unused time pay of an invoice, with their tax, in minor units. */
export const sumCreditsForTime = (lines: Amounts[]): bigint =>
  lines.reduce((sum, line) => (line.kind === 'PRORATION_CREDIT' ? sum - computeGross(line) : sum), 0n);

/** Returns what an invoice asks for in money: its total less what was credited before it was paid, in minor units. */
export const computeOwed = ({
  totalMinor,
  unchargedMinor,
}: Pick<Row<'invoices'>, 'totalMinor' | 'unchargedMinor'>): bigint => totalMinor - (unchargedMinor ?? 0n);

/** Returns the part of a credit note (minor units) that reduces what its invoice asks for; 0 if it is not open. */
export function computeReduction(
  invoice: Pick<Row<'invoices'>, 'status' | 'totalMinor' | 'unchargedMinor'>,
  creditedMinor: bigint,
): bigint {
  const owedMinor = invoice.status === 'open' ? computeOwed(invoice) : 0n;
  return creditedMinor < owedMinor ? creditedMinor : owedMinor;
}

/**
 * Returns the amount paid for an invoice in money and from the balance, in minor units; 0 unless the invoice is paid.
 */
export const computePaid = (
  invoice: Pick<Row<'invoices'>, 'status' | 'totalMinor' | 'unchargedMinor'>,
  lines: Amounts[],
): bigint => (invoice.status === 'paid' ? computeOwed(invoice) + sumBalanceUsed(lines) : 0n);

/**
 * Returns the amount of an invoice that can still be refunded, in minor units: the amount paid less refunds and
 * what the provider took back, at most the part of its lines that is not credited.
 */
export function computeRefundable(
  invoice: Pick<
    Row<'invoices'>,
    'status' | 'totalMinor' | 'unchargedMinor' | 'refundedMinor' | 'withdrawnMinor'
  >,
  lines: Amounts[],
): bigint {
  const unrefundedMinor =
    computePaid(invoice, lines) - invoice.refundedMinor - (invoice.withdrawnMinor ?? 0n);
  return atLeastZero(leastOf(unrefundedMinor, sumKept(lines)));
}

/**
 * Adds a credit from a plan change to the counter of a line (minor units, with tax), and records what its invoice has left to
 * refund if that has changed. A negative amount reverts a reserved credit.
 */
export async function countCredit(
  unit: UnitOfWork,
  lineId: string,
  amountMinor: bigint,
  causedBy: string,
): Promise<void> {
  if (amountMinor === 0n) return;
  const line = (await unit.one('invoiceLines', { id: lineId }))!;
  const counted = { creditedMinor: (line.creditedMinor ?? 0n) + amountMinor };
  await unit.updateUntraced('invoiceLines', { id: lineId }, counted);
  const invoice = (await unit.one('invoices', { id: line.invoiceId }))!;
  if (invoice.status !== 'paid') return;
  const { currency } = invoice;
  const after = await unit.many('invoiceLines', { where: { invoiceId: invoice.id }, orderBy: ['id'] });
  const before = after.map((each) => (each.id === lineId ? line : each));
  const refundableMinor = computeRefundable(invoice, after);
  if (refundableMinor === computeRefundable(invoice, before)) return;
  const details = { amount: toMajor(refundableMinor, currency), currency };
  await unit.recordEvent('invoices', invoice, 'refundable_changed', details, causedBy);
}

/** The columns of an intent that hold the credits its payment reserves. */
type ReservedCredits = Pick<
  Row<'intents'>,
  'creditedLineId' | 'creditedMinor' | 'givenBackMinor' | 'credits'
>;

/** Lists the credits that a payment has reserved. */
export function listReservedCredits(intent: ReservedCredits): ReservedCredit[] {
  const { creditedLineId: lineId, creditedMinor, givenBackMinor, credits } = intent;
  if (lineId === null) return [];
  const first = {
    lineId,
    creditedMinor: String(creditedMinor ?? 0n),
    givenBackMinor: String(givenBackMinor ?? 0n),
  };
  return [first, ...(credits ?? []).filter((each) => 'lineId' in each)];
}

/** Releases the credits that the abandoned payment of an intent had reserved. */
export async function releaseCredit(
  unit: UnitOfWork,
  intent: ReservedCredits & Pick<Row<'intents'>, 'id'>,
): Promise<void> {
  for (const { lineId, creditedMinor } of listReservedCredits(intent))
    await countCredit(unit, lineId, -BigInt(creditedMinor), intent.id);
}

/** The columns of an intent without reservations. */
export const nothingReserved = {
  balanceMinor: null,
  creditedLineId: null,
  creditedMinor: null,
  givenBackMinor: null,
  discounts: null,
  credits: null,
  tax: null,
};

/** Removes a failed refund from the counters of the invoice lines. */
export async function uncountRefund(unit: UnitOfWork, lines: Line[], amountMinor: bigint): Promise<void> {
  let restMinor = amountMinor;
  for (const line of lines.filter(isChargeLine).toReversed()) {
    const refundedMinor = line.refundedMinor ?? 0n;
    const partMinor = refundedMinor < restMinor ? refundedMinor : restMinor;
    if (partMinor > 0n) await setRefunded(unit, line, refundedMinor - partMinor);
    restMinor -= partMinor;
  }
}

const setRefunded = (unit: UnitOfWork, { id }: Line, refundedMinor: bigint) =>
  unit.updateUntraced('invoiceLines', { id }, { refundedMinor });
