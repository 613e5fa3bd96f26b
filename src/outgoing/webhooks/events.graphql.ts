import { Arg, Ctx, Extensions, FieldResolver, ID, ObjectType, Resolver, Root } from 'type-graphql';
import { Query } from '../../graphql/operations.ts';
import { Invoice } from '../../billing/invoices/invoices.graphql.ts';
import { Group } from '../../billing/catalog/groups.graphql.ts';
import { Price } from '../../billing/catalog/prices.graphql.ts';
import { Product } from '../../billing/catalog/products.graphql.ts';
import { Customer } from '../../billing/customers/customers.graphql.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import type { Context } from '../../graphql/context.ts';
import { withoutId } from '../../graphql/derivedTypes.ts';
import { DateTime, JSONObject } from '../../graphql/scalars.ts';
import { SubscriptionIntent } from '../../billing/subscriptions/intents/intents.graphql.ts';
import { SubscriptionContract } from '../../billing/subscriptions/subscriptions.graphql.ts';
import { getEventName } from './outbox.ts';
import { ActivityTypes, Trace } from '../../insights/activity/traces.graphql.ts';
import { findTrace, type TraceRow } from '../../insights/activity/traces.ts';
import { toCurrentSpelling } from '../../tenancy/traces/eventTypes.ts';
import { findRecord, type Kind } from './events.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';

@ObjectType('Event', {
  simpleResolvers: true,
  description:
    "An event, the root of webhook payload queries. The event's own record is shown as of the event; " +
    'related records are shown as they are now.',
})
class Event {}

/** Declares a field with a record of the event: a snapshot, which has the id of the record under another name. */
function RecordField(type: () => any, kind: Kind, name: string = kind): MethodDecorator {
  const snapshot = Extensions(
    withoutId({
      name: `${kind[0]!.toUpperCase()}${kind.slice(1)}Snapshot`,
      description: `The ${name} of an event: as of the event if it is the event's own record, otherwise as it is now.`,
      idAs: `${kind}Id`,
    }),
  ) as MethodDecorator;
  const field = FieldResolver(type, {
    nullable: true,
    description: `The event's ${name}: its own record, or the one its record belongs to; null if there is none.`,
  });
  return (...method) => {
    field(...method);
    snapshot(...method);
  };
}

@Resolver(() => Event)
export class EventResolver {
  @FieldResolver(() => ID, { description: "The event's id, also the message id (`webhook-id`)." })
  eventId(@Root() { eventId }: TraceRow): string {
    return eventId;
  }

  @FieldResolver(() => String, { description: 'The event type: `SubscriptionEvent.created`.' })
  type(@Root() trace: TraceRow): string {
    return getEventName(trace);
  }

  @FieldResolver(() => ActivityTypes, { description: "The type of the event's record." })
  activityType(@Root() trace: TraceRow): string {
    return trace.activityType;
  }

  @FieldResolver(() => String, { description: 'The action.' })
  action(@Root() { payload }: TraceRow): string {
    return toCurrentSpelling(String(payload['action']));
  }

  @FieldResolver(() => DateTime, { description: 'When it happened.' })
  timestamp(@Root() { createdAt }: TraceRow): string {
    return createdAt;
  }

  @FieldResolver(() => ID, { description: "The id of the event's record." })
  resourceId(@Root() { payload }: TraceRow): string {
    return String(payload['resourceId']);
  }

  @FieldResolver(() => JSONObject, { description: "The event's record, as of the event." })
  object(@Root() { payload }: TraceRow): unknown {
    return payload['object'];
  }

  @FieldResolver(() => JSONObject, { description: 'The changes: `{field: [before, after]}`.' })
  changes(@Root() { payload }: TraceRow): unknown {
    return payload['changes'];
  }

  @FieldResolver(() => JSONObject, {
    nullable: true,
    description:
      'Figures of the event that its record does not have, such as the amount of a credit; null for none.',
  })
  details(@Root() { payload }: TraceRow): unknown {
    return payload['details'] ?? null;
  }

  @FieldResolver(() => Trace, { description: 'The trace of the event.' })
  trace(@Root() trace: TraceRow): TraceRow {
    return trace;
  }

  @RecordField(() => Customer, 'customer')
  customer(@Ctx() context: Context, @Root() trace: TraceRow) {
    return findEventRecord(context, trace, 'customer');
  }

  @RecordField(() => Group, 'group', 'product group')
  group(@Ctx() context: Context, @Root() trace: TraceRow) {
    return findEventRecord(context, trace, 'group');
  }

  @RecordField(() => Product, 'product')
  product(@Ctx() context: Context, @Root() trace: TraceRow) {
    return findEventRecord(context, trace, 'product');
  }

  @RecordField(() => Price, 'price')
  price(@Ctx() context: Context, @Root() trace: TraceRow) {
    return findEventRecord(context, trace, 'price');
  }

  @RecordField(() => SubscriptionIntent, 'intent')
  intent(@Ctx() context: Context, @Root() trace: TraceRow) {
    return findEventRecord(context, trace, 'intent');
  }

  @RecordField(() => SubscriptionContract, 'subscription')
  subscription(@Ctx() context: Context, @Root() trace: TraceRow) {
    return findEventRecord(context, trace, 'subscription');
  }

  @RecordField(() => Invoice, 'invoice')
  invoice(@Ctx() context: Context, @Root() trace: TraceRow) {
    return findEventRecord(context, trace, 'invoice');
  }

  @Query(() => Event, {
    nullable: true,
    description: 'Returns an event as webhook payload queries see it, to try a query.',
    permission: 'read',
    reasons: ['trace_not_found'],
  })
  event(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The `eventId` of its trace.' }) id: string,
  ): Promise<TraceRow> {
    return findTrace(tenant, { eventId: id });
  }
}

@Resolver(() => Trace)
export class TraceEventResolver {
  @FieldResolver(() => Event, {
    description: 'The event with its record and the related records.',
  })
  event(@Root() trace: TraceRow): TraceRow {
    return trace;
  }
}

const findEventRecord = (context: Context, trace: TraceRow, kind: Kind) =>
  findRecord(trace, kind, (table, id) => context.byId(table, id));
