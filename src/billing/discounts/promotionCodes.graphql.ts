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
  Resolver,
  Root,
  Extensions,
} from 'type-graphql';
import { Query, Mutation } from '../../graphql/operations.ts';
import { moneyReasons } from '../../graphql/reasons.ts';
import { Customer } from '../customers/customers.graphql.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { ConnectionArgs, defineConnection } from '../../graphql/connections.ts';
import type { Context } from '../../graphql/context.ts';
import { Money, MoneyInput, toMoney } from '../../graphql/money.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { DateTime } from '../../graphql/scalars.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { Coupon } from './coupons.graphql.ts';
import {
  createPromotionCode,
  findPromotionCode,
  listPromotionCodes,
  updatePromotionCode,
  type PromotionCodeRow,
} from './promotionCodes.ts';

@Extensions(refetchBy(({ read }, id) => findPromotionCode(read, id)))
@ObjectType('PromotionCode', {
  implements: Node,
  simpleResolvers: true,
  description: 'A code with which payers redeem a coupon.',
})
export class PromotionCode extends Node {
  @Field(() => String, { description: 'The code; case-insensitive, and unique among the active codes.' })
  code!: string;

  @Field(() => Boolean, {
    description:
      'Whether it is for the first purchase only: of customers without a paid subscription, and without another such code that they redeemed or are redeeming.',
  })
  firstPurchaseOnly!: boolean;

  @Field(() => Int, { nullable: true, description: 'How often all customers together may redeem it.' })
  maxRedemptions!: number | null;

  @Field(() => Int, { description: 'How often it was redeemed, including payments in progress.' })
  timesRedeemed!: number;

  @Field(() => DateTime, { nullable: true, description: 'Until when it can be redeemed, exclusive.' })
  expiresAt!: string | null;

  @Field(() => Boolean, { description: 'Whether it can be redeemed.' })
  active!: boolean;

  @Field(() => DateTime, { description: 'When the code was created.' })
  createdAt!: string;

  @Field(() => DateTime, { description: 'When the code was last changed.' })
  updatedAt!: string;
}

@InputType({ description: 'A promotion code to create.' })
class CreatePromotionCodeInput {
  @Field(() => ID, { description: 'The coupon that it redeems.' })
  couponId!: string;

  @Field(() => String, { description: 'The code: 1 to 64 letters a–z, digits, `-` and `_`.' })
  code!: string;

  @Field(() => ID, { nullable: true, description: 'The only customer who may redeem it.' })
  customerId?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether it is for the first purchase of a customer only. Default: false.',
  })
  firstPurchaseOnly?: boolean | null;

  @Field(() => MoneyInput, {
    nullable: true,
    description: 'The least price of a full cycle, checked when the code is redeemed.',
  })
  minimumAmount?: MoneyInput | null;

  @Field(() => Int, {
    nullable: true,
    description: 'How often all customers together may redeem it. Default: without a limit.',
  })
  maxRedemptions?: number | null;

  @Field(() => DateTime, { nullable: true, description: 'Until when it can be redeemed, exclusive.' })
  expiresAt?: string | null;
}

@InputType({ description: 'Changes to a promotion code. Omitted fields stay unchanged.' })
class UpdatePromotionCodeInput {
  @Field(() => Boolean, { nullable: true, description: 'Whether it can be redeemed.' })
  active?: boolean;

  @Field(() => Int, { nullable: true, description: 'How often it may be redeemed; null for no limit.' })
  maxRedemptions?: number | null;

  @Field(() => DateTime, { nullable: true, description: 'Until when it can be redeemed; null for no end.' })
  expiresAt?: string | null;
}

const PromotionCodeConnection = defineConnection<PromotionCodeRow>('PromotionCode', () => PromotionCode);

const codeId = { description: 'The id of the promotion code.' };

@Resolver(() => PromotionCode)
export class PromotionCodeResolver {
  @FieldResolver(() => Coupon, { description: 'The coupon that it redeems.' })
  coupon(@Ctx() context: Context, @Root() { couponId }: PromotionCodeRow) {
    return context.byId('coupons', couponId);
  }

  @FieldResolver(() => Customer, {
    nullable: true,
    description: 'The only customer who may redeem it; null for all, or if deleted.',
  })
  customer(@Ctx() context: Context, @Root() { customerId }: PromotionCodeRow) {
    return customerId === null ? null : context.byId('customers', customerId);
  }

  @FieldResolver(() => Money, {
    nullable: true,
    description: 'The least price of a full cycle, checked when the code is redeemed.',
  })
  minimumAmount(@Root() { minimumAmountMinor, currency }: PromotionCodeRow): Money | null {
    return minimumAmountMinor === null ? null : toMoney(minimumAmountMinor, currency!);
  }

  @Query(() => PromotionCode, {
    nullable: true,
    description: 'Returns a promotion code by id.',
    permission: 'read',
    reasons: ['promotion_code_not_found'],
  })
  promotionCode(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, codeId) id: string,
  ): Promise<PromotionCodeRow> {
    return findPromotionCode(tenant.read, id);
  }

  @Query(() => PromotionCodeConnection, {
    nullable: true,
    description: 'Lists promotion codes.',
    permission: 'read',
    reasons: ['cursor_invalid'],
  })
  async promotionCodes(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('couponId', () => ID, { nullable: true, description: 'Filter by coupon.' }) couponId?: string,
    @Arg('code', () => String, {
      nullable: true,
      description: 'Filter by the text of an active code; case-insensitive.',
    })
    code?: string,
  ) {
    return new PromotionCodeConnection(await listPromotionCodes(tenant, { couponId, code }, page));
  }

  @Mutation(() => PromotionCode, {
    nullable: true,
    description: 'Creates a promotion code of a coupon.',
    permission: 'manage_catalog',
    reasons: ['coupon_not_found', 'promotion_code_exists', ...moneyReasons],
  })
  createPromotionCode(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => CreatePromotionCodeInput, { description: 'The promotion code.' })
    input: CreatePromotionCodeInput,
  ): Promise<PromotionCodeRow> {
    return tenant.write((unit) => createPromotionCode(unit, input));
  }

  @Mutation(() => PromotionCode, {
    nullable: true,
    description: 'Activates or deactivates a promotion code, or changes its limits.',
    permission: 'manage_catalog',
    reasons: ['promotion_code_not_found', 'promotion_code_exists'],
  })
  updatePromotionCode(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, codeId) id: string,
    @Arg('input', () => UpdatePromotionCodeInput, { description: 'The changes.' })
    input: UpdatePromotionCodeInput,
  ): Promise<PromotionCodeRow> {
    return tenant.write((unit) => updatePromotionCode(unit, id, input));
  }
}
