import * as z from 'zod';
import {
  compareDecimals,
  formatDecimal,
  parseDecimal,
  wholeDecimal,
  type ExactDecimal,
} from '../../lib/decimal.ts';
import { notPositive, refuse, type Issue } from '../../lib/errors.ts';
import { parseCurrency, toMajor } from '../../lib/money.ts';
import { checkAll, isGiven } from '../../lib/validation.ts';
import { printedName } from '../../tenants/parties.ts';
import type { PriceTier, Pricing } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import {
  amountInput,
  formatUnit,
  parseMoney,
  parsePositive,
  parseUnit,
  parseUnitAmount,
  refuseField,
  type AmountInput,
} from './amounts.ts';
import { parsePercentage, parseUsageTerms, refuseForeignUsage, usageFields } from './usagePrices.ts';

/** The pricing models. A flat price has no quantity: its amount is that of the cycle. */
const pricingModels = ['flat', 'per_unit', 'package', 'graduated', 'volume', 'percentage'] as const;
export type PricingModel = (typeof pricingModels)[number];

type PriceRow = Row<'prices'>;
type Amount = Pick<PriceRow, 'amountMinor' | 'currency' | 'pricing'>;
type ModelTerms = Amount & Pick<PriceRow, 'minQuantity' | 'maxQuantity' | 'nickname'>;

const mostTiers = 100;
/** The largest quantity of a subscription. */
export const largestQuantity = 1_000_000_000;

/** Changes to an amount; an omitted field stays. */
export const amountChanges = z.object({
  amount: amountInput.shape.amount.unwrap().unwrap().optional(),
  decimal: z.string().optional(),
  currency: z.string().optional(),
});

const tierInput = z.object({
  upTo: z.string().nullish(),
  unitAmount: z.string().nullish(),
  flatAmount: z.string().nullish(),
});

const units = z.number().int('must be a whole number').min(1, 'must be 1 or more');
const quantityBound = units.max(largestQuantity, `must be at most ${largestQuantity}`).nullish();

/** The input fields that define the pricing model. */
export const pricingFields = {
  model: z.enum(pricingModels).nullish(),
  tiers: z.array(tierInput).max(mostTiers, `must be at most ${mostTiers}`).nullish(),
  packageSize: quantityBound,
  minQuantity: quantityBound,
  maxQuantity: quantityBound,
  nickname: printedName.nullish(),
  ...usageFields,
};

const priceModel = z.object({ details: amountInput, ...pricingFields });
type PriceModelInput = z.output<typeof priceModel>;

/** Returns the model of a price. */
export const findModel = ({ pricing }: { pricing: Pricing | null }): PricingModel => pricing?.model ?? 'flat';

/**
 * Parses the amount, the model and the quantity bounds of a new price. Errors: `validation_failed` (with the path of the
 * tier if tiers overlap, descend or lack an end), `amount_precision`, `currency_unsupported`.
 */
export function parsePriceModel(input: PriceModelInput, path: string): ModelTerms {
  const { details, minQuantity = null, maxQuantity = null, nickname = null } = input;
  const model = input.model ?? findDefaultModel(input);
  const [amount] = checkAll(
    () => {
      const currency = parseCurrency(details.currency, `${path}details.currency`);
      return parseAmount(model, input, currency, path);
    },
    () => refuseForeignFields(model, input, path),
    () => refuseForeignUsage(input, model, path),
    () => {
      if (minQuantity === null || maxQuantity === null || minQuantity <= maxQuantity) return;
      refuseField(`${path}maxQuantity`, 'must not be less than minQuantity');
    },
  );
  return { ...amount, minQuantity, maxQuantity, nickname };
}

/**
 * Parses the set-up fee of a new price, in the currency of the price; null for none. Errors: `validation_failed`,
 * `amount_precision`, `currency_unsupported`.
 */
export function parseSetupFee(
  fee: z.output<typeof amountInput> | null | undefined,
  priceCurrency: string,
  path: string,
): bigint | null {
  if (!isGiven(fee)) return null;
  const currency = parseCurrency(fee.currency, `${path}.currency`);
  if (currency !== priceCurrency.toLowerCase())
    refuseField(`${path}.currency`, 'must be the currency of the price');
  const feeMinor = parseMoney(fee, currency, path);
  return feeMinor > 0n ? feeMinor : refuse('validation_failed', { path, ...notPositive });
}

/** Returns the amount of a price after a change of its details; the model stays. Errors: as for `parsePriceModel`. */
export function changeAmount(price: PriceRow, changes: z.output<typeof amountChanges>): Amount {
  const currency = parseCurrency(changes.currency ?? price.currency, 'details.currency');
  if (currency !== price.currency && price.setupFeeMinor !== null)
    refuseField('details.currency', `must stay ${price.currency}, the currency of the set-up fee`);
  const { pricing } = price;
  if (
    currency !== price.currency &&
    (pricing?.usage?.minimumMinor ?? pricing?.usage?.maximumMinor) !== undefined
  )
    refuseField('details.currency', `must stay ${price.currency}, the currency of the minimum and maximum`);
  const isNamed = isGiven(changes.amount) || isGiven(changes.decimal);
  if (pricing && (!('unitAmount' in pricing) || pricing.usage?.rates)) {
    const place = 'tiers' in pricing ? 'tiers' : pricing.model === 'percentage' ? 'a percentage' : 'rates';
    if (isNamed) refuseField('details', `of a price with ${place} has no amount of its own`);
    return { amountMinor: 0n, currency, pricing };
  }
  if (pricing === null) {
    const details = isNamed ? changes : { amount: toMajor(price.amountMinor, price.currency) };
    return { amountMinor: parseMoney(details, currency, 'details'), currency, pricing };
  }
  const unitAmount = isNamed ? parseUnitAmount({ ...changes, currency }, 'details') : pricing.unitAmount;
  return { amountMinor: 0n, currency, pricing: { ...pricing, unitAmount } };
}

function findDefaultModel({ meterId, percentage }: PriceModelInput): PricingModel {
  if (isGiven(percentage)) return 'percentage';
  return isGiven(meterId) ? 'per_unit' : 'flat';
}

function parseAmount(model: PricingModel, input: PriceModelInput, currency: string, path: string): Amount {
  const { details } = input;
  const at = `${path}details`;
  if (model === 'flat') return { amountMinor: parseMoney(details, currency, at), currency, pricing: null };
  const isOptional = model !== 'package' && (model !== 'per_unit' || isGiven(input.rates));
  const amount = isOptional && !isGiven(details.decimal) ? (details.amount ?? 0) : details.amount;
  const { named, pricing } = parseQuantityPricing(model, input, { ...details, amount }, currency, path);
  const usage = parseUsageTerms(input, currency, named, path);
  // A percentage without a meter is refused beside this.
  return { amountMinor: 0n, currency, pricing: (usage ? { ...pricing, usage } : pricing) as Pricing };
}

/** Parses a pricing of units, and the amount that the details name. */
function parseQuantityPricing(
  model: Exclude<PricingModel, 'flat'>,
  input: PriceModelInput,
  details: AmountInput,
  currency: string,
  path: string,
) {
  const at = `${path}details`;
  const parseNamed = () => parseUnitAmount(details, at);
  if (model === 'per_unit') {
    const named = parseNamed();
    return { named, pricing: { model, unitAmount: isGiven(input.rates) ? '0' : named } };
  }
  if (model === 'package') {
    const { packageSize } = input;
    const named = parseNamed();
    if (!isGiven(packageSize)) return refuseField(`${path}packageSize`, 'must be given for a package price');
    return { named, pricing: { model, unitAmount: named, packageSize } };
  }
  if (model === 'percentage') {
    const { percentage: terms } = input;
    if (!isGiven(terms)) return refuseField(`${path}percentage`, 'must be given for this model');
    const [named, percentage] = checkAll(parseNamed, () =>
      parsePercentage(terms, currency, `${path}percentage`),
    );
    if (Number(named) !== 0)
      refuseField(`${at}.amount`, 'must be 0: a percentage price has its amounts in percentage');
    return { named, pricing: { model, percentage } };
  }
  const [named, tiers] = checkAll(parseNamed, () => parseTiers(input.tiers ?? [], currency, `${path}tiers`));
  if (Number(named) !== 0 && named !== tiers[0]!.unitAmount)
    refuseField(
      `${at}.amount`,
      `must be 0 or that of the first tier: a ${model} price has its amounts in tiers`,
    );
  return { named, pricing: { model, tiers } };
}

/** Refuses fields that belong to another model. */
function refuseForeignFields(model: PricingModel, input: PriceModelInput, path: string): void {
  const foreign: Issue[] = [];
  const isTiered = model === 'graduated' || model === 'volume';
  if (isGiven(input.tiers) && input.tiers.length > 0 && !isTiered) {
    foreign.push({ path: `${path}tiers`, message: `does not go with a ${model} price` });
  }
  if (isGiven(input.packageSize) && model !== 'package') {
    foreign.push({ path: `${path}packageSize`, message: `does not go with a ${model} price` });
  }
  for (const bound of ['minQuantity', 'maxQuantity'] as const) {
    if (!isGiven(input[bound])) continue;
    if (isGiven(input.meterId))
      foreign.push({
        path: `${path}${bound}`,
        message: 'does not go with a price of usage, whose units a meter counts',
      });
    else if (model === 'flat')
      foreign.push({
        path: `${path}${bound}`,
        message: 'does not go with a flat price, which has no quantity',
      });
  }
  if (foreign.length > 0) refuse('validation_failed', ...foreign);
}

/** Parses tiers: their ends ascend from above 0, and the last tier has no end. */
function parseTiers(tiers: z.output<typeof tierInput>[], currency: string, path: string): PriceTier[] {
  if (tiers.length === 0) refuseField(path, 'must have at least one tier');
  const readings = tiers.map(
    (tier, n) => () => parseTier(tier, n === tiers.length - 1, currency, `${path}.${n}`),
  );
  const read = checkAll(...readings);
  let below = wholeDecimal(0);
  for (const [n, { upTo }] of read.entries()) {
    if (upTo === null) break;
    const end = parseDecimal(upTo)!;
    if (compareDecimals(end, below) <= 0) {
      refuseField(
        `${path}.${n}.upTo`,
        n === 0 ? 'must be more than 0' : 'must be more than that of the tier before',
      );
    }
    below = end;
  }
  return read;
}

function parseTier(
  tier: z.output<typeof tierInput>,
  isLast: boolean,
  currency: string,
  path: string,
): PriceTier {
  if (isLast !== !isGiven(tier.upTo)) {
    refuseField(
      `${path}.upTo`,
      isLast ? 'must be null on the last tier' : 'must be null on the last tier alone',
    );
  }
  if (!isGiven(tier.unitAmount) && !isGiven(tier.flatAmount)) {
    refuseField(`${path}.unitAmount`, 'must be given, or flatAmount');
  }
  const [upTo, unitAmount, flatAmount] = checkAll(
    () => (isGiven(tier.upTo) ? formatDecimal(parseWhole(tier.upTo, `${path}.upTo`)) : null),
    () => formatUnit(parseUnit(tier.unitAmount ?? '0', currency, `${path}.unitAmount`), currency),
    () => formatUnit(parseUnit(tier.flatAmount ?? '0', currency, `${path}.flatAmount`), currency),
  );
  return { upTo, unitAmount, flatAmount };
}

/** Parses the last unit of a tier: quantities are whole numbers. */
function parseWhole(text: string, path: string): ExactDecimal {
  const decimal = parsePositive(text, path);
  return decimal.scale === 0 ? decimal : refuseField(path, 'must be a whole number');
}
