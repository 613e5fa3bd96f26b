import { Field, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { Decimal } from '../graphql/scalars.ts';

export enum PricingModel {
  flat = 'flat',
  per_unit = 'per_unit',
  package = 'package',
  graduated = 'graduated',
  volume = 'volume',
}
registerEnumType(PricingModel, {
  name: 'PricingModel',
  description: 'How a price charges a quantity.',
  valuesConfig: {
    flat: { description: 'One amount for the cycle; there is no quantity.' },
    per_unit: { description: 'An amount for each unit.' },
    package: { description: 'An amount for each package of units, of which the last may be part full.' },
    graduated: { description: 'Tiers: each unit costs what its own tier says.' },
    volume: { description: 'Tiers: all units cost what the tier of the last one says.' },
  },
});

@ObjectType('PriceTier', { simpleResolvers: true, description: 'What units cost up to a quantity.' })
export class PriceTier {
  @Field(() => Decimal, {
    nullable: true,
    description: 'The last unit of the tier, included; null on the last tier, which has no end.',
  })
  upTo!: string | null;

  @Field(() => Decimal, {
    description: 'The price of each unit, in major units; it may be finer than the currency.',
  })
  unitAmount!: string;

  @Field(() => Decimal, {
    description: 'An amount that is charged once where the tier is used, in major units.',
  })
  flatAmount!: string;
}

@InputType({ description: 'What units cost up to a quantity. A unit amount, a flat amount, or both.' })
export class PriceTierInput {
  @Field(() => Decimal, {
    nullable: true,
    description: 'The last unit of the tier, included; null on the last tier.',
  })
  upTo?: string | null;

  @Field(() => Decimal, {
    nullable: true,
    description: 'The price of each unit, in major units; 0 unless given.',
  })
  unitAmount?: string | null;

  @Field(() => Decimal, {
    nullable: true,
    description: 'An amount that is charged once where the tier is used, in major units; 0 unless given.',
  })
  flatAmount?: string | null;
}
