import { channel } from 'node:diagnostics_channel';

/** What became of the events of one request, and by how much the oldest of the accepted ones was late. */
export interface RecordedBatch {
  accepted: number;
  duplicates: number;
  conflicts: number;
  refused: number;
  /** From the `at` of the oldest accepted event to its receipt; undefined if none was accepted. */
  lagSeconds: number | undefined;
}

/** The diagnostics channel of usage; without subscribers it costs nothing. */
export const recordedUsage = channel('perennial.usage');

/** Publishes what became of the events of a request. */
export function publishUsage(batch: RecordedBatch): void {
  if (recordedUsage.hasSubscribers) recordedUsage.publish(batch);
}
