import { Extensions, FieldResolver, Resolver, Root } from 'type-graphql';
import { Money, toMoney } from '../../graphql/money.ts';
import { openToCustomers } from '../../graphql/openness.ts';
import { SubscriptionIntent } from './intents/intents.graphql.ts';
import type { IntentRow } from './intents/intents.ts';
import { SubscriptionContract } from './subscriptions.graphql.ts';
import type { SubscriptionRow } from './subscriptions.ts';

type Limited = Pick<SubscriptionRow, 'billingThresholdMinor' | 'currency'>;

const showThreshold = ({ billingThresholdMinor, currency }: Limited): Money | null =>
  billingThresholdMinor === null ? null : toMoney(billingThresholdMinor, currency);

@Resolver(() => SubscriptionContract)
export class SubscriptionThresholdResolver {
  @Extensions(openToCustomers)
  @FieldResolver(() => Money, {
    nullable: true,
    description:
      'The amount of usage, before discounts and tax, that is billed as soon as it is reached; the rest follows at the end of the ' +
      'period. Null to bill usage at the end alone.',
  })
  billingThreshold(@Root() subscription: SubscriptionRow): Money | null {
    return showThreshold(subscription);
  }
}

@Resolver(() => SubscriptionIntent)
export class IntentThresholdResolver {
  @FieldResolver(() => Money, {
    nullable: true,
    description: 'The `billingThreshold` of the subscription that it starts; null for none.',
  })
  billingThreshold(@Root() intent: IntentRow): Money | null {
    return showThreshold(intent);
  }
}
