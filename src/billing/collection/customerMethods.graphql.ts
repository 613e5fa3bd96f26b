import { Arg, Ctx, Field, FieldResolver, ID, InputType, Resolver, Root } from 'type-graphql';
import { Mutation } from '../../graphql/operations.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import type { Context } from '../../graphql/context.ts';
import { PaymentMethod } from '../payments/paymentMethods.graphql.ts';
import type { PaymentMethodRow } from '../payments/paymentMethods.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { addPaymentMethod, removePaymentMethod, setDefaultPaymentMethod } from './customerMethods.ts';
import { setPaymentMethod } from './paymentMethodChange.ts';
import { SubscriptionContract } from '../subscriptions/subscriptions.graphql.ts';
import type { SubscriptionRow } from '../subscriptions/subscriptions.ts';

@InputType({ description: 'A payment method to save.' })
class AddPaymentMethodInput {
  @Field(() => ID, { description: 'The customer.' })
  customerId!: string;

  @Field(() => String, { description: "The payment provider's id of the method." })
  paymentMethod!: string;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether it becomes the default, as by `setDefaultPaymentMethod`. Default: only if it is the first.',
  })
  makeDefault?: boolean | null;
}

@InputType({ description: 'A choice of the default payment method.' })
class SetDefaultPaymentMethodInput {
  @Field(() => ID, { nullable: true, description: 'The customer, verified if given.' })
  customerId?: string | null;
}

@InputType({ description: 'Another payment method of a subscription.' })
class SetPaymentMethodInput {
  @Field(() => String, { description: "The payment provider's id of the method." })
  paymentMethod!: string;
}

@Resolver()
export class CustomerMethodChangesResolver {
  @Mutation(() => PaymentMethod, {
    nullable: true,
    description:
      'Saves a payment method of a customer for later charges; nothing is charged. The same card is saved once. If the ' +
      'payer must confirm it, the error names the URL as `actionUrl`; the method is saved when the provider reports the ' +
      'confirmation.',
    permission: 'manage_customers',
    reasons: ['payment_failed', 'payment_action_required'],
  })
  addPaymentMethod(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => AddPaymentMethodInput, { description: 'The payment method.' })
    input: AddPaymentMethodInput,
  ): Promise<PaymentMethodRow> {
    return addPaymentMethod(tenant, input);
  }

  @Mutation(() => PaymentMethod, {
    nullable: true,
    description:
      'Makes a payment method the default of its customer. Subscriptions charged to the previous default, or to none, ' +
      'are charged to it from now on, and unpaid invoices at once.',
    permission: 'manage_customers',
    reasons: ['payment_method_not_found'],
  })
  setDefaultPaymentMethod(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The payment method.' }) id: string,
    @Arg('input', () => SetDefaultPaymentMethodInput, { nullable: true, description: 'What is verified.' })
    input?: SetDefaultPaymentMethodInput | null,
  ): Promise<PaymentMethodRow> {
    return setDefaultPaymentMethod(tenant, id, input?.customerId);
  }

  @Mutation(() => PaymentMethod, {
    nullable: true,
    description:
      'Removes a payment method: it is never charged again, and its provider forgets it. Subscriptions charged to it ' +
      'move to the default; the default itself can be removed once no active subscription is charged to it.',
    permission: 'manage_customers',
    reasons: ['payment_method_not_found', 'payment_method_in_use'],
  })
  removePaymentMethod(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The payment method.' }) id: string,
  ): Promise<PaymentMethodRow> {
    return removePaymentMethod(tenant, id);
  }

  @Mutation(() => SubscriptionContract, {
    nullable: true,
    description:
      'Saves another payment method and charges past-due invoices to it at once. If the payer must confirm it, the ' +
      'error names the URL as `actionUrl`; the method is saved when the provider reports the confirmation.',
    permission: 'manage_subscriptions',
    reasons: [
      'subscription_not_found',
      'subscription_not_active',
      'payment_failed',
      'payment_action_required',
    ],
  })
  setPaymentMethod(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The subscription.' }) subscriptionId: string,
    @Arg('input', () => SetPaymentMethodInput, { description: 'The payment method.' })
    { paymentMethod }: SetPaymentMethodInput,
  ): Promise<SubscriptionRow> {
    return setPaymentMethod(tenant, subscriptionId, paymentMethod);
  }
}

@Resolver(() => SubscriptionContract)
export class SubscriptionMethodResolver {
  @FieldResolver(() => PaymentMethod, {
    nullable: true,
    description: 'The payment method that renewals are charged to; null if there is none.',
  })
  async paymentMethod(@Ctx() context: Context, @Root() { paymentMethodId: id }: SubscriptionRow) {
    const method = id === null ? null : await context.byId('paymentMethods', id);
    return method?.removedAt === null ? method : null;
  }
}
