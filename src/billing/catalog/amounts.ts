/** Amounts in requests: of money, and of units, which may be finer than the currency. */
import * as z from 'zod';
import { formatDecimal, parseDecimal, type ExactDecimal } from '../../lib/decimal.ts';
import { refuse } from '../../lib/errors.ts';
import {
  LARGEST_AMOUNT_MINOR,
  decimalText,
  decimalToMinor,
  parseCurrency,
  roundToMinor,
  toMinor,
  unitAmountText,
} from '../../lib/money.ts';
import { isGiven } from '../../lib/validation.ts';

/** An amount in a request: `amount` or `decimal`, never both. */
export const amountInput = z.object({
  // Accepts NaN and Infinity here, so that the amount check reports them; z.number() would report a wrong type.
  amount: z.custom<number>((value) => typeof value === 'number', 'must be a number').nullish(),
  decimal: z.string().nullish(),
  currency: z.string(),
});

/** An amount in a request: `amount` or `decimal`, never both. */
export type AmountInput = { amount?: number | null; decimal?: string | null; currency: string };

/**
 * Returns the minor units of an amount given as `amount` or `decimal`. Errors: `validation_failed`, `amount_precision`.
 */
export function parseMoney(
  { amount, decimal }: Omit<AmountInput, 'currency'>,
  currency: string,
  path: string,
): bigint {
  if (isGiven(amount) && isGiven(decimal))
    return refuseField(`${path}.decimal`, 'must not be given beside amount');
  if (isGiven(decimal)) return decimalToMinor(decimal, currency, `${path}.decimal`);
  if (!isGiven(amount)) return refuseField(amount === null ? `${path}.amount` : path, 'must have an amount');
  return toMinor(amount, currency, `${path}.amount`);
}

/**
 * Returns the minor units of an amount that must be in `currency`. Errors: `validation_failed`, `amount_precision`,
 * `currency_unsupported`, `currency_mismatch`.
 */
export function parseMoneyIn(money: AmountInput, currency: string, path: string): bigint {
  if (parseCurrency(money.currency, `${path}.currency`) !== currency)
    refuse('currency_mismatch', {
      path: `${path}.currency`,
      message: `must be ${currency}`,
      code: 'other_currency',
    });
  return parseMoney(money, currency, path);
}

/** Returns the price of a unit, which may be finer than its currency: up to 12 decimals if given as `decimal`. */
export function parseUnitAmount(details: AmountInput, path: string): string {
  const { amount, decimal } = details;
  const currency = details.currency.toLowerCase();
  if (isGiven(decimal) && !isGiven(amount))
    return formatUnit(parseUnit(decimal, currency, `${path}.decimal`), currency);
  return decimalText(parseMoney(details, currency, path), currency);
}

/** Formats the price of a unit with at least the decimals of its currency. */
export const formatUnit = (amount: ExactDecimal, currency: string): string =>
  unitAmountText(formatDecimal(amount), currency);

/** Parses an amount that may be finer than its currency, at most the largest amount. */
export function parseUnit(text: string, currency: string, path: string): ExactDecimal {
  const decimal = parsePositive(text, path);
  if (roundToMinor(decimal, currency) <= LARGEST_AMOUNT_MINOR) return decimal;
  return refuseField(path, `must be at most ${LARGEST_AMOUNT_MINOR} minor units`);
}

/** Parses a decimal of 0 or more. Error: `validation_failed` at `path`. */
export function parsePositive(text: string, path: string): ExactDecimal {
  const decimal = parseDecimal(text);
  if (decimal && decimal.digits >= 0n) return decimal;
  const message = 'must be a decimal number, 0 or more, with at most 12 decimals';
  return refuse('validation_failed', { path, message, code: 'not_an_amount' });
}

/** Refuses a field of a request. */
export const refuseField = (path: string, message: string): never =>
  refuse('validation_failed', { path, message });
