/** Divides the events of requests into pieces that are recorded at once. */
import { divideIntoChunks } from '../../lib/chunks.ts';
import { groupBy } from '../../lib/groupBy.ts';
import {
  runJoined,
  runRecording,
  type RecordingParts,
  type UsageRecorder,
} from '../../tenancy/usageRecorder.ts';
import type { Origin } from './buckets.ts';
import type { GivenEvent } from './usageEvent.ts';

/**
 * How many events are recorded at once. On SQLite a piece is one turn of the event loop: the pieces share a commit, and other requests
 * are answered between them. On PostgreSQL pieces of 500 were half as fast as those of 100 (4,200 and 11,500 events a second).
 */
const mostAtOnce = 100;

/** How the events of a request are recorded. */
interface Recording<Result> {
  given: readonly GivenEvent[];
  origin: Origin;
  /** Records the events of several requests; returns the result of each. */
  record: (
    recorder: UsageRecorder,
    requests: readonly (readonly GivenEvent[])[],
    origin: Origin,
  ) => Promise<Result[]>;
}

/** Records the events of a request in pieces, small ones together with other requests. Returns the results of the pieces. */
export function recordPieces<Result>(
  parts: RecordingParts,
  alias: string,
  { given, origin, record }: Recording<Result>,
): Promise<Result[]> {
  // The first of two events with the same id counts: its piece must be the first, and joins no other.
  if (new Set(given.map(({ eventId }) => eventId)).size < given.length)
    return Promise.all(
      divideIntoChunks(given, mostAtOnce).map((piece) =>
        runRecording(parts, alias, async (recorder) => (await record(recorder, [piece], origin))[0]!),
      ),
    );
  // The events of a customer stay together, because each piece changes the buckets of its customers.
  const byCustomer = groupBy(given, ({ customerId, associatedId }) => customerId ?? `${associatedId}`);
  return Promise.all(
    divideIntoChunks([...byCustomer.values()].flat(), mostAtOnce).map((input) =>
      runJoined(parts, alias, {
        kind: origin,
        input,
        events: input.length,
        most: mostAtOnce,
        record: (recorder, inputs) => record(recorder, inputs, origin),
      }),
    ),
  );
}
