import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  ID,
  InputType,
  Int,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { CurrentTenant } from '../graphql/arguments.ts';
import { ConnectionArgs, defineConnection } from '../graphql/connections.ts';
import type { Context } from '../graphql/context.ts';
import { Node } from '../graphql/node.ts';
import { DateTime } from '../graphql/scalars.ts';
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
import type { TenantScope } from '../tenancy/tenantScope.ts';

@ObjectType('WebhookEndpoint', {
  implements: Node,
  simpleResolvers: true,
  description:
    'An address of your own that is told of events, signed by the Standard Webhooks specification.',
})
export class WebhookEndpoint extends Node {
  @Field(() => String, { description: 'Where events are posted to.' })
  url!: string;

  @Field(() => String, { description: 'What it is for, for people.' })
  description!: string;

  @Field(() => [String], {
    description: 'What it is told of: `SubscriptionEvent`, or `SubscriptionEvent.created`; none is all.',
  })
  events!: string[];

  @Field(() => String, {
    nullable: true,
    description: 'The GraphQL document on `Event` that makes the payload; null for the whole trace.',
  })
  query!: string | null;

  @Field(() => Boolean, { description: 'Whether it is told of events.' })
  active!: boolean;

  @Field(() => String, { nullable: true, description: 'Why the service has switched it off.' })
  disabledReason!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Until when each message is also signed with the secret before.',
  })
  previousSecretUntil!: string | null;

  @Field(() => DateTime, { description: 'When it was created.' })
  createdAt!: string;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  updatedAt!: string;
}

@ObjectType('WebhookEndpointSecret', {
  simpleResolvers: true,
  description: 'An endpoint and its new secret.',
})
class WebhookEndpointSecret {
  @Field(() => WebhookEndpoint, { description: 'The endpoint.' })
  endpoint!: EndpointRow;
}

@InputType({ description: 'An endpoint to create.' })
class CreateWebhookEndpointInput {
  @Field(() => String, {
    description: 'Where events are posted to: https, or http for a test tenant; at most 2,048 characters.',
  })
  url!: string;

  @Field(() => String, { nullable: true, description: 'What it is for, at most 5,000 characters.' })
  description?: string | null;

  @Field(() => [String], {
    nullable: true,
    description:
      '`SubscriptionEvent` for all of a type, `SubscriptionEvent.created` for one action; all unless given.',
  })
  events?: string[] | null;

  @Field(() => String, {
    nullable: true,
    description: 'A GraphQL query on `Event`, without variables, whose answer is the payload.',
  })
  query?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether it is told of events; it is unless false.' })
  active?: boolean;
}

@InputType({ description: 'What of an endpoint may change; a field left out stays as it is.' })
class UpdateWebhookEndpointInput {
  @Field(() => String, { nullable: true, description: 'Where events are posted to.' })
  url?: string;

  @Field(() => String, { nullable: true, description: 'What it is for; null empties it.' })
  description?: string | null;

  @Field(() => [String], { nullable: true, description: 'What it is told of; null is all.' })
  events?: string[] | null;

  @Field(() => String, { nullable: true, description: 'The query for the payload; null is the whole trace.' })
  query?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether it is told of events; what waits for one that is switched off is cancelled.',
  })
  active?: boolean;
}

const EndpointConnection = defineConnection<EndpointRow>('WebhookEndpoint', () => WebhookEndpoint);

const endpointId = { description: 'The endpoint.' };

@Resolver(() => WebhookEndpointSecret)
export class EndpointSecretResolver {
  @FieldResolver(() => String, {
    description: 'What its messages are signed with (`whsec_…`): shown this once, and kept encrypted.',
  })
  secret(@Ctx() context: Context, @Root() { sealedSecret }: EndpointWithSecret): string {
    return context.tenant.reveal(sealedSecret);
  }
}

@Resolver(() => WebhookEndpoint)
export class EndpointResolver {
  @Query(() => WebhookEndpoint, {
    nullable: true,
    description: 'The endpoint of that id.',
  })
  webhookEndpoint(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, endpointId) id: string,
  ): Promise<EndpointRow> {
    return findEndpoint(tenant.read, id);
  }

  @Query(() => EndpointConnection, {
    nullable: true,
    description: "The tenant's endpoints.",
  })
  async webhookEndpoints(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
  ) {
    return new EndpointConnection(await listEndpoints(tenant, page));
  }

  @Mutation(() => WebhookEndpointSecret, {
    nullable: true,
    description: 'Creates an endpoint; its secret is shown this once.',
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
  })
  updateWebhookEndpoint(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, endpointId) id: string,
    @Arg('input', () => UpdateWebhookEndpointInput, { description: 'What to change.' })
    input: UpdateWebhookEndpointInput,
  ): Promise<EndpointRow> {
    return updateEndpoint(tenant, id, input);
  }

  @Mutation(() => WebhookEndpoint, {
    nullable: true,
    description: 'Removes an endpoint; the log of its deliveries stays for its time.',
  })
  deleteWebhookEndpoint(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, endpointId) id: string,
  ): Promise<EndpointRow> {
    return tenant.write((unit) => deleteEndpoint(unit, id));
  }

  @Mutation(() => WebhookEndpointSecret, {
    nullable: true,
    description:
      'Gives an endpoint another secret, shown this once; for a while messages are signed with both.',
  })
  rotateWebhookSecret(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, endpointId) id: string,
    @Arg('overlapSeconds', () => Int, {
      nullable: true,
      description: 'How long the old secret signs, too: 1 to 604,800 (a week); a day unless given.',
    })
    overlapSeconds?: number,
  ): Promise<EndpointWithSecret> {
    return rotateSecret(tenant, id, overlapSeconds);
  }
}
