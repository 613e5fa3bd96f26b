/** Exact decimal numbers: text on the wire (`0.000375`); digits and a power of ten inside the program. */

/** The number `digits × 10^-scale`; `scale` is 0 or more. */
export interface ExactDecimal {
  digits: bigint;
  scale: number;
}

const decimalForm = /^(-?)(\d{1,18})(?:\.(\d{1,12}))?$/;

/**
 * Parses a decimal with at most 18 digits before the point and 12 after it. Returns undefined for any other text, for
 * example with an exponent, a plus sign or a space.
 */
export function parseDecimal(text: string): ExactDecimal | undefined {
  const match = decimalForm.exec(text);
  if (!match) return undefined;
  const [, sign, whole, fraction = ''] = match;
  const shortest = fraction.replace(/0+$/, '');
  const digits = BigInt(`${whole}${shortest}`);
  return { digits: sign ? -digits : digits, scale: shortest.length };
}

/** Parses a stored decimal. Throws if it is invalid. */
export function readDecimal(text: string): ExactDecimal {
  const decimal = parseDecimal(text);
  if (!decimal) throw new RangeError(`not a decimal: ${text}`);
  return decimal;
}

/** Parses a stored sum, which may have more digits than a decimal of a request. */
export function readSum(text: string): ExactDecimal {
  const point = text.indexOf('.');
  if (point < 0) return { digits: BigInt(text), scale: 0 };
  return { digits: BigInt(text.slice(0, point) + text.slice(point + 1)), scale: text.length - point - 1 };
}

/** Adds stored decimals and sums. */
export function sumTexts(texts: readonly string[]): ExactDecimal {
  let scale = 0;
  let digits = 0n;
  for (const text of texts) {
    const next = readSum(text);
    if (next.scale === scale) digits += next.digits;
    else ({ digits, scale } = addDecimals({ digits, scale }, next));
  }
  return { digits, scale };
}

/** Formats a decimal without trailing zeros: `0.5`, `-12`, `0`. */
export const formatDecimal = (decimal: ExactDecimal): string =>
  decimal.scale === 0 ? String(decimal.digits) : formatFixed(decimal).replace(/\.?0+$/, '');

/** Formats a decimal with all digits of its scale: `12.50`. */
export function formatFixed({ digits, scale }: ExactDecimal): string {
  if (scale === 0) return String(digits);
  const sign = digits < 0n ? '-' : '';
  const text = String(digits)
    .replace('-', '')
    .padStart(scale + 1, '0');
  return `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`;
}

/** Returns the product of two decimals; exact. */
export const multiplyDecimals = (a: ExactDecimal, b: ExactDecimal): ExactDecimal => ({
  digits: a.digits * b.digits,
  scale: a.scale + b.scale,
});

/** Returns the sum of two decimals; exact. */
export function addDecimals(a: ExactDecimal, b: ExactDecimal): ExactDecimal {
  if (a.scale === b.scale) return { digits: a.digits + b.digits, scale: a.scale };
  const scale = Math.max(a.scale, b.scale);
  return { digits: atScale(a, scale) + atScale(b, scale), scale };
}

/** Returns less than, equal to or more than 0 as `a` is less than, equal to or more than `b`. */
export function compareDecimals(a: ExactDecimal, b: ExactDecimal): number {
  const { digits } = addDecimals(a, { digits: -b.digits, scale: b.scale });
  return digits < 0n ? -1 : digits > 0n ? 1 : 0;
}

/** Converts a whole number to a decimal. */
export const wholeDecimal = (value: bigint | number): ExactDecimal => ({ digits: BigInt(value), scale: 0 });

const atScale = ({ digits, scale }: ExactDecimal, wanted: number) => digits * 10n ** BigInt(wanted - scale);
