import * as z from 'zod';
import { amountInput, parseMoney } from '../catalog/amounts.ts';
import { notPositive, refuse } from '../../lib/errors.ts';
import { LARGEST_AMOUNT_MINOR, decimalText, parseCurrency } from '../../lib/money.ts';
import { printedDescription } from '../../tenants/parties.ts';
import type { ItemExplanation } from '../pricing/invoiceLines.ts';

const largestQuantity = 1_000_000_000;

/** A one-off charge in a request: the amount of a unit, a text, and the number of units. */
export const chargeInput = z.object({
  amount: amountInput,
  description: printedDescription,
  quantity: z
    .number()
    .int('must be a whole number')
    .min(1, 'must be 1 or more')
    .max(largestQuantity, `must be at most ${largestQuantity}`)
    .nullish(),
  taxRateId: z.string().nullish(),
  taxBehavior: z.enum(['exclusive', 'inclusive'], 'must be exclusive or inclusive').nullish(),
});

type MoneyInput = z.output<typeof amountInput>;

/** An amount in minor units. */
interface Amount {
  amountMinor: bigint;
  currency: string;
}

/**
 * Parses an amount of more than 0; `path` is that of the input. Errors: `validation_failed`, `amount_precision`,
 * `currency_unsupported`.
 */
export function parsePositiveMoney(money: MoneyInput, path: string): Amount {
  const currency = parseCurrency(money.currency, `${path}.currency`);
  const amountMinor = parseMoney(money, currency, path);
  if (amountMinor > 0n) return { amountMinor, currency };
  const field = money.amount === undefined || money.amount === null ? 'decimal' : 'amount';
  return refuse('validation_failed', { path: `${path}.${field}`, ...notPositive });
}

/** A parsed charge: its whole amount, its text, and the figures of its line. */
export interface ParsedCharge extends Amount {
  description: string;
  quantity: number;
  explanation: ItemExplanation;
  taxBehavior?: 'inclusive';
  /** The tax rate of the charge itself; that of its bill by default. */
  taxRateId?: string;
}

/** Parses a one-off charge; `path` precedes the names of its fields. Errors: as for `parsePositiveMoney`. */
export function parseCharge(
  { amount, description, quantity: units, taxRateId, taxBehavior }: z.output<typeof chargeInput>,
  path = '',
): ParsedCharge {
  const { amountMinor: unitMinor, currency } = parsePositiveMoney(amount, `${path}amount`);
  const quantity = units ?? 1;
  const amountMinor = unitMinor * BigInt(quantity);
  refuseLargeSum(amountMinor, `${path}quantity`);
  const explanation = { quantity, unitAmount: decimalText(unitMinor, currency) };
  return {
    amountMinor,
    currency,
    description,
    quantity,
    explanation,
    ...(taxBehavior === 'inclusive' && { taxBehavior }),
    ...(typeof taxRateId === 'string' && { taxRateId }),
  };
}

/** Refuses a sum (minor units) that is larger than any amount. Error: `validation_failed`. */
export function refuseLargeSum(sumMinor: bigint, path: string): void {
  if (sumMinor <= LARGEST_AMOUNT_MINOR) return;
  const message = `must come to at most ${LARGEST_AMOUNT_MINOR} minor units in all`;
  refuse('validation_failed', { path, message });
}
