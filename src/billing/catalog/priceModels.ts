import * as z from 'zod';
import {
  compareDecimals,
  formatDecimal,
  parseDecimal,
  wholeDecimal,
  type ExactDecimal,
} from '../../lib/decimal.ts';
import { refuse, type Issue } from '../../lib/errors.ts';
import {
  LARGEST_AMOUNT_MINOR,
  decimalText,
  decimalToMinor,
  parseCurrency,
  roundToMinor,
  toMajor,
  toMinor,
  unitAmountText,
} from '../../lib/money.ts';
import { checkAll, isGiven } from '../../lib/validation.ts';
import { printedName } from '../../tenants/parties.ts';
import type { PriceTier, Pricing } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';

/** The pricing models. A flat price has no quantity: its amount is that of the cycle. */
const pricingModels = ['flat', 'per_unit', 'package', 'graduated', 'volume'] as const;
export type PricingModel = (typeof pricingModels)[number];

type PriceRow = Row<'prices'>;
type Amount = Pick<PriceRow, 'amountMinor' | 'currency' | 'pricing'>;
type ModelTerms = Amount & Pick<PriceRow, 'minQuantity' | 'maxQuantity' | 'nickname'>;

const mostTiers = 100;
/** The largest quantity of a subscription. */
export const largestQuantity = 1_000_000_000;

/** An amount in a request: `amount` or `decimal`, never both. */
export const amountInput = z.object({
  // Accepts NaN and Infinity here, so that the amount check reports them; z.number() would report a wrong type.
  amount: z.custom<number>((value) => typeof value === 'number', 'must be a number').nullish(),
  decimal: z.string().nullish(),
  currency: z.string(),
});

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
  const model = input.model ?? 'flat';
  const [amount] = checkAll(
    () => {
      const currency = parseCurrency(details.currency, `${path}details.currency`);
      return parseAmount(model, input, currency, path);
    },
    () => refuseForeignFields(model, input, path),
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
  return feeMinor > 0n ? feeMinor : refuseField(path, 'must be more than 0');
}

/** Returns the amount of a price after a change of its details; the model stays. Errors: as for `parsePriceModel`. */
export function changeAmount(price: PriceRow, changes: z.output<typeof amountChanges>): Amount {
  const currency = parseCurrency(changes.currency ?? price.currency, 'details.currency');
  if (currency !== price.currency && price.setupFeeMinor !== null)
    refuseField('details.currency', `must stay ${price.currency}, the currency of the set-up fee`);
  const { pricing } = price;
  const isNamed = isGiven(changes.amount) || isGiven(changes.decimal);
  if (pricing && 'tiers' in pricing) {
    if (isNamed) refuseField('details', 'of a price with tiers has no amount of its own');
    return { amountMinor: 0n, currency, pricing };
  }
  if (pricing === null) {
    const details = isNamed ? changes : { amount: toMajor(price.amountMinor, price.currency) };
    return { amountMinor: parseMoney(details, currency, 'details'), currency, pricing };
  }
  const unitAmount = isNamed ? parseUnitAmount({ ...changes, currency }, 'details') : pricing.unitAmount;
  return { amountMinor: 0n, currency, pricing: { ...pricing, unitAmount } };
}

function parseAmount(model: PricingModel, input: PriceModelInput, currency: string, path: string): Amount {
  const { details } = input;
  const at = `${path}details`;
  if (model === 'flat') return { amountMinor: parseMoney(details, currency, at), currency, pricing: null };
  if (model === 'graduated' || model === 'volume') {
    const amount = isGiven(details.decimal) ? details.amount : (details.amount ?? 0);
    const [named, tiers] = checkAll(
      () => parseUnitAmount({ ...details, amount }, at),
      () => parseTiers(input.tiers ?? [], currency, `${path}tiers`),
    );
    if (Number(named) !== 0 && named !== tiers[0]!.unitAmount)
      refuseField(
        `${at}.amount`,
        `must be 0 or that of the first tier: a ${model} price has its amounts in tiers`,
      );
    return { amountMinor: 0n, currency, pricing: { model, tiers } };
  }
  const unitAmount = parseUnitAmount(details, at);
  if (model === 'per_unit') return { amountMinor: 0n, currency, pricing: { model, unitAmount } };
  const { packageSize } = input;
  if (!isGiven(packageSize)) return refuseField(`${path}packageSize`, 'must be given for a package price');
  return { amountMinor: 0n, currency, pricing: { model, unitAmount, packageSize } };
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
    if (!isGiven(input[bound]) || model !== 'flat') continue;
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

/** An amount in a request: `amount` or `decimal`, never both. */
export type AmountInput = { amount?: number | null; decimal?: string | null; currency: string };

/**
 * Returns the minor units of an amount given as `amount` or `decimal`. Errors: `validation_failed`, `amount_precision`.
 */
export function parseMoney(
  { amount, decimal }: Omit<AmountInput, 'currency'>,
  currency: string,
  path: string,
): bigint {
  if (isGiven(amount) && isGiven(decimal))
    return refuseField(`${path}.decimal`, 'must not be given beside amount');
  if (isGiven(decimal)) return decimalToMinor(decimal, currency, `${path}.decimal`);
  if (!isGiven(amount)) return refuseField(amount === null ? `${path}.amount` : path, 'must have an amount');
  return toMinor(amount, currency, `${path}.amount`);
}

/**
 * Returns the minor units of an amount that must be in `currency`. Errors: `validation_failed`, `amount_precision`,
 * `currency_unsupported`, `currency_mismatch`.
 */
export function parseMoneyIn(money: AmountInput, currency: string, path: string): bigint {
  if (parseCurrency(money.currency, `${path}.currency`) !== currency)
    refuse('currency_mismatch', { path: `${path}.currency`, message: `must be ${currency}` });
  return parseMoney(money, currency, path);
}

/** Returns the price of a unit, which may be finer than its currency: up to 12 decimals if given as `decimal`. */
function parseUnitAmount(details: AmountInput, path: string): string {
  const { amount, decimal } = details;
  const currency = details.currency.toLowerCase();
  if (isGiven(decimal) && !isGiven(amount))
    return formatUnit(parseUnit(decimal, currency, `${path}.decimal`), currency);
  return decimalText(parseMoney(details, currency, path), currency);
}

const formatUnit = (amount: ExactDecimal, currency: string): string =>
  unitAmountText(formatDecimal(amount), currency);

/** Parses an amount that may be finer than its currency, at most the largest amount. */
function parseUnit(text: string, currency: string, path: string): ExactDecimal {
  const decimal = parsePositive(text, path);
  if (roundToMinor(decimal, currency) <= LARGEST_AMOUNT_MINOR) return decimal;
  return refuseField(path, `must be at most ${LARGEST_AMOUNT_MINOR} minor units`);
}

/** Parses the last unit of a tier: quantities are whole numbers. */
function parseWhole(text: string, path: string): ExactDecimal {
  const decimal = parsePositive(text, path);
  return decimal.scale === 0 ? decimal : refuseField(path, 'must be a whole number');
}

function parsePositive(text: string, path: string): ExactDecimal {
  const decimal = parseDecimal(text);
  if (decimal && decimal.digits >= 0n) return decimal;
  return refuseField(path, 'must be a decimal number, 0 or more, with at most 12 decimals');
}

const refuseField = (path: string, message: string): never => refuse('validation_failed', { path, message });
