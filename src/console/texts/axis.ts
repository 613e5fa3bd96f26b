import { useMemo } from 'react';
import { useFormat, type Amount } from './format.ts';

/** How a chart writes amounts: exactly, and in short on its axis. */
export interface MoneyAxis {
  format: (value: number) => string;
  tick: (value: number) => string;
}

/** Returns how to write amounts of a currency in a chart; `like` is one of them, for its decimals. */
export function useMoneyAxis(like: Amount | undefined): MoneyAxis {
  const format = useFormat();
  const { currency = 'usd', decimal = '0.00' } = like ?? {};
  const digits = decimal.split('.')[1]?.length ?? 0;
  return useMemo(
    () => ({
      format: (value) => format.money({ decimal: value.toFixed(digits), currency }),
      tick: (value) =>
        format.number(value, {
          style: 'currency',
          currency: currency.toUpperCase(),
          currencyDisplay: 'narrowSymbol',
          notation: 'compact',
          maximumFractionDigits: 1,
          // German has no short form of a thousand: it gets as few figures.
          maximumSignificantDigits: 3,
          roundingPriority: 'lessPrecision',
        }),
    }),
    [format, currency, digits],
  );
}
