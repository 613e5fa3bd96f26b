import { Field, InputType, registerEnumType } from 'type-graphql';
import { standardDefinition, type MrrDefinition } from '../../billing/pricing/mrr.ts';
import { intervals } from './buckets.ts';

const MrrDiscounts = { forever: 'forever', none: 'none' } as const;
registerEnumType(MrrDiscounts, {
  name: 'MrrDiscounts',
  description: 'The discounts that lower MRR. Those of the durations `once` and `repeating` never do.',
  valuesConfig: {
    forever: { description: 'Discounts of the duration `forever`.' },
    none: { description: 'None: MRR at list prices.' },
  },
});

export const RevenueIntervals = Object.fromEntries(intervals.map((interval) => [interval, interval]));
registerEnumType(RevenueIntervals, {
  name: 'RevenueInterval',
  description: 'The calendar period of a figure.',
  valuesConfig: {
    day: { description: 'Days.' },
    week: { description: 'Weeks, from Monday.' },
    month: { description: 'Months.' },
    quarter: { description: 'Quarters, from January.' },
    year: { description: 'Years.' },
  },
});

@InputType({
  description: 'What counts as monthly recurring revenue (MRR). Omitted fields have their default.',
})
export class MrrDefinitionInput {
  @Field(() => MrrDiscounts, {
    nullable: true,
    description: 'The discounts that lower it. Default: `forever`.',
  })
  discounts?: MrrDefinition['discounts'] | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether past due subscriptions count, until they end. Default: true.',
  })
  pastDue?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether subscriptions count in their trial, until their first payment. Default: false.',
  })
  trials?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether paused subscriptions count. Default: false.',
  })
  paused?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether subscriptions count whose end is scheduled. Without them it is the committed MRR. Default: true.',
  })
  cancelling?: boolean | null;
}

/** Returns the definition that an input chooses. */
export const readDefinition = (input: MrrDefinitionInput | null | undefined): MrrDefinition => {
  const chosen = Object.entries(input ?? {}).filter(([, value]) => value !== null && value !== undefined);
  return { ...standardDefinition, ...Object.fromEntries(chosen) };
};
