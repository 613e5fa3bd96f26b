import {
  Arg,
  Args,
  Ctx,
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
import { Query, Mutation } from '../../graphql/operations.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { ConnectionArgs, defineConnection } from '../../graphql/connections.ts';
import type { Context } from '../../graphql/context.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { declareItems } from '../../graphql/rules/inputSizes.ts';
import { DateTime, UrlScalar } from '../../graphql/scalars.ts';
import {
  createEndpoint,
  deleteEndpoint,
  findEndpoint,
  listEndpoints,
  rotateSecret,
  updateEndpoint,
  type EndpointRow,
  type EndpointWithSecret,
} from './endpoints.ts';
import { mostEvents } from './eventFilters.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';

@Extensions(refetchBy(({ read }, id) => findEndpoint(read, id)))
@ObjectType('WebhookEndpoint', {
  implements: Node,
  simpleResolvers: true,
  description: 'A URL that receives events, signed as in the Standard Webhooks specification.',
})
export class WebhookEndpoint extends Node {
  @Field(() => UrlScalar, { description: 'The URL that receives events.' })
  url!: string;

  @Field(() => String, { description: 'The purpose.' })
  description!: string;

  @Field(() => [String], {
    description:
      'The events it receives: `SubscriptionEvent` or `SubscriptionEvent.created`; an empty list means all.',
  })
  events!: string[];

  @Field(() => String, {
    nullable: true,
    description: 'The GraphQL query on `Event` that produces the payload; null for the whole trace.',
  })
  query!: string | null;

  @Field(() => Boolean, { description: 'Whether the endpoint receives events.' })
  active!: boolean;

  @Field(() => String, { nullable: true, description: 'Why the service disabled it.' })
  disabledReason!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Until when messages are also signed with the previous secret.',
  })
  previousSecretUntil!: string | null;

  @Field(() => DateTime, { description: 'When it was created.' })
  createdAt!: string;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  updatedAt!: string;
}

@ObjectType('CreatedWebhookSecret', {
  simpleResolvers: true,
  description: 'An endpoint and its new secret.',
})
class CreatedWebhookSecret {
  @Field(() => WebhookEndpoint, { description: 'The endpoint.' })
  endpoint!: EndpointRow;
}

@InputType({ description: 'An endpoint to create.' })
class CreateWebhookEndpointInput {
  @Field(() => UrlScalar, {
    description: 'The URL that receives events: https, or http for a test tenant; at most 2,048 characters.',
  })
  url!: string;

  @Field(() => String, { nullable: true, description: 'The purpose, at most 5,000 characters.' })
  description?: string | null;

  @Extensions(declareItems(mostEvents))
  @Field(() => [String], {
    nullable: true,
    description:
      'The events to receive: `SubscriptionEvent` for all events of a type, `SubscriptionEvent.created` for ' +
      'one. Default: all.',
  })
  events?: string[] | null;

  @Field(() => String, {
    nullable: true,
    description: 'A GraphQL query on `Event` without variables; its result is the payload.',
  })
  query?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether the endpoint receives events. Default: true.',
  })
  active?: boolean;
}

@InputType({ description: 'Changes to an endpoint. Omitted fields stay unchanged.' })
class UpdateWebhookEndpointInput {
  @Field(() => UrlScalar, { nullable: true, description: 'The URL that receives events.' })
  url?: string;

  @Field(() => String, { nullable: true, description: 'The purpose; null removes it.' })
  description?: string | null;

  @Extensions(declareItems(mostEvents))
  @Field(() => [String], { nullable: true, description: 'The events to receive; null for all.' })
  events?: string[] | null;

  @Field(() => String, { nullable: true, description: 'The payload query; null for the whole trace.' })
  query?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether the endpoint receives events. Disabling it cancels its pending deliveries.',
  })
  active?: boolean;
}

@InputType({ description: 'How a secret is replaced.' })
class RotateWebhookSecretInput {
  @Field(() => Int, {
    nullable: true,
    description:
      'How long the old secret still signs, in seconds: 1 to 604,800 (a week). Default: 86,400 (a day).',
  })
  overlapSeconds?: number | null;
}

const EndpointConnection = defineConnection<EndpointRow>('WebhookEndpoint', () => WebhookEndpoint);

const endpointId = { description: 'The endpoint.' };

@Resolver(() => CreatedWebhookSecret)
export class EndpointSecretResolver {
  @FieldResolver(() => String, {
    description: 'The signing secret (`whsec_…`), shown once and stored encrypted.',
  })
  secret(@Ctx() context: Context, @Root() { sealedSecret }: EndpointWithSecret): string {
    return context.tenant.reveal(sealedSecret);
  }
}

@Resolver(() => WebhookEndpoint)
export class EndpointResolver {
  @FieldResolver(() => Boolean, {
    description:
      'Whether the query was stored by release 0.9 or before. It sees the events of that release, whose records have an ' +
      '`id`, until the endpoint gets a query again.',
  })
  queryOutdated(@Root() { query, queryShape }: EndpointRow): boolean {
    return query !== null && queryShape === null;
  }

  @Query(() => WebhookEndpoint, {
    nullable: true,
    description: 'Returns a webhook endpoint by id.',
    permission: 'read',
    reasons: ['webhook_endpoint_not_found'],
  })
  webhookEndpoint(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, endpointId) id: string,
  ): Promise<EndpointRow> {
    return findEndpoint(tenant.read, id);
  }

  @Query(() => EndpointConnection, {
    nullable: true,
    description: 'Lists webhook endpoints.',
    permission: 'read',
    reasons: ['cursor_invalid'],
  })
  async webhookEndpoints(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
  ) {
    return new EndpointConnection(await listEndpoints(tenant, page));
  }

  @Mutation(() => CreatedWebhookSecret, {
    nullable: true,
    description: 'Creates an endpoint and returns its secret, which is not shown again.',
    permission: 'manage_webhooks',
    reasons: [],
  })
  createWebhookEndpoint(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => CreateWebhookEndpointInput, { description: 'The endpoint.' })
    input: CreateWebhookEndpointInput,
  ): Promise<EndpointWithSecret> {
    return createEndpoint(tenant, input);
  }

  @Mutation(() => WebhookEndpoint, {
    nullable: true,
    description: 'Changes an endpoint.',
    permission: 'manage_webhooks',
    reasons: ['webhook_endpoint_not_found'],
  })
  updateWebhookEndpoint(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, endpointId) id: string,
    @Arg('input', () => UpdateWebhookEndpointInput, { description: 'The changes.' })
    input: UpdateWebhookEndpointInput,
  ): Promise<EndpointRow> {
    return updateEndpoint(tenant, id, input);
  }

  @Mutation(() => WebhookEndpoint, {
    nullable: true,
    description: 'Deletes an endpoint. Its deliveries stay in the log for 90 days.',
    permission: 'manage_webhooks',
    reasons: ['webhook_endpoint_not_found'],
  })
  deleteWebhookEndpoint(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, endpointId) id: string,
  ): Promise<EndpointRow> {
    return tenant.write((unit) => deleteEndpoint(unit, id));
  }

  @Mutation(() => CreatedWebhookSecret, {
    nullable: true,
    description:
      'Rotates the secret of an endpoint and returns the new one, which is not shown again. Messages are ' +
      'signed with both secrets for a while.',
    permission: 'manage_webhooks',
    reasons: ['webhook_endpoint_not_found'],
  })
  rotateWebhookSecret(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, endpointId) id: string,
    @Arg('input', () => RotateWebhookSecretInput, { nullable: true, description: 'The replacement.' })
    input?: RotateWebhookSecretInput | null,
  ): Promise<EndpointWithSecret> {
    return rotateSecret(tenant, id, input?.overlapSeconds);
  }
}
