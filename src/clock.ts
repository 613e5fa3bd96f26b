/** Where the time comes from; the tests and the simulator bring their own. */
export interface Clock {
  nowMs(): number;
}

/** The machine's own clock; the only place that reads it. */
export const systemClock: Clock = { nowMs: () => Date.now() };

/** Milliseconds since 1970 as the text that instants have everywhere (`2026-01-31T00:00:00.000Z`). */
export function toInstant(ms: number): string {
  return new Date(ms).toISOString();
}

/** The instant that is `durationMs` after another. */
export function later(instant: string, durationMs: number): string {
  return toInstant(Date.parse(instant) + durationMs);
}
