import {
  Arg,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  ID,
  InputType,
  Int,
  ObjectType,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';
import { CurrentTenant } from '../../graphql/arguments.ts';
import type { Context } from '../../graphql/context.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { Mutation, Query } from '../../graphql/operations.ts';
import { DateTime, Decimal, JSONValue } from '../../graphql/scalars.ts';
import type { EntitlementReach as Reach, EntitlementTerms } from '../../storage/model/entitlements.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { Product } from '../catalog/products.graphql.ts';
import {
  previewAttachment,
  previewDetachment,
  type ChangeEffect as Effect,
  type ChangePreview,
} from './changePreview.ts';
import { Feature } from './features.graphql.ts';
import type { FeatureRow, ProductEntitlementRow } from './grants.ts';
import { attachFeature, detachFeature, findProductEntitlement } from './productEntitlements.ts';

const EntitlementReach = { now: 'now', next_period: 'next_period' } as const;
registerEnumType(EntitlementReach, {
  name: 'EntitlementReach',
  description:
    'When a change of a product reaches those who subscribe to it. New subscriptions have it at once.',
  valuesConfig: {
    now: { description: 'At once.' },
    next_period: { description: 'Each with the next billing period.' },
  },
});

/** The descriptions of the fields of terms. */
export const termTexts = {
  value:
    'True or false for a boolean, any JSON value for a config, the units for a limit; null for a limit without end.',
  soft: 'Whether use goes on above the limit.',
  overageLimit: 'By how many units use may exceed a soft limit; null for any.',
};

@Extensions(refetchBy(({ read }, id) => findProductEntitlement(read, id)))
@ObjectType('ProductEntitlement', {
  implements: Node,
  description: 'What a product has of a feature, for its subscribers.',
})
class ProductEntitlement extends Node {
  @Field(() => ID, { description: 'The product.' })
  productId!: string;

  @Field(() => EntitlementReach, {
    description: 'When the last change reaches those who subscribed before it.',
  })
  reach!: Reach;

  @Field(() => DateTime, { description: 'When the last change was made.' })
  since!: string;

  @Field(() => DateTime, { description: 'When the feature was attached.' })
  createdAt!: string;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  updatedAt!: string;
}

@InputType({ description: 'A feature to attach to a product, or another value of one.' })
class AttachFeatureInput {
  @Field(() => ID, { description: 'The product.' })
  productId!: string;

  @Field(() => String, { description: 'The key of the feature.' })
  feature!: string;

  @Field(() => JSONValue, { nullable: true, description: termTexts.value })
  value?: unknown;

  @Field(() => Boolean, { nullable: true, description: `${termTexts.soft} Default: false.` })
  soft?: boolean | null;

  @Field(() => Decimal, { nullable: true, description: termTexts.overageLimit })
  overageLimit?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether the limit counts once for each unit of the quantity, of the main price or the add-on. Default: false.',
  })
  timesQuantity?: boolean | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'For a config, 0 to 100: the value with the highest priority holds, among equal ones that of the main product of the ' +
      'oldest subscription. Default: 0.',
  })
  priority?: number | null;

  @Field(() => EntitlementReach, {
    nullable: true,
    description: 'When those who subscribe to the product get it. Default: `now`.',
  })
  reach?: Reach | null;
}

@InputType({ description: 'A feature to detach from a product.' })
class DetachFeatureInput {
  @Field(() => ID, { description: 'The product.' })
  productId!: string;

  @Field(() => String, { description: 'The key of the feature.' })
  feature!: string;

  @Field(() => EntitlementReach, {
    nullable: true,
    description: 'When those who subscribe to the product lose it. Default: `now`.',
  })
  reach?: Reach | null;
}

const ChangeEffect = { gain: 'gain', loss: 'loss', change: 'change' } as const;
registerEnumType(ChangeEffect, {
  name: 'EntitlementEffect',
  description: 'What a change of a product does to a customer.',
  valuesConfig: {
    gain: { description: 'They get the feature, or more of it.' },
    loss: { description: 'They lose the feature, or a part of it.' },
    change: { description: 'They get another value.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'What a change of a product does to a customer.' })
class EntitlementChange {
  @Field(() => ID, { description: 'The customer.' })
  customerId!: string;

  @Field(() => ChangeEffect, { description: 'Whether they gain or lose.' })
  effect!: Effect;

  @Field(() => DateTime, { description: 'When it reaches them.' })
  at!: string;

  @Field(() => JSONValue, {
    nullable: true,
    description:
      'The value or the limit then without the change; null for none, and for a limit without end.',
  })
  before!: unknown;

  @Field(() => JSONValue, { nullable: true, description: 'The value or the limit then with the change.' })
  after!: unknown;
}

@ObjectType({
  simpleResolvers: true,
  description:
    'Whom a change of a product concerns: the customers with subscriptions to it that are not cancelled.',
})
class EntitlementChangePreview {
  @Field(() => Int, { description: 'The number of customers who gain.' })
  gaining!: number;

  @Field(() => Int, { description: 'The number of customers who lose.' })
  losing!: number;

  @Field(() => Int, { description: 'The number of customers who get another value.' })
  changing!: number;

  @Field(() => Int, { description: 'The number of customers for whom nothing changes.' })
  unchanged!: number;

  @Field(() => [EntitlementChange], { description: 'The first 100 for whom something changes.' })
  customers!: EntitlementChange[];
}

const reasons = ['product_not_found', 'feature_not_found'] as const;

/** Returns the feature with a key; features are never deleted. */
export async function loadFeature(context: Context, key: string): Promise<FeatureRow> {
  const [feature] = await context.listBy('features', 'key', key);
  return feature!;
}

const noTerms: EntitlementTerms = { value: null };

@Resolver(() => ProductEntitlement)
export class ProductEntitlementResolver {
  @FieldResolver(() => Feature, { description: 'The feature.' })
  feature(@Root() { feature }: ProductEntitlementRow, @Ctx() context: Context): Promise<FeatureRow> {
    return loadFeature(context, feature);
  }

  @FieldResolver(() => JSONValue, { nullable: true, description: termTexts.value })
  value(@Root() { terms }: ProductEntitlementRow): unknown {
    return (terms ?? noTerms).value;
  }

  @FieldResolver(() => Boolean, { description: termTexts.soft })
  soft(@Root() { terms }: ProductEntitlementRow): boolean {
    return terms?.soft ?? false;
  }

  @FieldResolver(() => Decimal, { nullable: true, description: termTexts.overageLimit })
  overageLimit(@Root() { terms }: ProductEntitlementRow): string | null {
    return terms?.overageLimit ?? null;
  }

  @FieldResolver(() => Boolean, {
    description: 'Whether the limit counts once for each unit of the quantity.',
  })
  timesQuantity(@Root() { terms }: ProductEntitlementRow): boolean {
    return terms?.timesQuantity ?? false;
  }

  @FieldResolver(() => Int, { description: 'Decides between the values of several products: the highest.' })
  priority(@Root() { terms }: ProductEntitlementRow): number {
    return terms?.priority ?? 0;
  }

  @Query(() => EntitlementChangePreview, {
    nullable: true,
    description: 'Returns who would gain and who would lose by `attachFeature`. Nothing is changed.',
    permission: 'read',
    reasons: [...reasons, 'feature_archived', 'query_timeout'],
    work: { cost: 2000 },
  })
  previewAttachFeature(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => AttachFeatureInput, { description: 'The feature.' }) input: AttachFeatureInput,
  ): Promise<ChangePreview> {
    return previewAttachment(tenant, input);
  }

  @Query(() => EntitlementChangePreview, {
    nullable: true,
    description: 'Returns who would lose by `detachFeature`. Nothing is changed.',
    permission: 'read',
    reasons: ['feature_not_found', 'entitlement_not_found', 'query_timeout'],
    work: { cost: 2000 },
  })
  previewDetachFeature(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => DetachFeatureInput, { description: 'The feature.' }) input: DetachFeatureInput,
  ): Promise<ChangePreview> {
    return previewDetachment(tenant, input);
  }

  @Mutation(() => ProductEntitlement, {
    nullable: true,
    description: 'Attaches a feature to a product, or changes what the product has of it.',
    permission: 'manage_catalog',
    reasons: [...reasons, 'feature_archived'],
  })
  attachFeature(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => AttachFeatureInput, { description: 'The feature.' }) input: AttachFeatureInput,
  ): Promise<ProductEntitlementRow> {
    return tenant.write((unit) => attachFeature(unit, input));
  }

  @Mutation(() => ProductEntitlement, {
    nullable: true,
    description: 'Detaches a feature from a product.',
    permission: 'manage_catalog',
    reasons: ['feature_not_found', 'entitlement_not_found'],
  })
  detachFeature(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => DetachFeatureInput, { description: 'The feature.' }) input: DetachFeatureInput,
  ): Promise<ProductEntitlementRow> {
    return tenant.write((unit) => detachFeature(unit, input));
  }
}

@Resolver(() => Product)
export class ProductEntitlementsResolver {
  @FieldResolver(() => [ProductEntitlement], {
    description: 'What its subscribers have of features, oldest first.',
  })
  async entitlements(
    @Root() { id }: Row<'products'>,
    @Ctx() context: Context,
  ): Promise<ProductEntitlementRow[]> {
    const all = await context.listBy('productEntitlements', 'productId', id);
    return all.filter(({ terms }) => terms !== null);
  }
}
