import { ArgsType, Field, Int, ObjectType, registerEnumType } from 'type-graphql';
import { DateTime, Decimal, JSONObject } from '../../graphql/scalars.ts';
import { Meter } from './meters.graphql.ts';
import type { UsageStep as Step } from './usage.ts';

const UsageStep = { minute: 'minute', hour: 'hour', day: 'day', month: 'month' } as const;
registerEnumType(UsageStep, {
  name: 'UsageStep',
  description: 'The length of a window of usage.',
  valuesConfig: {
    minute: { description: 'A minute.' },
    hour: { description: 'An hour.' },
    day: { description: "A day in the tenant's time zone." },
    month: { description: "A calendar month in the tenant's time zone." },
  },
});

@ObjectType({ simpleResolvers: true, description: 'The result of a meter in a window of time.' })
class UsageWindow {
  @Field(() => DateTime, { description: 'The beginning.' })
  from!: string;

  @Field(() => DateTime, { description: 'The end, exclusive.' })
  until!: string;

  @Field(() => JSONObject, {
    nullable: true,
    description: 'The values of the properties of `groupBy`; null if the usage is not broken down.',
  })
  group!: Record<string, unknown> | null;

  @Field(() => Decimal, { description: 'The result, with at most 12 decimals.' })
  value!: string;

  @Field(() => Int, { description: 'The number of events that count in the window.' })
  events!: number;
}

@ObjectType({ simpleResolvers: true, description: 'What is counted in a span of time.' })
abstract class CountedSpan {
  @Field(() => DateTime, { description: 'The beginning.' })
  from!: string;

  @Field(() => DateTime, { description: 'The end, exclusive.' })
  until!: string;

  @Field(() => Decimal, { description: 'The result of the whole time, with at most 12 decimals.' })
  value!: string;

  @Field(() => [UsageWindow], { description: 'The results of the windows and groups, in the order of time.' })
  windows!: UsageWindow[];
}

@ObjectType({ simpleResolvers: true, description: 'The usage that a meter has counted.' })
export class Usage extends CountedSpan {
  @Field(() => Meter, { description: 'The meter.' })
  meter!: Meter;

  @Field(() => Int, { description: 'The number of events that count in it.' })
  events!: number;
}

@ObjectType({ simpleResolvers: true, description: 'What a meter would have counted in a span of time.' })
export class MeterPreview extends CountedSpan {
  @Field(() => Int, { description: 'The number of events that it would count.' })
  events!: number;

  @Field(() => Int, {
    description:
      'The number of events of its name that it would not count: the filter does not hold, or the property is missing or no number.',
  })
  uncounted!: number;
}

@ArgsType()
export class UsageSpanArgs {
  @Field(() => DateTime, { description: 'The beginning.' })
  from!: string;

  @Field(() => DateTime, { description: 'The end, exclusive.' })
  until!: string;

  @Field(() => UsageStep, { nullable: true, description: 'The windows. Default: one.' })
  by?: Step | null;

  @Field(() => [String], {
    nullable: true,
    description: 'Properties of the `groupBy` of the meter by which the windows are broken down.',
  })
  groupBy?: string[] | null;
}
