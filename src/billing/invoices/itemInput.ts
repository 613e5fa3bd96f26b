import * as z from 'zod';
import { amountInput, parseMoney } from '../catalog/amounts.ts';
import { productKind } from '../catalog/products.ts';
import { notPositive, refuse } from '../../lib/errors.ts';
import { LARGEST_AMOUNT_MINOR, decimalText, parseCurrency } from '../../lib/money.ts';
import { parseDays } from '../../lib/time.ts';
import { isGiven } from '../../lib/validation.ts';
import { printedDescription } from '../../tenants/parties.ts';
import type { ProductKind } from '../../storage/model/common.ts';
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
  productKind: productKind.nullish(),
  suppliedAt: z.string().nullish(),
  servicePeriod: z.object({ from: z.string(), to: z.string() }).nullish(),
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
  productKind?: ProductKind;
  /** The tax rate of the charge itself; that of its bill by default. */
  taxRateId?: string;
  /** When it is supplied; on the day of the bill by default. */
  period?: { start: string; end: string };
}

/**
 * Parses a one-off charge, with its days in a time zone; `path` precedes the names of its fields. Errors: as for
 * `parsePositiveMoney`.
 */
export function parseCharge(
  {
    amount,
    description,
    quantity: units,
    taxRateId,
    taxBehavior,
    productKind: kind,
    ...supply
  }: z.output<typeof chargeInput>,
  timeZone: string,
  path = '',
): ParsedCharge {
  const { amountMinor: unitMinor, currency } = parsePositiveMoney(amount, `${path}amount`);
  const quantity = units ?? 1;
  const amountMinor = unitMinor * BigInt(quantity);
  refuseLargeSum(amountMinor, `${path}quantity`);
  const explanation = { quantity, unitAmount: decimalText(unitMinor, currency) };
  const period = parseSupply(supply, timeZone, path);
  return {
    amountMinor,
    currency,
    description,
    quantity,
    explanation,
    ...(taxBehavior === 'inclusive' && { taxBehavior }),
    ...(typeof taxRateId === 'string' && { taxRateId }),
    ...(kind && { productKind: kind }),
    ...(period && { period }),
  };
}

/**
 * Parses the date of supply, which an invoice states if it is not that of the invoice (Directive 2006/112/EC, art. 226 (7);
 * § 14 (4) no. 6 UStG). Error: `validation_failed`.
 */
function parseSupply(
  { suppliedAt, servicePeriod }: Pick<z.output<typeof chargeInput>, 'suppliedAt' | 'servicePeriod'>,
  timeZone: string,
  path: string,
): ParsedCharge['period'] {
  const day = `${path}suppliedAt`;
  if (servicePeriod) {
    if (isGiven(suppliedAt))
      refuse('validation_failed', { path: day, message: 'must not be given beside servicePeriod' });
    const paths = { from: `${path}servicePeriod.from`, to: `${path}servicePeriod.to` };
    return parseDays(servicePeriod, timeZone, paths);
  }
  if (!isGiven(suppliedAt)) return undefined;
  return parseDays({ from: suppliedAt, to: suppliedAt }, timeZone, { from: day, to: day });
}

/** Refuses a sum (minor units) that is larger than any amount. Error: `validation_failed`. */
export function refuseLargeSum(sumMinor: bigint, path: string): void {
  if (sumMinor <= LARGEST_AMOUNT_MINOR) return;
  const message = `must come to at most ${LARGEST_AMOUNT_MINOR} minor units in all`;
  refuse('validation_failed', { path, message });
}
