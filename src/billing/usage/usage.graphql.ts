import {
  Arg,
  Args,
  Extensions,
  Field,
  FieldResolver,
  ID,
  InputType,
  Int,
  ObjectType,
  Resolver,
  Root,
} from 'type-graphql';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { ConnectionArgs, defineConnection } from '../../graphql/connections.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { Mutation, Query } from '../../graphql/operations.ts';
import { checkedByRule, declareItems } from '../../graphql/rules/inputSizes.ts';
import { DateTime, JSONObject } from '../../graphql/scalars.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { CreateMeterInput, CreateMeterVersionInput } from './meters.graphql.ts';
import { previewMeter, previewMeterVersion, type MeterPreview as Preview } from './previewMeter.ts';
import { backfillUsage, mostUsageEvents, recordUsage, type RecordedUsage } from './recordUsage.ts';
import { readUsage, type Usage as UsageResult } from './usage.ts';
import { MeterPreview, Usage, UsageSpanArgs } from './usageSpans.graphql.ts';
import { findUsageEvent, listUsageEvents, type UsageEventRow } from './usageEvents.ts';
import { voidUsage, type VoidedUsage as Voided } from './voidUsage.ts';

@Extensions(refetchBy(({ read }, id) => findUsageEvent(read, id)))
@ObjectType('UsageEvent', {
  implements: Node,
  simpleResolvers: true,
  description: 'A usage event as it was received.',
})
export class UsageEvent extends Node {
  @Field(() => String, { description: 'The id that the client gave.' })
  eventId!: string;

  @Field(() => String, { description: 'The name of the event, which meters count.' })
  event!: string;

  @Field(() => ID, { nullable: true, description: 'The customer; null while the event waits for them.' })
  customerId!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The customer as the client named them, if not by the id.',
  })
  associatedId!: string | null;

  @Field(() => DateTime, { description: 'When it happened.' })
  at!: string;

  @Field(() => JSONObject, { description: 'The properties: text, numbers, true, false or null.' })
  properties!: Record<string, unknown>;

  @Field(() => DateTime, { description: 'When it was received.' })
  receivedAt!: string;

  @Field(() => DateTime, { nullable: true, description: 'When it was taken back; null if it counts.' })
  voidedAt!: string | null;
}

@InputType({ description: 'A usage event: something that a customer used at a time.' })
class UsageEventInput {
  @Field(() => String, {
    description:
      'An id of yours, 1 to 255 characters, unique in the tenant for 35 days from its receipt. Sending an event again is safe.',
  })
  id!: string;

  @Field(() => String, { description: 'The name of the event, 1 to 100 characters, which meters count.' })
  event!: string;

  @Field(() => ID, { nullable: true, description: 'The customer; either this or `associatedId`.' })
  customerId?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The customer by your id, 1 to 255 characters. The event waits for 35 days for a customer who does not exist yet.',
  })
  associatedId?: string | null;

  @Extensions(checkedByRule)
  @Field(() => DateTime, {
    nullable: true,
    description:
      'When it happened: at most 35 days ago and 5 minutes ahead. In a variable, a time that is none refuses this event alone. ' +
      'Default: now.',
  })
  at?: string | null;

  @Field(() => JSONObject, {
    nullable: true,
    description:
      'At most 50 properties with text of at most 500 characters, numbers, true, false or null. Exact decimals are text.',
  })
  properties?: Record<string, unknown> | null;
}

@InputType({ description: 'Usage events to record.' })
class RecordUsageInput {
  @Extensions(declareItems(mostUsageEvents))
  @Field(() => [UsageEventInput], { description: '1 to 1,000 events.' })
  events!: UsageEventInput[];
}

@InputType({ description: 'Older usage events, which are never billed.' })
class BackfillUsageInput {
  @Extensions(declareItems(mostUsageEvents))
  @Field(() => [UsageEventInput], {
    description: '1 to 1,000 events of existing customers, each with a past `at`.',
  })
  events!: UsageEventInput[];
}

@ObjectType({
  simpleResolvers: true,
  description: 'An event that is not counted, because its id was received with other content.',
})
class UsageConflict {
  @Field(() => Int, { description: 'The position of the event in the request, from 0.' })
  index!: number;

  @Field(() => String, { description: 'The id of the event, as the client gave it.' })
  id!: string;
}

@ObjectType({ simpleResolvers: true, description: 'An event that is not valid.' })
class UsageRefusal {
  @Field(() => Int, { description: 'The position of the event in the request, from 0.' })
  index!: number;

  @Field(() => String, { description: 'The reason, one of the error catalogue.' })
  reason!: string;

  @Field(() => String, { description: 'The field that is wrong, such as `events.3.at`.' })
  path!: string;

  @Field(() => String, { description: 'What is wrong with it, for people.' })
  message!: string;
}

@ObjectType({
  simpleResolvers: true,
  description: 'What became of usage events. It is durable when it is returned.',
})
class RecordUsageResult {
  @Field(() => Int, { description: 'The number of events that count, with those of `unassigned`.' })
  accepted!: number;

  @Field(() => Int, {
    description: 'The number of events that were received before, with the same content. They count once.',
  })
  duplicates!: number;

  @Field(() => [UsageConflict], {
    description: 'Events whose id was received before with other content. They are not counted.',
  })
  conflicts!: UsageConflict[];

  @Field(() => [UsageRefusal], { description: 'Events that are not valid. They are not counted.' })
  refused!: UsageRefusal[];

  @Field(() => Int, { description: 'The number of accepted events that wait for their customer.' })
  unassigned!: number;
}

@InputType({ description: 'Usage events to take back.' })
class VoidUsageInput {
  @Extensions(declareItems(mostUsageEvents))
  @Field(() => [String], { description: 'The ids that the client gave, 1 to 1,000.' })
  ids!: string[];
}

@ObjectType({ simpleResolvers: true, description: 'What became of events that were taken back.' })
class VoidedUsage {
  @Field(() => Int, { description: 'The number of events that count no longer.' })
  voided!: number;

  @Field(() => Int, { description: 'The number of events that were taken back before.' })
  alreadyVoided!: number;

  @Field(() => [String], { description: 'The ids that no event of the last 35 days has.' })
  unknownIds!: string[];
}

const UsageEventConnection = defineConnection<UsageEventRow>('UsageEvent', () => UsageEvent);

@Resolver(() => UsageEvent)
export class UsageResolver {
  @FieldResolver(() => Boolean, {
    description: 'Whether `backfillUsage` took it: usage shows it, and no bill or limit counts it.',
  })
  backfilled(@Root() event: UsageEventRow): boolean {
    return event.backfilled ?? false;
  }

  @Query(() => Usage, {
    nullable: true,
    description: 'Returns what a meter has counted, whole or in windows, at most 1,000.',
    permission: 'read',
    reasons: ['meter_not_found', 'customer_not_found'],
    work: { cost: 200 },
  })
  usage(
    @CurrentTenant() tenant: TenantScope,
    @Arg('meterId', () => ID, { description: 'The id of the meter.' }) meterId: string,
    @Args(() => UsageSpanArgs) { from, until, by, groupBy }: UsageSpanArgs,
    @Arg('customerId', () => ID, {
      nullable: true,
      description: 'The customer. Default: all, in whole quarters of an hour.',
    })
    customerId?: string | null,
  ): Promise<UsageResult> {
    return readUsage(tenant, { meterId, customerId, from, until, by, groupBy });
  }

  @Query(() => MeterPreview, {
    nullable: true,
    description:
      'Returns what a meter would have counted, whole or in windows, at most 1,000. Reads at most 100,000 events. Nothing is created.',
    permission: 'read',
    reasons: ['customer_not_found'],
    work: { cost: 500 },
  })
  previewMeter(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => CreateMeterInput, { description: 'The meter.' }) input: CreateMeterInput,
    @Args(() => UsageSpanArgs) { from, until, by, groupBy }: UsageSpanArgs,
    @Arg('customerId', () => ID, { nullable: true, description: 'The customer. Default: all.' })
    customerId?: string | null,
  ): Promise<Preview> {
    return previewMeter(tenant, input, { customerId, from, until, by, groupBy });
  }

  @Query(() => MeterPreview, {
    nullable: true,
    description:
      'Returns what a meter would have counted by the terms of a new version, as `previewMeter` does. Nothing is created.',
    permission: 'read',
    reasons: ['meter_not_found', 'customer_not_found'],
    work: { cost: 500 },
  })
  previewMeterVersion(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The id of the meter.' }) id: string,
    @Arg('input', () => CreateMeterVersionInput, { description: 'The version.' })
    input: CreateMeterVersionInput,
    @Args(() => UsageSpanArgs) { from, until, by, groupBy }: UsageSpanArgs,
    @Arg('customerId', () => ID, { nullable: true, description: 'The customer. Default: all.' })
    customerId?: string | null,
  ): Promise<Preview> {
    return previewMeterVersion(tenant, id, input, { customerId, from, until, by, groupBy });
  }

  @Query(() => UsageEventConnection, {
    nullable: true,
    description: 'Lists usage events by their receipt, or those of a customer by `at`; the newest first.',
    permission: 'read',
    reasons: ['cursor_invalid'],
  })
  async usageEvents(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('customerId', () => ID, { nullable: true, description: 'Filter by customer.' })
    customerId?: string | null,
  ) {
    return new UsageEventConnection(await listUsageEvents(tenant, { customerId }, page));
  }

  @Mutation(() => RecordUsageResult, {
    nullable: true,
    description:
      'Records usage events, each counted once. Events are accepted or refused one by one; the request fails only if it has no ' +
      'events or more than 1,000.',
    permission: 'manage_subscriptions',
    reasons: [],
  })
  recordUsage(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => RecordUsageInput, { description: 'The events.' }) input: RecordUsageInput,
  ): Promise<RecordedUsage> {
    return recordUsage(tenant, input);
  }

  @Mutation(() => RecordUsageResult, {
    nullable: true,
    description:
      'Takes usage events of any past time, such as those of another system. `usage` shows them; invoices and limits never count ' +
      'them, even if their period is not billed yet. Events are accepted or refused one by one.',
    permission: 'manage_settings',
    reasons: [],
  })
  backfillUsage(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => BackfillUsageInput, { description: 'The events.' }) input: BackfillUsageInput,
  ): Promise<RecordedUsage> {
    return backfillUsage(tenant, input);
  }

  @Mutation(() => VoidedUsage, {
    nullable: true,
    description: 'Takes usage events back: they count no longer. Their ids stay taken.',
    permission: 'manage_subscriptions',
    reasons: [],
  })
  voidUsage(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => VoidUsageInput, { description: 'The ids.' }) input: VoidUsageInput,
  ): Promise<Voided> {
    return voidUsage(tenant, input);
  }
}
