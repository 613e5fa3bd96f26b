import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Int,
  ObjectType,
  registerEnumType,
  Resolver,
  Root,
  Extensions,
} from 'type-graphql';
import { Query, Mutation } from '../../graphql/operations.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { ConnectionArgs, defineConnection } from '../../graphql/connections.ts';
import type { Context } from '../../graphql/context.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { DateTime } from '../../graphql/scalars.ts';
import {
  deliveryStatuses,
  findDelivery,
  listDeliveries,
  replayDelivery,
  testEndpoint,
  type DeliveryRow,
} from './deliveries.ts';
import { WebhookEndpoint } from './endpoints.graphql.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';

const DeliveryStatuses = Object.fromEntries(deliveryStatuses.map((status) => [status, status]));
registerEnumType(DeliveryStatuses, {
  name: 'DeliveryStatus',
  description: 'The status of a delivery.',
  valuesConfig: {
    pending: { description: 'Waiting for its next attempt, or for the preceding delivery.' },
    delivered: { description: 'The endpoint returned a 2xx status.' },
    failed: { description: 'Abandoned after three days, or because the endpoint returned 410 Gone.' },
    cancelled: { description: 'The endpoint was disabled or deleted.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'One attempt to deliver an event.' })
class DeliveryAttempt {
  @Field(() => DateTime, { description: 'When it ended.' })
  at!: string;

  @Field(() => Int, { nullable: true, description: 'The HTTP status; null without a response.' })
  statusCode!: number | null;

  @Field(() => Int, { description: 'The duration in milliseconds.' })
  durationMs!: number;

  @Field(() => String, { nullable: true, description: 'The error; null after a success.' })
  error!: string | null;
}

@Extensions(refetchBy(({ read }, id) => findDelivery(read, id)))
@ObjectType('WebhookDelivery', {
  implements: Node,
  simpleResolvers: true,
  description: 'A delivery of an event to an endpoint, kept for 90 days.',
})
class WebhookDelivery extends Node {
  @Field(() => ID, { description: 'The endpoint.' })
  endpointId!: string;

  @Field(() => ID, { description: 'The event; it is the message id (`webhook-id`).' })
  eventId!: string;

  @Field(() => String, { description: 'The event type: `SubscriptionEvent.created`.' })
  type!: string;

  @Field(() => Int, { description: 'A number per endpoint, starting at 1, in the order of the events.' })
  sequence!: number;

  @Field(() => DeliveryStatuses, { description: 'The status.' })
  status!: string;

  @Field(() => DateTime, { description: 'When it was queued.' })
  createdAt!: string;

  @Field(() => DateTime, { nullable: true, description: 'When it was delivered or abandoned.' })
  finishedAt!: string | null;
}

const DeliveryConnection = defineConnection<DeliveryRow>('WebhookDelivery', () => WebhookDelivery);

const deliveryId = { description: 'The delivery.' };

@Resolver(() => WebhookDelivery)
export class DeliveryResolver {
  @FieldResolver(() => [DeliveryAttempt], { description: 'The last 50 attempts, oldest first.' })
  attempts(@Root() { tries }: DeliveryRow): DeliveryRow['tries'] {
    return tries;
  }

  @FieldResolver(() => Int, { description: 'The number of attempts since it was queued or replayed.' })
  attemptCount(@Root() { attempt }: DeliveryRow): number {
    return attempt;
  }

  @FieldResolver(() => DateTime, {
    nullable: true,
    description: 'The time of the next attempt; null if finished or waiting for the preceding delivery.',
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
    description: 'Returns a delivery by id.',
    permission: 'read',
    reasons: ['delivery_not_found'],
  })
  delivery(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, deliveryId) id: string,
  ): Promise<DeliveryRow> {
    return findDelivery(tenant.read, id);
  }

  @Query(() => DeliveryConnection, {
    nullable: true,
    description: 'Lists webhook deliveries.',
    permission: 'read',
    reasons: ['cursor_invalid', 'query_timeout'],
  })
  async deliveries(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('endpointId', () => ID, { nullable: true, description: 'Filter by endpoint.' })
    endpointId?: string,
    @Arg('eventId', () => ID, { nullable: true, description: 'Filter by event.' })
    eventId?: string,
    @Arg('status', () => DeliveryStatuses, { nullable: true, description: 'Filter by status.' })
    status?: DeliveryRow['status'],
  ) {
    const filter = { endpointId, eventId, status };
    return new DeliveryConnection(await listDeliveries(tenant, filter, page));
  }

  @Mutation(() => WebhookDelivery, {
    nullable: true,
    description:
      'Sends a `WebhookEvent.tested` event to an endpoint once, regardless of its event filter and even if ' +
      'it is disabled. Query the delivery for the outcome.',
    permission: 'manage_webhooks',
    reasons: ['webhook_endpoint_not_found'],
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
      'Delivers an event again, as the same message with the same id. A pending delivery is attempted at ' +
      'once.',
    permission: 'manage_webhooks',
    reasons: ['delivery_not_found', 'webhook_endpoint_not_found'],
  })
  replayDelivery(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, deliveryId) id: string,
  ): Promise<DeliveryRow> {
    return tenant.write((unit) => replayDelivery(unit, id));
  }
}
