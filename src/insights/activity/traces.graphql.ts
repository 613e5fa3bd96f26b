import type { GraphQLResolveInfo } from 'graphql';
import {
  Arg,
  Args,
  Field,
  FieldResolver,
  ID,
  Info,
  ObjectType,
  registerEnumType,
  Resolver,
  Root,
  Extensions,
} from 'type-graphql';
import { Query } from '../../graphql/operations.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { ConnectionArgs, defineConnection } from '../../graphql/connections.ts';
import { listUnread } from '../../graphql/selectedFields.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { DateTime, JSONObject } from '../../graphql/scalars.ts';
import { activityTypes, type ActivityType } from '../../tenancy/traces/eventTypes.ts';
import { findTrace, listTraces, type TraceRow } from './traces.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';

export const ActivityTypes = Object.fromEntries(activityTypes.map((type) => [type, type]));
registerEnumType(ActivityTypes, {
  name: 'ActivityType',
  description: 'The kind of record that a trace describes.',
});

@Extensions(
  refetchBy(async (tenant, eventId) => ({ ...(await findTrace(tenant, { eventId })), id: eventId })),
)
@ObjectType('Trace', {
  implements: Node,
  simpleResolvers: true,
  description: 'The immutable record of one change, kept forever.',
})
export class Trace extends Node {
  @Field(() => String, { description: 'The tenant.' })
  tenantAlias!: string;

  @Field(() => ID, { description: 'The id of the event.' })
  eventId!: string;

  @Field(() => String, {
    description: 'The trace id shared by all changes of one request (W3C Trace Context).',
  })
  traceId!: string;

  @Field(() => String, {
    description: 'Who made the change: the `x-executor-id` header, else the key id, else `system:scheduler`.',
  })
  executorId!: string;

  @Field(() => ID, { nullable: true, description: 'The event that caused this one.' })
  parentId!: string | null;

  @Field(() => Boolean, { description: 'Whether the event has no parent.' })
  isRoot!: boolean;

  @Field(() => ActivityTypes, { description: "The type of the event's record." })
  activityType!: string;

  @Field(() => JSONObject, {
    description:
      '`{action, resourceId, object, changes: {field: [before, after]}}`; `object` is the resource after ' +
      'the change. Some events have `details`: figures that the resource does not have.',
  })
  payload!: Record<string, unknown>;

  @Field(() => DateTime, { description: 'When it happened.' })
  createdAt!: string;
}

export const TraceConnection = defineConnection<TraceRow>('Trace', () => Trace);

@Resolver(() => Trace)
export class TraceResolver {
  @FieldResolver(() => ID, { description: "The event's id." })
  id(@Root() trace: TraceRow): string {
    return trace.eventId;
  }

  @Query(() => Trace, {
    nullable: true,
    description: 'Returns the trace of an event.',
    permission: 'read',
    reasons: ['trace_not_found'],
  })
  trace(
    @CurrentTenant() tenant: TenantScope,
    @Arg('eventId', () => ID, { description: 'The event.' }) eventId: string,
    @Arg('traceId', () => String, { nullable: true, description: 'Its trace id, verified if given.' })
    traceId?: string,
    @Arg('timestamp', () => DateTime, { nullable: true, description: 'Its `createdAt`, verified if given.' })
    timestamp?: string,
  ): Promise<TraceRow> {
    return findTrace(tenant, { eventId, traceId, timestamp });
  }

  @Query(() => TraceConnection, {
    nullable: true,
    description: 'Lists traces.',
    permission: 'read',
    reasons: ['cursor_invalid', 'query_timeout'],
  })
  async traces(
    @CurrentTenant() tenant: TenantScope,
    @Info() info: GraphQLResolveInfo,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('executorId', () => String, { nullable: true, description: 'Filter by executor.' })
    executorId?: string,
    @Arg('activityType', () => ActivityTypes, { nullable: true, description: 'Filter by activity type.' })
    activityType?: ActivityType,
    @Arg('startDate', () => DateTime, {
      nullable: true,
      description: 'The start of the time range, inclusive.',
    })
    startDate?: string,
    @Arg('endDate', () => DateTime, {
      nullable: true,
      description: 'The end of the time range, inclusive; a date includes the whole day.',
    })
    endDate?: string,
  ) {
    const filter = { executorId, activityType, startDate, endDate };
    return new TraceConnection(await listTraces(tenant, filter, page, listUnreadColumns(info)));
  }
}

/** Returns the columns of traces that an operation does not read. The event is built from the payload, too. */
export const listUnreadColumns = (info: GraphQLResolveInfo): readonly (keyof TraceRow)[] =>
  listUnread(info, fieldsOfColumns);

const fieldsOfColumns = { payload: ['payload', 'event'] } as const;
