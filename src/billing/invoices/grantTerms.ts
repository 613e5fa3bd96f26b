/** The terms of a credit grant in a request. */
import * as z from 'zod';
import { compareDecimals, formatDecimal, parseDecimal, wholeDecimal } from '../../lib/decimal.ts';
import { notPositive, refuse } from '../../lib/errors.ts';
import { LARGEST_AMOUNT_MINOR, parseCurrency } from '../../lib/money.ts';
import { parseInstant } from '../../lib/time.ts';
import { checkAll, parseInput } from '../../lib/validation.ts';
import { frequencyNames } from '../../storage/model/common.ts';
import type { CreditRollover, CreditScope } from '../../storage/model/creditTerms.ts';
import type { NewRow, Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { printedName } from '../../tenants/parties.ts';
import { amountInput, parseMoneyIn, parsePositive } from '../catalog/amounts.ts';
import { findCustomer } from '../customers/customers.ts';
import { defaultPriority } from '../pricing/credits.ts';
import { parseCredits } from '../pricing/creditUnits.ts';
import { checkInterval, computeCycleStart } from '../pricing/schedule.ts';
import { computeCreditPrice } from '../pricing/creditAmounts.ts';
import { findCreditType } from './creditTypes.ts';
import { parseExpiry, refuseManyCredits } from './grantedCredits.ts';
import { parsePositiveMoney } from './itemInput.ts';

const scopedIds = z.array(z.string()).nullish();

/** A time in the calendar. */
export const calendarPeriod = z.object({
  frequency: z.enum(frequencyNames),
  period: z.number(),
});

const rollover = z.object({
  percent: z.string().nullish(),
  maximum: amountInput.nullish(),
  expiresAfter: calendarPeriod,
});

/** An amount in units of a credit type. */
export const creditAmount = z.object({ creditTypeId: z.string(), amount: z.string(), currency: z.string() });

const newGrant = z.object({
  customerId: z.string(),
  name: printedName,
  amount: amountInput.nullish(),
  credits: creditAmount.nullish(),
  category: z.enum(['paid', 'promotional'], 'must be paid or promotional'),
  costBasis: z.string().nullish(),
  priority: z
    .number()
    .int('must be a whole number')
    .min(0, 'must be at least 0')
    .max(100, 'must be at most 100')
    .nullish(),
  effectiveAt: z.string().nullish(),
  expiresAt: z.string().nullish(),
  rollover: rollover.nullish(),
  appliesTo: z.object({ priceIds: scopedIds, meterIds: scopedIds }).nullish(),
  alertBelow: amountInput.nullish(),
  alertBelowCredits: z.string().nullish(),
});

type NewGrant = z.output<typeof newGrant>;

export type GrantTerms = Pick<
  NewRow<'balanceEntries'>,
  | 'customerId'
  | 'currency'
  | 'creditTypeId'
  | 'amountMinor'
  | 'reason'
  | 'expiresAt'
  | 'category'
  | 'beforeTax'
  | 'costBasis'
  | 'priority'
  | 'effectiveAt'
  | 'rollover'
  | 'appliesTo'
  | 'alertBelowMinor'
>;

/** Parses a new grant. Errors: those of `createCreditGrant`. */
export async function parseGrant(unit: UnitOfWork, input: unknown): Promise<GrantTerms> {
  const grant = parseInput(newGrant, input);
  const { name: reason, category, priority } = grant;
  const [{ amountMinor, currency, creditTypeId }, expiresAt, effectiveAt, costBasis] = checkAll(
    () => parseCreditAmount(grant),
    () => parseExpiry(unit, grant.expiresAt ?? null),
    () => parseStart(unit, grant.effectiveAt),
    () => parseCostBasis(grant),
  );
  refuseLargePrice({ amountMinor, currency, creditTypeId }, costBasis);
  if (expiresAt !== null && effectiveAt >= expiresAt)
    refuse('validation_failed', { path: 'effectiveAt', message: 'must be before expiresAt' });
  if (creditTypeId !== null) await findCreditType(unit, creditTypeId, 'credits.creditTypeId');
  const beforeTax = category === 'promotional' || isSinglePurpose(unit.tenant, creditTypeId);
  const terms = {
    rollover: parseRollover(unit, grant, { currency, creditTypeId, expiresAt }),
    appliesTo: await parseScope(unit, grant, beforeTax),
    alertBelowMinor: parseAlert(grant, { amountMinor, currency, creditTypeId }) ?? null,
  };
  const { id: customerId } = await findCustomer(unit, grant.customerId);
  await refuseManyCredits(unit, customerId);
  return {
    customerId,
    currency,
    creditTypeId,
    amountMinor,
    reason,
    expiresAt,
    category,
    beforeTax,
    costBasis,
    priority: priority ?? defaultPriority,
    effectiveAt,
    ...terms,
  };
}

/** Whether credit is sold as a single-purpose voucher: always if it is of a type, since what that buys is known at the sale. */
export const isSinglePurpose = (
  { creditVouchers }: Pick<Row<'tenants'>, 'creditVouchers'>,
  creditTypeId: string | null,
): boolean => creditTypeId !== null || creditVouchers === 'single_purpose';

/** An amount of money in minor units, or of credits in millionths. */
export interface CreditAmount {
  amountMinor: bigint;
  currency: string;
  creditTypeId: string | null;
}

/** Parses an amount of money or of credits. Errors: `validation_failed`, `amount_precision`, `currency_unsupported`. */
export function parseCreditAmount(
  { amount, credits }: Pick<NewGrant, 'amount' | 'credits'>,
  path = 'amount',
): CreditAmount {
  if (Boolean(amount) === Boolean(credits)) {
    const message = amount ? 'must not be given beside credits' : 'must be given, or credits';
    refuse('validation_failed', { path, message });
  }
  if (amount) return { ...parsePositiveMoney(amount, path), creditTypeId: null };
  const { creditTypeId, currency, amount: text } = credits!;
  return {
    amountMinor: parsePositiveCredits(text, 'credits.amount'),
    currency: parseCurrency(currency, 'credits.currency'),
    creditTypeId,
  };
}

/** Refuses an amount of credit whose price is too large. Error: `validation_failed`. */
export function refuseLargePrice(amount: CreditAmount, costBasis: string): void {
  if (computeCreditPrice(amount, costBasis) > LARGEST_AMOUNT_MINOR)
    refuse('validation_failed', { path: 'costBasis', message: 'must be less: the price is too large' });
}

/** Returns a number of credits above 0 in millionths. Error: `validation_failed`. */
export function parsePositiveCredits(text: string, path: string): bigint {
  const micro = parseCredits(text);
  if (micro === undefined)
    return refuse('validation_failed', { path, message: 'must be a decimal number with at most 6 decimals' });
  if (micro <= 0n) refuse('validation_failed', { path, ...notPositive });
  if (micro > LARGEST_AMOUNT_MINOR)
    refuse('validation_failed', { path, message: `must be at most ${LARGEST_AMOUNT_MINOR / 1_000_000n}` });
  return micro;
}

const parseStart = ({ now, tenant }: UnitOfWork, text: string | null | undefined): string =>
  text ? parseInstant(text, tenant.timezone, 'effectiveAt') : now;

/** Returns what was paid for a unit of the amount: promotional credit costs nothing, and paid credit its amount by default. */
function parseCostBasis({ category, costBasis, credits }: NewGrant): string {
  if (typeof costBasis !== 'string') {
    if (category === 'promotional') return '0';
    if (!credits) return '1';
    refuse('validation_failed', { path: 'costBasis', message: 'must be given for credits that are sold' });
  }
  const paid = formatDecimal(parsePositive(costBasis, 'costBasis'));
  if (category === 'promotional' && paid !== '0')
    refuse('validation_failed', { path: 'costBasis', message: 'must be 0 for promotional credit' });
  return paid;
}

/** Parses what a grant keeps when it expires. Errors: `validation_failed`, and those of an amount. */
function parseRollover(
  { tenant }: UnitOfWork,
  { rollover: given }: NewGrant,
  {
    currency,
    creditTypeId,
    expiresAt,
  }: Pick<NewRow<'balanceEntries'>, 'currency' | 'creditTypeId'> & {
    expiresAt: string | null;
  },
): CreditRollover | null {
  if (!given) return null;
  if (expiresAt === null)
    return refuse('validation_failed', { path: 'rollover', message: 'must not be given without expiresAt' });
  const { percent, maximum, expiresAfter } = given;
  if ((typeof percent === 'string') === Boolean(maximum))
    return refuse('validation_failed', {
      path: 'rollover',
      message: 'must have percent or maximum, and not both',
    });
  if (creditTypeId !== null && maximum)
    refuse('validation_failed', {
      path: 'rollover.maximum',
      message: 'must not be given for credits of a type',
    });
  checkInterval(expiresAfter, 'rollover.expiresAfter');
  const until = computeCycleStart(expiresAt, expiresAfter, tenant.timezone, 1);
  if (typeof percent === 'string') return { percent: parsePercent(percent), ...expiresAfter, until };
  const maximumMinor = String(parseMoneyIn(maximum!, currency, 'rollover.maximum'));
  return { maximumMinor, ...expiresAfter, until };
}

function parsePercent(text: string): string {
  const percent = parseDecimal(text);
  const isValid = percent && percent.digits > 0n && compareDecimals(percent, wholeDecimal(100)) <= 0;
  if (isValid) return formatDecimal(percent);
  const message = 'must be a decimal number above 0 and at most 100';
  return refuse('validation_failed', { path: 'rollover.percent', message });
}

/** Parses the prices and meters that a grant is limited to. Errors: `validation_failed`, `price_not_found`, `meter_not_found`. */
async function parseScope(
  reads: Reads,
  { appliesTo }: NewGrant,
  beforeTax: boolean,
): Promise<CreditScope | null> {
  if (!appliesTo) return null;
  const { priceIds, meterIds } = appliesTo;
  if (!beforeTax)
    refuse('validation_failed', {
      path: 'appliesTo',
      message: 'must not be given for credit that pays totals',
    });
  if (!priceIds?.length && !meterIds?.length)
    refuse('validation_failed', { path: 'appliesTo', message: 'must have priceIds or meterIds' });
  for (const [index, id] of (priceIds ?? []).entries())
    if (!(await reads.one('prices', { id })))
      refuse('price_not_found', { path: `appliesTo.priceIds.${index}`, message: 'does not exist' });
  for (const [index, id] of (meterIds ?? []).entries())
    if (!(await reads.one('meters', { id })))
      refuse('meter_not_found', { path: `appliesTo.meterIds.${index}`, message: 'does not exist' });
  return { ...(priceIds?.length && { priceIds }), ...(meterIds?.length && { meterIds }) };
}

const alertInput = newGrant.pick({ alertBelow: true, alertBelowCredits: true });

/** Parses a change of the alert of a grant. Errors: as `parseAlert`. */
export const parseAlertChange = (input: unknown, grant: CreditAmount): bigint | null | undefined =>
  parseAlert(parseInput(alertInput, input), grant);

/**
 * Parses the amount of a grant below which an event tells it, in its unit: null for none, undefined if it is not given. Errors:
 * `validation_failed`, `amount_precision`, `currency_unsupported`, `currency_mismatch`.
 */
function parseAlert(
  { alertBelow, alertBelowCredits }: z.output<typeof alertInput>,
  { amountMinor, currency, creditTypeId }: CreditAmount,
): bigint | null | undefined {
  const isMoney = creditTypeId === null;
  const [path, other] = isMoney
    ? (['alertBelow', 'alertBelowCredits'] as const)
    : (['alertBelowCredits', 'alertBelow'] as const);
  if ((isMoney ? alertBelowCredits : alertBelow) != null)
    refuse('validation_failed', {
      path: other,
      message: `must not be given for ${isMoney ? 'an amount of money' : 'credits of a type'}`,
    });
  if (isMoney ? !alertBelow : typeof alertBelowCredits !== 'string')
    return alertBelow === undefined && alertBelowCredits === undefined ? undefined : null;
  const minor = isMoney
    ? parseMoneyIn(alertBelow!, currency, path)
    : parsePositiveCredits(alertBelowCredits!, path);
  if (minor <= 0n) refuse('validation_failed', { path, ...notPositive });
  if (minor > amountMinor)
    refuse('validation_failed', { path, message: 'must be at most the amount of the grant' });
  return minor;
}
