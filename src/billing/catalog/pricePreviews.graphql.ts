import { Arg, Extensions, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { openToBrowsers } from '../../graphql/openness.ts';
import { Query } from '../../graphql/operations.ts';
import { moneyReasons } from '../../graphql/reasons.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { Money, toMoney, toUnitMoney } from '../../graphql/money.ts';
import { declareWork } from '../../graphql/work.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { listCharges, type TierCharge } from '../pricing/priceModel.ts';
import { quoteUsage } from '../pricing/usagePrice.ts';
import { CreatePriceInput } from './priceInput.graphql.ts';
import { Price } from './prices.graphql.ts';
import { previewPrice, quotePrice, type PriceQuote, type PriceRow } from './prices.ts';
import { showCharge, TierChargeType } from './priceTiers.graphql.ts';

@ObjectType('PriceQuote', {
  simpleResolvers: true,
  description: 'What a quantity of a price costs.',
})
class PriceQuoteType {
  @Extensions(openToBrowsers)
  @Field(() => Int, { description: 'The quantity.' })
  quantity!: number;
}

@Resolver(() => PriceQuoteType)
export class PriceQuoteResolver {
  @Extensions(openToBrowsers)
  @FieldResolver(() => Money, {
    description: 'The amount of a whole cycle, without tax that comes on top, discounts and the set-up fee.',
  })
  total(@Root() { amountMinor, currency }: PriceQuote): Money {
    return toMoney(amountMinor, currency);
  }

  @Extensions(openToBrowsers)
  @FieldResolver(() => Money, {
    description: 'The total divided by the quantity, with up to four decimals more than the currency has.',
  })
  average(@Root() { average, currency }: PriceQuote): Money {
    return toUnitMoney(average, currency);
  }

  @Extensions(openToBrowsers)
  @Extensions(declareWork({ cost: 0, size: 2 }))
  @FieldResolver(() => [TierChargeType], {
    description:
      'What the total is made of: a charge for each tier that the quantity uses; for other models one, of units, packages ' +
      'or the whole cycle. Their sum, rounded once, is the total, before the minimum and maximum of a price of usage; empty for ' +
      'rates and percentages.',
  })
  charges(@Root() { terms, quantity, currency }: PriceQuote): TierCharge[] {
    const { pricing } = terms;
    const charges = pricing?.usage
      ? quoteUsage(pricing, currency, quantity).charges
      : listCharges(terms, quantity);
    return charges.map((charge) => showCharge(charge, currency));
  }

  @Query(() => [PriceQuoteType], {
    nullable: true,
    description: 'Returns what quantities of a price would cost per cycle. Creates nothing.',
    permission: 'read',
    reasons: ['meter_not_found', ...moneyReasons],
  })
  previewPrice(
    @CurrentTenant() tenant: TenantScope,
    @Arg('price', () => CreatePriceInput, { description: 'The price.' }) price: CreatePriceInput,
    @Arg('quantities', () => [Int], { description: 'The quantities, each 1 or more, at most 200.' })
    quantities: number[],
  ): Promise<PriceQuote[]> {
    return previewPrice(tenant.read, price, quantities, tenant.record.timezone);
  }
}

/** Declared here because a quote already refers to the input of a price; the reverse import would be a cycle. */
@Resolver(() => Price)
export class QuotedPriceResolver {
  @Extensions(openToBrowsers)
  @FieldResolver(() => PriceQuoteType, {
    description:
      'What a quantity costs per cycle, by the arithmetic that bills, for any model; a flat price costs the same for each ' +
      'quantity. `minQuantity` and `maxQuantity` are not applied. Error: `validation_failed` for a quantity below 1 or ' +
      'above 1,000,000,000.',
  })
  quote(
    @Root() price: PriceRow,
    @Arg('quantity', () => Int, { description: 'The quantity, 1 or more.' }) quantity: number,
  ): PriceQuote {
    return quotePrice(price, quantity);
  }
}
