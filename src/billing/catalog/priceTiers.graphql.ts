import { Extensions, Field, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { openToBrowsers } from '../../graphql/openness.ts';
import { Decimal } from '../../graphql/scalars.ts';
import { unitAmountText } from '../../lib/money.ts';
import type { PriceTier } from '../../storage/model/common.ts';
import type { TierCharge } from '../pricing/priceModel.ts';

export enum PricingModel {
  flat = 'flat',
  per_unit = 'per_unit',
  package = 'package',
  graduated = 'graduated',
  volume = 'volume',
  percentage = 'percentage',
}
registerEnumType(PricingModel, {
  name: 'PricingModel',
  description: 'How the amount of a cycle is computed from the quantity.',
  valuesConfig: {
    flat: { description: 'One amount per cycle, without a quantity.' },
    per_unit: { description: 'An amount for each unit.' },
    package: { description: 'An amount for each package of units; the last package may be partly used.' },
    graduated: { description: 'Tiers: each unit has the price of its own tier.' },
    volume: { description: 'Tiers: all units have the price of the tier that the quantity reaches.' },
    percentage: {
      description: 'Of usage only: a share of the amounts of events, and an amount for each event.',
    },
  },
});

@ObjectType('PriceTier', {
  simpleResolvers: true,
  description: 'A price tier: the price of units up to a quantity.',
})
export class PriceTierType {
  @Extensions(openToBrowsers)
  @Field(() => Decimal, {
    nullable: true,
    description:
      'The last unit of the tier, inclusive: a whole number; null on the last tier. A fraction above it belongs to the next tier.',
  })
  upTo!: string | null;

  @Extensions(openToBrowsers)
  @Field(() => Decimal, {
    description: 'The price of each unit in major units, with up to 12 decimals.',
  })
  unitAmount!: string;

  @Extensions(openToBrowsers)
  @Field(() => Decimal, {
    description: 'An amount in major units, charged once if the tier is used.',
  })
  flatAmount!: string;
}

/** Shows the amounts of a tier with at least the decimals of the currency; earlier releases stored fewer. */
export const showTier = <Tier extends PriceTier>(tier: Tier, currency: string): Tier => ({
  ...tier,
  unitAmount: unitAmountText(tier.unitAmount, currency),
  flatAmount: unitAmountText(tier.flatAmount, currency),
});

@ObjectType('TierCharge', {
  simpleResolvers: true,
  description: 'A charge for units: those of one tier, or all units or packages of a price without tiers.',
})
export class TierChargeType extends PriceTierType {
  @Extensions(openToBrowsers)
  @Field(() => Decimal, { description: 'The number of units or packages charged.' })
  quantity!: string;

  @Extensions(openToBrowsers)
  @Field(() => Decimal, {
    description: 'The price of the units and the flat amount in major units, not rounded.',
  })
  amount!: string;
}

/** Shows the amounts of a charge with at least the decimals of the currency. */
export const showCharge = (charge: TierCharge, currency: string): TierCharge => ({
  ...showTier(charge, currency),
  amount: unitAmountText(charge.amount, currency),
});

@InputType({ description: 'A price tier: a unit amount, a flat amount, or both.' })
export class PriceTierInput {
  @Field(() => Decimal, {
    nullable: true,
    description: 'The last unit of the tier, inclusive: a whole number; null on the last tier.',
  })
  upTo?: string | null;

  @Field(() => Decimal, {
    nullable: true,
    description: 'The price of each unit in major units, with up to 12 decimals. Default: 0.',
  })
  unitAmount?: string | null;

  @Field(() => Decimal, {
    nullable: true,
    description: 'An amount in major units, charged once if the tier is used. Default: 0.',
  })
  flatAmount?: string | null;
}
