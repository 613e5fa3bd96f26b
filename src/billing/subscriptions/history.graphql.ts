import { Arg, Args, Field, FieldResolver, ID, ObjectType, Resolver, Root } from 'type-graphql';
import { Query } from '../../graphql/operations.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { ConnectionArgs, defineConnection } from '../../graphql/connections.ts';
import { Money, toMoney } from '../../graphql/money.ts';
import { DateTime } from '../../graphql/scalars.ts';
import { computeGross } from '../pricing/tax.ts';
import { sumGivenBack } from '../payments/returns.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { listSubscriptionHistory, type PaidPeriodRow } from './subscriptions.ts';

// By name: in the bundle the class has another one, because an SDK has a class of the same name.
@ObjectType('Billing', { simpleResolvers: true, description: 'A billed period and its price.' })
class Billing {
  @Field(() => Money, { description: 'The price of the period.' })
  price!: Money;

  @Field(() => DateTime, { description: 'The start of the period, inclusive.' })
  startDate!: string;

  @Field(() => DateTime, {
    description: 'The end of the period, exclusive; documents show the day before it as the last one.',
  })
  endDate!: string;
}

@ObjectType('SubscriptionHistoryItem', {
  simpleResolvers: true,
  description: 'A paid period of a customer.',
})
class SubscriptionHistoryItem {
  @Field(() => ID, { description: 'The id of the customer.' })
  customerId!: string;

  @Field(() => String, { description: "The product's name at the time." })
  productName!: string;
}

const HistoryConnection = defineConnection<PaidPeriodRow>(
  'SubscriptionHistoryItem',
  () => SubscriptionHistoryItem,
);

@Resolver(() => SubscriptionHistoryItem)
export class HistoryResolver {
  @FieldResolver(() => ID, { description: 'The id of the invoice line that bills the period.' })
  lineId(@Root() { id }: PaidPeriodRow): string {
    return id;
  }

  @FieldResolver(() => Money, {
    description:
      'The net amount paid for the period: its price with tax, less credits from plan changes and less refunds. The ' +
      'sum over a whole history is the amount charged, less set-up fees, refunds and the remaining balance.',
  })
  paid(@Root() line: PaidPeriodRow): Money {
    return toMoney(computeGross(line) - sumGivenBack(line), line.currency);
  }

  @FieldResolver(() => Billing, { description: 'The period and its price.' })
  billing(@Root() line: PaidPeriodRow): Billing {
    const { amountMinor, currency, periodStart, periodEnd } = line;
    return { price: toMoney(amountMinor, currency), startDate: periodStart, endDate: periodEnd };
  }

  @Query(() => HistoryConnection, {
    nullable: true,
    description: 'Lists the paid periods of a customer.',
    permission: 'read',
    reasons: ['customer_not_found', 'cursor_invalid'],
  })
  async subscriptionHistory(
    @CurrentTenant() tenant: TenantScope,
    @Arg('customerId', () => ID, { description: 'The customer.' }) customerId: string,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('startDate', () => DateTime, {
      nullable: true,
      description: 'Filter by periods that start at this time or later.',
    })
    startDate?: string,
    @Arg('endDate', () => DateTime, {
      nullable: true,
      description: 'Filter by periods that start at this time or earlier; a date includes the whole day.',
    })
    endDate?: string,
  ) {
    const filter = { customerId, startDate, endDate };
    return new HistoryConnection(await listSubscriptionHistory(tenant, filter, page));
  }
}
