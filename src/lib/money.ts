/**
 * Inside the program, amounts are whole numbers of minor units (bigint); on the wire, numbers of major units. The
 * decimals of a currency follow ISO 4217: Intl follows CLDR, which gives the afghani none.
 */
import { data as iso4217 } from 'currency-codes';
import { formatFixed, parseDecimal, type ExactDecimal } from './decimal.ts';
import { refuse } from './errors.ts';

/** Metals, units of account and test codes, for which ISO 4217 gives "N.A." as the minor unit. */
const withoutMinorUnit = new Set('XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX'.split(' '));

/** In force since 31 March 2025 (ISO 4217 amendment 176), and missing from the list in currency-codes. */
const newerCurrencies = [{ code: 'XCG', digits: 2 }];

const decimalsByCurrency = new Map(
  [...iso4217, ...newerCurrencies]
    .filter(({ code }) => !withoutMinorUnit.has(code))
    .map(({ code, digits }) => [code.toLowerCase(), digits]),
);

/** A double represents every decimal of up to 15 digits; longer decimals may become neighbouring values. */
const SAFE_DIGITS = 15;
/** The largest amount accepted, in minor units. */
export const LARGEST_AMOUNT_MINOR = 10n ** 18n;

/** Whether ISO 4217 lists a currency, in lower case, with a minor unit. */
export const isCurrency = (code: string): boolean => decimalsByCurrency.get(code) !== undefined;

/**
 * Takes a currency code in any case and returns it in lower case, as the interface writes it. Error:
 * `currency_unsupported` for codes that ISO 4217 does not list or lists without a minor unit.
 */
export function parseCurrency(text: string, path: string): string {
  const currency = text.toLowerCase();
  findDecimals(currency, path);
  return currency;
}

/**
 * Takes an amount in major units (10.5) of a currency returned by `parseCurrency`, and returns minor units (1050n).
 * Errors: `validation_failed` for an amount that is negative, not finite or over 10^18 minor units; `amount_precision`
 * for more decimals than the currency has, or more than 15 digits.
 */
export function toMinor(amount: number, currency: string, path: string): bigint {
  if (!Number.isFinite(amount) || amount < 0) {
    refuse('validation_failed', { path, message: 'must be a number, zero or more', code: 'not_an_amount' });
  }
  const { digits, decimals } = findShortestDecimal(amount);
  if (digits.length > SAFE_DIGITS) {
    refuse('amount_precision', { path, message: `must have at most ${SAFE_DIGITS} digits` });
  }
  const allowedDecimals = findDecimals(currency, path);
  if (decimals > allowedDecimals) {
    const message = `must have at most ${allowedDecimals} decimals in ${currency.toUpperCase()}, not ${amount}`;
    refuse('amount_precision', { path, message, code: 'too_precise', limit: allowedDecimals });
  }
  const amountMinor = BigInt(digits) * 10n ** BigInt(allowedDecimals - decimals);
  if (amountMinor > LARGEST_AMOUNT_MINOR) {
    refuse('validation_failed', {
      path,
      message: `must be at most ${LARGEST_AMOUNT_MINOR} minor units`,
      code: 'amount_too_large',
    });
  }
  return amountMinor;
}

/**
 * Takes an amount in major units as decimal text ('10.5') and returns minor units, as `toMinor` does for a number.
 * Errors: `validation_failed` for text that is not a decimal, is negative or exceeds 10^18 minor units;
 * `amount_precision` for more decimals than the currency has.
 */
export function decimalToMinor(text: string, currency: string, path: string): bigint {
  const amount = parseDecimal(text);
  if (!amount || amount.digits < 0n) {
    return refuse('validation_failed', {
      path,
      message: 'must be a decimal number, 0 or more',
      code: 'not_an_amount',
    });
  }
  const allowedDecimals = findDecimals(currency, path);
  if (amount.scale > allowedDecimals) {
    const message = `must have at most ${allowedDecimals} decimals in ${currency.toUpperCase()}, not ${text}`;
    refuse('amount_precision', { path, message, code: 'too_precise', limit: allowedDecimals });
  }
  const amountMinor = amount.digits * 10n ** BigInt(allowedDecimals - amount.scale);
  if (amountMinor > LARGEST_AMOUNT_MINOR) {
    refuse('validation_failed', {
      path,
      message: `must be at most ${LARGEST_AMOUNT_MINOR} minor units`,
      code: 'amount_too_large',
    });
  }
  return amountMinor;
}

/** Takes minor units and returns major units as an exact decimal. */
export const decimalFromMinor = (amountMinor: bigint, currency: string): ExactDecimal => ({
  digits: amountMinor,
  scale: findDecimals(currency),
});

/** Takes an exact amount in major units and returns minor units, rounded half up once. */
export function roundToMinor({ digits, scale }: ExactDecimal, currency: string): bigint {
  const decimals = findDecimals(currency);
  if (scale <= decimals) return digits * 10n ** BigInt(decimals - scale);
  return divideRoundHalfUp(digits, 10n ** BigInt(scale - decimals));
}

/**
 * Takes minor units (negative for credits) and returns major units for the wire: the inverse of `toMinor`. Exact up to
 * 15 digits; longer amounts become the nearest double.
 */
export function toMajor(amountMinor: bigint, currency: string): number {
  const wholeMinor = Number(amountMinor);
  // The quotient of two exact doubles is the double nearest to the decimal, and is printed as that decimal.
  if (Number.isSafeInteger(wholeMinor)) return wholeMinor / 10 ** findDecimals(currency);
  return Number(decimalText(amountMinor, currency));
}

/** Takes minor units and returns text for people: `50.00 AFN`, `1500 JPY`, `-4.83 USD`. */
export function formatMoney(amountMinor: bigint, currency: string): string {
  return `${decimalText(amountMinor, currency)} ${currency.toUpperCase()}`;
}

/** Takes a unit amount, which may be finer than the currency, and returns text for people: `9.50 USD`, `0.000375 USD`. */
export const formatUnitAmount = (unitAmount: string, currency: string): string =>
  `${unitAmountText(unitAmount, currency)} ${currency.toUpperCase()}`;

/** Takes a unit amount and returns it with at least the decimals of the currency: `10.00`, `0.000375`. */
export function unitAmountText(unitAmount: string, currency: string): string {
  const [whole = '', fraction = ''] = unitAmount.split('.');
  const digits = fraction.padEnd(findDecimals(currency), '0');
  return `${whole}${digits && '.'}${digits}`;
}

/**
 * Returns numerator ÷ denominator as a whole number; throws unless the denominator is positive. Halves are rounded away
 * from zero, so that a credit mirrors the charge of the same span.
 */
export function divideRoundHalfUp(numerator: bigint, denominator: bigint): bigint {
  if (denominator <= 0n) throw new RangeError(`cannot divide by ${denominator}`);
  const half = numerator < 0n ? -denominator : denominator;
  return (2n * numerator + half) / (2n * denominator);
}

/** Returns the number of decimals of a currency. */
export const countDecimals = (currency: string): number => findDecimals(currency);

function findDecimals(currency: string, path = 'currency'): number {
  const decimals = decimalsByCurrency.get(currency);
  if (decimals !== undefined) return decimals;
  return refuse('currency_unsupported', { path, message: 'must be an ISO 4217 currency code such as afn' });
}

/** Returns the shortest decimal that parses to this double, as digits × 10^-decimals, without arithmetic. */
function findShortestDecimal(amount: number): { digits: string; decimals: number } {
  const [mantissa = '', power = ''] = amount.toExponential().split('e');
  const digits = mantissa.replace('.', '');
  return { digits, decimals: digits.length - 1 - Number(power) };
}

/** Returns the least of some amounts. */
export const leastOf = (...amounts: bigint[]): bigint => amounts.reduce((a, b) => (a < b ? a : b));

/** Returns an amount; 0 for one below it. */
export const atLeastZero = (amountMinor: bigint): bigint => (amountMinor > 0n ? amountMinor : 0n);

/** What is wrong with an amount of which only `leftMinor` is left. */
export const moreThanLeft = (leftMinor: bigint, currency: string) => ({
  message: `at most ${formatMoney(leftMinor, currency)} is left`,
  code: 'more_than_left' as const,
  left: toIssueAmount(leftMinor, currency),
});

/** Returns an amount as an issue has it. */
export const toIssueAmount = (amountMinor: bigint, currency: string) => ({
  amount: toMajor(amountMinor, currency),
  decimal: decimalText(amountMinor, currency),
  currency,
});

/** Takes minor units and returns major units as text with all decimals of the currency: `12.50`. */
export const decimalText = (amountMinor: bigint, currency: string): string =>
  formatFixed(decimalFromMinor(amountMinor, currency));
