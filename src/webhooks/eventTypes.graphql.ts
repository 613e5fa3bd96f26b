import { Arg, Ctx, Extensions, Field, FieldResolver, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { tenantAlias } from '../graphql/arguments.ts';
import type { Context } from '../graphql/context.ts';
import { JSONObject } from '../graphql/scalars.ts';
import { takesWork } from '../graphql/work.ts';
import { eventTypes, type ActivityType, type EventType as EventTypeEntry } from '../traces/eventTypes.ts';
import { ActivityTypes } from '../activity/traces.graphql.ts';
import { findExample } from './eventExamples.ts';

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
    nullable: true,
    description:
      'The body of a webhook message of this event to an endpoint without a query, if one was recorded.',
  })
  example(@Root() { name }: EventTypeEntry): Record<string, unknown> | null {
    return findExample(name);
  }

  @Extensions(takesWork({ cost: 0, size: eventTypes.length }))
  @Query(() => [EventType], {
    description: 'All events that webhooks can be told of, by activity type.',
  })
  eventTypes(
    @Ctx() context: Context,
    @Arg('tenantAlias', () => String, tenantAlias) alias?: string,
  ): EventTypeEntry[] {
    context.tenant(alias);
    return eventTypes;
  }
}
