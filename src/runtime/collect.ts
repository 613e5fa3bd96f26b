import { yieldWhenDue } from './yield.ts';

/**
 * Collects the values of a long computation, and lets requests run between its steps. A step without a value yields
 * undefined.
 */
export async function collectBetweenRequests<T>(steps: AsyncIterable<T | undefined>): Promise<T[]> {
  const values: T[] = [];
  for await (const value of steps) {
    if (value !== undefined) values.push(value);
    await yieldWhenDue();
  }
  return values;
}
