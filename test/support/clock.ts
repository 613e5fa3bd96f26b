import type { Clock } from '../../src/lib/clock.ts';

export interface TestClock extends Clock {
  /** The clock's now as an instant. */
  now(): string;
  /** Advances the clock. Returns its new time. */
  advance(ms: number): string;
}

export const secondMs = 1000;
export const dayMs = 24 * 60 * 60 * secondMs;

/** A clock that moves only by `advance`. */
export function stoppedClock(at: string): TestClock {
  let nowMs = Date.parse(at);
  const now = () => new Date(nowMs).toISOString();
  return {
    nowMs: () => nowMs,
    now,
    advance: (ms) => {
      nowMs += ms;
      return now();
    },
  };
}
