import type { Amount } from '../texts/format.ts';

/**
 * Reads an amount that somebody typed, with a point or a comma; with the currency and decimals of another. Returns
 * undefined unless it is more than nothing, or has more decimals than the currency.
 */
export function parseAmount(text: string, { decimal, currency }: Amount): Amount | undefined {
  const digits = decimal.split('.')[1]?.length ?? 0;
  const parts = /^(\d{1,15})(?:\.(\d+))?$/.exec(toLatinDigits(text).trim().replace(',', '.'));
  const fraction = parts?.[2] ?? '';
  if (!parts || fraction.length > digits || !/[1-9]/.test(parts[1]! + fraction)) return undefined;
  const whole = parts[1]!.replace(/^0+(?=\d)/, '');
  return { decimal: digits === 0 ? whole : `${whole}.${fraction.padEnd(digits, '0')}`, currency };
}

/** Returns a text with Latin digits for Persian and Arabic ones, which people may type, and for their decimal separator. */
export const toLatinDigits = (text: string): string =>
  text
    .replace(/[۰-۹]/g, (digit) => String(digit.charCodeAt(0) - 0x6f0))
    .replace(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x660))
    .replace('٫', '.');
