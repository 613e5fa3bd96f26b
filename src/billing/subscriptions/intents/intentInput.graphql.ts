import { Extensions, Field, ID, InputType, Int } from 'type-graphql';
import { MoneyInput } from '../../../graphql/money.ts';
import { CountryCode, DateTime, JSONObject, textValues, UrlScalar } from '../../../graphql/scalars.ts';
import { expectedTotalField } from '../../payments/expectedTotal.graphql.ts';
import { AddOnInput } from '../changes/addOns.graphql.ts';
import { CommitmentInput } from '../commitmentInput.graphql.ts';

@InputType({ description: 'The customer, product and price of a new subscription.' })
export class CreateSubscriptionIntentInput {
  @Field(() => ID, { description: "The customer's id." })
  customerId!: string;

  @Field(() => String, {
    nullable: true,
    description: "The customer's id in your own system; verified if given.",
  })
  associatedCustomerId?: string | null;

  @Field(() => ID, { description: 'The product.' })
  productId!: string;

  @Field(() => ID, { description: 'A price of the product.' })
  priceId!: string;

  @Field(() => UrlScalar, { description: "The http(s) URL that the payer's browser opens after paying." })
  receiptUrl!: string;

  @Field(() => UrlScalar, {
    nullable: true,
    description: "The http(s) URL that the payer's browser opens after cancelling.",
  })
  returnUrl?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Your order number. Repeating the same request with it returns the same intent.',
  })
  orderNumber?: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When the subscription starts. Default: now.' })
  startDate?: string | null;

  @Field(() => String, { nullable: true, description: 'A reason for the trace, at most 200 characters.' })
  reason?: string | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'The number of units, within the bounds of the price; 1 for a flat price. Default: the quantity of the ' +
      'subscription that the intent changes, or the minimum of the price.',
  })
  quantity?: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      'A promotion code, case-insensitive. It is redeemed when the payment starts, and its discount then belongs ' +
      'to the subscription.',
  })
  promotionCode?: string | null;

  @Field(() => ID, {
    nullable: true,
    description:
      'A coupon that is redeemed like a promotion code, instead of one. The payer cannot replace it.',
  })
  couponId?: string | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'The days of the trial, 0 for none, at most 730; ignored by a plan change. Default: those of the price, ' +
      'unless the customer had a trial of the product or its group before.',
  })
  trialDays?: number | null;

  @Field(() => [AddOnInput], {
    nullable: true,
    description:
      'Add-ons that are billed with the price, at most 20. Default: those of the subscription that the intent changes.',
  })
  addOns?: AddOnInput[] | null;

  @Extensions(textValues)
  @Field(() => JSONObject, {
    nullable: true,
    description:
      'Your own data, text to text, at most 50 keys and 16 KiB as JSON. The subscription that the intent starts, and its ' +
      'invoices, have it, too; of a subscription that the intent changes it replaces the metadata.',
  })
  metadata?: Record<string, string> | null;

  @Field(() => MoneyInput, {
    nullable: true,
    description:
      'The amount of usage that the new subscription is billed as soon as it is reached: more than 0, in the currency of the ' +
      'price. Ignored by a plan change.',
  })
  billingThreshold?: MoneyInput | null;

  @Field(() => CommitmentInput, {
    nullable: true,
    description: 'What the new subscription is to spend on usage. Ignored by a plan change.',
  })
  commitment?: CommitmentInput | null;

  @Field(() => [MoneyInput], {
    nullable: true,
    description:
      'At most five amounts of usage of which `SubscriptionEvent.spend_alert` tells, once each in a period of the new subscription, in ' +
      'the currency of the price. Ignored by a plan change.',
  })
  spendAlerts?: MoneyInput[] | null;
}

@InputType({ description: 'How an intent is paid.' })
export class ConfirmIntentInput {
  @Field(() => String, {
    nullable: true,
    description:
      "The payment provider's id of the method; in the sandbox `sandbox_ok` or `sandbox_declined`. Null if " +
      '`paymentMethodId` is given.',
  })
  paymentMethod?: string | null;

  @Field(() => ID, {
    nullable: true,
    description:
      'A saved method of the customer, who is absent: a bank that asks for a confirmation declines, and the customer ' +
      'can still pay on the payment page. `previewSubscription` shows the amount.',
  })
  paymentMethodId?: string | null;

  @Field(() => MoneyInput, expectedTotalField)
  expectedTotal?: MoneyInput | null;

  @Field(() => CountryCode, {
    nullable: true,
    description:
      "The country of the payer's IP address, if your shop knows it, as evidence of where they are (`Customer.locationEvidence`). Not " +
      'beside `paymentMethodId`.',
  })
  ipCountry?: string | null;
}
