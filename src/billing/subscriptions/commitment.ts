/** The amount that a customer has agreed to spend on usage: in how many periods, and what holds above it. */
import * as z from 'zod';
import { compareDecimals, formatDecimal, parseDecimal, wholeDecimal } from '../../lib/decimal.ts';
import { isGiven, parseInput } from '../../lib/validation.ts';
import type { Commitment } from '../../storage/model/common.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { amountInput, parseMoneyIn, refuseField } from '../catalog/amounts.ts';
import { buildWindow, insertWindow, readOpenWindows } from '../invoices/commitmentWindows.ts';
import { readOpenPeriods } from '../invoices/usagePeriods.ts';
import { findChargedStart } from '../pricing/trials.ts';
import { requestCheck } from '../usage/usageChecks.ts';
import type { SubscriptionRow } from './subscriptions.ts';

const mostPeriods = 36;
const highestFactor = 100;

export const commitmentInput = z.object({
  amount: amountInput,
  period: z
    .number()
    .int('must be a whole number')
    .min(1, 'must be 1 or more')
    .max(mostPeriods, `must be at most ${mostPeriods}`)
    .nullish(),
  overageFactor: z.string().nullish(),
  trueUp: z.boolean().nullish(),
});
export type CommitmentInput = z.output<typeof commitmentInput>;

/**
 * Returns a commitment; null for none. Errors: `validation_failed`, `amount_precision`, `currency_unsupported`,
 * `currency_mismatch`.
 */
export function parseCommitment(
  given: CommitmentInput | null | undefined,
  currency: string,
  path = 'commitment',
): Commitment | null {
  if (!isGiven(given)) return null;
  const { amount, period, overageFactor, trueUp } = given;
  const amountMinor = parseMoneyIn(amount, currency, `${path}.amount`);
  if (amountMinor <= 0n) refuseField(`${path}.amount`, 'must be more than 0');
  const factor = parseDecimal(overageFactor ?? '1');
  const [least, most] = [wholeDecimal(1), wholeDecimal(highestFactor)];
  if (!factor || compareDecimals(factor, least) < 0 || compareDecimals(factor, most) > 0)
    return refuseField(`${path}.overageFactor`, `must be a decimal number from 1 to ${highestFactor}`);
  return {
    amountMinor: String(amountMinor),
    periods: period ?? 1,
    overageFactor: formatDecimal(factor),
    trueUp: trueUp ?? true,
  };
}

/**
 * Changes the commitment of a subscription, from the beginning of the present period, or of the window that goes on. What was
 * charged stays. Errors: those of `parseCommitment`, and `validation_failed` without a price of usage.
 */
export async function changeCommitment(
  unit: UnitOfWork,
  subscription: SubscriptionRow,
  input: unknown,
): Promise<SubscriptionRow> {
  const given =
    input === null ? null : parseInput(z.object({ commitment: commitmentInput }), { commitment: input });
  const commitment = parseCommitment(given?.commitment, subscription.currency);
  if (commitment && subscription.usageSince === null)
    refuseField('commitment', 'needs a price of usage in the subscription');
  const changed = await unit.change('subscriptions', subscription, { commitment });
  const open = await readOpenWindows(unit, [subscription.id]);
  const current = open.find(({ startsAt, endsAt }) => startsAt <= unit.now && unit.now < endsAt);
  if (!commitment) {
    for (const { id, charges } of open)
      if (charges.length === 0) await unit.removeUntraced('commitmentWindows', { id });
      else await unit.updateUntraced('commitmentWindows', { id }, { openFor: null });
    return changed;
  }
  const at = current?.startsAt ?? (await findBeginning(unit, subscription));
  const timeZone = unit.tenant.timezone;
  const window = buildWindow(changed, changed.id, { at, anchor: changed.anchor, timeZone })!;
  const { endsAt, wholeStart, wholeEnd } = window;
  if (current)
    await unit.updateUntraced(
      'commitmentWindows',
      { id: current.id },
      { commitment, endsAt, wholeStart, wholeEnd },
    );
  else await insertWindow(unit, window);
  if (changed.billingThresholdMinor !== null) await requestCheck(unit, changed.id);
  return changed;
}

/** Returns the beginning of the usage that is not billed as a whole, after a trial. */
async function findBeginning(unit: UnitOfWork, { id, trialEndsAt }: SubscriptionRow): Promise<string> {
  const running = (await readOpenPeriods(unit, [id])).filter(({ endsAt }) => endsAt === null);
  const first = running.map(({ startsAt }) => startsAt).toSorted()[0] ?? unit.now;
  return findChargedStart(trialEndsAt, first);
}
