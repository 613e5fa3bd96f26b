import { Field, ID, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { UrlScalar } from '../graphql/scalars.ts';

const PortalCancellations = { period_end: 'period_end', now: 'now', both: 'both', off: 'off' } as const;
registerEnumType(PortalCancellations, {
  name: 'PortalCancellation',
  description: 'When customers can cancel in the portal.',
  valuesConfig: {
    period_end: { description: 'At the end of the paid period.' },
    now: { description: 'At once.' },
    both: { description: 'At the end of the paid period or at once, as the customer chooses.' },
    off: {
      description:
        'Not in the portal. Many places require by law that cancelling is as easy as subscribing; make sure that it is elsewhere.',
    },
  },
});

@ObjectType('PortalSettings', {
  simpleResolvers: true,
  description: "Which parts of the portal the tenant's customers have.",
})
export class PortalSettingsType {
  @Field(() => Boolean, { description: 'Whether customers can use the portal.' })
  enabled!: boolean;

  @Field(() => Boolean, {
    description:
      'Whether customers sign in by a code that is sent to their e-mail address, besides links made by `createPortalSession`. Needs a mail server.',
  })
  signInByCode!: boolean;

  @Field(() => Boolean, { description: 'Whether customers change the plan.' })
  planChange!: boolean;

  @Field(() => Boolean, { description: 'Whether customers change quantities.' })
  quantityChange!: boolean;

  @Field(() => Boolean, {
    description: 'Whether customers change the quantities of add-ons and remove them.',
  })
  addOns!: boolean;

  @Field(() => Boolean, { description: 'Whether customers pause and resume subscriptions.' })
  pause!: boolean;

  @Field(() => Boolean, { description: 'Whether customers apply promotion codes.' })
  promotionCodes!: boolean;

  @Field(() => PortalCancellations, {
    description: 'When customers can cancel. The law of many places requires that they can.',
  })
  cancellation!: string;

  @Field(() => Boolean, { description: 'Whether customers are asked why they cancel.' })
  cancellationReasons!: boolean;

  @Field(() => ID, {
    nullable: true,
    description: 'The coupon that is offered once to a customer who is about to cancel; null for none.',
  })
  retentionCouponId!: string | null;

  @Field(() => Boolean, { description: 'Whether customers see, add and remove payment methods.' })
  paymentMethods!: boolean;

  @Field(() => Boolean, { description: 'Whether customers see their invoices and credit notes.' })
  invoices!: boolean;

  @Field(() => Boolean, {
    description: 'Whether customers change their company, address, tax id and language.',
  })
  details!: boolean;

  @Field(() => Boolean, { description: 'Whether customers see their balance.' })
  balance!: boolean;

  @Field(() => [ID], {
    nullable: true,
    description:
      'The products to which customers can change the plan, within the group of the subscription; null for all of them.',
  })
  productIds!: string[] | null;

  @Field(() => String, { nullable: true, description: 'A line at the top of the portal; null for none.' })
  headline!: string | null;

  @Field(() => UrlScalar, {
    nullable: true,
    description:
      "The address of the link back to the seller's site, unless the session has its own; null for none.",
  })
  returnUrl!: string | null;
}

@InputType({
  description: 'Changes to the settings of the portal. Omitted fields stay unchanged; null sets the default.',
})
export class PortalSettingsInput {
  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether customers can use the portal. Default: true.',
  })
  enabled?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether customers sign in by a code that is sent to their e-mail address, besides links made by `createPortalSession`. Needs a mail server. Default: true.',
  })
  signInByCode?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether customers change the plan. Default: true.' })
  planChange?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether customers change quantities. Default: false.',
  })
  quantityChange?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether customers change the quantities of add-ons and remove them. Default: false.',
  })
  addOns?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether customers pause and resume subscriptions. Default: false.',
  })
  pause?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether customers apply promotion codes. Default: false.',
  })
  promotionCodes?: boolean | null;

  @Field(() => PortalCancellations, {
    nullable: true,
    description:
      'When customers can cancel. The law of many places requires that they can. Default: period_end.',
  })
  cancellation?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether customers are asked why they cancel. Default: true.',
  })
  cancellationReasons?: boolean | null;

  @Field(() => ID, {
    nullable: true,
    description: 'The coupon that is offered once to a customer who is about to cancel; null for none.',
  })
  retentionCouponId?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether customers see, add and remove payment methods. Default: true.',
  })
  paymentMethods?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether customers see their invoices and credit notes. Default: true.',
  })
  invoices?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether customers change their company, address, tax id and language. Default: true.',
  })
  details?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether customers see their balance. Default: true.',
  })
  balance?: boolean | null;

  @Field(() => [ID], {
    nullable: true,
    description:
      'The products to which customers can change the plan, within the group of the subscription; null for all of them. At most 50.',
  })
  productIds?: string[] | null;

  @Field(() => String, {
    nullable: true,
    description: 'A line at the top of the portal; null for none. At most 200 characters.',
  })
  headline?: string | null;

  @Field(() => UrlScalar, {
    nullable: true,
    description:
      "The address of the link back to the seller's site, unless the session has its own; null for none. An http or https URL.",
  })
  returnUrl?: string | null;
}
