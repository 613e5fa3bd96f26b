import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Int,
  Mutation,
  ObjectType,
  Query,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';
import { CurrentTenant } from '../graphql/arguments.ts';
import { ConnectionArgs, defineConnection } from '../graphql/connections.ts';
import type { Context } from '../graphql/context.ts';
import { Node } from '../graphql/node.ts';
import { DateTime } from '../graphql/scalars.ts';
import {
  deliveryStatuses,
  findDelivery,
  listDeliveries,
  replayDelivery,
  testEndpoint,
  type DeliveryRow,
} from './deliveries.ts';
import { WebhookEndpoint } from './endpoints.graphql.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';

const DeliveryStatuses = Object.fromEntries(deliveryStatuses.map((status) => [status, status]));
registerEnumType(DeliveryStatuses, {
  name: 'DeliveryStatus',
  description: 'Where a delivery stands.',
  valuesConfig: {
    pending: { description: 'Waits for a try, or for the delivery before it.' },
    delivered: { description: 'The endpoint has answered 2xx.' },
    failed: { description: 'Was given up: after three days, or because the endpoint is gone.' },
    cancelled: { description: 'The endpoint was switched off or deleted.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'One try to deliver an event.' })
class DeliveryAttempt {
  @Field(() => DateTime, { description: 'When it ended.' })
  at!: string;

  @Field(() => Int, { nullable: true, description: 'The HTTP status; null where there was no answer.' })
  statusCode!: number | null;

  @Field(() => Int, { description: 'How long it took, in milliseconds.' })
  durationMs!: number;

  @Field(() => String, { nullable: true, description: 'What was wrong; null where nothing was.' })
  error!: string | null;
}

@ObjectType('WebhookDelivery', {
  implements: Node,
  simpleResolvers: true,
  description: 'An event on its way to an endpoint, and what became of it; kept for 90 days.',
})
class WebhookDelivery extends Node {
  @Field(() => ID, { description: 'The endpoint.' })
  endpointId!: string;

  @Field(() => ID, { description: 'The event; it is the message id (`webhook-id`).' })
  eventId!: string;

  @Field(() => String, { description: 'What happened: `SubscriptionEvent.created`.' })
  type!: string;

  @Field(() => Int, { description: 'Counts from 1 within the endpoint, in the order of the events.' })
  sequence!: number;

  @Field(() => DeliveryStatuses, { description: 'Where it stands.' })
  status!: string;

  @Field(() => DateTime, { description: 'When it was queued.' })
  createdAt!: string;

  @Field(() => DateTime, { nullable: true, description: 'When it was delivered, or given up.' })
  finishedAt!: string | null;
}

const DeliveryConnection = defineConnection<DeliveryRow>('WebhookDelivery', () => WebhookDelivery);

const deliveryId = { description: 'The delivery.' };

@Resolver(() => WebhookDelivery)
export class DeliveryResolver {
  @FieldResolver(() => [DeliveryAttempt], { description: 'Its tries, oldest first; the last 50.' })
  attempts(@Root() { tries }: DeliveryRow): DeliveryRow['tries'] {
    return tries;
  }

  @FieldResolver(() => Int, { description: 'How often it was tried since it was queued, or replayed.' })
  attemptCount(@Root() { attempt }: DeliveryRow): number {
    return attempt;
  }

  @FieldResolver(() => DateTime, {
    nullable: true,
    description: 'When it is tried next; null where it is finished, or waits for one before it.',
  })
  nextAttemptAt(@Root() { dueAt }: DeliveryRow): string | null {
    return dueAt;
  }

  @FieldResolver(() => WebhookEndpoint, { nullable: true, description: 'The endpoint; null once deleted.' })
  endpoint(@Ctx() context: Context, @Root() delivery: DeliveryRow) {
    return context.byId('webhookEndpoints', delivery.endpointId);
  }

  @Query(() => WebhookDelivery, {
    nullable: true,
    description: 'The delivery of that id.',
  })
  delivery(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, deliveryId) id: string,
  ): Promise<DeliveryRow> {
    return findDelivery(tenant.read, id);
  }

  @Query(() => DeliveryConnection, {
    nullable: true,
    description: "The log of the tenant's deliveries.",
  })
  async deliveries(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('endpointId', () => ID, { nullable: true, description: 'Only those to this endpoint.' })
    endpointId?: string,
    @Arg('eventId', () => ID, { nullable: true, description: 'Only those of this event.' })
    eventId?: string,
    @Arg('status', () => DeliveryStatuses, { nullable: true, description: 'Only those that stand so.' })
    status?: DeliveryRow['status'],
  ) {
    const filter = { endpointId, eventId, status };
    return new DeliveryConnection(await listDeliveries(tenant, filter, page));
  }

  @Mutation(() => WebhookDelivery, {
    nullable: true,
    description:
      'Sends an endpoint a `WebhookEvent.tested`, once, whatever it is told of otherwise and also where it is ' +
      'switched off; ask for the delivery again to see what became of it.',
  })
  testWebhookEndpoint(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The endpoint.' }) id: string,
  ): Promise<DeliveryRow> {
    return testEndpoint(tenant, id);
  }

  @Mutation(() => WebhookDelivery, {
    nullable: true,
    description:
      'Delivers an event again, as the same message under the same id; one that waits for its next try is tried ' +
      'at once.',
  })
  replayDelivery(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, deliveryId) id: string,
  ): Promise<DeliveryRow> {
    return tenant.write((unit) => replayDelivery(unit, id));
  }
}
