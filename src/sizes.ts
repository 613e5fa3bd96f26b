import { refuse } from './errors.ts';

/**
 * What a budget of bytes has left when a value is written as JSON; negative where it is not enough. It stops there, so
 * that a value that repeats a part without end costs no more than the budget. Escapes are not counted.
 */
export function leftAfter(value: unknown, left: number): number {
  if (typeof value === 'string') return left - 2 - bytesOf(value);
  if (typeof value !== 'object' || value === null) return left - 5;
  let rest = left - 2;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && rest >= 0; index++) rest = leftAfter(value[index], rest - 1);
    return rest;
  }
  for (const key in value) {
    rest = leftAfter((value as Record<string, unknown>)[key], rest - key.length - 4);
    if (rest < 0) break;
  }
  return rest;
}

const shortText = 100;

const bytesOf = (text: string) => (text.length > shortText ? Buffer.byteLength(text) : text.length);

/** The value as JSON. Error: `result_too_large` for more than `mostBytes`, mostly before it is written. */
export function writeJson(value: unknown, mostBytes: number): string {
  if (leftAfter(value, mostBytes) < 0) refuse('result_too_large');
  return refuseLongText(JSON.stringify(value), mostBytes);
}

/** The text, if it has no more bytes. Error: `result_too_large`. */
export function refuseLongText(text: string, mostBytes: number): string {
  // A character has up to three bytes.
  if (text.length * 3 > mostBytes && Buffer.byteLength(text) > mostBytes) refuse('result_too_large');
  return text;
}

const largeBytes = 1024;

/** Bounds how much of large values is read for one request, whatever becomes of them. */
export class ReadBudget {
  constructor(private leftBytes: number) {}

  /** Takes note of rows that were read. Error: `result_too_large`. */
  spend(rows: readonly object[]): void {
    for (const row of rows) {
      for (const key in row) {
        const value = (row as Record<string, unknown>)[key];
        if (typeof value === 'string') {
          if (value.length > largeBytes) this.take(value.length);
        } else if (typeof value === 'object' && value !== null) {
          const left = leftAfter(value, this.leftBytes);
          if (this.leftBytes - left > largeBytes) this.take(this.leftBytes - left);
        }
      }
    }
  }

  /** To be called before more is read. Error: `result_too_large`. */
  refuseSpent(): void {
    if (this.leftBytes < 0) refuse('result_too_large');
  }

  private take(bytes: number) {
    this.leftBytes -= bytes;
    this.refuseSpent();
  }
}
