import type { GraphQLResolveInfo } from 'graphql';
import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Info,
  Int,
  ObjectType,
  registerEnumType,
  Resolver,
  Root,
  Extensions,
} from 'type-graphql';
import { openToCustomers } from '../../../graphql/openness.ts';
import { Query, Mutation } from '../../../graphql/operations.ts';
import { expectedTotalReasons, orderReasons, planChangeReasons } from '../../../graphql/reasons.ts';
import { Customer } from '../../customers/customers.graphql.ts';
import { CurrentTenant, searchFilter } from '../../../graphql/arguments.ts';
import { subscribeUse } from '../customerUses.graphql.ts';
import { CreatedConnectionArgs, defineConnection } from '../../../graphql/connections.ts';
import type { Context } from '../../../graphql/context.ts';
import { parseExpectedTotal } from '../../payments/expectedTotal.ts';
import { Money, toMoney } from '../../../graphql/money.ts';
import type { UnitOfWork } from '../../../tenancy/unitOfWork.ts';
import { writeWithEnteredCode } from '../../discounts/codeAttempts.ts';
import { Node, refetchBy } from '../../../graphql/node.ts';
import { DeclineCodes } from '../../payments/declineCode.graphql.ts';
import type { DeclineCode } from '../../../lib/declineCodes.ts';
import { listUnread } from '../../../graphql/selectedFields.ts';
import { Currency, DateTime, UrlScalar } from '../../../graphql/scalars.ts';
import { cancelIntent, confirmIntent, parseIpCountry, resumeIntent } from './confirmation.ts';
import { refuse } from '../../../lib/errors.ts';
import { ConfirmIntentInput, CreateSubscriptionIntentInput } from './intentInput.graphql.ts';
import { createSubscriptionIntent, findIntent, listIntents, type IntentRow } from './intents.ts';
import { payWithSavedMethod } from './savedPayment.ts';
import { SubscriptionContract } from '../subscriptions.graphql.ts';
import { canBePaid, refuseUnpayable } from '../../../tenants/waysToPay.ts';
import { buildPaymentPath } from '../../../tenancy/paymentLinks.ts';
import type { TenantScope } from '../../../tenancy/tenantScope.ts';

const IntentStatus = {
  requires_payment_method: 'requires_payment_method',
  requires_action: 'requires_action',
  processing: 'processing',
  succeeded: 'succeeded',
  cancelled: 'cancelled',
  expired: 'expired',
} as const;
registerEnumType(IntentStatus, {
  name: 'IntentStatus',
  description: 'The status of an intent.',
  valuesConfig: {
    requires_payment_method: { description: 'Waiting for a payment method.' },
    requires_action: { description: 'Waiting for the payer to confirm with their bank.' },
    processing: { description: 'The payment is in progress.' },
    succeeded: { description: 'Paid; the subscription exists.' },
    cancelled: {
      description: 'Cancelled by the payer, by the client, or with its customer or product group.',
    },
    expired: { description: 'Not paid within 24 hours.' },
  },
});

@Extensions(refetchBy((tenant, id) => findIntent(tenant.read, id, tenant.now())))
@ObjectType('SubscriptionIntent', {
  implements: Node,
  simpleResolvers: true,
  description: 'An intent of a customer to subscribe at a price. Its payment starts the subscription.',
})
export class SubscriptionIntent extends Node {
  @Extensions(openToCustomers)
  @Field(() => IntentStatus, { description: 'The status.' })
  status!: string;

  @Field(() => ID, { description: 'The id of the customer.' })
  customerId!: string;

  @Extensions(openToCustomers)
  @Field(() => ID, { description: 'The id of the product.' })
  productId!: string;

  @Extensions(openToCustomers)
  @Field(() => ID, { description: 'The id of the price.' })
  priceId!: string;

  @Extensions(openToCustomers)
  @Field(() => String, { description: "The product's name when the intent was created." })
  productName!: string;

  @Field(() => UrlScalar, { description: "The URL that the payer's browser opens after paying." })
  receiptUrl!: string;

  @Field(() => UrlScalar, {
    nullable: true,
    description: "The URL that the payer's browser opens after cancelling.",
  })
  returnUrl!: string | null;

  @Field(() => String, { nullable: true, description: 'Your order number; unique per tenant.' })
  orderNumber!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the subscription starts; null for immediately.',
  })
  startDate!: string | null;

  @Field(() => String, { nullable: true, description: 'The reason that the client gave.' })
  reason!: string | null;

  @Field(() => String, { nullable: true, description: 'Why the last payment failed.' })
  failureReason!: string | null;

  @Field(() => DeclineCodes, {
    nullable: true,
    description: 'Why the last payment was declined; null if it was not.',
  })
  declineCode!: DeclineCode | null;

  @Extensions(openToCustomers)
  @Field(() => Int, { nullable: true, description: 'The days of the trial; null for none.' })
  trialDays!: number | null;

  @Extensions(openToCustomers)
  @Field(() => ID, { nullable: true, description: 'The resulting subscription.' })
  subscriptionId!: string | null;

  @Extensions(openToCustomers)
  @Field(() => DateTime, { description: 'When it expires.' })
  expiresAt!: string;

  @Extensions(openToCustomers)
  @Field(() => DateTime, { description: 'When it was created.' })
  createdAt!: string;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  updatedAt!: string;
}

const linkFields = { link: ['paymentUrl'] } as const;

/** Whether an operation asks for the link to the payment page. */
const selectsPaymentUrl = (info: GraphQLResolveInfo): boolean => listUnread(info, linkFields).length === 0;

const IntentConnection = defineConnection<IntentRow>('SubscriptionIntent', () => SubscriptionIntent);

@Resolver(() => SubscriptionIntent)
export class IntentResolver {
  @Extensions(openToCustomers)
  @FieldResolver(() => ID, { description: 'The id, under its REST name.' })
  intentId(@Root() intent: IntentRow): string {
    return intent.id;
  }

  @Extensions(openToCustomers)
  @FieldResolver(() => UrlScalar, {
    nullable: true,
    description:
      'The URL of the payment page. Whoever has it acts as the payer, so it is null for callers without the permission ' +
      '`manage_subscriptions`, such as read-only keys, and in payloads of webhooks. The session of the customer has it.',
  })
  paymentUrl(
    @Ctx() { tenant, publicUrl, permissions, session }: Context,
    @Root() intent: IntentRow,
  ): string | null {
    const isPayer = session?.customerId === intent.customerId;
    if (!isPayer && !permissions.includes('manage_subscriptions')) return null;
    return publicUrl + buildPaymentPath(tenant, intent.id, true);
  }

  @FieldResolver(() => UrlScalar, {
    nullable: true,
    description:
      'The URL at which the payer confirms the payment with their bank while the status is ' +
      '`requires_action`; the bank sends the browser back to the payment page. Null for callers who do not see `paymentUrl`.',
  })
  actionUrl(@Ctx() { permissions }: Context, @Root() { actionUrl }: IntentRow): string | null {
    return permissions.includes('manage_subscriptions') ? actionUrl : null;
  }

  @FieldResolver(() => Money, {
    nullable: true,
    description: 'The set-up fee charged with the first invoice; null for none.',
  })
  setupFee(@Root() { setupFeeMinor, currency }: IntentRow): Money | null {
    return setupFeeMinor === null ? null : toMoney(setupFeeMinor, currency);
  }

  @FieldResolver(() => Customer, {
    nullable: true,
    description: 'The customer; null if deleted.',
  })
  customer(@Ctx() context: Context, @Root() intent: IntentRow) {
    return context.byId('customers', intent.customerId);
  }

  @FieldResolver(() => SubscriptionContract, {
    nullable: true,
    description: 'The resulting subscription.',
  })
  subscription(@Ctx() context: Context, @Root() intent: IntentRow) {
    return intent.subscriptionId ? context.byId('subscriptions', intent.subscriptionId) : null;
  }

  @Query(() => SubscriptionIntent, {
    nullable: true,
    description: 'Returns an intent by id.',
    permission: 'read',
    reasons: ['intent_not_found'],
  })
  intent(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The intent.' }) id: string,
  ): Promise<IntentRow> {
    return findIntent(tenant.read, id, tenant.now());
  }

  @Query(() => IntentConnection, {
    nullable: true,
    description: 'Lists intents.',
    permission: 'read',
    reasons: ['cursor_invalid', 'currency_unsupported', 'query_timeout'],
  })
  async intents(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => CreatedConnectionArgs) page: CreatedConnectionArgs,
    @Arg('customerId', () => ID, { nullable: true, description: 'Filter by customer.' })
    customerId?: string,
    @Arg('status', () => IntentStatus, { nullable: true, description: 'Filter by status.' })
    status?: IntentRow['status'],
    @Arg('currency', () => Currency, { nullable: true, description: 'Filter by currency.' })
    currency?: string,
    @Arg('search', () => String, searchFilter('their order number and id, or of their customer'))
    search?: string,
  ) {
    const filter = { customerId, status, currency, search };
    return new IntentConnection(await listIntents(tenant, filter, page));
  }

  @Mutation(() => SubscriptionIntent, {
    nullable: true,
    description:
      'Creates an intent to subscribe. If the customer already subscribes to the product or its group, the ' +
      'intent changes the plan; with the current price, it cancels a scheduled change and charges nothing. Refused if ' +
      '`paymentUrl` is selected and the payer could not pay there (`Tenant.canBePaid`).',
    permission: 'manage_subscriptions',
    reasons: [
      'customer_not_found',
      'associated_id_mismatch',
      'payments_not_set_up',
      ...orderReasons,
      'order_number_reused',
      'too_many_attempts',
    ],
    openTo: { customer: subscribeUse },
    grants: [
      { path: ['input', 'couponId'], needed: 'credit' },
      { path: ['input', 'trialDays'], needed: 'credit', grants: (days) => days !== 0 },
    ],
  })
  async createSubscriptionIntent(
    @Ctx() { session }: Context,
    @CurrentTenant() tenant: TenantScope,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => CreateSubscriptionIntentInput, { description: 'The intent.' })
    input: CreateSubscriptionIntentInput,
  ): Promise<IntentRow> {
    const isUnpayable = selectsPaymentUrl(info) && !(await canBePaid(tenant));
    const create = async (unit: UnitOfWork) => {
      const intent = await createSubscriptionIntent(unit, input);
      // A trial can start without a payment method.
      return isUnpayable && intent.trialDays === null ? refuseUnpayable() : intent;
    };
    return session && input.promotionCode
      ? writeWithEnteredCode(tenant, session.customerId, create)
      : tenant.write(create);
  }

  @Mutation(() => SubscriptionIntent, {
    nullable: true,
    description:
      'Pays an intent and starts its subscription. If nothing is due today, the method is saved. An intent with the status `requires_action` continues at ' +
      'its `actionUrl` and then with `resumeIntent`.',
    permission: 'manage_subscriptions',
    reasons: [
      'intent_not_found',
      'intent_not_payable',
      ...planChangeReasons,
      'coupon_not_redeemable',
      'payment_method_not_found',
      'payment_failed',
      ...expectedTotalReasons,
    ],
  })
  confirmIntent(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The intent.' }) id: string,
    @Arg('input', () => ConfirmIntentInput, { nullable: true, description: 'How it is paid.' })
    input?: ConfirmIntentInput | null,
  ): Promise<IntentRow> {
    const { paymentMethod, paymentMethodId, expectedTotal } = input ?? {};
    const expected = parseExpectedTotal(expectedTotal);
    const ipCountry = parseIpCountry(input?.ipCountry);
    if ((paymentMethod ?? null) !== null && (paymentMethodId ?? null) !== null)
      refuse('validation_failed', { path: 'paymentMethodId', message: 'excludes paymentMethod' });
    if (typeof paymentMethodId === 'string' && ipCountry !== undefined)
      refuse('validation_failed', { path: 'ipCountry', message: 'is for a payer who is present' });
    return typeof paymentMethodId === 'string'
      ? payWithSavedMethod(tenant, id, paymentMethodId, expected)
      : confirmIntent(tenant, id, paymentMethod, { expected, ipCountry });
  }

  @Mutation(() => SubscriptionIntent, {
    nullable: true,
    description:
      'Retrieves the outcome of a payment from the payment provider after the payer returned from ' +
      '`actionUrl`, and records it. Returns an intent without a pending payment unchanged. A callback of ' +
      'the provider records the same outcome.',
    permission: 'manage_subscriptions',
    reasons: ['intent_not_found', 'payment_failed'],
  })
  resumeIntent(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The intent.' }) id: string,
  ): Promise<IntentRow> {
    return resumeIntent(tenant, id);
  }

  @Mutation(() => SubscriptionIntent, {
    nullable: true,
    description: 'Cancels an intent that has not been paid.',
    permission: 'manage_subscriptions',
    reasons: ['intent_not_found', 'intent_not_payable'],
  })
  cancelIntent(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The intent.' }) id: string,
  ): Promise<IntentRow> {
    return tenant.write((unit) => cancelIntent(unit, id));
  }
}
