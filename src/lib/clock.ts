/** Where the time comes from; the tests and the simulator bring their own. */
export interface Clock {
  nowMs(): number;
}

/** The machine's own clock; the only place that reads it. */
export const systemClock: Clock = { nowMs: () => Date.now() };
