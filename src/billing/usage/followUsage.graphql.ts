import { Arg, Extensions, ID, Resolver } from 'type-graphql';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { live } from '../../graphql/buildSchema.ts';
import { Query } from '../../graphql/operations.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { followUsage } from './followUsage.ts';
import { UsageEvent } from './usage.graphql.ts';
import type { UsageEventRow } from './usageEvents.ts';

@Resolver()
export class LiveUsageResolver {
  @Extensions(live)
  @Query(() => UsageEvent, {
    nullable: true,
    description:
      'Sends each usage event as it is recorded, once and in the order of receipt. A client that reconnects passes the ' +
      '`id` of the last event it has seen and misses none.',
    permission: 'read',
    reasons: ['customer_not_found'],
  })
  usageRecorded(
    @CurrentTenant() tenant: TenantScope,
    @Arg('customerId', () => ID, { nullable: true, description: 'Filter by customer.' })
    customerId?: string | null,
    @Arg('event', () => String, { nullable: true, description: 'Filter by the name of the event.' })
    event?: string | null,
    @Arg('after', () => ID, { nullable: true, description: 'Start after this event. Default: now.' })
    after?: string | null,
  ): Promise<AsyncIterable<UsageEventRow>> {
    return followUsage(tenant, { customerId, event }, after);
  }
}
