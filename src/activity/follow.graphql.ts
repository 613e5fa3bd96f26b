import { Arg, Extensions, Field, ID, InputType, Query, Resolver } from 'type-graphql';
import { CurrentTenant } from '../graphql/arguments.ts';
import { live } from '../graphql/buildSchema.ts';
import type { ActivityType } from '../traces/eventTypes.ts';
import { followTraces } from './follow.ts';
import { ActivityTypes, Trace } from './traces.graphql.ts';
import type { TraceRow } from './traces.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';

@InputType({ description: 'Which traces are wanted: those that are all of what is given.' })
class TraceFilter {
  @Field(() => ActivityTypes, { nullable: true, description: 'Only what is about this.' })
  activityType?: ActivityType | null;

  @Field(() => String, { nullable: true, description: 'Only what this one did.' })
  executorId?: string | null;

  @Field(() => ID, { nullable: true, description: 'Only what happened to the object of this id.' })
  resourceId?: string | null;
}

@Resolver()
export class LiveResolver {
  @Extensions(live)
  @Query(() => Trace, {
    nullable: true,
    description:
      'Each trace as it is recorded, once and in order; the order is that of their event ids. A client that comes ' +
      'back names the last event it has seen, and misses none.',
  })
  traceRecorded(
    @CurrentTenant() tenant: TenantScope,
    @Arg('filter', () => TraceFilter, { nullable: true, description: 'All traces unless given.' })
    filter?: TraceFilter | null,
    @Arg('after', () => ID, {
      nullable: true,
      description: 'Begin after this event; from now on unless given.',
    })
    after?: string | null,
  ): Promise<AsyncIterable<TraceRow>> {
    return followTraces(tenant, filter ?? {}, after);
  }
}
