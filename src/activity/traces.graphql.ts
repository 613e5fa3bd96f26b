import type { GraphQLResolveInfo } from 'graphql';
import {
  Arg,
  Args,
  Field,
  FieldResolver,
  ID,
  Info,
  ObjectType,
  Query,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';
import { CurrentTenant } from '../graphql/arguments.ts';
import { ConnectionArgs, defineConnection } from '../graphql/connections.ts';
import { listUnselected } from '../graphql/selectedFields.ts';
import { Node } from '../graphql/node.ts';
import { DateTime, JSONObject } from '../graphql/scalars.ts';
import { activityTypes, type ActivityType } from '../traces/eventTypes.ts';
import { findTrace, listTraces, type TraceRow } from './traces.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';

export const ActivityTypes = Object.fromEntries(activityTypes.map((type) => [type, type]));
registerEnumType(ActivityTypes, { name: 'ActivityType', description: 'What a trace is about.' });

@ObjectType('Trace', {
  implements: Node,
  simpleResolvers: true,
  description: 'The record of one change. It is never changed, and kept for good.',
})
export class Trace extends Node {
  @Field(() => String, { description: 'The tenant whose record it is.' })
  tenantAlias!: string;

  @Field(() => ID, { description: 'The event itself.' })
  eventId!: string;

  @Field(() => String, { description: 'All that one request did has one trace id (W3C Trace Context).' })
  traceId!: string;

  @Field(() => String, {
    description: 'Who did it: the x-executor-id sent, else the key, else system:scheduler.',
  })
  executorId!: string;

  @Field(() => ID, { nullable: true, description: 'The event that caused this one.' })
  parentId!: string | null;

  @Field(() => Boolean, { description: 'Whether no other event caused it.' })
  isRoot!: boolean;

  @Field(() => ActivityTypes, { description: 'What it is about.' })
  activityType!: string;

  @Field(() => JSONObject, {
    description:
      '`{action, resourceId, object, changes: {field: [before, after]}}`; `object` is the resource afterwards.',
  })
  payload!: Record<string, unknown>;

  @Field(() => DateTime, { description: 'When it happened.' })
  createdAt!: string;
}

const TraceConnection = defineConnection<TraceRow>('Trace', () => Trace);

@Resolver(() => Trace)
export class TraceResolver {
  @FieldResolver(() => ID, { description: "The event's id." })
  id(@Root() trace: TraceRow): string {
    return trace.eventId;
  }

  @Query(() => Trace, {
    nullable: true,
    description: 'The trace of an event.',
  })
  trace(
    @CurrentTenant() tenant: TenantScope,
    @Arg('eventId', () => ID, { description: 'The event.' }) eventId: string,
    @Arg('traceId', () => String, { nullable: true, description: 'Its trace id, to be verified.' })
    traceId?: string,
    @Arg('timestamp', () => DateTime, { nullable: true, description: 'Its createdAt, to be verified.' })
    timestamp?: string,
  ): Promise<TraceRow> {
    return findTrace(tenant, { eventId, traceId, timestamp });
  }

  @Query(() => TraceConnection, {
    nullable: true,
    description: 'The traces of a tenant.',
  })
  async traces(
    @CurrentTenant() tenant: TenantScope,
    @Info() info: GraphQLResolveInfo,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('executorId', () => String, { nullable: true, description: 'Only what this one did.' })
    executorId?: string,
    @Arg('activityType', () => ActivityTypes, { nullable: true, description: 'Only what is about this.' })
    activityType?: ActivityType,
    @Arg('startDate', () => DateTime, { nullable: true, description: 'From here on, included.' })
    startDate?: string,
    @Arg('endDate', () => DateTime, {
      nullable: true,
      description: 'Up to here, included; a date alone is the whole of that day.',
    })
    endDate?: string,
  ) {
    const filter = { executorId, activityType, startDate, endDate };
    // An event is made of the payload, too.
    const leaveOut = listUnselected(info, ['event']).length > 0 ? listUnselected(info, ['payload']) : [];
    return new TraceConnection(await listTraces(tenant, filter, page, leaveOut));
  }
}
