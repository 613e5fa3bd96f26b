import { Arg, Field, FieldResolver, InputType, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { Mutation } from '../graphql/operations.ts';
import { CurrentTenant } from '../graphql/arguments.ts';
import { DateTime } from '../graphql/scalars.ts';
import { Tenant } from '../tenants/tenants.graphql.ts';
import { advanceClock, type AdvancedTenant, type ClockAdvance } from './testClock.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';

@ObjectType('ClockAdvance', {
  simpleResolvers: true,
  description: 'The progress of an `advanceClock` call.',
})
class ClockAdvanceType {
  @Field(() => Boolean, {
    description:
      'Whether the clock has reached the requested time. If not, call `advanceClock` again to continue.',
  })
  reached!: boolean;

  @Field(() => Int, {
    description:
      'The number of subscriptions still due before the requested time; each may be billed more than once.',
  })
  remaining!: number;
}

@InputType({ description: 'A move of the clock.' })
class AdvanceClockInput {
  @Field(() => DateTime, { description: 'The new time, not before the current one.' })
  to!: string;
}

@Resolver(() => Tenant)
export class TestClockResolver {
  @FieldResolver(() => ClockAdvanceType, {
    nullable: true,
    description: 'The progress of `advanceClock`; null in other operations.',
  })
  clockAdvance(@Root() tenant: Partial<AdvancedTenant>): ClockAdvance | null {
    return tenant.clockAdvance ?? null;
  }

  @Mutation(() => Tenant, {
    nullable: true,
    description:
      'Moves the clock of a test tenant forward and processes everything due until then, in order. The ' +
      'first call gives the tenant its own clock. A call stops after 100,000 renewals, payment retries and ' +
      'expired intents (a time with only webhook retries counts as one), or when the client disconnects; ' +
      '`clock` then shows the time reached and `clockAdvance` whether to call again.',
    work: { cost: 5000 },
    permission: 'control_clock',
    reasons: [],
  })
  advanceClock(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => AdvanceClockInput, { description: 'The move.' }) { to }: AdvanceClockInput,
  ): Promise<AdvancedTenant> {
    return advanceClock(tenant, to);
  }
}
