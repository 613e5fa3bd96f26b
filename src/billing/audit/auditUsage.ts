/** Whether what the meters have counted is what the events say. */
import { formatDecimal } from '../../lib/decimal.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { nameBucket, tallyEvents } from '../usage/buckets.ts';
import type { MeterRow } from '../usage/counting.ts';
import { computeUsage, mergeTally, readTally, type Tally } from '../usage/tally.ts';
import { quarterMs } from '../usage/quarters.ts';

type Report = (fault: { subject: string; found: string }) => void;
type Bucket = Row<'usageBuckets'>;

/**
 * Counts the events of a tenant again. Give it all events in pages, then the buckets and values. What was counted before `since` is not
 * compared: its events may be gone.
 */
export function createUsageAudit(meters: readonly MeterRow[], since = '') {
  const expected = new Map<string, { place: string; meter: MeterRow; startsAt: string; tally: Tally }>();
  return {
    addEvents: (events: readonly Row<'usageEvents'>[]): void => {
      for (const [key, { meter, customerId, startsAt, tally }] of tallyEvents(meters, events)) {
        const known = expected.get(key);
        if (known) mergeTally(known.tally, tally);
        else expected.set(key, { place: `${meter.id} of ${customerId}`, meter, startsAt, tally });
      }
    },
    /** Compares the buckets with the events; `valuesOf` are the distinct values of a bucket. */
    compare: (
      buckets: Iterable<Bucket>,
      valuesOf: (bucket: Bucket) => Iterable<string>,
      report: Report,
    ): void => {
      for (const bucket of buckets) {
        const { meterId, customerId, startsAt } = bucket;
        if (startsAt < since) continue;
        const key = nameBucket(bucket);
        const right = expected.get(key);
        expected.delete(key);
        const subject = meterId;
        if (!right) {
          report({
            subject,
            found: `counted ${bucket.events} events of ${customerId} at ${startsAt}, but there are none`,
          });
          continue;
        }
        const [counted, wanted] = [
          describe(right.meter, startsAt, readTally(bucket, valuesOf(bucket))),
          describe(right.meter, startsAt, right.tally),
        ];
        if (counted !== wanted)
          report({
            subject,
            found: `counted ${counted} of ${customerId} at ${startsAt}, but its events are ${wanted}`,
          });
      }
      for (const { place, startsAt, meter, tally } of expected.values())
        if (startsAt >= since)
          report({
            subject: meter.id,
            found: `did not count ${tally.events} events at ${startsAt}: ${place}`,
          });
    },
  };
}

function describe(meter: MeterRow, startsAt: string, tally: Tally): string {
  const fromMs = Date.parse(startsAt);
  const value = computeUsage(meter, tally, { fromMs, untilMs: fromMs + quarterMs });
  return `${formatDecimal(value)} (${tally.events} events)`;
}
