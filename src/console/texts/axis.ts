import { useMemo } from 'react';
import { useFormat, type Amount, type Format } from './format.ts';

/** How a chart writes amounts: exactly, and in short on its axis. */
export interface MoneyAxis {
  format: (value: number) => string;
  tick: (value: number) => string;
}

/** Below it an amount that is not round is as short with all its decimals. */
const shortFrom = 1000;

/** Returns how to write amounts of a currency in a chart; `like` is one of them, for its decimals. */
export function createMoneyAxis(format: Format, like: Amount | undefined): MoneyAxis {
  const { currency = 'usd', decimal = '0.00' } = like ?? {};
  const digits = decimal.split('.')[1]?.length ?? 0;
  const write = (value: number) => format.money({ decimal: value.toFixed(digits), currency });
  return {
    format: write,
    tick: (value) =>
      Math.abs(value) < shortFrom && !Number.isInteger(value)
        ? write(value)
        : format.number(value, {
            style: 'currency',
            currency: currency.toUpperCase(),
            currencyDisplay: 'narrowSymbol',
            notation: 'compact',
            minimumFractionDigits: 0,
            maximumFractionDigits: 1,
            // German has no short form of a thousand: it gets as few figures.
            maximumSignificantDigits: 3,
            roundingPriority: 'lessPrecision',
          }),
  };
}

/** Returns how a chart of the console writes amounts like one of them. */
export function useMoneyAxis(like: Amount | undefined): MoneyAxis {
  const format = useFormat();
  const { currency, decimal } = like ?? {};
  return useMemo(
    () => createMoneyAxis(format, decimal === undefined ? undefined : { currency: currency!, decimal }),
    [format, currency, decimal],
  );
}
