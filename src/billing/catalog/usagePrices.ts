/** Prices of usage: the fields that make a price one of what a meter counts. */
import * as z from 'zod';
import {
  compareDecimals,
  formatDecimal,
  parseDecimal,
  readDecimal,
  wholeDecimal,
} from '../../lib/decimal.ts';
import { refuse, type Issue } from '../../lib/errors.ts';
import { isJsonObject } from '../../lib/json.ts';
import { parseCurrency } from '../../lib/money.ts';
import { checkAll, isGiven } from '../../lib/validation.ts';
import type { PercentageTerms, Pricing, UsageRate, UsageTerms } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { findMeter } from '../usage/meters.ts';
import { amountInput, formatUnit, parseMoney, parsePositive, parseUnit, refuseField } from './amounts.ts';

const mostRates = 100;
const longestMatch = 500;
const mostFreeEvents = 1_000_000;

const rateInput = z.object({
  // A record of zod would leave out `__proto__`, and so match other events.
  match: z.custom<Record<string, unknown>>(isJsonObject, 'must be an object'),
  unitAmount: z.string(),
});

const percentageInput = z.object({
  percent: z.string(),
  fixedPerEvent: z.string().nullish(),
  freeEvents: z
    .number()
    .int('must be a whole number')
    .min(1, 'must be 1 or more')
    .max(mostFreeEvents, `must be at most ${mostFreeEvents}`)
    .nullish(),
  freeAmount: z.string().nullish(),
  minPerEvent: z.string().nullish(),
  maxPerEvent: z.string().nullish(),
});

/** The input fields of a price of usage. */
export const usageFields = {
  meterId: z.string().nullish(),
  includedUnits: z.string().nullish(),
  minimumSpend: amountInput.nullish(),
  maximumSpend: amountInput.nullish(),
  rates: z.array(rateInput).max(mostRates, `must be at most ${mostRates}`).nullish(),
  percentage: percentageInput.nullish(),
};

const usagePrice = z.object(usageFields);
type UsageInput = z.output<typeof usagePrice>;

type Model = 'flat' | Pricing['model'];

/** Refuses fields that do not go together: each names a model, or needs a meter. */
export function refuseForeignUsage(input: UsageInput, model: Model, path: string): void {
  const foreign: Issue[] = [];
  const blame = (field: keyof UsageInput | 'model', message: string) =>
    void foreign.push({ path: `${path}${field}`, message });
  const { meterId, includedUnits, rates, percentage } = input;
  const given = (['includedUnits', 'minimumSpend', 'maximumSpend', 'rates', 'percentage'] as const).filter(
    (field) => isGiven(input[field]),
  );
  if (!isGiven(meterId)) {
    for (const field of given) blame(field, 'needs meterId: it is for a price of usage');
    if (model === 'percentage') blame('model', 'needs meterId: a percentage is of usage');
  } else if (model === 'flat') blame('model', 'must not be flat: a meter counts the units of this price');
  if (isGiven(percentage) && model !== 'percentage') blame('percentage', `does not go with a ${model} price`);
  if (!isGiven(percentage) && model === 'percentage') blame('percentage', 'must be given for this model');
  if (isGiven(rates) && model !== 'per_unit') blame('rates', `does not go with a ${model} price`);
  if (isGiven(includedUnits) && model === 'percentage')
    blame('includedUnits', 'does not go with a percentage price, which has freeEvents and freeAmount');
  if (foreign.length > 0) refuse('validation_failed', ...foreign);
}

/**
 * Parses what makes a price one of usage; undefined without a meter. Errors: `validation_failed`, `amount_precision`,
 * `currency_unsupported`.
 */
export function parseUsageTerms(
  input: UsageInput,
  currency: string,
  defaultRate: string,
  path: string,
): UsageTerms | undefined {
  const { meterId, includedUnits, minimumSpend, maximumSpend } = input;
  if (!isGiven(meterId)) return undefined;
  const [included, minimum, maximum, rates] = checkAll(
    () =>
      isGiven(includedUnits)
        ? formatDecimal(parsePositive(includedUnits, `${path}includedUnits`))
        : undefined,
    () => parseSpend(minimumSpend, currency, `${path}minimumSpend`),
    () => parseSpend(maximumSpend, currency, `${path}maximumSpend`),
    () => (isGiven(input.rates) ? parseRates(input.rates, currency, defaultRate, `${path}rates`) : undefined),
  );
  if (maximum !== undefined && maximum < (minimum ?? 1n))
    refuseField(
      `${path}maximumSpend`,
      minimum === undefined ? 'must be more than 0' : 'must not be less than minimumSpend',
    );
  return {
    meterId,
    ...(included !== undefined && included !== '0' && { includedUnits: included }),
    ...(minimum !== undefined && minimum > 0n && { minimumMinor: String(minimum) }),
    ...(maximum !== undefined && { maximumMinor: String(maximum) }),
    ...(rates && { rates }),
  };
}

/** Parses what a period costs at least or at most, in the currency of the price. */
function parseSpend(
  spend: z.output<typeof amountInput> | null | undefined,
  currency: string,
  path: string,
): bigint | undefined {
  if (!isGiven(spend)) return undefined;
  if (parseCurrency(spend.currency, `${path}.currency`) !== currency)
    refuseField(`${path}.currency`, 'must be the currency of the price');
  return parseMoney(spend, currency, path);
}

/** Parses rates. The amount of the price, if it is not 0, is the rate of all units that no other one matches. */
function parseRates(
  inputs: z.output<typeof rateInput>[],
  currency: string,
  defaultRate: string,
  path: string,
): UsageRate[] {
  if (inputs.length === 0) refuseField(path, 'must have at least one rate');
  const rates = checkAll(...inputs.map((input, n) => () => parseRate(input, currency, `${path}.${n}`)));
  const known = new Set<string>();
  for (const [n, { match }] of rates.entries()) {
    const names = Object.keys(match).toSorted();
    const key = JSON.stringify(names.map((name) => [name, match[name]]));
    if (known.has(key)) refuseField(`${path}.${n}.match`, 'is that of another rate');
    if (names.length === 0 && n < rates.length - 1)
      refuseField(`${path}.${n}.match`, 'matches all units, so this rate must be the last one');
    known.add(key);
  }
  const isComplete = known.has('[]');
  if (Number(defaultRate) === 0) return rates;
  if (isComplete)
    refuseField(`${path}.${rates.length - 1}.match`, 'must not match all units beside an amount in details');
  return [...rates, { match: {}, unitAmount: defaultRate }];
}

function parseRate(
  { match, unitAmount }: z.output<typeof rateInput>,
  currency: string,
  path: string,
): UsageRate {
  const [texts, amount] = checkAll(
    () => Object.fromEntries(Object.keys(match).map((name) => [name, parseMatch(match[name], name, path)])),
    () => formatUnit(parseUnit(unitAmount, currency, `${path}.unitAmount`), currency),
  );
  return { match: texts, unitAmount: amount };
}

/** Properties are compared as text, as by the filter of a meter; null matches events without the property. */
function parseMatch(value: unknown, name: string, path: string): string | null {
  const at = `${path}.match.${name}`;
  if (name === '__proto__') refuseField(`${path}.match`, 'must not have the key __proto__');
  if (value === null) return null;
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value)))
    return String(value);
  if (typeof value !== 'string') return refuseField(at, 'must be text, a number, true, false or null');
  return value.length > longestMatch ? refuseField(at, `must be at most ${longestMatch} characters`) : value;
}

/** Parses the terms of a percentage. Errors: `validation_failed`. */
export function parsePercentage(
  input: z.output<typeof percentageInput>,
  currency: string,
  path: string,
): PercentageTerms {
  const parseAmount = (field: 'fixedPerEvent' | 'freeAmount' | 'minPerEvent' | 'maxPerEvent') => () => {
    const text = input[field];
    return isGiven(text) ? formatUnit(parseUnit(text, currency, `${path}.${field}`), currency) : undefined;
  };
  const [percent, fixedPerEvent, freeAmount, minPerEvent, maxPerEvent] = checkAll(
    () => parsePercent(input.percent, `${path}.percent`),
    parseAmount('fixedPerEvent'),
    parseAmount('freeAmount'),
    parseAmount('minPerEvent'),
    parseAmount('maxPerEvent'),
  );
  if (minPerEvent !== undefined && maxPerEvent !== undefined)
    if (compareDecimals(readDecimal(minPerEvent), readDecimal(maxPerEvent)) > 0)
      refuseField(`${path}.maxPerEvent`, 'must not be less than minPerEvent');
  return {
    percent,
    ...(fixedPerEvent !== undefined && { fixedPerEvent }),
    ...(isGiven(input.freeEvents) && { freeEvents: input.freeEvents }),
    ...(freeAmount !== undefined && { freeAmount }),
    ...(minPerEvent !== undefined && { minPerEvent }),
    ...(maxPerEvent !== undefined && { maxPerEvent }),
  };
}

function parsePercent(text: string, path: string): string {
  const percent = parseDecimal(text);
  const isValid = percent && percent.digits >= 0n && compareDecimals(percent, wholeDecimal(100)) <= 0;
  return isValid
    ? formatDecimal(percent)
    : refuseField(path, 'must be from 0 to 100, with at most 12 decimals');
}

/**
 * Checks that the meter of a new price exists, counts, and fits the price. `path` precedes the names of its fields. Errors:
 * `meter_not_found`, `validation_failed`.
 */
export async function checkMeter(
  reads: Reads,
  { pricing }: Pick<Row<'prices'>, 'pricing'>,
  path: string,
): Promise<void> {
  if (!pricing?.usage) return;
  const { meterId, rates = [] } = pricing.usage;
  const meter = await reads.one('meters', { id: meterId });
  if (!meter) return refuse('meter_not_found', { path: `${path}meterId`, message: 'does not exist' });
  if (meter.archivedAt !== null) refuseField(`${path}meterId`, 'is archived');
  for (const [n, { match }] of rates.entries())
    for (const name of Object.keys(match))
      if (!meter.groupBy.includes(name))
        refuseField(`${path}rates.${n}.match.${name}`, 'must be among groupBy of the meter');
  if (pricing.model !== 'percentage') return;
  if (meter.aggregation !== 'sum' || meter.persistent)
    refuseField(`${path}percentage`, 'needs a meter that sums the amounts of events and is not persistent');
}

/** Refuses to offer a price whose meter was archived. Errors: `validation_failed`. */
export async function refuseArchivedMeter(
  reads: Reads,
  { meterId }: Pick<Row<'prices'>, 'meterId'>,
): Promise<void> {
  if (meterId === null) return;
  const { archivedAt } = await findMeter(reads, meterId);
  if (archivedAt !== null)
    refuse('validation_failed', { path: 'id', message: 'has a meter that is archived' });
}
