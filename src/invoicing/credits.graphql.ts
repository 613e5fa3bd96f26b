import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { Customer } from '../customers/customers.graphql.ts';
import type { Context } from '../graphql/context.ts';
import { Money, toMoney } from '../graphql/money.ts';
import { sumBalances } from './credits.ts';

@Resolver(() => Customer)
export class CustomerBalanceResolver {
  @FieldResolver(() => [Money], {
    description:
      "The customer's credit balance, which pays for the next charges: one amount per currency with a " +
      'remainder, ordered by currency code. Includes amounts reserved by a pending payment.',
  })
  async balance(@Ctx() context: Context, @Root() customer: Customer): Promise<Money[]> {
    const credits = await context.listBy('balanceEntries', 'customerId', customer.id, {
      remainingMinor: { after: 0n },
    });
    return sumBalances(credits, context.tenant.now()).map(({ amountMinor, currency }) =>
      toMoney(amountMinor, currency),
    );
  }
}
