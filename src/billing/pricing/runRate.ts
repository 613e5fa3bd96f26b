/** What a meter is expected to count, if usage goes on at its rate so far. */
import type { ExactDecimal } from '../../lib/decimal.ts';
import { dayMs } from '../../lib/durations.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { CountedUsage } from './usagePrice.ts';

const decimalPlaces = 12;
/** The most values of events that are repeated. */
const mostRepeated = 10_000;

/** Whether what a meter counts grows with time. Others, such as the highest value, are expected to stay. */
export const growsWithTime = ({ aggregation, persistent }: Row<'meters'>): boolean =>
  !persistent && (aggregation === 'count' || aggregation === 'sum');

/**
 * Scales what was counted in `countedMs` to another length of time, rounded half up. What came within less than a day counts as that
 * of a day: the first event of a period says nothing of those that follow.
 */
export function scaleCount(counted: CountedUsage, lengthMs: number, countedMs: number): CountedUsage {
  const elapsedMs = Math.max(countedMs, Math.min(dayMs, lengthMs));
  const scale = ({ digits, scale: decimals }: ExactDecimal): ExactDecimal => {
    const places = Math.max(decimals, decimalPlaces);
    return {
      digits: scaleHalfUp(digits * 10n ** BigInt(places - decimals), lengthMs, elapsedMs),
      scale: places,
    };
  };
  return {
    quantity: scale(counted.quantity),
    events: Number(scaleHalfUp(BigInt(counted.events), lengthMs, elapsedMs)),
    groups: counted.groups.map(({ properties, quantity }) => ({ properties, quantity: scale(quantity) })),
    ...(counted.values && { values: repeatValues(counted.values, lengthMs / elapsedMs) }),
  };
}

function scaleHalfUp(digits: bigint, lengthMs: number, elapsedMs: number): bigint {
  const [product, by] = [digits * BigInt(lengthMs), BigInt(elapsedMs)];
  return (2n * product + (product < 0n ? -by : by)) / (2n * by);
}

/** Repeats the values of events in their order, as often as events are expected. */
function repeatValues(values: readonly ExactDecimal[], times: number): ExactDecimal[] {
  const wanted = Math.min(Math.round(values.length * times), mostRepeated);
  return Array.from({ length: wanted }, (_, index) => values[index % values.length]!);
}
