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
import { openToCustomers } from '../../graphql/openness.ts';
import { Query, Mutation } from '../../graphql/operations.ts';
import { Customer } from '../customers/customers.graphql.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import {
  ConnectionArgs,
  CreatedConnectionArgs,
  defineConnection,
  nestedPage,
} from '../../graphql/connections.ts';
import type { Context } from '../../graphql/context.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { DateTime } from '../../graphql/scalars.ts';
import { isInForce } from '../pricing/discounts.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { Coupon } from './coupons.graphql.ts';
import {
  applyDiscount,
  findDiscount,
  listDiscounts,
  removeDiscount,
  sortInForce,
  type DiscountRow,
} from './discounts.ts';
import { writeWithEnteredCode } from './codeAttempts.ts';
import { PromotionCode } from './promotionCodes.graphql.ts';
import { findPortalSettings } from '../../tenants/portalSettings.ts';

@Extensions(refetchBy(({ read }, id) => findDiscount(read, id)))
@ObjectType('Discount', {
  implements: Node,
  simpleResolvers: true,
  description: 'A coupon applied to a subscription, or to a customer for subscriptions without discounts.',
})
export class Discount extends Node {
  @Field(() => ID, { description: 'The customer.' })
  customerId!: string;

  @Extensions(openToCustomers)
  @Field(() => ID, {
    nullable: true,
    description: "The subscription; null for the customer's subscriptions without discounts of their own.",
  })
  subscriptionId!: string | null;

  @Extensions(openToCustomers)
  @Field(() => DateTime, { description: 'When it was applied.' })
  startsAt!: string;

  @Extensions(openToCustomers)
  @Field(() => DateTime, {
    nullable: true,
    description: 'The end of a repeating discount, exclusive; null until its first use, and for others.',
  })
  endsAt!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was removed.' })
  removedAt!: string | null;

  @Extensions(openToCustomers)
  @Field(() => DateTime, { description: 'When it was created.' })
  createdAt!: string;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  updatedAt!: string;
}

@InputType({ description: 'A coupon or a promotion code, and what it is applied to.' })
class ApplyDiscountInput {
  @Field(() => ID, { nullable: true, description: 'The subscription, or `customerId`.' })
  subscriptionId?: string | null;

  @Field(() => ID, { nullable: true, description: 'The customer, or `subscriptionId`.' })
  customerId?: string | null;

  @Field(() => ID, { nullable: true, description: 'The coupon, or `promotionCode`.' })
  couponId?: string | null;

  @Field(() => String, { nullable: true, description: 'The code, or `couponId`.' })
  promotionCode?: string | null;
}

const DiscountConnection = defineConnection<DiscountRow>('Discount', () => Discount);

@Resolver(() => Discount)
export class DiscountResolver {
  @Extensions(openToCustomers)
  @FieldResolver(() => Boolean, {
    description: 'Whether it reduces later invoices: it is not used up, ended or removed.',
  })
  active(@Ctx() context: Context, @Root() discount: DiscountRow): boolean {
    return isInForce(discount, context.tenant.now());
  }

  @FieldResolver(() => Coupon, { description: 'The coupon.' })
  coupon(@Ctx() context: Context, @Root() { couponId }: DiscountRow) {
    return context.byId('coupons', couponId);
  }

  @FieldResolver(() => Customer, { nullable: true, description: 'The customer; null if deleted.' })
  customer(@Ctx() context: Context, @Root() { customerId }: DiscountRow) {
    return context.byId('customers', customerId);
  }

  @FieldResolver(() => PromotionCode, {
    nullable: true,
    description: 'The promotion code that was redeemed, if any.',
  })
  promotionCode(@Ctx() context: Context, @Root() { promotionCodeId }: DiscountRow) {
    return promotionCodeId === null ? null : context.byId('promotionCodes', promotionCodeId);
  }

  @Query(() => Discount, {
    nullable: true,
    description: 'Returns a discount by id.',
    permission: 'read',
    reasons: ['discount_not_found'],
  })
  discount(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The discount.' }) id: string,
  ): Promise<DiscountRow> {
    return findDiscount(tenant.read, id);
  }

  @Query(() => DiscountConnection, {
    nullable: true,
    description: 'Lists discounts, including those that are used up, ended or removed.',
    permission: 'read',
    reasons: ['cursor_invalid', 'query_timeout'],
  })
  async discounts(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => CreatedConnectionArgs) page: CreatedConnectionArgs,
    @Arg('customerId', () => ID, { nullable: true, description: 'Filter by customer.' })
    customerId?: string,
    @Arg('couponId', () => ID, { nullable: true, description: 'Filter by coupon.' })
    couponId?: string,
    @Arg('active', () => Boolean, {
      nullable: true,
      description: 'If true, only discounts that are `active`.',
    })
    active?: boolean,
  ) {
    return new DiscountConnection(await listDiscounts(tenant, { customerId, couponId, active }, page));
  }

  @Mutation(() => Discount, {
    nullable: true,
    description:
      'Applies a coupon or a promotion code to a subscription or a customer, after the discounts that are there. ' +
      'It reduces invoices from the next one on; nothing is billed now.',
    permission: 'credit',
    proposable: true,
    openTo: {
      customer: {
        args: ['input.subscriptionId', 'input.promotionCode'],
        action: 'apply_discount',
        own: { 'input.subscriptionId': 'subscriptions' },
        findForbidden: ({ record }) =>
          findPortalSettings(record).promotionCodes ? undefined : 'input.promotionCode',
      },
    },
    reasons: [
      'too_many_attempts',
      'subscription_not_found',
      'subscription_not_active',
      'coupon_not_found',
      'promotion_code_not_found',
      'coupon_not_redeemable',
      'currency_mismatch',
    ],
  })
  applyDiscount(
    @Ctx() { session }: Context,
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => ApplyDiscountInput, { description: 'The discount.' }) input: ApplyDiscountInput,
  ): Promise<DiscountRow> {
    if (session)
      return writeWithEnteredCode(tenant, session.customerId, (unit) => applyDiscount(unit, input));
    return tenant.write((unit) => applyDiscount(unit, input));
  }

  @Mutation(() => Discount, {
    nullable: true,
    description: 'Removes a discount from later invoices. Invoices that used it stay as they are.',
    permission: 'credit',
    proposable: true,
    reasons: ['discount_not_found'],
  })
  removeDiscount(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The discount.' }) id: string,
  ): Promise<DiscountRow> {
    return tenant.write((unit) => removeDiscount(unit, id));
  }
}

@Resolver(() => Coupon)
export class CouponDiscountsResolver {
  @Extensions(nestedPage)
  @FieldResolver(() => DiscountConnection, {
    nullable: true,
    description: 'The discounts that it gave, including those that are used up, ended or removed.',
  })
  async discounts(
    @Ctx() { tenant }: Context,
    @Root() { id }: Coupon,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
  ) {
    return new DiscountConnection(await listDiscounts(tenant, { couponId: id }, page));
  }
}

@Resolver(() => Customer)
export class CustomerDiscountsResolver {
  @FieldResolver(() => [Discount], {
    description:
      'The discounts that reduce invoices of subscriptions without discounts of their own, in their order.',
  })
  async discounts(@Ctx() context: Context, @Root() customer: Customer): Promise<DiscountRow[]> {
    const where = { subscriptionId: null, removedAt: null };
    const rows = await context.listBy('discounts', 'customerId', customer.id, where);
    return sortInForce(rows, context.tenant.now());
  }
}
