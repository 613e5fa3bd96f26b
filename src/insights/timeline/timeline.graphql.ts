import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, Extensions, FieldResolver, Info, Resolver, Root } from 'type-graphql';
import { ActivityTypes, listUnreadColumns, TraceConnection } from '../activity/traces.graphql.ts';
import { Customer } from '../../billing/customers/customers.graphql.ts';
import { declareWork } from '../../graphql/work.ts';
import { ConnectionArgs } from '../../graphql/connections.ts';
import type { Context } from '../../graphql/context.ts';
import type { ActivityType } from '../../tenancy/traces/eventTypes.ts';
import { listTimeline } from './timeline.ts';

@Resolver(() => Customer)
export class TimelineResolver {
  @Extensions(declareWork({ cost: 100 }))
  @FieldResolver(() => TraceConnection, {
    nullable: true,
    description:
      'The traces of the customer and of the records that belong to them, such as their subscriptions, invoices and ' +
      'payments, in the order in which they were recorded.',
  })
  async timeline(
    @Ctx() { tenant }: Context,
    @Info() info: GraphQLResolveInfo,
    @Root() { id }: Customer,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('activityType', () => ActivityTypes, { nullable: true, description: 'Filter by activity type.' })
    activityType?: ActivityType,
  ) {
    return new TraceConnection(await listTimeline(tenant, id, activityType, page, listUnreadColumns(info)));
  }
}
