import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { Customer } from '../customers/customers.graphql.ts';
import type { Context } from '../graphql/context.ts';
import { Money, toMoney } from '../graphql/money.ts';
import { sumBalances } from './credits.ts';

@Resolver(() => Customer)
export class CustomerBalanceResolver {
  @FieldResolver(() => [Money], {
    description:
      'What the customer has in hand, which pays for what is charged next: an amount for each currency in which ' +
      'something is left, in the order of their codes. It includes what a payment under way has reserved.',
  })
  async balance(@Ctx() context: Context, @Root() customer: Customer): Promise<Money[]> {
    const credits = await context.listBy('balanceEntries', 'customerId', customer.id, {
      remainingMinor: { after: 0n },
    });
    return sumBalances(credits).map(({ amountMinor, currency }) => toMoney(amountMinor, currency));
  }
}
