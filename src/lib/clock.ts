/** The source of the current time; tests and the simulator provide their own. */
export interface Clock {
  nowMs(): number;
}

/** The system clock; only this line reads it. */
export const systemClock: Clock = { nowMs: () => Date.now() };
