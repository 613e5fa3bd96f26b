import * as z from 'zod';
import { mapMaybe, type MaybePromise } from '../../lib/maybePromise.ts';
import { computeCycleAmount } from '../pricing/priceModel.ts';
import { quoteUsage } from '../pricing/usagePrice.ts';
import { checkInterval } from '../pricing/schedule.ts';
import { parseInput, checkAll } from '../../lib/validation.ts';
import { frequencyNames } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { refuse } from '../../lib/errors.ts';
import { inState } from '../../lib/issueCodes.ts';
import { formatDecimal } from '../../lib/decimal.ts';
import { countDecimals, divideRoundHalfUp } from '../../lib/money.ts';
import { parseInstant } from '../../lib/time.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import {
  amountChanges,
  changeAmount,
  largestQuantity,
  parsePriceModel,
  parseSetupFee,
  pricingFields,
} from './priceModels.ts';
import { amountInput } from './amounts.ts';
import { lookupKeyInput, takePriceKey, transferInput } from './lookupKeys.ts';
import { checkMeter, refuseArchivedMeter } from './usagePrices.ts';
import { longestTrialDays } from '../pricing/trials.ts';

export type PriceRow = Row<'prices'>;

/** A price as it is stored, but for its id, its product and its timestamps. */
export type PriceTerms = Omit<
  PriceRow,
  'tenantAlias' | 'id' | 'productId' | 'createdAt' | 'updatedAt' | 'archivedAt' | 'lookupKey'
>;

/** A price to create: its terms, and its key, which it may take from another price. */
export interface PriceToAdd extends PriceTerms {
  lookupKey: string | null;
  transferLookupKey: boolean;
}

type Schedule = Pick<PriceRow, 'frequency' | 'period' | 'executionDate'>;

const largestCount = 100;
const mostQuantities = 200;
const averageDigits = 4n;

const recurring = z.object({
  frequency: z.enum(frequencyNames),
  period: z.number(),
});

const newPrice = z.object({
  details: amountInput,
  recurring: z
    .object({
      frequency: recurring.shape.frequency.nullish(),
      period: recurring.shape.period.nullish(),
      executionDate: z.string().nullish(),
    })
    .nullish(),
  ...pricingFields,
  trialDays: z
    .number()
    .int('must be a whole number')
    .min(1, 'must be 1 or more')
    .max(longestTrialDays, `must be at most ${longestTrialDays}`)
    .nullish(),
  setupFee: amountInput.nullish(),
  taxBehavior: z.enum(['exclusive', 'inclusive'], 'must be exclusive or inclusive').nullish(),
  lookupKey: lookupKeyInput,
  transferLookupKey: transferInput,
});

const newPrices = z.array(newPrice).max(largestCount, `must be at most ${largestCount}`);
const anyPrices = z.object({ prices: newPrices.nullish() });
const somePrices = z.object({ prices: newPrices.min(1, 'must be at least one') });

const quotedQuantity = z
  .number()
  .int('must be a whole number')
  .min(1, 'must be 1 or more')
  .max(largestQuantity, `must be at most ${largestQuantity}`);
const quoted = z.object({ quantity: quotedQuantity });
const previewedQuantities = z.object({
  quantities: z
    .array(quotedQuantity)
    .min(1, 'must be at least one')
    .max(mostQuantities, `must be at most ${mostQuantities}`),
});

const priceChanges = z.object({
  details: amountChanges.optional(),
  recurring: recurring.partial().extend({ executionDate: z.string().nullable().optional() }).optional(),
  lookupKey: lookupKeyInput,
  transferLookupKey: transferInput,
});

/**
 * Parses the `prices` of an input: 1 to 100, or none if `mayBeNone`. Reports every error of every price. Errors:
 * `validation_failed`, `amount_precision`, `currency_unsupported`.
 */
export function parsePrices(input: unknown, timeZone: string, mayBeNone: boolean): PriceToAdd[] {
  const { prices } = mayBeNone ? parseInput(anyPrices, input) : parseInput(somePrices, input);
  const readings = (prices ?? []).map((price, index) => () => {
    const { frequency, period, executionDate } = price.recurring ?? {};
    const schedule: Schedule = {
      frequency: frequency ?? 'Monthly',
      period: period ?? 1,
      executionDate: executionDate ?? null,
    };
    const path = `prices.${index}.`;
    const [pricing, recurrence, setupFeeMinor] = checkAll(
      () => parsePriceModel(price, path),
      () => parseSchedule(schedule, timeZone, path),
      () => parseSetupFee(price.setupFee, price.details.currency, `${path}setupFee`),
    );
    return {
      ...pricing,
      ...recurrence,
      trialDays: price.trialDays ?? null,
      setupFeeMinor,
      meterId: pricing.pricing?.usage?.meterId ?? null,
      // Null where it is the default, so that plain prices have no further fields in traces.
      taxBehavior: price.taxBehavior === 'inclusive' ? price.taxBehavior : null,
      lookupKey: price.lookupKey ?? null,
      transferLookupKey: price.transferLookupKey ?? false,
    };
  });
  return checkAll(...readings);
}

/** The terms of a price that decide what a quantity costs. */
type QuotedTerms = Pick<PriceRow, 'amountMinor' | 'currency' | 'pricing'>;

/** What a quantity of a price costs per cycle, in minor units. */
export interface PriceQuote {
  quantity: number;
  amountMinor: bigint;
  /** The amount divided by the quantity, rounded half up to four decimals more than the currency has. */
  average: string;
  currency: string;
  /** The terms of the price, which explain the amount. */
  terms: QuotedTerms;
}

/**
 * Returns what quantities of a price cost per cycle, which need not exist yet, by the arithmetic that bills. Errors: as for
 * `parsePrices` and `addPrices`.
 */
export async function previewPrice(
  reads: Reads,
  price: unknown,
  quantities: number[],
  timeZone: string,
): Promise<PriceQuote[]> {
  const [terms] = parsePrices({ prices: [price] }, timeZone, false) as [PriceToAdd];
  const counts = parseInput(previewedQuantities, { quantities }).quantities;
  if (terms.meterId !== null) await checkMeter(reads, terms, 'prices.0.');
  return counts.map((quantity) => quoteTerms(terms, quantity));
}

/**
 * Returns what a quantity of a price costs per cycle, by the arithmetic that bills. The bounds of the price are not applied.
 * Error: `validation_failed` for a quantity that no price allows.
 */
export const quotePrice = (price: QuotedTerms, quantity: number): PriceQuote =>
  quoteTerms(price, parseInput(quoted, { quantity }).quantity);

function quoteTerms(terms: QuotedTerms, quantity: number): PriceQuote {
  const { pricing, currency } = terms;
  const { amountMinor } = pricing?.usage
    ? quoteUsage(pricing, currency, quantity)
    : computeCycleAmount(terms, quantity);
  const digits = divideRoundHalfUp(amountMinor * 10n ** averageDigits, BigInt(quantity));
  const average = formatDecimal({ digits, scale: countDecimals(terms.currency) + Number(averageDigits) });
  return { quantity, amountMinor, average, currency: terms.currency, terms };
}

/**
 * Adds prices to a product. Each price has its own trace, with the product as its cause. Errors: `meter_not_found`,
 * `lookup_key_exists`, `validation_failed` for a meter that does not fit.
 */
export async function addPrices(
  unit: UnitOfWork,
  productId: string,
  pricings: PriceToAdd[],
): Promise<PriceRow[]> {
  const prices: PriceRow[] = [];
  for (const [index, { transferLookupKey, ...pricing }] of pricings.entries()) {
    const path = `prices.${index}.`;
    if (pricing.meterId !== null) await checkMeter(unit, pricing, path);
    await takePriceKey(
      unit,
      { key: pricing.lookupKey, isTransferred: transferLookupKey },
      { causedBy: productId, path },
    );
    const stamps = { createdAt: unit.now, updatedAt: unit.now };
    const values = { id: unit.id('price'), productId, ...pricing, ...stamps };
    prices.push(await unit.create('prices', values, { causedBy: productId }));
  }
  return prices;
}

/**
 * Changes the amount, currency or interval of a price, whose product is verified if given; omitted fields stay unchanged. Errors:
 * `price_not_found`, `lookup_key_exists`, `validation_failed`, `amount_precision`, `currency_unsupported`.
 */
export async function updatePrice(
  unit: UnitOfWork,
  productId: string | undefined | null,
  id: string,
  input: unknown,
): Promise<PriceRow> {
  const changes = parseInput(priceChanges, input);
  const price = await findPrice(unit, productId, id);
  const { frequency, period, executionDate } = price;
  const [amount, schedule] = checkAll(
    () => changeAmount(price, changes.details ?? {}),
    () => parseSchedule({ frequency, period, executionDate, ...changes.recurring }, unit.tenant.timezone, ''),
  );
  const { lookupKey, transferLookupKey } = changes;
  await takePriceKey(
    unit,
    { key: lookupKey, isTransferred: transferLookupKey ?? false },
    { ownId: id, causedBy: id },
  );
  return unit.change('prices', price, {
    ...amount,
    ...schedule,
    ...(lookupKey !== undefined && { lookupKey }),
  });
}

/**
 * Archives a price: new orders and changes cannot choose it. Its subscriptions keep it and renew, and intents that were
 * created before can be paid until they expire. Repeating it changes nothing. Error: `price_not_found`.
 */
export async function archivePrice(unit: UnitOfWork, id: string): Promise<PriceRow> {
  const price = await findPrice(unit, undefined, id);
  if (price.archivedAt !== null) return price;
  return unit.change('prices', price, { archivedAt: unit.now }, { action: 'archived' });
}

/**
 * Lets new orders and changes choose an archived price again. Repeating it changes nothing. Errors: `price_not_found`,
 * `validation_failed` if its meter is archived.
 */
export async function unarchivePrice(unit: UnitOfWork, id: string): Promise<PriceRow> {
  const price = await findPrice(unit, undefined, id);
  if (price.archivedAt === null) return price;
  await refuseArchivedMeter(unit, price);
  return unit.change('prices', price, { archivedAt: null }, { action: 'unarchived' });
}

/** Refuses an archived price that a subscription does not have already. Error: `price_archived` at `path`. */
export function refuseArchived(price: PriceRow, presentId: string | undefined, path: string): void {
  if (price.archivedAt === null || price.id === presentId) return;
  refuse('price_archived', { path, ...inState('archived') });
}

/**
 * Returns the price with this id, verified to belong to the product if one is given, without the columns `leaveOut`. Error:
 * `price_not_found`, also if the product is deleted.
 */
export function findPrice(
  reads: Reads,
  productId: string | undefined | null,
  id: string,
  leaveOut?: readonly (keyof PriceRow)[],
): MaybePromise<PriceRow> {
  const where = { id, productId: { undeleted: 'products' } } as const;
  return mapMaybe(reads.one('prices', where, leaveOut), (price) => {
    const isFound = price && (productId ?? price.productId) === price.productId;
    return isFound ? price : refuse('price_not_found');
  });
}

function parseSchedule(
  { frequency, period, executionDate }: Schedule,
  timeZone: string,
  path: string,
): Schedule {
  const [instant] = checkAll(
    () =>
      executionDate === null ? null : parseInstant(executionDate, timeZone, `${path}recurring.executionDate`),
    () => checkInterval({ frequency, period }, `${path}recurring`),
  );
  return { frequency, period, executionDate: instant };
}
