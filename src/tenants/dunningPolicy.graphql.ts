import { Field, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';

export const FinalAction = { cancel: 'cancel', pause: 'pause', leave: 'leave' } as const;
registerEnumType(FinalAction, {
  name: 'FinalAction',
  description: 'What happens to a subscription when the last retry of its charge has failed.',
  valuesConfig: {
    cancel: { description: 'It is cancelled, and its invoice becomes uncollectible.' },
    pause: {
      description:
        'It is paused, and its invoice becomes uncollectible. Once resumed, it is billed from then on.',
    },
    leave: {
      description:
        'It stays past due and its invoice open. It is charged again for another payment method, and by `payInvoice`.',
    },
  },
});

@ObjectType('DunningPolicy', {
  simpleResolvers: true,
  description: 'What happens to subscriptions whose charges fail.',
})
export class DunningPolicyType {
  @Field(() => [Int], { description: 'The days after the first failure on which the charge is retried.' })
  retryDays!: number[];

  @Field(() => FinalAction, {
    description: 'What happens after the last retry. A subscription that ends with its period is cancelled.',
  })
  finalAction!: string;

  @Field(() => Int, {
    nullable: true,
    description:
      'The days after the first failure for which `SubscriptionContract.access` stays granted; null until the ' +
      'final action.',
  })
  accessGraceDays!: number | null;

  @Field(() => [Int], {
    description: 'The days after the first failure on which the payer is reminded, besides the day itself.',
  })
  mailDays!: number[];
}

@InputType({
  description:
    'Changes to the dunning policy. Omitted fields stay unchanged; null sets the default. The retry days are ' +
    '`UpdateTenantInput.retryDays`.',
})
export class DunningPolicyInput {
  @Field(() => FinalAction, { nullable: true, description: 'Default: cancel.' })
  finalAction?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Days after the first failure, 0 to 365; null for access until the final action.',
  })
  accessGraceDays?: number | null;

  @Field(() => [Int], {
    nullable: true,
    description: 'Days after the first failure, ascending, each 1 to 60, at most 10. Default: none.',
  })
  mailDays?: number[] | null;
}
