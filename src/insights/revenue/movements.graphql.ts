import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  ID,
  ObjectType,
  registerEnumType,
  Resolver,
  Root,
  Extensions,
} from 'type-graphql';
import { Query } from '../../graphql/operations.ts';
import { Customer } from '../../billing/customers/customers.graphql.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { ConnectionArgs, defineConnection } from '../../graphql/connections.ts';
import type { Context } from '../../graphql/context.ts';
import { Money, toMoney } from '../../graphql/money.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { Currency, DateTime } from '../../graphql/scalars.ts';
import { measureMrr, standardDefinition } from '../../billing/pricing/mrr.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { SubscriptionContract } from '../../billing/subscriptions/subscriptions.graphql.ts';
import type { SubscriptionRow } from '../../billing/subscriptions/subscriptions.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { listMovements, type MovementRow, findMovement } from './movements.ts';

const MovementKinds = {
  new: 'new',
  expansion: 'expansion',
  contraction: 'contraction',
  churn: 'churn',
  reactivation: 'reactivation',
} as const;
registerEnumType(MovementKinds, {
  name: 'MrrMovementKind',
  description: 'How the MRR of a customer moved.',
  valuesConfig: {
    new: { description: 'The first MRR of a customer in the currency.' },
    expansion: { description: 'More MRR, of a customer who has some.' },
    contraction: { description: 'Less MRR, of a customer who keeps some.' },
    churn: { description: 'The last MRR of a customer is lost.' },
    reactivation: { description: 'A customer who had lost all MRR has some again.' },
  },
});

@Extensions(refetchBy(({ read }, id) => findMovement(read, id)))
@ObjectType('MrrMovement', {
  implements: Node,
  simpleResolvers: true,
  description: 'A change of the monthly recurring revenue (MRR) of a customer, by the standard definition.',
})
class MrrMovement extends Node {
  @Field(() => DateTime, { description: 'When it took effect.' })
  at!: string;

  @Field(() => MovementKinds, { description: 'Its kind.' })
  kind!: string;

  @Field(() => ID, { description: 'The customer.' })
  customerId!: string;

  @Field(() => ID, { description: 'The subscription that changed.' })
  subscriptionId!: string;
}

const MrrMovementConnection = defineConnection<MovementRow>('MrrMovement', () => MrrMovement);

@Resolver(() => MrrMovement)
export class MovementResolver {
  @FieldResolver(() => Money, { description: 'The change; below 0 for contraction and churn.' })
  amount(@Root() { amountMinor, currency }: MovementRow): Money {
    return toMoney(amountMinor, currency);
  }

  @FieldResolver(() => Money, { description: 'The MRR of the customer in the currency afterwards.' })
  mrrAfter(@Root() { mrrAfterMinor, currency }: MovementRow): Money {
    return toMoney(mrrAfterMinor, currency);
  }

  @FieldResolver(() => Customer, { nullable: true, description: 'The customer; null if deleted.' })
  customer(@Ctx() context: Context, @Root() { customerId }: MovementRow): Promise<Row<'customers'> | null> {
    return context.byId('customers', customerId);
  }

  @FieldResolver(() => SubscriptionContract, {
    nullable: true,
    description: 'The subscription that changed.',
  })
  subscription(
    @Ctx() context: Context,
    @Root() { subscriptionId }: MovementRow,
  ): Promise<SubscriptionRow | null> {
    return context.byId('subscriptions', subscriptionId);
  }

  @Query(() => MrrMovementConnection, {
    nullable: true,
    description: 'Lists the movements of MRR by the standard definition.',
    permission: 'read',
    reasons: ['cursor_invalid', 'currency_unsupported'],
  })
  async mrrMovements(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('customerId', () => ID, { nullable: true, description: 'Filter by customer.' }) customerId?: string,
    @Arg('kind', () => MovementKinds, { nullable: true, description: 'Filter by kind.' })
    kind?: MovementRow['kind'],
    @Arg('currency', () => Currency, { nullable: true, description: 'Filter by currency.' })
    currency?: string,
    @Arg('from', () => DateTime, { nullable: true, description: 'The first instant.' }) from?: string,
    @Arg('until', () => DateTime, { nullable: true, description: 'The end, exclusive.' }) until?: string,
  ) {
    return new MrrMovementConnection(
      await listMovements(tenant, { customerId, kind, currency, from, until }, page),
    );
  }
}

@Resolver(() => SubscriptionContract)
export class SubscriptionMrrResolver {
  @FieldResolver(() => Money, {
    description:
      'The monthly recurring revenue by the standard definition: before tax, after lasting discounts.',
  })
  mrr(@Root() { mrr, currency }: SubscriptionRow): Money {
    return toMoney(measureMrr(mrr, standardDefinition), currency);
  }
}

@Resolver(() => Customer)
export class CustomerMrrResolver {
  @FieldResolver(() => [Money], {
    description: 'The monthly recurring revenue by the standard definition, in each currency that has some.',
  })
  async mrr(@Ctx() context: Context, @Root() { id }: Customer): Promise<Money[]> {
    const sums = new Map<string, bigint>();
    for (const { mrr } of await context.listBy('subscriptions', 'customerId', id, { cancelledAt: null })) {
      const amountMinor = measureMrr(mrr, standardDefinition);
      if (mrr && amountMinor > 0n) sums.set(mrr.currency, (sums.get(mrr.currency) ?? 0n) + amountMinor);
    }
    return [...sums].map(([currency, amountMinor]) => toMoney(amountMinor, currency));
  }
}
