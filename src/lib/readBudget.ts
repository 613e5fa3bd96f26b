import { refuse } from './errors.ts';

/**
 * What a budget of bytes has left when a value is written as JSON; negative where it is not enough. It stops there, so
 * that a value that repeats a part without end costs no more than the budget. Escapes are not counted.
 */
export function leftAfter(value: unknown, left: number): number {
  if (typeof value === 'string') return left - 2 - countBytes(value);
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

const countBytes = (text: string) => (text.length > shortText ? Buffer.byteLength(text) : text.length);

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
/** Reads of one request that are under way at once, where they take a while. */
const mostUnderWay = 8;

/** Reads of one request after which others have their turn in between. */
const mostAtOnce = 8;

/** Bounds how much of large values is read for one request, whatever becomes of them. */
export class ReadBudget {
  private reads = 0;
  private underWay = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private leftBytes: number) {}

  /** Whether the request has read so often, this read included, that others should have their turn in between. */
  hasReadMuch(): boolean {
    this.reads += 1;
    return this.reads > mostAtOnce;
  }

  /** To be waited for before a read, where as many are under way as may be: what they bring is counted first. */
  turn(): Promise<void> | undefined {
    return this.underWay < mostUnderWay ? undefined : new Promise((resolve) => this.waiting.push(resolve));
  }

  /** The rows of a read that is under way. Error: `result_too_large`. */
  async during<R extends object>(reading: Promise<R[]>): Promise<R[]> {
    this.underWay += 1;
    try {
      return this.spend(await reading);
    } finally {
      this.underWay -= 1;
      this.wakeNext();
    }
  }

  /** To be called by each that has waited, whatever came of it: one that is refused lets the next be refused. */
  wakeNext(): void {
    this.waiting.shift()?.();
  }

  /** Takes note of rows that were read, and returns them. Error: `result_too_large`. */
  spend<R extends object>(rows: R[]): R[] {
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
    return rows;
  }

  /** To be called before more is read. Error: `result_too_large`. */
  refuseSpent(): void {
    if (this.leftBytes < 0) refuse('result_too_large');
  }

  /** Takes note of bytes that are read. Error: `result_too_large`. */
  take(bytes: number): void {
    this.leftBytes -= bytes;
    this.refuseSpent();
  }
}
