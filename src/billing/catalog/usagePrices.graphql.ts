import { Extensions, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { openToBrowsers } from '../../graphql/openness.ts';
import { MoneyInput } from '../../graphql/money.ts';
import { Decimal, JSONObject } from '../../graphql/scalars.ts';

const amountOf = (what: string) => `${what} in major units, with up to 12 decimals.`;

const matchText =
  'The properties of the events, with their values as text; null for events without the property. An empty object matches ' +
  'all events.';

@InputType({ description: 'The price of a unit of usage whose properties match.' })
class UsageRateInput {
  @Field(() => JSONObject, {
    description: `${matchText} Each property must be among \`groupBy\` of the meter.`,
  })
  match!: Record<string, unknown>;

  @Field(() => Decimal, { description: amountOf('The price of a unit') })
  unitAmount!: string;
}

@InputType({ description: 'A percentage of the amounts of events, and an amount for each of them.' })
class PercentagePriceInput {
  @Field(() => Decimal, { description: 'The percentage, 0 to 100.' })
  percent!: string;

  @Field(() => Decimal, { nullable: true, description: amountOf('What each event costs besides,') })
  fixedPerEvent?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The first events of a period that are free, until `freeAmount` is reached, if it is given.',
  })
  freeEvents?: number | null;

  @Field(() => Decimal, {
    nullable: true,
    description: amountOf(
      'The first amounts of a period that are free, until `freeEvents` is reached, if it is given;',
    ),
  })
  freeAmount?: string | null;

  @Field(() => Decimal, { nullable: true, description: amountOf('The least that an event costs') })
  minPerEvent?: string | null;

  @Field(() => Decimal, { nullable: true, description: amountOf('The most that an event costs') })
  maxPerEvent?: string | null;
}

@InputType({ description: 'What usage costs besides its units.' })
export abstract class UsageTermsInput {
  @Field(() => Decimal, {
    nullable: true,
    description:
      'The units of a period that cost nothing, 0 or more; of rates they are taken in the order of the rates.',
  })
  includedUnits?: string | null;

  @Field(() => MoneyInput, {
    nullable: true,
    description: 'What the usage of a whole period costs at least; a line of its own has what is missing.',
  })
  minimumSpend?: MoneyInput | null;

  @Field(() => MoneyInput, {
    nullable: true,
    description: 'What the usage of a whole period costs at most.',
  })
  maximumSpend?: MoneyInput | null;

  @Field(() => [UsageRateInput], {
    nullable: true,
    description:
      'Prices of units by the properties of their events, at most 100; the first that matches counts. `details` has the price ' +
      'of all other units; without one they cost nothing, and previews warn of them.',
  })
  rates?: UsageRateInput[] | null;

  @Field(() => PercentagePriceInput, {
    nullable: true,
    description: 'The terms of the model `percentage`, whose meter sums the amounts of events.',
  })
  percentage?: PercentagePriceInput | null;
}

@InputType({ description: 'What makes a price one of usage.' })
export abstract class UsagePriceInput extends UsageTermsInput {
  @Field(() => ID, {
    nullable: true,
    description:
      'The meter whose usage the price bills when a period has ended. Such a price has no quantity, and costs nothing in ' +
      'advance.',
  })
  meterId?: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'The price of a unit of usage whose properties match.' })
export class UsageRate {
  @Extensions(openToBrowsers)
  @Field(() => JSONObject, { description: matchText })
  match!: Record<string, string | null>;

  @Extensions(openToBrowsers)
  @Field(() => Decimal, { description: amountOf('The price of a unit') })
  unitAmount!: string;
}

@ObjectType({
  simpleResolvers: true,
  description: 'A percentage of the amounts of events, and an amount for each of them.',
})
export class PercentagePrice {
  @Extensions(openToBrowsers)
  @Field(() => Decimal, { description: 'The percentage.' })
  percent!: string;

  @Extensions(openToBrowsers)
  @Field(() => Decimal, {
    nullable: true,
    description: amountOf('What each event costs besides; null for nothing;'),
  })
  fixedPerEvent?: string;

  @Extensions(openToBrowsers)
  @Field(() => Int, {
    nullable: true,
    description: 'The first events of a period that are free; null for no such limit.',
  })
  freeEvents?: number;

  @Extensions(openToBrowsers)
  @Field(() => Decimal, {
    nullable: true,
    description: amountOf('The first amounts of a period that are free; null for no such limit;'),
  })
  freeAmount?: string;

  @Extensions(openToBrowsers)
  @Field(() => Decimal, {
    nullable: true,
    description: amountOf('The least that an event costs; null for no limit;'),
  })
  minPerEvent?: string;

  @Extensions(openToBrowsers)
  @Field(() => Decimal, {
    nullable: true,
    description: amountOf('The most that an event costs; null for no limit;'),
  })
  maxPerEvent?: string;
}
