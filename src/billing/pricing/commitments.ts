/**
 * What a commitment adds to the usage of its window: what is missing at its end, and what units above it cost more. Pure functions
 * of what the usage of the window costs.
 */
import { multiplyDecimals, readDecimal } from '../../lib/decimal.ts';
import { atLeastZero, divideRoundHalfUp, leastOf } from '../../lib/money.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Line } from './invoiceLines.ts';
import type { CommitmentExplanation } from './usagePrice.ts';
import { computeFirstPeriod, type Interval, type Period } from './schedule.ts';

/** A window of a commitment, with the terms that were agreed to. */
export type CommitmentWindow = Row<'commitmentWindows'>;

/** What a bill charges for a window. */
interface ChargedWindow {
  lines: Line[];
  overageMinor: bigint;
  missingMinor: bigint;
  /** The part of the usage of this bill that was paid as missing before. */
  coveredMinor: bigint;
}

/** Returns the window that begins at an instant: its end, and the whole time of which it may be a part. */
export function planWindow(
  start: string,
  anchor: string,
  interval: Interval,
  periods: number,
  timeZone: string,
): Pick<CommitmentWindow, 'endsAt' | 'wholeStart' | 'wholeEnd'> {
  const first = computeFirstPeriod(start, anchor, interval, timeZone);
  let endsAt = first.periodEnd;
  for (let count = 1; count < periods; count++)
    endsAt = computeFirstPeriod(endsAt, anchor, interval, timeZone).periodEnd;
  return { endsAt, wholeStart: first.fullStart, wholeEnd: endsAt };
}

/**
 * Returns what a bill charges for a window whose usage costs `usedMinor`, of which `newMinor` is charged by this bill. `until` is
 * the end of the time that is billed; what is missing is charged when the window is over, shared by time if it ends early.
 */
export function chargeWindow(
  window: CommitmentWindow,
  {
    usedMinor,
    newMinor,
    until,
    isFinal,
  }: { usedMinor: bigint; newMinor: bigint; until: string; isFinal: boolean },
): ChargedWindow {
  const { commitment, charges, startsAt } = window;
  const endsAt = isFinal && until < window.endsAt ? until : window.endsAt;
  const committedMinor = shareAmount(window, endsAt);
  const sum = (read: (charge: (typeof charges)[number]) => string) =>
    charges.reduce((total, charge) => total + BigInt(read(charge)), 0n);
  const [billedOverage, billedMissing] = [
    sum((charge) => charge.overageMinor),
    sum((charge) => charge.missingMinor) - sum((charge) => charge.coveredMinor),
  ];
  const overageMinor = atLeastZero(
    computeOverage(usedMinor - committedMinor, commitment.overageFactor) - billedOverage,
  );
  const isOver = until >= endsAt;
  const dueMissing = commitment.trueUp && isOver ? atLeastZero(committedMinor - usedMinor) : 0n;
  const missingMinor = atLeastZero(dueMissing - billedMissing);
  // Late usage of a window that was paid up to its commitment is paid already.
  const surplus = isOver ? atLeastZero(billedMissing - dueMissing) : 0n;
  const figures = {
    commitmentWindowId: window.id,
    committedMinor: String(committedMinor),
    usedMinor: String(usedMinor),
  };
  const build = (
    part: CommitmentExplanation['part'],
    amountMinor: bigint,
    billedMinor: bigint,
    more: object = {},
  ): Line[] =>
    amountMinor === 0n
      ? []
      : [
          buildLine(window, { start: startsAt, end: endsAt }, amountMinor, {
            part,
            ...figures,
            ...more,
            ...(billedMinor > 0n && { billedMinor: String(billedMinor) }),
          }),
        ];
  return {
    lines: [
      ...build('overage', overageMinor, billedOverage, { overageFactor: commitment.overageFactor }),
      ...build('commitment', missingMinor, billedMissing),
    ],
    overageMinor,
    missingMinor,
    coveredMinor: leastOf(surplus, newMinor),
  };
}

/** Shares the committed amount by time, if the window is shorter than its periods. */
function shareAmount(
  { commitment, startsAt, wholeStart, wholeEnd }: CommitmentWindow,
  endsAt: string,
): bigint {
  const partMs = BigInt(Date.parse(endsAt) - Date.parse(startsAt));
  const wholeMs = BigInt(Date.parse(wholeEnd) - Date.parse(wholeStart));
  const amountMinor = BigInt(commitment.amountMinor);
  return partMs >= wholeMs ? amountMinor : divideRoundHalfUp(amountMinor * partMs, wholeMs);
}

/** Returns what usage above a commitment costs more, rounded half up. */
function computeOverage(aboveMinor: bigint, overageFactor: string): bigint {
  if (aboveMinor <= 0n) return 0n;
  const { digits, scale } = multiplyDecimals({ digits: aboveMinor, scale: 0 }, readDecimal(overageFactor));
  return divideRoundHalfUp(digits, 10n ** BigInt(scale)) - aboveMinor;
}

const partNames = { commitment: 'commitment', overage: 'above the commitment' };

const buildLine = (
  { productId, productName, currency, taxBehavior }: CommitmentWindow,
  { start, end }: Period,
  amountMinor: bigint,
  explanation: CommitmentExplanation,
): Line => ({
  kind: 'USAGE',
  description: `${productName}, ${partNames[explanation.part]}`,
  amountMinor,
  currency,
  periodStart: start,
  periodEnd: end,
  explanation,
  productId,
  productName,
  ...(taxBehavior === 'inclusive' && { taxBehavior }),
});
