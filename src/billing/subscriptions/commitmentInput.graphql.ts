import { Field, InputType, Int } from 'type-graphql';
import { MoneyInput } from '../../graphql/money.ts';
import { Decimal } from '../../graphql/scalars.ts';

export const commitmentTexts = {
  amount: 'The amount of usage, before discounts and tax, in the currency of the subscription.',
  period: 'The number of billing periods in which it is to be spent.',
  overageFactor: 'How many times usage above the amount costs.',
  trueUp:
    'Whether what is missing at the end is charged, on a line of its own; shared by time if the subscription ends before.',
};

@InputType({
  description: 'An amount that a customer agrees to spend on usage in a number of billing periods.',
})
export class CommitmentInput {
  @Field(() => MoneyInput, { description: commitmentTexts.amount })
  amount!: MoneyInput;

  @Field(() => Int, { nullable: true, description: `${commitmentTexts.period} 1 to 36. Default: 1.` })
  period?: number | null;

  @Field(() => Decimal, {
    nullable: true,
    description: `${commitmentTexts.overageFactor} 1 to 100. Default: 1.`,
  })
  overageFactor?: string | null;

  @Field(() => Boolean, { nullable: true, description: `${commitmentTexts.trueUp} Default: true.` })
  trueUp?: boolean | null;
}
