import { Extensions, FieldResolver, Int, Resolver, Root } from 'type-graphql';
import { openToBrowsers } from '../../graphql/openness.ts';
import type { PriceTier as StoredTier } from '../../storage/model/common.ts';
import { findModel, type PricingModel as Model } from './priceModels.ts';
import { PriceTierType, PricingModel, showTier } from './priceTiers.graphql.ts';
import { Price } from './prices.graphql.ts';
import type { PriceRow } from './prices.ts';

@Resolver(() => Price)
export class PriceModelResolver {
  @Extensions(openToBrowsers)
  @FieldResolver(() => PricingModel, { description: 'The price model.' })
  model(@Root() price: PriceRow): Model {
    return findModel(price);
  }

  @Extensions(openToBrowsers)
  @FieldResolver(() => [PriceTierType], {
    description: 'The tiers of a graduated or volume price; empty for other models.',
  })
  tiers(@Root() { pricing, currency }: PriceRow): StoredTier[] {
    return pricing && 'tiers' in pricing ? pricing.tiers.map((tier) => showTier(tier, currency)) : [];
  }

  @Extensions(openToBrowsers)
  @FieldResolver(() => Int, {
    nullable: true,
    description: 'The number of units in a package; null for other models.',
  })
  packageSize(@Root() { pricing }: PriceRow): number | null {
    return pricing?.model === 'package' ? pricing.packageSize : null;
  }
}
