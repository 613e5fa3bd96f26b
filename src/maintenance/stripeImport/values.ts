import { toInstant } from '../../lib/time.ts';

const describeValue = (value: unknown) => JSON.stringify(value) ?? 'nothing';

/** Reads a whole number of Stripe's API: an amount in the smallest unit, a quantity. Throws an Error for other values. */
export function parseWhole(value: unknown, field: string): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new Error(`${field} must be a whole number, not ${describeValue(value)}`);
}

// The end of the year 9999.
const lastSecond = 253_402_300_799;

/** Reads a time in seconds since 1970. Throws an Error for other values. */
export function parseTimestamp(value: unknown, field: string): string {
  const seconds = Number(value);
  if (seconds >= 0 && seconds <= lastSecond) return toInstant(seconds * 1000);
  throw new Error(`${field} must be a time in seconds since 1970, not ${describeValue(value)}`);
}
