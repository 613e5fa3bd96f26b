import { Extensions, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { Money, toMoney } from '../../graphql/money.ts';
import { openToCustomers } from '../../graphql/openness.ts';
import { Decimal } from '../../graphql/scalars.ts';
import { commitmentTexts as texts } from './commitmentInput.graphql.ts';
import { SubscriptionIntent } from './intents/intents.graphql.ts';
import type { IntentRow } from './intents/intents.ts';
import { SubscriptionContract } from './subscriptions.graphql.ts';
import type { SubscriptionRow } from './subscriptions.ts';

@ObjectType({
  simpleResolvers: true,
  description: 'An amount that a customer has agreed to spend on usage in a number of billing periods.',
})
class Commitment {
  @Extensions(openToCustomers)
  @Field(() => Money, { description: texts.amount })
  amount!: Money;

  @Extensions(openToCustomers)
  @Field(() => Int, { description: texts.period })
  period!: number;

  @Extensions(openToCustomers)
  @Field(() => Decimal, { description: texts.overageFactor })
  overageFactor!: string;

  @Extensions(openToCustomers)
  @Field(() => Boolean, { description: texts.trueUp })
  trueUp!: boolean;
}

const show = ({
  commitment,
  currency,
}: Pick<SubscriptionRow, 'commitment' | 'currency'>): Commitment | null =>
  commitment && {
    amount: toMoney(BigInt(commitment.amountMinor), currency),
    period: commitment.periods,
    overageFactor: commitment.overageFactor,
    trueUp: commitment.trueUp,
  };

@Resolver(() => SubscriptionContract)
export class SubscriptionCommitmentResolver {
  @Extensions(openToCustomers)
  @FieldResolver(() => Commitment, {
    nullable: true,
    description: 'What it is to spend on usage; null for nothing.',
  })
  commitment(@Root() subscription: SubscriptionRow): Commitment | null {
    return show(subscription);
  }
}

@Resolver(() => SubscriptionIntent)
export class IntentCommitmentResolver {
  @FieldResolver(() => Commitment, {
    nullable: true,
    description: 'The commitment of the subscription that it starts; null for none.',
  })
  commitment(@Root() intent: IntentRow): Commitment | null {
    return show(intent);
  }
}
