import { Field, InputType, Int } from 'type-graphql';

@InputType()
export abstract class UsageAlertsInput {
  @Field(() => [Int], {
    nullable: true,
    description:
      'The shares of limits, in percent, of whose use events tell, for features that name none themselves: at most 5 of 1 to 100; null ' +
      'or empty for none.',
  })
  usageAlertPercents?: number[] | null;
}
