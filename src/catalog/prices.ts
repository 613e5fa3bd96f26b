import * as z from 'zod';
import { mapMaybe, type MaybePromise } from '../lib/maybePromise.ts';
import { checkInterval } from '../pricing/schedule.ts';
import { parseInput } from '../lib/validation.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import type { Reads } from '../storage/store.ts';
import { BillingError, refuse } from '../lib/errors.ts';
import { parseInstant } from '../lib/time.ts';
import { parseCurrency, toMajor, toMinor } from '../lib/money.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';

export type PriceRow = Row<'prices'>;

/** The stored columns that define the amount and the interval of a price. */
type Pricing = Pick<PriceRow, 'amountMinor' | 'currency' | 'frequency' | 'period' | 'executionDate'>;

/** The same fields in API form: the amount in major units. */
type Terms = Omit<Pricing, 'amountMinor'> & { amount: number };

const largestCount = 100;

const details = z.object({
  // Accepts NaN and Infinity here, so that the amount check reports them; z.number() would report a wrong type.
  amount: z.custom<number>((value) => typeof value === 'number', 'must be a number'),
  currency: z.string(),
});
const recurring = z.object({
  frequency: z.enum(['Daily', 'Weekly', 'Monthly', 'Yearly']),
  period: z.number(),
});

const newPrice = z.object({
  details,
  recurring: z
    .object({
      frequency: recurring.shape.frequency.nullish(),
      period: recurring.shape.period.nullish(),
      executionDate: z.string().nullish(),
    })
    .nullish(),
});

const newPrices = z.array(newPrice).max(largestCount, `must be at most ${largestCount}`);
const anyPrices = z.object({ prices: newPrices.nullish() });
const somePrices = z.object({ prices: newPrices.min(1, 'must be at least one') });

const priceChanges = z.object({
  details: details.partial().optional(),
  recurring: recurring.partial().extend({ executionDate: z.string().nullable().optional() }).optional(),
});

/**
 * Parses the `prices` of an input: 1 to 100, or none if `mayBeNone`. Reports every error of every price. Errors:
 * `validation_failed`, `amount_precision`, `currency_unsupported`.
 */
export function parsePrices(input: unknown, timeZone: string, mayBeNone: boolean): Pricing[] {
  const { prices } = mayBeNone ? parseInput(anyPrices, input) : parseInput(somePrices, input);
  const readings = (prices ?? []).map((price, index) => () => {
    const { frequency, period, executionDate } = price.recurring ?? {};
    const terms: Terms = {
      ...price.details,
      frequency: frequency ?? 'Monthly',
      period: period ?? 1,
      executionDate: executionDate ?? null,
    };
    return parsePricing(terms, timeZone, `prices.${index}.`);
  });
  return checkAll(...readings);
}

/** Adds prices to a product. Each price has its own trace, with the product as its cause. */
export async function addPrices(
  unit: UnitOfWork,
  productId: string,
  pricings: Pricing[],
): Promise<PriceRow[]> {
  const prices: PriceRow[] = [];
  for (const pricing of pricings) {
    const values = { id: unit.id('price'), productId, ...pricing, createdAt: unit.now, updatedAt: unit.now };
    prices.push(await unit.create('prices', values, { causedBy: productId }));
  }
  return prices;
}

/**
 * Changes the amount, currency or interval of a product's price; omitted fields stay unchanged. Errors:
 * `price_not_found`, `validation_failed`, `amount_precision`, `currency_unsupported`.
 */
export async function updatePrice(
  unit: UnitOfWork,
  productId: string,
  id: string,
  input: unknown,
): Promise<PriceRow> {
  const changes = parseInput(priceChanges, input);
  const price = await findPrice(unit, productId, id);
  const { currency, frequency, period, executionDate } = price;
  const amount = toMajor(price.amountMinor, currency);
  const before: Terms = { amount, currency, frequency, period, executionDate };
  const terms = { ...before, ...changes.details, ...changes.recurring };
  return unit.change('prices', price, parsePricing(terms, unit.tenant.timezone, ''));
}

/**
 * Returns the price with this id, verified to belong to the product if one is given. Error: `price_not_found`, also if
 * the product is deleted.
 */
export function findPrice(
  reads: Reads,
  productId: string | undefined | null,
  id: string,
): MaybePromise<PriceRow> {
  return mapMaybe(reads.one('prices', { id, productId: { undeleted: 'products' } }), (price) => {
    const isFound = price && (productId ?? price.productId) === price.productId;
    return isFound ? price : refuse('price_not_found');
  });
}

function parsePricing(terms: Terms, timeZone: string, path: string): Pricing {
  const { frequency, period } = terms;
  const [money, executionDate] = checkAll(
    () => {
      const currency = parseCurrency(terms.currency, `${path}details.currency`);
      return { currency, amountMinor: toMinor(terms.amount, currency, `${path}details.amount`) };
    },
    () => {
      if (terms.executionDate === null) return null;
      return parseInstant(terms.executionDate, timeZone, `${path}recurring.executionDate`);
    },
    () => checkInterval({ frequency, period }, `${path}recurring`),
  );
  return { ...money, frequency, period, executionDate };
}

/**
 * Runs all checks, so that one error reports every problem. Returns the results of the checks. The error has the reason
 * of the failed checks if they agree, otherwise `validation_failed`.
 */
export function checkAll<Results extends unknown[]>(
  ...checks: { [K in keyof Results]: () => Results[K] }
): Results {
  const failures: BillingError[] = [];
  const results = checks.map((attempt) => {
    try {
      return attempt();
    } catch (error) {
      if (!(error instanceof BillingError)) throw error;
      return failures.push(error);
    }
  });
  const [first, ...others] = failures;
  if (!first) return results as Results;
  const reason = others.every((other) => other.reason === first.reason) ? first.reason : 'validation_failed';
  return refuse(reason, ...failures.flatMap(({ issues }) => issues));
}
