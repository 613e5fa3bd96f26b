/** Amounts of credit: minor units of money, or millionths of a credit of a type. */
import { multiplyDecimals, readDecimal } from '../../lib/decimal.ts';
import { decimalFromMinor, roundToMinor, toMajor } from '../../lib/money.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { formatCredits, readCredits } from './creditUnits.ts';

type Amount = Pick<Row<'balanceEntries'>, 'amountMinor' | 'currency' | 'creditTypeId'>;

/** Names an amount of credit in an event: money in major units, or credits of a type. */
export const nameAmount = ({
  amountMinor,
  currency,
  creditTypeId,
}: Amount): { amount: number } | { credits: string } =>
  creditTypeId === null
    ? { amount: toMajor(amountMinor, currency) }
    : { credits: formatCredits(amountMinor) };

/** Returns the price of an amount of credit, in its unit, at a cost basis: in minor units, rounded half up. */
export function computeCreditPrice(
  { amountMinor, currency, creditTypeId }: Amount,
  costBasis: string,
): bigint {
  const amount = creditTypeId === null ? decimalFromMinor(amountMinor, currency) : readCredits(amountMinor);
  return roundToMinor(multiplyDecimals(amount, readDecimal(costBasis)), currency);
}
