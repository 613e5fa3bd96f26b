import { BillingError } from '../../lib/errors.ts';
import { toInstant } from '../../lib/time.ts';

/** An object of Stripe's API. */
export type Json = Record<string, any>;

/** The forms of a file, for errors about its form. */
export const expectedForm =
  "Expected a CSV file of Stripe's dashboard, or JSON of its API: a list, an array, or one object per line.";

const mostShown = 60;
const longestId = 255;
/** The length of codes: statuses, intervals, modes. */
export const longestCode = 40;

/** Shortens text from a file for an error message. */
export const shorten = (text: string): string =>
  text.length > mostShown ? `${text.slice(0, mostShown)}…` : text;

/** Formats a value from a file for an error message. */
export const describeValue = (value: unknown): string => shorten(JSON.stringify(value) ?? 'nothing');

/** Whether a value is a JSON object, and neither a list nor null. */
export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isNumeric = (value: unknown) =>
  typeof value === 'number' || (typeof value === 'string' && /^-?\d+$/.test(value));

/** Reads a whole number of Stripe's API: an amount in the smallest unit, a quantity. Throws an Error for other values. */
export function parseWhole(value: unknown, field: string): number {
  const number = isNumeric(value) ? Number(value) : Number.NaN;
  if (Number.isSafeInteger(number)) return number;
  throw new Error(`${field} must be a whole number, not ${describeValue(value)}`);
}

// The end of the year 9999.
const lastSecond = 253_402_300_799;

/** Reads a time in seconds since 1970. Throws an Error for other values. */
export function parseTimestamp(value: unknown, field: string): string {
  const seconds = isNumeric(value) ? Number(value) : Number.NaN;
  if (seconds >= 0 && seconds <= lastSecond) return toInstant(seconds * 1000);
  throw new Error(`${field} must be a time in seconds since 1970, not ${describeValue(value)}`);
}

/** Reads text; empty if the field is null or missing. Throws an Error for other values, and for longer text. */
export function parseText(value: unknown, field: string, longest = Number.POSITIVE_INFINITY): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') throw new Error(`${field} must be text, not ${describeValue(value)}`);
  if (value.length > longest) throw new Error(`${field} must be at most ${longest} characters`);
  return value;
}

/** Reads a reference, an id or an expanded object; null if the field is null or missing. Throws an Error for other values. */
export function parseReference(value: unknown, field: string): string | null {
  return parseText(isObject(value) ? value['id'] : value, field, longestId) || null;
}

/** Reads an object; empty if the field is null or missing. Throws an Error for other values. */
export function parseObject(value: unknown, field: string): Json {
  if (value === null || value === undefined) return {};
  if (isObject(value)) return value;
  throw new Error(`${field} must be an object, not ${describeValue(value)}`);
}

/** Reads a list of objects; empty if the field is null or missing. Throws an Error for other values. */
export function parseList(value: unknown, field: string): Json[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw new Error(`${field} must be a list, not ${describeValue(value)}`);
  for (const [index, each] of value.entries()) {
    if (!isObject(each)) throw new Error(`${field}.${index} must be an object, not ${describeValue(each)}`);
  }
  return value;
}

/** Reads a record of a file. Throws an Error that names the record if it has no valid id or a field cannot be read. */
export function readRecord<Result>(kind: string, id: unknown, read: () => Result): Result {
  if (typeof id !== 'string' || id === '') throw new Error(`A ${kind} has no id.`);
  if (id.length > longestId || /\p{Cc}/u.test(id))
    throw new Error(
      `The id ${describeValue(id)} of a ${kind} must have at most ${longestId} characters, and no control characters.`,
    );
  try {
    return read();
  } catch (error) {
    throw new Error(`The ${kind} ${id} cannot be read: ${describeProblem(error)}.`, { cause: error });
  }
}

const describeProblem = (error: unknown) =>
  error instanceof BillingError
    ? error.issues.map(({ path, message }) => `${path} ${message}`).join('; ')
    : (error as Error).message;
