import {
  Arg,
  Extensions,
  Field,
  FieldResolver,
  Int,
  Mutation,
  ObjectType,
  Resolver,
  Root,
} from 'type-graphql';
import { CurrentTenant } from '../graphql/arguments.ts';
import { DateTime } from '../graphql/scalars.ts';
import { takesWork } from '../graphql/work.ts';
import { Tenant } from '../account/tenants.graphql.ts';
import { advanceClock, type AdvancedTenant, type ClockAdvance } from './testClock.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';

@ObjectType('ClockAdvance', {
  simpleResolvers: true,
  description: 'How far a call of advanceClock has come.',
})
class ClockAdvanceType {
  @Field(() => Boolean, {
    description: 'Whether the clock is where it was to go. Otherwise call advanceClock again, which goes on.',
  })
  reached!: boolean;

  @Field(() => Int, {
    description: 'How many subscriptions are due on the rest of the way; each may be billed more than once.',
  })
  remaining!: number;
}

@Resolver(() => Tenant)
export class TestClockResolver {
  @FieldResolver(() => ClockAdvanceType, {
    nullable: true,
    description: 'In the answer of advanceClock how far it has come; null elsewhere.',
  })
  clockAdvance(@Root() tenant: Partial<AdvancedTenant>): ClockAdvance | null {
    return tenant.clockAdvance ?? null;
  }

  @Extensions(takesWork({ cost: 5000 }))
  @Mutation(() => Tenant, {
    nullable: true,
    description:
      'Moves the time of a test tenant forward and performs, in order, all that falls due on the way; from the first ' +
      'call on, the tenant owns its time. A call ends after 100,000 bills, and when its client has left: `clock` is ' +
      'then how far it came, and `clockAdvance` says whether to call it again.',
  })
  advanceClock(
    @CurrentTenant() tenant: TenantScope,
    @Arg('to', () => DateTime, { description: 'The new time; never before the present one.' }) to: string,
  ): Promise<AdvancedTenant> {
    return advanceClock(tenant, to);
  }
}
