import { Arg, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { Query } from '../../graphql/operations.ts';
import { moneyReasons } from '../../graphql/reasons.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { Money, toMoney, toUnitMoney } from '../../graphql/money.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { CreatePriceInput } from './prices.graphql.ts';
import { previewPrice, type PriceQuote } from './prices.ts';

@ObjectType('PriceQuote', {
  simpleResolvers: true,
  description: 'What a quantity of a price costs.',
})
class PriceQuoteType {
  @Field(() => Int, { description: 'The quantity.' })
  quantity!: number;
}

@Resolver(() => PriceQuoteType)
export class PriceQuoteResolver {
  @FieldResolver(() => Money, {
    description: 'The amount of a whole cycle, without tax that comes on top, discounts and the set-up fee.',
  })
  total(@Root() { amountMinor, currency }: PriceQuote): Money {
    return toMoney(amountMinor, currency);
  }

  @FieldResolver(() => Money, {
    description: 'The total divided by the quantity, with up to four decimals more than the currency has.',
  })
  average(@Root() { average, currency }: PriceQuote): Money {
    return toUnitMoney(average, currency);
  }

  @Query(() => [PriceQuoteType], {
    nullable: true,
    description: 'Returns what quantities of a price would cost per cycle. Creates nothing.',
    permission: 'read',
    reasons: moneyReasons,
  })
  previewPrice(
    @CurrentTenant() tenant: TenantScope,
    @Arg('price', () => CreatePriceInput, { description: 'The price.' }) price: CreatePriceInput,
    @Arg('quantities', () => [Int], { description: 'The quantities, each 1 or more, at most 200.' })
    quantities: number[],
  ): PriceQuote[] {
    return previewPrice(price, quantities, tenant.record.timezone);
  }
}
