import { Extensions, Field, FieldResolver, ObjectType, Resolver, Root } from 'type-graphql';
import { Query } from '../../graphql/operations.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { JSONObject } from '../../graphql/scalars.ts';
import { declareWork } from '../../graphql/work.ts';
import {
  eventTypes,
  type ActivityType,
  type EventType as EventTypeEntry,
} from '../../tenancy/traces/eventTypes.ts';
import { ActivityTypes } from '../../insights/activity/traces.graphql.ts';
import { findExample } from './eventExamples.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';

@ObjectType({ simpleResolvers: true, description: 'A kind of event that webhooks and traces report.' })
class EventType {
  @Field(() => String, {
    description: 'The name used in filters and messages: `SubscriptionEvent.created`.',
  })
  name!: string;

  @Field(() => ActivityTypes, { description: 'The part of the name before the dot.' })
  activityType!: ActivityType;

  @Field(() => String, { description: 'The part of the name after the dot.' })
  action!: string;

  @Field(() => String, { description: 'When the event occurs.' })
  description!: string;
}

@Resolver(() => EventType)
export class EventTypeResolver {
  // An example has about 1 to 2 KB of text.
  @Extensions(declareWork({ cost: 20 }))
  @FieldResolver(() => JSONObject, {
    nullable: true,
    description:
      'An example of the webhook message body, for an endpoint without a query; null if there is none.',
  })
  example(@Root() { name }: EventTypeEntry): Record<string, unknown> | null {
    return findExample(name);
  }

  @Query(() => [EventType], {
    description: 'Lists all event types by activity type.',
    work: { cost: 0, size: eventTypes.length },
    permission: 'read',
    reasons: [],
  })
  eventTypes(@CurrentTenant() _tenant: TenantScope): EventTypeEntry[] {
    return eventTypes;
  }
}
