import {
  Arg,
  Args,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  ID,
  InputType,
  ObjectType,
  Resolver,
  Root,
} from 'type-graphql';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { ConnectionArgs, defineConnection } from '../../graphql/connections.ts';
import type { Context } from '../../graphql/context.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { Mutation, Query } from '../../graphql/operations.ts';
import { DateTime, Decimal, JSONValue } from '../../graphql/scalars.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { Feature } from './features.graphql.ts';
import type { FeatureRow, OverrideRow } from './grants.ts';
import { findOverride, listOverrides, overrideEntitlement, removeEntitlementOverride } from './overrides.ts';
import { loadFeature, termTexts } from './productEntitlements.graphql.ts';

@Extensions(refetchBy(({ read }, id) => findOverride(read, id)))
@ObjectType('EntitlementOverride', {
  implements: Node,
  simpleResolvers: true,
  description:
    'A value of a feature that a customer was given, which takes precedence over those of products.',
})
class EntitlementOverride extends Node {
  @Field(() => ID, { description: 'The customer.' })
  customerId!: string;

  @Field(() => DateTime, { nullable: true, description: 'When it ends, exclusive; null for never.' })
  endsAt!: string | null;

  @Field(() => DateTime, { description: 'When it was given.' })
  createdAt!: string;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  updatedAt!: string;
}

@InputType({ description: 'A value of a feature for a customer.' })
class OverrideEntitlementInput {
  @Field(() => ID, { description: 'The customer.' })
  customerId!: string;

  @Field(() => String, { description: 'The key of the feature.' })
  feature!: string;

  @Field(() => JSONValue, { nullable: true, description: termTexts.value })
  value?: unknown;

  @Field(() => Boolean, { nullable: true, description: `${termTexts.soft} Default: false.` })
  soft?: boolean | null;

  @Field(() => Decimal, { nullable: true, description: termTexts.overageLimit })
  overageLimit?: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When it ends, exclusive. Default: never.' })
  endsAt?: string | null;
}

const EntitlementOverrideConnection = defineConnection<OverrideRow>(
  'EntitlementOverride',
  () => EntitlementOverride,
);

const overrideId = { description: 'The id of the override.' };

@Resolver(() => EntitlementOverride)
export class EntitlementOverrideResolver {
  @FieldResolver(() => Feature, { description: 'The feature.' })
  feature(@Root() { feature }: OverrideRow, @Ctx() context: Context): Promise<FeatureRow> {
    return loadFeature(context, feature);
  }

  @FieldResolver(() => JSONValue, { nullable: true, description: termTexts.value })
  value(@Root() { terms }: OverrideRow): unknown {
    return terms.value;
  }

  @FieldResolver(() => Boolean, { description: termTexts.soft })
  soft(@Root() { terms }: OverrideRow): boolean {
    return terms.soft ?? false;
  }

  @FieldResolver(() => Decimal, { nullable: true, description: termTexts.overageLimit })
  overageLimit(@Root() { terms }: OverrideRow): string | null {
    return terms.overageLimit ?? null;
  }

  @Query(() => EntitlementOverrideConnection, {
    nullable: true,
    description: 'Lists the values of features that a customer was given, also those that have ended.',
    permission: 'read',
    reasons: ['customer_not_found', 'cursor_invalid'],
  })
  async entitlementOverrides(
    @CurrentTenant() tenant: TenantScope,
    @Arg('customerId', () => ID, { description: 'The customer.' }) customerId: string,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
  ) {
    return new EntitlementOverrideConnection(await listOverrides(tenant, customerId, page));
  }

  @Mutation(() => EntitlementOverride, {
    nullable: true,
    description:
      'Gives a customer a value of a feature until an end, instead of those of products and of the one before. It holds ' +
      'whatever the status of subscriptions is.',
    permission: 'manage_subscriptions',
    reasons: ['customer_not_found', 'feature_not_found', 'feature_archived'],
  })
  overrideEntitlement(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => OverrideEntitlementInput, { description: 'The value.' })
    input: OverrideEntitlementInput,
  ): Promise<OverrideRow> {
    return tenant.write((unit) => overrideEntitlement(unit, input));
  }

  @Mutation(() => EntitlementOverride, {
    nullable: true,
    description: 'Takes back a value of a feature that a customer was given.',
    permission: 'manage_subscriptions',
    reasons: ['entitlement_override_not_found'],
  })
  removeEntitlementOverride(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, overrideId) id: string,
  ): Promise<OverrideRow> {
    return tenant.write((unit) => removeEntitlementOverride(unit, id));
  }
}
