import type { Amount } from '../texts/format.ts';
import { readDecimal } from '../texts/numbers.ts';

/**
 * Reads an amount that somebody typed as their language writes numbers, with the currency and decimals of another. Returns
 * undefined unless it is more than nothing, or has more decimals than the currency.
 */
export function parseAmount(text: string, { decimal, currency }: Amount): Amount | undefined {
  const digits = decimal.split('.')[1]?.length ?? 0;
  const parts = /^(\d{1,15})(?:\.(\d+))?$/.exec(readDecimal(text));
  const fraction = parts?.[2] ?? '';
  if (!parts || fraction.length > digits || !/[1-9]/.test(parts[1]! + fraction)) return undefined;
  const whole = parts[1]!.replace(/^0+(?=\d)/, '');
  return { decimal: digits === 0 ? whole : `${whole}.${fraction.padEnd(digits, '0')}`, currency };
}
