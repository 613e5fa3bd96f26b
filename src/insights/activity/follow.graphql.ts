import { Arg, Extensions, Field, ID, InputType, Resolver } from 'type-graphql';
import { Query } from '../../graphql/operations.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { live } from '../../graphql/buildSchema.ts';
import type { ActivityType } from '../../tenancy/traces/eventTypes.ts';
import { followTraces } from '../../tenancy/traces/follow.ts';
import { ActivityTypes, Trace } from './traces.graphql.ts';
import type { TraceRow } from './traces.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';

@InputType({ description: 'A filter for traces; all given conditions must match.' })
class TraceFilter {
  @Field(() => ActivityTypes, { nullable: true, description: 'Filter by activity type.' })
  activityType?: ActivityType | null;

  @Field(() => String, { nullable: true, description: 'Filter by executor.' })
  executorId?: string | null;

  @Field(() => ID, { nullable: true, description: 'Filter by the id of the changed object.' })
  resourceId?: string | null;

  @Field(() => ID, {
    nullable: true,
    description: 'Filter by customer: the events of the customer and of the records that belong to them.',
  })
  customerId?: string | null;
}

@Resolver()
export class LiveResolver {
  @Extensions(live)
  @Query(() => Trace, {
    nullable: true,
    description:
      'Sends each trace as it is recorded, once and in the order of event ids. A client that reconnects ' +
      'passes the last event id it has seen and misses none.',
    permission: 'read',
    reasons: ['trace_not_found'],
  })
  traceRecorded(
    @CurrentTenant() tenant: TenantScope,
    @Arg('filter', () => TraceFilter, { nullable: true, description: 'Which traces to send. Default: all.' })
    filter?: TraceFilter | null,
    @Arg('after', () => ID, {
      nullable: true,
      description: 'Start after this event. Default: now.',
    })
    after?: string | null,
  ): Promise<AsyncIterable<TraceRow>> {
    return followTraces(tenant, filter ?? {}, after);
  }
}
