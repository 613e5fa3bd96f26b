/** The total that a client has shown: what is charged must equal it. */
import * as z from 'zod';
import { refuse } from '../../lib/errors.ts';
import { formatMoney, parseCurrency, toIssueAmount } from '../../lib/money.ts';
import { parseInput } from '../../lib/validation.ts';
import { amountInput, parseMoney } from '../catalog/amounts.ts';

interface Total {
  amountMinor: bigint;
  currency: string;
}

/** A total as a client has shown it. */
export interface ExpectedTotal extends Total {
  /** Whether less may be charged. */
  isMost?: true;
}

const expectedTotal = z.object({ expectedTotal: amountInput.nullish() });

/**
 * Parses the field `expectedTotal` of an input; undefined if it is omitted. Errors: `validation_failed`, `amount_precision`,
 * `currency_unsupported`.
 */
export function parseExpectedTotal(input: unknown): ExpectedTotal | undefined {
  const { expectedTotal: money } = parseInput(expectedTotal, { expectedTotal: input });
  if (!money) return undefined;
  const currency = parseCurrency(money.currency, 'expectedTotal.currency');
  return { amountMinor: parseMoney(money, currency, 'expectedTotal'), currency };
}

/** Refuses to charge another total than the expected one. Errors: `amount_changed`, `currency_mismatch`. */
export function refuseOtherTotal(
  { amountMinor, currency }: Total,
  expected: ExpectedTotal | undefined,
): void {
  if (!expected) return;
  if (expected.currency !== currency)
    refuse('currency_mismatch', {
      path: 'expectedTotal.currency',
      message: `must be ${currency}`,
      code: 'other_currency',
    });
  if (amountMinor === expected.amountMinor || (expected.isMost && amountMinor < expected.amountMinor)) return;
  refuse('amount_changed', {
    path: 'expectedTotal',
    message: `is ${formatMoney(amountMinor, currency)} now`,
    total: toIssueAmount(amountMinor, currency),
  });
}
