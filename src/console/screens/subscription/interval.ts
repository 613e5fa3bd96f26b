import type { Format } from '../../texts/format.ts';
import type { IntervalLike } from '../../texts/prices.ts';
import type { texts } from './texts.ts';

/** Writes a billing interval: "every month", "every 3 months". */
export function writeInterval(
  { frequency, period }: IntervalLike,
  t: (typeof texts)['en'],
  format: Format,
): string {
  return period === 1 ? t[`once${frequency}`] : t[`every${frequency}`](format.number(period));
}
