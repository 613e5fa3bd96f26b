/** What a meter counts of the events in a span of time: pure arithmetic with exact decimals. */
import {
  addDecimals,
  compareDecimals,
  formatDecimal,
  multiplyDecimals,
  readSum,
  wholeDecimal,
  type ExactDecimal,
} from '../../lib/decimal.ts';
import { divideRoundHalfUp } from '../../lib/money.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Aggregation } from '../../storage/model/usage.ts';

/** A value at a time; of two at the same time the event that was received later counts. */
interface Dated {
  at: string;
  id: string;
  value: ExactDecimal;
}

/** What a meter has counted. Tallies of two spans are merged to that of both. */
export interface Tally {
  events: number;
  sum: ExactDecimal;
  /** The sum of each value times its time in milliseconds since 1970. */
  moment: ExactDecimal;
  highest?: ExactDecimal;
  lowest?: ExactDecimal;
  latest?: Dated;
  values: Set<string>;
}

/** An event as a meter sees it: its time, and the value of the meter's property. */
export interface Counted {
  id: string;
  at: string;
  /** Absent for `count` and `unique`. */
  value?: ExactDecimal;
  /** The text of the property, for `unique`. */
  text?: string;
}

const zero = wholeDecimal(0);

/** Returns a tally of nothing. */
export const emptyTally = (): Tally => ({ events: 0, sum: zero, moment: zero, values: new Set() });

/** Adds an event to the tally of a meter: only what its aggregation needs. */
export function countEvent(aggregation: Aggregation, tally: Tally, { id, at, value, text }: Counted): void {
  tally.events += 1;
  if (text !== undefined) tally.values.add(text);
  if (value === undefined) return;
  if (aggregation === 'max') tally.highest = pickHigher(tally.highest, value);
  else if (aggregation === 'min') tally.lowest = pickLower(tally.lowest, value);
  else if (aggregation === 'latest') tally.latest = pickLater(tally.latest, { at, id, value });
  else tally.sum = addDecimals(tally.sum, value);
  if (aggregation !== 'weighted_sum') return;
  tally.moment = addDecimals(tally.moment, multiplyDecimals(value, wholeDecimal(Date.parse(at))));
}

/** Whether what a meter counts is a sum, so that a total follows from another and an event. */
export const isSummable = ({ aggregation }: Pick<Row<'meters'>, 'aggregation'>): boolean =>
  aggregation === 'sum' || aggregation === 'count';

/** Adds what was counted in another span to a tally. */
export function mergeTally(tally: Tally, other: Tally): void {
  tally.events += other.events;
  tally.sum = addDecimals(tally.sum, other.sum);
  tally.moment = addDecimals(tally.moment, other.moment);
  if (other.highest) tally.highest = pickHigher(tally.highest, other.highest);
  if (other.lowest) tally.lowest = pickLower(tally.lowest, other.lowest);
  if (other.latest) tally.latest = pickLater(tally.latest, other.latest);
  for (const value of other.values) tally.values.add(value);
}

const pickHigher = (known: ExactDecimal | undefined, value: ExactDecimal): ExactDecimal =>
  known && compareDecimals(known, value) >= 0 ? known : value;

const pickLower = (known: ExactDecimal | undefined, value: ExactDecimal): ExactDecimal =>
  known && compareDecimals(known, value) <= 0 ? known : value;

const isLater = (dated: Dated, other: Dated): boolean =>
  dated.at === other.at ? dated.id > other.id : dated.at > other.at;

const pickLater = (known: Dated | undefined, dated: Dated): Dated =>
  known && isLater(known, dated) ? known : dated;

/** A span of time; `until` is exclusive. Milliseconds since 1970. */
export interface Span {
  fromMs: number;
  untilMs: number;
}

/**
 * Returns the result of a meter in a span: a decimal with at most 12 places. `tally` has what was counted in it. A meter that
 * is persistent goes on with what was `before`. Without events, the highest, lowest and latest are 0.
 */
export function computeUsage(
  { aggregation, unitMultiplier }: Pick<Row<'meters'>, 'aggregation' | 'unitMultiplier'>,
  tally: Tally,
  { fromMs, untilMs }: Span,
  before?: Tally,
): ExactDecimal {
  const units = readSum(unitMultiplier);
  const multiply = (value: ExactDecimal) => multiplyDecimals(value, units);
  if (aggregation === 'weighted_sum') {
    const level = before?.sum ?? zero;
    const lengthMs = untilMs - fromMs;
    // The area under the level: each change counts from its time until the end.
    const area = addDecimals(
      multiplyDecimals(level, wholeDecimal(lengthMs)),
      addDecimals(multiplyDecimals(tally.sum, wholeDecimal(untilMs)), negate(tally.moment)),
    );
    return divide(multiply(area), BigInt(lengthMs));
  }
  const whole = emptyTally();
  if (before) mergeTally(whole, before);
  mergeTally(whole, tally);
  return divide(multiply(aggregates[aggregation](whole)), 1n);
}

const resultPlaces = 12;

/** Divides with at most 12 places, half away from zero. */
const divide = ({ digits, scale }: ExactDecimal, divisor: bigint): ExactDecimal => ({
  digits: divideRoundHalfUp(digits * 10n ** BigInt(resultPlaces), divisor * 10n ** BigInt(scale)),
  scale: resultPlaces,
});

/** The results that do not depend on the length of the span. */
const aggregates: Record<Exclude<Aggregation, 'weighted_sum'>, (tally: Tally) => ExactDecimal> = {
  count: ({ events }) => wholeDecimal(events),
  sum: ({ sum }) => sum,
  max: ({ highest }) => highest ?? zero,
  min: ({ lowest }) => lowest ?? zero,
  latest: ({ latest }) => latest?.value ?? zero,
  unique: ({ values }) => wholeDecimal(values.size),
};

const negate = ({ digits, scale }: ExactDecimal): ExactDecimal => ({ digits: -digits, scale });

/** Returns the sum of each value times its time, for times that are that much later. */
const moveMoment = ({ sum }: Pick<Tally, 'sum'>, moment: ExactDecimal, byMs: number): ExactDecimal =>
  addDecimals(moment, multiplyDecimals(sum, wholeDecimal(byMs)));

type Bucket = Row<'usageBuckets'>;

/** The columns of a bucket that hold a tally. */
type TallyColumns = Pick<
  Bucket,
  'events' | 'sum' | 'moment' | 'highest' | 'lowest' | 'latest' | 'latestAt' | 'latestId'
>;

/** Returns the columns of a bucket: those that the aggregation needs, the others are null. */
export function writeTally(aggregation: Aggregation, startsAt: string, tally: Tally): TallyColumns {
  const isWeighted = aggregation === 'weighted_sum';
  const { highest, lowest, latest } = tally;
  const isLatest = aggregation === 'latest' && latest !== undefined;
  return {
    events: tally.events,
    sum: isWeighted || aggregation === 'sum' ? formatDecimal(tally.sum) : null,
    moment: isWeighted ? formatDecimal(moveMoment(tally, tally.moment, -Date.parse(startsAt))) : null,
    highest: aggregation === 'max' && highest ? formatDecimal(highest) : null,
    lowest: aggregation === 'min' && lowest ? formatDecimal(lowest) : null,
    latest: isLatest ? formatDecimal(latest.value) : null,
    latestAt: isLatest ? latest.at : null,
    latestId: isLatest ? latest.id : null,
  };
}

/** Returns the tally of a bucket; `values` are those of a `unique` meter. */
export function readTally(
  { startsAt, events, sum, moment, highest, lowest, latest, latestAt, latestId }: Bucket,
  values: Iterable<string> = [],
): Tally {
  const total = sum === null ? zero : readSum(sum);
  return {
    events,
    sum: total,
    moment: moment === null ? zero : moveMoment({ sum: total }, readSum(moment), Date.parse(startsAt)),
    ...(highest !== null && { highest: readSum(highest) }),
    ...(lowest !== null && { lowest: readSum(lowest) }),
    ...(latest !== null && { latest: { at: latestAt!, id: latestId!, value: readSum(latest) } }),
    values: new Set(values),
  };
}
