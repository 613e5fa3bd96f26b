/** Amounts as exact decimals: no helper here makes a floating-point number of one. */
import type { Money as MoneyRecord } from './generated/types.ts';

/** An amount as the server returns it. */
export type Money = MoneyRecord;

/** An amount of a currency. `decimal` is exact; `amount` is the nearest number. */
export interface MoneyLike {
  decimal: string;
  currency: string;
}

const form = /^(-?)(\d+)(?:\.(\d+))?$/;

interface Exact {
  digits: bigint;
  scale: number;
}

function parse(decimal: string): Exact {
  const [, sign, whole, fraction = ''] = form.exec(decimal) ?? [];
  if (whole === undefined) throw new RangeError(`${JSON.stringify(decimal)} is not a decimal number`);
  const digits = BigInt(whole + fraction);
  return { digits: sign === '-' ? -digits : digits, scale: fraction.length };
}

function write({ digits, scale }: Exact): string {
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0');
  const [whole, fraction] = [text.slice(0, text.length - scale), text.slice(text.length - scale)];
  return `${digits < 0n ? '-' : ''}${whole}${scale === 0 ? '' : `.${fraction}`}`;
}

const rescale = ({ digits, scale }: Exact, to: number): bigint => digits * 10n ** BigInt(to - scale);

function expectSameCurrency(a: MoneyLike, b: MoneyLike): void {
  if (a.currency.toLowerCase() !== b.currency.toLowerCase())
    throw new RangeError(`The amounts are in ${a.currency} and ${b.currency}`);
}

function combine(a: MoneyLike, b: MoneyLike, compute: (x: bigint, y: bigint) => bigint): MoneyLike {
  expectSameCurrency(a, b);
  const [x, y] = [parse(a.decimal), parse(b.decimal)];
  const scale = Math.max(x.scale, y.scale);
  return {
    decimal: write({ digits: compute(rescale(x, scale), rescale(y, scale)), scale }),
    currency: a.currency,
  };
}

/** Arithmetic of amounts, and inputs of them. */
export const Money = {
  /** Makes an amount from text, such as `Money.of('12.50', 'usd')`. Error: RangeError unless it is a decimal number. */
  of(decimal: string | bigint, currency: string): MoneyLike {
    return { decimal: write(parse(String(decimal))), currency: currency.toLowerCase() };
  },

  /** Makes an amount from minor units, such as cents; `decimals` is that of the currency, for most 2. */
  fromMinor(minor: bigint, currency: string, decimals = 2): MoneyLike {
    return { decimal: write({ digits: minor, scale: decimals }), currency: currency.toLowerCase() };
  },

  /** Returns the amount in minor units. Without `decimals`, its own: the server writes as many as the currency has. */
  toMinor({ decimal }: MoneyLike, decimals?: number): bigint {
    const exact = parse(decimal);
    const scale = decimals ?? exact.scale;
    if (scale >= exact.scale) return rescale(exact, scale);
    const unit = 10n ** BigInt(exact.scale - scale);
    if (exact.digits % unit !== 0n) throw new RangeError(`${decimal} has more than ${scale} decimals`);
    return exact.digits / unit;
  },

  /** Error: RangeError for two currencies. */
  add: (a: MoneyLike, b: MoneyLike): MoneyLike => combine(a, b, (x, y) => x + y),

  /** Error: RangeError for two currencies. */
  subtract: (a: MoneyLike, b: MoneyLike): MoneyLike => combine(a, b, (x, y) => x - y),

  /** Multiplies by a whole number. */
  multiply({ decimal, currency }: MoneyLike, by: bigint): MoneyLike {
    const { digits, scale } = parse(decimal);
    return { decimal: write({ digits: digits * by, scale }), currency };
  },

  /** Adds amounts of one currency; an empty list is 0. */
  sum: (amounts: Iterable<MoneyLike>, currency: string): MoneyLike =>
    [...amounts].reduce<MoneyLike>(Money.add, { decimal: '0', currency: currency.toLowerCase() }),

  /** Returns a number below 0, 0 or above 0, as a comparison of `sort` does. Error: RangeError for two currencies. */
  compare(a: MoneyLike, b: MoneyLike): number {
    const { digits } = parse(combine(a, b, (x, y) => x - y).decimal);
    return digits < 0n ? -1 : digits > 0n ? 1 : 0;
  },

  isZero: ({ decimal }: MoneyLike): boolean => parse(decimal).digits === 0n,

  /** Writes the amount for people: `$12.50`. */
  format({ decimal, currency }: MoneyLike, locale?: string, options?: Intl.NumberFormatOptions): string {
    const format = new Intl.NumberFormat(locale, {
      ...options,
      style: 'currency',
      currency: currency.toUpperCase(),
    });
    // Text is formatted exactly, though the types of older libraries lack it.
    return format.format(write(parse(decimal)) as unknown as number);
  },
};
