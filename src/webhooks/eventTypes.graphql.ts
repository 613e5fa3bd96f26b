import { Extensions, Field, FieldResolver, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { CurrentTenant } from '../graphql/arguments.ts';
import { JSONObject } from '../graphql/scalars.ts';
import { takesWork } from '../graphql/work.ts';
import { eventTypes, type ActivityType, type EventType as EventTypeEntry } from '../traces/eventTypes.ts';
import { ActivityTypes } from '../activity/traces.graphql.ts';
import { exampleOf } from './eventExamples.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';

@ObjectType({ simpleResolvers: true, description: 'A kind of event that webhooks and traces report.' })
class EventType {
  @Field(() => String, {
    description: 'Its name, as filters and messages have it: `SubscriptionEvent.created`.',
  })
  name!: string;

  @Field(() => ActivityTypes, { description: 'The activity type: the part of the name before the dot.' })
  activityType!: ActivityType;

  @Field(() => String, { description: 'The action: the part of the name after the dot.' })
  action!: string;

  @Field(() => String, { description: 'What has happened.' })
  description!: string;
}

@Resolver(() => EventType)
export class EventTypeResolver {
  // A kilobyte or two of text.
  @Extensions(takesWork({ cost: 20 }))
  @FieldResolver(() => JSONObject, {
    description: 'The body of a webhook message of such an event, for an endpoint without a query.',
  })
  example(@Root() { name }: EventTypeEntry): Record<string, unknown> {
    return exampleOf(name);
  }

  @Extensions(takesWork({ cost: 0, size: eventTypes.length }))
  @Query(() => [EventType], {
    description: 'All events that webhooks can be told of, by activity type.',
  })
  eventTypes(@CurrentTenant() _tenant: TenantScope): EventTypeEntry[] {
    return eventTypes;
  }
}
