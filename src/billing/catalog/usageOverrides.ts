/** A customer's own terms of a price of usage: those of the price, but for what is given. */
import * as z from 'zod';
import { decimalText } from '../../lib/money.ts';
import { isGiven, parseInput } from '../../lib/validation.ts';
import type { UsagePricing } from '../../storage/model/common.ts';
import { parseUnit, refuseField } from './amounts.ts';
import { parsePriceModel, pricingFields } from './priceModels.ts';
import { usageFields } from './usagePrices.ts';

const { model, tiers, packageSize } = pricingFields;
const ownTerms = z
  .object({ model, tiers, packageSize, unitAmount: z.string().nullish(), ...usageFields })
  .omit({ meterId: true });
type OwnTerms = z.output<typeof ownTerms>;

/**
 * Returns the terms of a price of usage with a customer's own in their place. What is left out stays; null takes included
 * units, rates, the minimum or the maximum off. Errors: `validation_failed`, `amount_precision`, `currency_unsupported`.
 */
export function overrideTerms(agreed: UsagePricing, currency: string, input: unknown): UsagePricing {
  const own = parseInput(ownTerms, input);
  const chosen = own.model ?? (isGiven(own.percentage) ? 'percentage' : agreed.model);
  if (chosen === 'flat')
    return refuseField('model', 'must not be flat: a meter counts the units of this price');
  const kept = keepTerms(agreed, currency, chosen);
  const given = Object.fromEntries(
    Object.entries(own).filter(([, value]) => value !== undefined),
  ) as OwnTerms;
  const { unitAmount, ...terms } = { ...kept, ...given, model: chosen };
  if (isGiven(own.unitAmount)) parseUnit(own.unitAmount, currency, 'unitAmount');
  const needsAmount = chosen === 'package' || (chosen === 'per_unit' && !isGiven(terms.rates));
  if (needsAmount && !isGiven(unitAmount)) refuseField('unitAmount', 'must be given for this model');
  if (!needsAmount && chosen !== 'per_unit' && isGiven(own.unitAmount))
    refuseField('unitAmount', `does not go with a ${chosen} price`);
  const details = { decimal: unitAmount ?? '0', currency };
  return parsePriceModel({ ...terms, details, meterId: agreed.usage.meterId }, '').pricing as UsagePricing;
}

/** Returns the terms of a price, as an input states them, that stay if its model is `chosen`. */
function keepTerms(agreed: UsagePricing, currency: string, chosen: UsagePricing['model']): OwnTerms {
  const { includedUnits, minimumMinor, maximumMinor } = agreed.usage;
  const write = (amountMinor: string | undefined) =>
    amountMinor === undefined ? undefined : { decimal: decimalText(BigInt(amountMinor), currency), currency };
  const ofAnyModel = {
    includedUnits: chosen === 'percentage' ? undefined : includedUnits,
    minimumSpend: write(minimumMinor),
    maximumSpend: write(maximumMinor),
  };
  if (chosen !== agreed.model) return ofAnyModel;
  if (agreed.model === 'percentage') return { ...ofAnyModel, percentage: agreed.percentage };
  if ('tiers' in agreed) return { ...ofAnyModel, tiers: agreed.tiers };
  const { unitAmount } = agreed;
  if (agreed.model === 'package') return { ...ofAnyModel, unitAmount, packageSize: agreed.packageSize };
  return { ...ofAnyModel, ...keepRates(agreed.usage.rates, unitAmount) };
}

/** The rate of all other units is the amount of a unit. */
function keepRates(
  rates: UsagePricing['usage']['rates'],
  unitAmount: string,
): Pick<OwnTerms, 'rates' | 'unitAmount'> {
  if (!rates) return { unitAmount };
  const last = rates.at(-1)!;
  const hasDefault = rates.length > 1 && Object.keys(last.match).length === 0;
  return hasDefault ? { rates: rates.slice(0, -1), unitAmount: last.unitAmount } : { rates };
}
