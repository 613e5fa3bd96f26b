import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  ID,
  InputType,
  Int,
  ObjectType,
  registerEnumType,
  Resolver,
  Root,
  Extensions,
} from 'type-graphql';
import { Query, Mutation } from '../../graphql/operations.ts';
import { moneyReasons } from '../../graphql/reasons.ts';
import {
  changedLookupKey,
  givenLookupKey,
  lookupKeyField,
  lookupKeyFilter,
} from '../catalog/lookupKey.graphql.ts';
import { Product } from '../catalog/products.graphql.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { ConnectionArgs, defineConnection } from '../../graphql/connections.ts';
import type { Context } from '../../graphql/context.ts';
import { Money, MoneyInput, toMoney } from '../../graphql/money.ts';
import { keyedBy } from '../../graphql/lookupKeys.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { DateTime, Decimal, JSONObject } from '../../graphql/scalars.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { createCoupon, findCoupon, listCoupons, updateCoupon, type CouponRow } from './coupons.ts';

const CouponDuration = { once: 'once', repeating: 'repeating', forever: 'forever' } as const;
registerEnumType(CouponDuration, {
  name: 'CouponDuration',
  description: 'How long a coupon reduces invoices.',
  valuesConfig: {
    once: { description: 'The first invoice with an amount that it covers.' },
    repeating: { description: 'All invoices in the months from its first use.' },
    forever: { description: 'All invoices.' },
  },
});

@Extensions(refetchBy(({ read }, id) => findCoupon(read, id)))
@Extensions(keyedBy('coupons', 'lookupKey'))
@ObjectType('Coupon', {
  implements: Node,
  simpleResolvers: true,
  description: 'A coupon: a percentage or an amount that reduces invoices while it applies.',
})
export class Coupon extends Node {
  @Field(() => String, { description: 'The name.' })
  name!: string;

  @Field(() => Decimal, {
    nullable: true,
    description: 'The percentage, above 0 and at most 100; null if an amount is taken off.',
  })
  percentOff!: string | null;

  @Field(() => CouponDuration, { description: 'How long it reduces invoices.' })
  duration!: string;

  @Field(() => Int, {
    nullable: true,
    description: 'The months of a repeating discount, counted from its first use.',
  })
  durationInMonths!: number | null;

  @Field(() => Int, { nullable: true, description: 'How often all customers together may redeem it.' })
  maxRedemptions!: number | null;

  @Field(() => Int, { description: 'How often it was redeemed, including payments in progress.' })
  timesRedeemed!: number;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Until when it can be redeemed, exclusive. Discounts that were given go on.',
  })
  redeemBy!: string | null;

  @Field(() => Boolean, { description: 'Whether it can be redeemed. Discounts that were given go on.' })
  active!: boolean;

  @Field(() => JSONObject, { description: "The client's own data." })
  metadata!: Record<string, unknown>;

  @Field(() => String, lookupKeyField)
  lookupKey!: string | null;

  @Field(() => DateTime, { description: 'When the coupon was created.' })
  createdAt!: string;

  @Field(() => DateTime, { description: 'When the coupon was last changed.' })
  updatedAt!: string;
}

@InputType({ description: 'A coupon to create: either `percentOff` or `amountOff`.' })
class CreateCouponInput {
  @Field(() => String, { description: 'The name, 1 to 200 characters.' })
  name!: string;

  @Field(() => Decimal, {
    nullable: true,
    description: 'A percentage above 0 and at most 100, with at most 4 decimals.',
  })
  percentOff?: string | null;

  @Field(() => MoneyInput, {
    nullable: true,
    description:
      'An amount of more than 0, up to the largest amount; reduces subscriptions in its currency. The part beyond an ' +
      'invoice is lost.',
  })
  amountOff?: MoneyInput | null;

  @Field(() => CouponDuration, { description: 'How long it reduces invoices.' })
  duration!: string;

  @Field(() => Int, { nullable: true, description: 'The months of a repeating discount, 1 to 120.' })
  durationInMonths?: number | null;

  @Field(() => [ID], {
    nullable: true,
    description: 'The products whose lines it reduces, 1 to 100. Default: all lines.',
  })
  productIds?: string[] | null;

  @Field(() => Int, {
    nullable: true,
    description: 'How often all customers together may redeem it. Default: without a limit.',
  })
  maxRedemptions?: number | null;

  @Field(() => DateTime, { nullable: true, description: 'Until when it can be redeemed, exclusive.' })
  redeemBy?: string | null;

  @Field(() => JSONObject, {
    nullable: true,
    description: 'Your own data, at most 50 keys, 8 levels and 16 KiB as JSON.',
  })
  metadata?: Record<string, unknown> | null;

  @Field(() => String, givenLookupKey)
  lookupKey?: string | null;
}

@InputType({ description: 'Changes to a coupon. Omitted fields stay unchanged.' })
class UpdateCouponInput {
  @Field(() => String, { nullable: true, description: 'The name, 1 to 200 characters.' })
  name?: string;

  @Field(() => JSONObject, {
    nullable: true,
    description: 'Replaces all metadata, within the same limits; null empties it.',
  })
  metadata?: Record<string, unknown> | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether it can be redeemed.' })
  active?: boolean;

  @Field(() => String, changedLookupKey)
  lookupKey?: string | null;
}

const CouponConnection = defineConnection<CouponRow>('Coupon', () => Coupon);

const couponId = { description: 'The id of the coupon.' };

@Resolver(() => Coupon)
export class CouponResolver {
  @FieldResolver(() => Money, {
    nullable: true,
    description: 'The amount that is taken off; null for a percentage.',
  })
  amountOff(@Root() { amountOffMinor, currency }: CouponRow): Money | null {
    return amountOffMinor === null ? null : toMoney(amountOffMinor, currency!);
  }

  @FieldResolver(() => [Product], {
    nullable: true,
    description: 'The products whose lines it reduces; null for all lines.',
  })
  async products(@Ctx() context: Context, @Root() { productIds }: CouponRow) {
    if (productIds === null) return null;
    const products = await Promise.all(productIds.map((id) => context.byId('products', id)));
    return products.filter((product) => product !== null);
  }

  @Query(() => Coupon, {
    nullable: true,
    description: 'Returns a coupon by id.',
    permission: 'read',
    reasons: ['coupon_not_found'],
  })
  coupon(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, couponId) id: string,
  ): Promise<CouponRow> {
    return findCoupon(tenant.read, id);
  }

  @Query(() => CouponConnection, {
    nullable: true,
    description: 'Lists coupons.',
    permission: 'read',
    reasons: ['cursor_invalid'],
  })
  async coupons(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('active', () => Boolean, { nullable: true, description: 'Filter by status.' }) active?: boolean,
    @Arg('lookupKey', () => String, lookupKeyFilter) lookupKey?: string,
  ) {
    return new CouponConnection(await listCoupons(tenant, { active, lookupKey }, page));
  }

  @Mutation(() => Coupon, {
    nullable: true,
    description: 'Creates a coupon.',
    permission: 'manage_catalog',
    reasons: ['product_not_found', 'lookup_key_exists', ...moneyReasons],
  })
  createCoupon(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => CreateCouponInput, { description: 'The coupon.' }) input: CreateCouponInput,
  ): Promise<CouponRow> {
    return tenant.write((unit) => createCoupon(unit, input));
  }

  @Mutation(() => Coupon, {
    nullable: true,
    description:
      'Changes the name, the metadata, the lookup key or the status of a coupon. Its terms are fixed.',
    permission: 'manage_catalog',
    reasons: ['coupon_not_found', 'lookup_key_exists'],
  })
  updateCoupon(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, couponId) id: string,
    @Arg('input', () => UpdateCouponInput, { description: 'The changes.' }) input: UpdateCouponInput,
  ): Promise<CouponRow> {
    return tenant.write((unit) => updateCoupon(unit, id, input));
  }
}
