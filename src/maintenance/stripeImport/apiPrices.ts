import { formatDecimal, parseDecimal } from '../../lib/decimal.ts';
import { parseCurrency } from '../../lib/money.ts';
import { fromStripeDecimal } from '../../providers/stripe/amounts.ts';
import type { PriceTier, Pricing } from '../../storage/model/common.ts';
import { findPriceObstacle, parseTaxBehavior, type StripePrice } from './records.ts';
import {
  describeValue,
  longestCode,
  parseList,
  parseObject,
  parseReference,
  parseText,
  parseWhole,
  type Json,
} from './values.ts';

/** Reads a price of Stripe's API (https://docs.stripe.com/api/prices/object). Throws an Error for a field it cannot read. */
export function parsePrice(object: Json): StripePrice {
  const recurring = parseObject(object['recurring'], 'recurring');
  const isDeleted = object['deleted'] === true;
  const currency = isDeleted ? '' : parseCurrency(parseText(object['currency'], 'currency'), 'currency');
  const head = {
    id: String(object['id']),
    active: object['active'] !== false,
    product: parseReference(object['product'], 'product') ?? '',
    productName: '',
    productTaxCode: null,
    currency,
    interval: parseText(recurring['interval'], 'recurring.interval', longestCode),
    intervalCount: parseWhole(recurring['interval_count'] ?? 1, 'recurring.interval_count'),
    trialDays: parseWhole(recurring['trial_period_days'] ?? 0, 'recurring.trial_period_days') || null,
    taxBehavior: parseTaxBehavior(object['tax_behavior'], 'tax_behavior'),
  };
  const obstacle =
    (isDeleted ? 'is deleted at Stripe' : undefined) ??
    (object['custom_unit_amount'] ? 'is chosen by the payer' : undefined) ??
    findPriceObstacle(head.interval, recurring['usage_type']);
  if (obstacle !== undefined) return { ...head, obstacle };
  const pricing = parsePricing(object, currency);
  return typeof pricing === 'string' ? { ...head, obstacle: pricing } : { ...head, pricing };
}

/** Returns the pricing of a quantity, with amounts in major units, or why it cannot be imported. */
function parsePricing(object: Json, currency: string): Pricing | string {
  const transform = parseObject(object['transform_quantity'], 'transform_quantity');
  const isPackage = Object.keys(transform).length > 0;
  if (object['billing_scheme'] === 'tiered') {
    return isPackage ? 'has tiers of packages' : parseTieredPricing(object, currency);
  }
  if (object['billing_scheme'] !== undefined && object['billing_scheme'] !== 'per_unit')
    return 'has an unknown billing scheme';
  const unitAmount = parseAmount(object, 'unit_amount', '', currency);
  if (unitAmount === undefined) return 'has no amount';
  if (isTooFine(unitAmount)) return tooFine;
  if (!isPackage) return { model: 'per_unit', unitAmount };
  if (transform['round'] !== 'up') return 'divides its quantity, and does not round it up';
  const packageSize = parseWhole(transform['divide_by'], 'transform_quantity.divide_by');
  return { model: 'package', unitAmount, packageSize };
}

function parseTieredPricing(object: Json, currency: string): Pricing | string {
  const tiers = parseList(object['tiers'], 'tiers');
  if (tiers.length === 0) return 'has tiers that are not in the file: export prices with --expand data.tiers';
  const model = parseText(object['tiers_mode'], 'tiers_mode', longestCode);
  if (model !== 'graduated' && model !== 'volume') return `has tiers of an unknown mode (${model})`;
  const read = tiers.map((tier, index) => parseTier(tier, `tiers.${index}.`, currency));
  const amounts = read.flatMap(({ unitAmount, flatAmount }) => [unitAmount, flatAmount]);
  return amounts.some(isTooFine) ? tooFine : { model, tiers: read };
}

function parseTier(tier: Json, path: string, currency: string): PriceTier {
  const end = tier['up_to'] ?? 'inf';
  const unitAmount = parseAmount(tier, 'unit_amount', path, currency);
  const flatAmount = parseAmount(tier, 'flat_amount', path, currency);
  if (unitAmount === undefined && flatAmount === undefined)
    throw new Error(`${path}unit_amount must be given, or flat_amount`);
  return {
    upTo: end === 'inf' ? null : String(parseWhole(end, `${path}up_to`)),
    unitAmount: unitAmount ?? '0',
    flatAmount: flatAmount ?? '0',
  };
}

/**
 * Reads an amount in Stripe's smallest unit and returns major units; undefined if there is none. The field that ends in
 * `_decimal` has the fractions of the smallest unit, which the other field lacks.
 */
function parseAmount(
  object: Json,
  field: 'unit_amount' | 'flat_amount',
  path: string,
  currency: string,
): string | undefined {
  const [whole, decimal] = [object[field] ?? null, object[`${field}_decimal`] ?? null];
  if (whole === null && decimal === null) return undefined;
  const units = whole === null ? undefined : String(parseWhole(whole, `${path}${field}`));
  const [name, given]: [string, unknown] = decimal === null ? [field, units] : [`${field}_decimal`, decimal];
  const amount =
    typeof given === 'string' || typeof given === 'number' ? parseDecimal(String(given)) : undefined;
  if (!amount || amount.digits < 0n)
    throw new Error(`${path}${name} must be a decimal number, 0 or more, not ${describeValue(given)}`);
  if (units !== undefined && formatDecimal(amount) !== units)
    throw new Error(`${path}${field} is ${units}, but ${field}_decimal is ${describeValue(decimal)}`);
  return formatDecimal(fromStripeDecimal(amount, currency));
}

const tooFine = 'has an amount with more than 12 decimals';
const isTooFine = (amount: string) => parseDecimal(amount) === undefined;
