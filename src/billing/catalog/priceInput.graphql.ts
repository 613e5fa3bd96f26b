import { Field, ID, InputType, Int, registerEnumType } from 'type-graphql';
import { MoneyChangesInput, MoneyInput } from '../../graphql/money.ts';
import { DateTime } from '../../graphql/scalars.ts';
import { changedLookupKey, givenLookupKey, transferField } from './lookupKey.graphql.ts';
import { PriceTierInput, PricingModel } from './priceTiers.graphql.ts';
import { UsagePriceInput } from './usagePrices.graphql.ts';

/** The unit of an interval, as the schema names it. */
export enum Frequency {
  Daily = 'Daily',
  Weekly = 'Weekly',
  Monthly = 'Monthly',
  Yearly = 'Yearly',
}
registerEnumType(Frequency, {
  name: 'Frequency',
  description: 'The unit of a billing interval.',
  valuesConfig: {
    Daily: { description: 'Days.' },
    Weekly: { description: 'Weeks.' },
    Monthly: { description: 'Calendar months.' },
    Yearly: { description: 'Calendar years.' },
  },
});

/** Whether an amount contains the tax, as the schema names it. */
export const TaxBehavior = { exclusive: 'exclusive', inclusive: 'inclusive' } as const;
registerEnumType(TaxBehavior, {
  name: 'TaxBehavior',
  description: 'Whether an amount contains the tax.',
  valuesConfig: {
    exclusive: { description: 'Tax is charged on top.' },
    inclusive: { description: 'The amount contains the tax.' },
  },
});

@InputType({
  description:
    'A billing interval. Defaults in a new price: `Monthly`, 1 and null; in a change, omitted fields stay ' +
    'unchanged.',
})
class RecurringInput {
  @Field(() => DateTime, {
    nullable: true,
    description: 'The billing anchor; null means the start of the subscription.',
  })
  executionDate?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The number of units between two charges: 1 or more, at most three years.',
  })
  period?: number;

  @Field(() => Frequency, { nullable: true, description: 'The unit of the period.' })
  frequency?: Frequency;
}

@InputType({ description: 'A price to create.' })
export class CreatePriceInput extends UsagePriceInput {
  @Field(() => MoneyInput, {
    description:
      'The amount per cycle (`flat`), per unit (`per_unit`) or per package (`package`) in major units: 20 is twenty dollars, ' +
      'not twenty cents. For tiers, 0 or the unit amount of the first tier, in their currency; for a percentage, 0; beside ' +
      '`rates`, the price of units that no rate matches, or 0. An amount per unit or package ' +
      'may have up to 12 decimals, given as `decimal`.',
  })
  details!: MoneyInput;

  @Field(() => RecurringInput, { nullable: true, description: 'The billing interval. Default: every month.' })
  recurring?: RecurringInput | null;

  @Field(() => PricingModel, {
    nullable: true,
    description:
      'The price model. Default: `flat`; with a meter, `percentage` if that is given, otherwise `per_unit`.',
  })
  model?: PricingModel | null;

  @Field(() => [PriceTierInput], {
    nullable: true,
    description: 'The tiers of a graduated or volume price in ascending order, at most 100.',
  })
  tiers?: PriceTierInput[] | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The number of units in a package, for the model `package`.',
  })
  packageSize?: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The minimum quantity. Default: 1.',
  })
  minQuantity?: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The maximum quantity. Default: no limit.',
  })
  maxQuantity?: number | null;

  @Field(() => String, { nullable: true, description: 'A name for your own use, 1 to 200 characters.' })
  nickname?: string | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'The days of a new subscription before its first charge, 1 to 730. A customer has one trial for each product ' +
      'group, or product without a group. As an add-on the price has no trial: a trial is that of the subscription.',
  })
  trialDays?: number | null;

  @Field(() => MoneyInput, {
    nullable: true,
    description:
      'A fee that a new subscription pays once, with its first invoice; at the start of a trial. For an add-on, the first ' +
      'invoice that bills it charges the fee. More than 0, in the currency of the price.',
  })
  setupFee?: MoneyInput | null;

  @Field(() => TaxBehavior, {
    nullable: true,
    description: 'Whether the amounts contain the tax. Default: `exclusive`.',
  })
  taxBehavior?: keyof typeof TaxBehavior | null;

  @Field(() => String, givenLookupKey)
  lookupKey?: string | null;

  @Field(() => Boolean, transferField)
  transferLookupKey?: boolean | null;
}

@InputType({ description: 'Prices to create for a product.' })
export class CreatePricesInput {
  @Field(() => ID, { description: 'The id of the product.' })
  productId!: string;

  @Field(() => [CreatePriceInput], { description: 'The prices to create, at most 100.' })
  prices!: CreatePriceInput[];
}

@InputType({ description: 'Changes to a price. Omitted fields stay unchanged.' })
export class UpdatePriceInput {
  @Field(() => ID, { nullable: true, description: 'The id of the product, verified if given.' })
  productId?: string | null;

  @Field(() => MoneyChangesInput, {
    nullable: true,
    description: 'The amount to charge. For a price with tiers, only the currency can change.',
  })
  details?: MoneyChangesInput;

  @Field(() => RecurringInput, { nullable: true, description: 'The billing interval.' })
  recurring?: RecurringInput;

  @Field(() => String, changedLookupKey)
  lookupKey?: string | null;

  @Field(() => Boolean, transferField)
  transferLookupKey?: boolean | null;
}
