import {
  Arg,
  Ctx,
  Field,
  FieldResolver,
  ID,
  InputType,
  Mutation,
  ObjectType,
  Query,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';
import { Customer } from '../customers/customers.graphql.ts';
import { CurrentTenant } from '../graphql/arguments.ts';
import type { Context } from '../graphql/context.ts';
import { Money, toMoney } from '../graphql/money.ts';
import { Node } from '../graphql/node.ts';
import { DateTime } from '../graphql/scalars.ts';
import { cancelIntent, confirmIntent, resumeIntent } from './confirmation.ts';
import { createSubscriptionIntent, findIntent, type IntentRow } from './intents.ts';
import { SubscriptionContract } from './subscriptions.graphql.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';

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
  description: 'Where an intent stands.',
  valuesConfig: {
    requires_payment_method: { description: 'Waits for the payer to choose how to pay.' },
    requires_action: { description: 'Waits for the payer to confirm with their bank.' },
    processing: { description: 'The payment is under way.' },
    succeeded: { description: 'Paid; the subscription exists.' },
    cancelled: {
      description: 'Cancelled by the payer, by the client, or with its customer or product group.',
    },
    expired: { description: 'Not paid within 24 hours.' },
  },
});

@ObjectType('SubscriptionIntent', {
  implements: Node,
  simpleResolvers: true,
  description: 'The wish of a customer to subscribe at a price; paying it makes the subscription.',
})
export class SubscriptionIntent extends Node {
  @Field(() => IntentStatus, { description: 'Where it stands.' })
  status!: string;

  @Field(() => ID, { description: 'Who wants to subscribe.' })
  customerId!: string;

  @Field(() => ID, { description: 'To what.' })
  productId!: string;

  @Field(() => ID, { description: 'At which price.' })
  priceId!: string;

  @Field(() => String, { description: "The product's name when the intent was made." })
  productName!: string;

  @Field(() => String, { description: "Where the payer's browser goes after paying." })
  receiptUrl!: string;

  @Field(() => String, { nullable: true, description: "Where the payer's browser goes after giving up." })
  returnUrl!: string | null;

  @Field(() => String, { nullable: true, description: "The client's own order number: one intent for each." })
  orderNumber!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the subscription is to start; null for at once.',
  })
  startDate!: string | null;

  @Field(() => String, { nullable: true, description: 'Why, in the words of the client.' })
  reason!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Where the payer's browser has to go to confirm the payment with their bank, while `requires_action`; " +
      'it comes back to the payment page.',
  })
  actionUrl!: string | null;

  @Field(() => String, { nullable: true, description: 'Why the last payment failed.' })
  failureReason!: string | null;

  @Field(() => ID, { nullable: true, description: 'The subscription that it has become.' })
  subscriptionId!: string | null;

  @Field(() => DateTime, { description: 'Until when it can be paid.' })
  expiresAt!: string;

  @Field(() => DateTime, { description: 'When it was created.' })
  createdAt!: string;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  updatedAt!: string;
}

@InputType({ description: 'What to subscribe to, for whom, at which price.' })
class CreateSubscriptionIntentInput {
  @Field(() => ID, { description: "The customer's id here." })
  customerId!: string;

  @Field(() => String, {
    nullable: true,
    description: "The customer's id in your own system, to be verified.",
  })
  associatedCustomerId?: string | null;

  @Field(() => ID, { description: 'The product.' })
  productId!: string;

  @Field(() => ID, { description: 'One of its prices.' })
  priceId!: string;

  @Field(() => String, { description: "http(s) address where the payer's browser goes after paying." })
  receiptUrl!: string;

  @Field(() => String, {
    nullable: true,
    description: "http(s) address where the payer's browser goes after giving up.",
  })
  returnUrl?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Your own order number: the same request with it again answers the same intent.',
  })
  orderNumber?: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When to start; at once unless given.' })
  startDate?: string | null;

  @Field(() => String, { nullable: true, description: 'Why, kept on the trace; up to 200 characters.' })
  reason?: string | null;
}

@Resolver(() => SubscriptionIntent)
export class IntentResolver {
  @FieldResolver(() => ID, { description: 'The id again, under the name of the interface.' })
  intentId(@Root() intent: IntentRow): string {
    return intent.id;
  }

  @FieldResolver(() => String, { description: 'The page on which the payer pays or gives up, in a browser.' })
  paymentUrl(@Ctx() context: Context, @Root() intent: IntentRow): string {
    return `${context.publicUrl}/pay/${intent.id}`;
  }

  @FieldResolver(() => Money, { description: 'What a whole cycle costs.' })
  price(@Root() intent: IntentRow): Money {
    return toMoney(intent.amountMinor, intent.currency);
  }

  @FieldResolver(() => Customer, {
    nullable: true,
    description: 'Who wants to subscribe; null once deleted.',
  })
  customer(@Ctx() context: Context, @Root() intent: IntentRow) {
    return context.byId('customers', intent.customerId);
  }

  @FieldResolver(() => SubscriptionContract, {
    nullable: true,
    description: 'The subscription that it has become.',
  })
  subscription(@Ctx() context: Context, @Root() intent: IntentRow) {
    return intent.subscriptionId ? context.byId('subscriptions', intent.subscriptionId) : null;
  }

  @Query(() => SubscriptionIntent, {
    nullable: true,
    description: 'The intent of that id.',
  })
  intent(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The intent.' }) id: string,
  ): Promise<IntentRow> {
    return findIntent(tenant.read, id, tenant.now());
  }

  @Mutation(() => SubscriptionIntent, {
    nullable: true,
    description:
      'Creates an intent: to subscribe; where the customer has the product or another of its group, to change plan; ' +
      'and by the present price to take back a change that waits, which charges nothing.',
  })
  createSubscriptionIntent(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => CreateSubscriptionIntentInput, { description: 'The intent.' })
    input: CreateSubscriptionIntentInput,
  ): Promise<IntentRow> {
    return tenant.write((unit) => createSubscriptionIntent(unit, input));
  }

  @Mutation(() => SubscriptionIntent, {
    nullable: true,
    description:
      'Pays an intent and starts its subscription. An intent that answers `requires_action` goes on at its ' +
      '`actionUrl`, and then with `resumeIntent`.',
  })
  confirmIntent(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The intent.' }) id: string,
    @Arg('paymentMethod', () => String, {
      description:
        'What the payment provider knows the method by; in the sandbox `sandbox_ok` or `sandbox_declined`.',
    })
    paymentMethod: string,
  ): Promise<IntentRow> {
    return confirmIntent(tenant, id, paymentMethod);
  }

  @Mutation(() => SubscriptionIntent, {
    nullable: true,
    description:
      'Asks the payment provider what became of a payment that is under way, once the payer has been at the ' +
      '`actionUrl`, and keeps it; an intent that is not being paid is answered as it is. Where the provider calls ' +
      'back, it would be kept in any case.',
  })
  resumeIntent(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The intent.' }) id: string,
  ): Promise<IntentRow> {
    return resumeIntent(tenant, id);
  }

  @Mutation(() => SubscriptionIntent, {
    nullable: true,
    description: 'Gives up an intent that has not been paid.',
  })
  cancelIntent(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The intent.' }) id: string,
  ): Promise<IntentRow> {
    return tenant.write((unit) => cancelIntent(unit, id));
  }
}
