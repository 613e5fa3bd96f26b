import { Extensions, FieldResolver, ID, Resolver, Root } from 'type-graphql';
import { openToBrowsers } from '../../graphql/openness.ts';
import { Money, toMoney } from '../../graphql/money.ts';
import { Decimal } from '../../graphql/scalars.ts';
import { declareWork } from '../../graphql/work.ts';
import type { PercentageTerms } from '../../storage/model/common.ts';
import { Price } from './prices.graphql.ts';
import type { PriceRow } from './prices.ts';
import { PercentagePrice, UsageRate } from './usagePrices.graphql.ts';

/** Returns an amount in minor units as money; null for none. */
const showSpend = (amountMinor: string | undefined, currency: string): Money | null =>
  amountMinor === undefined ? null : toMoney(BigInt(amountMinor), currency);

@Resolver(() => Price)
export class UsagePriceResolver {
  @FieldResolver(() => ID, {
    nullable: true,
    description: 'The meter whose usage it bills when a period has ended; null for a price in advance.',
  })
  meterId(@Root() { meterId }: PriceRow): string | null {
    return meterId;
  }

  @Extensions(openToBrowsers)
  @FieldResolver(() => Decimal, {
    nullable: true,
    description: 'The units of a period that cost nothing; null for none.',
  })
  includedUnits(@Root() { pricing }: PriceRow): string | null {
    return pricing?.usage?.includedUnits ?? null;
  }

  @Extensions(openToBrowsers)
  @FieldResolver(() => Money, {
    nullable: true,
    description: 'What the usage of a whole period costs at least; null for no minimum.',
  })
  minimumSpend(@Root() { pricing, currency }: PriceRow): Money | null {
    return showSpend(pricing?.usage?.minimumMinor, currency);
  }

  @Extensions(openToBrowsers)
  @FieldResolver(() => Money, {
    nullable: true,
    description: 'What the usage of a whole period costs at most; null for no maximum.',
  })
  maximumSpend(@Root() { pricing, currency }: PriceRow): Money | null {
    return showSpend(pricing?.usage?.maximumMinor, currency);
  }

  @Extensions(openToBrowsers)
  @Extensions(declareWork({ cost: 0, size: 3 }))
  @FieldResolver(() => [UsageRate], {
    description: 'The prices of units by the properties of their events; empty for other prices.',
  })
  rates(@Root() { pricing }: PriceRow): UsageRate[] {
    return pricing?.usage?.rates ?? [];
  }

  @Extensions(openToBrowsers)
  @FieldResolver(() => PercentagePrice, {
    nullable: true,
    description: 'The terms of the model `percentage`; null for other models.',
  })
  percentage(@Root() { pricing }: PriceRow): PercentageTerms | null {
    return pricing?.model === 'percentage' ? pricing.percentage : null;
  }
}
