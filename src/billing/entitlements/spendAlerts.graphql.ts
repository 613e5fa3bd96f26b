import { FieldResolver, Resolver, Root } from 'type-graphql';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { Money, toMoney } from '../../graphql/money.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { SubscriptionContract } from '../subscriptions/subscriptions.graphql.ts';
import { SubscriptionIntent } from '../subscriptions/intents/intents.graphql.ts';
import type { IntentRow } from '../subscriptions/intents/intents.ts';
import type { SubscriptionRow } from '../subscriptions/subscriptions.ts';
import { findUsePeriod } from './grants.ts';
import { findTold } from './spendAlerts.ts';

const showAmounts = ({ spendAlerts, currency }: Pick<SubscriptionRow, 'spendAlerts' | 'currency'>): Money[] =>
  (spendAlerts ?? []).map((amountMinor) => toMoney(BigInt(amountMinor), currency));

@Resolver(() => SubscriptionIntent)
export class IntentSpendAlertResolver {
  @FieldResolver(() => [Money], { description: 'The `spendAlerts` of the subscription that it starts.' })
  spendAlerts(@Root() intent: IntentRow): Money[] {
    return showAmounts(intent);
  }
}

@Resolver(() => SubscriptionContract)
export class SpendAlertResolver {
  @FieldResolver(() => [Money], {
    description:
      'The amounts of usage in a period, before discounts, credits and tax, of which the event `SubscriptionEvent.spend_alert` tells, ' +
      'once each in a period.',
  })
  spendAlerts(@Root() subscription: SubscriptionRow): Money[] {
    return showAmounts(subscription);
  }

  @FieldResolver(() => Money, {
    nullable: true,
    description: 'The highest amount of `spendAlerts` that was told in the present period; null for none.',
  })
  spendAlerted(@CurrentTenant() tenant: TenantScope, @Root() subscription: SubscriptionRow): Money | null {
    const period = findUsePeriod(subscription, tenant.record.timezone, tenant.now());
    const toldMinor = findTold(subscription, period);
    return toldMinor === 0n ? null : toMoney(toldMinor, subscription.currency);
  }
}
