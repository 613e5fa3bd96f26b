import { Field, InputType, ObjectType, registerEnumType } from 'type-graphql';

export const ChangeBillings = {
  charge_now: 'charge_now',
  next_invoice: 'next_invoice',
  period_end: 'period_end',
  reset: 'reset',
  none: 'none',
} as const;
registerEnumType(ChangeBillings, {
  name: 'ChangeBilling',
  description: 'When and how a change of a subscription is billed.',
  valuesConfig: {
    charge_now: {
      description:
        'At once: unused time is credited, and the rest of the period is charged. Where the interval changes, as reset.',
    },
    next_invoice: { description: 'In force at once; the credits and charges wait for the next invoice.' },
    period_end: { description: 'In force from the next period on; nothing is credited or charged before.' },
    reset: { description: 'At once: unused time is credited, and a new full cycle starts now.' },
    none: {
      description: 'In force at once; billed from the next invoice on, without credits or charges before.',
    },
  },
});

@ObjectType('ChangePolicy', {
  simpleResolvers: true,
  description: 'How changes of subscriptions are billed unless the request says otherwise.',
})
export class ChangePolicyType {
  @Field(() => ChangeBillings, { description: 'A quantity rises, or an add-on is added.' })
  increase!: string;

  @Field(() => ChangeBillings, { description: 'A quantity falls, or an add-on is removed.' })
  decrease!: string;

  @Field(() => ChangeBillings, {
    nullable: true,
    description:
      'Another price, for more a year or with a longer interval. Null: by `prorateUpgrades` of the group; without it, ' +
      'the whole new price is charged and a new cycle starts; without a group, as charge_now.',
  })
  planUpgrade!: string | null;

  @Field(() => ChangeBillings, { description: 'Any other price.' })
  planDowngrade!: string;
}

@InputType({
  description: 'Changes to a change policy. Omitted fields stay unchanged; null sets the default.',
})
export class ChangePolicyInput {
  @Field(() => ChangeBillings, { nullable: true, description: 'Default: charge_now.' })
  increase?: string | null;

  @Field(() => ChangeBillings, { nullable: true, description: 'Default: period_end.' })
  decrease?: string | null;

  @Field(() => ChangeBillings, { nullable: true, description: 'Default: by `prorateUpgrades` of the group.' })
  planUpgrade?: string | null;

  @Field(() => ChangeBillings, { nullable: true, description: 'Default: period_end.' })
  planDowngrade?: string | null;
}
