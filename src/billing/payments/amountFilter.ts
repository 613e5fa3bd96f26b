/** The filter of a list by the currency and the amount of its records. */
import { parseCurrency } from '../../lib/money.ts';
import { parseMoneyIn, type AmountInput } from '../catalog/amounts.ts';

/** The bounds are inclusive, and in the same currency. */
export interface AmountFilter {
  currency?: string | null;
  minAmount?: AmountInput | null;
  maxAmount?: AmountInput | null;
}

interface AmountMatch {
  currency?: string;
  /** In minor units. */
  amount?: { from?: bigint; to?: bigint };
}

/**
 * Returns the conditions of a filter. Errors: `validation_failed`, `currency_unsupported`, `currency_mismatch`,
 * `amount_precision`.
 */
export function matchAmount({ currency, minAmount, maxAmount }: AmountFilter): AmountMatch {
  const [path, given] = currency
    ? ['currency', currency]
    : minAmount
      ? ['minAmount.currency', minAmount.currency]
      : ['maxAmount.currency', maxAmount?.currency];
  if (!given) return {};
  const wanted = parseCurrency(given, path);
  if (!minAmount && !maxAmount) return { currency: wanted };
  return {
    currency: wanted,
    amount: {
      ...(minAmount && { from: parseMoneyIn(minAmount, wanted, 'minAmount') }),
      ...(maxAmount && { to: parseMoneyIn(maxAmount, wanted, 'maxAmount') }),
    },
  };
}

/** Returns what a cursor is valid for, of the conditions of a filter: as text, because JSON has no BigInts. */
export const describeAmount = ({ currency, amount }: AmountMatch): string | undefined =>
  currency && [currency, amount?.from ?? '', amount?.to ?? ''].join(' ');

/** The errors of a filter by amounts. */
export const amountReasons = ['currency_unsupported', 'currency_mismatch', 'amount_precision'] as const;
