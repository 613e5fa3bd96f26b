import {
  Arg,
  Args,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  ID,
  InputType,
  ObjectType,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';
import { Query, Mutation } from '../graphql/operations.ts';
import { CurrentTenant } from '../graphql/arguments.ts';
import { ConnectionArgs, defineConnection } from '../graphql/connections.ts';
import type { Context } from '../graphql/context.ts';
import { Node, refetchBy } from '../graphql/node.ts';
import { DateTime } from '../graphql/scalars.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import type { KeyRefusal } from '../storage/model/tenants.ts';
import type { Scope } from '../tenancy/apiKeyCache.ts';
import {
  formatKeyPrefix,
  issueKey,
  listTenantKeys,
  revokeTenantKey,
  type KeyRecord,
} from '../tenancy/apiKeys.ts';
import { listKeyPermissions } from '../tenancy/keyLimits.ts';
import type { Permission } from '../tenancy/permissions.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import { ApiKeyScope } from './me.graphql.ts';
import { PermissionEnum } from './operators/operatorTypes.graphql.ts';

type KeyStatus = 'active' | 'expired' | 'revoked';
const ApiKeyStatus = { active: 'active', expired: 'expired', revoked: 'revoked' } as const;
registerEnumType(ApiKeyStatus, {
  name: 'ApiKeyStatus',
  description: 'Whether an API key is accepted.',
  valuesConfig: {
    active: { description: 'It is accepted.' },
    expired: { description: 'Its time has passed.' },
    revoked: { description: 'It was revoked.' },
  },
});

const ApiKeyKind = { secret: 'secret', publishable: 'publishable' } as const;
registerEnumType(ApiKeyKind, {
  name: 'ApiKeyKind',
  description: 'Where an API key may be.',
  valuesConfig: {
    secret: { description: 'In the programs of the tenant only: `prn_…`.' },
    publishable: {
      description:
        'Also in the source of a web page: `prn_pk_…`. It reads the products on sale and nothing else.',
    },
  },
});

@ObjectType('ApiKeyRefusal', { simpleResolvers: true, description: 'A refusal of an API key.' })
class ApiKeyRefusal {
  @Field(() => DateTime, { description: 'When it was refused.' })
  at!: string;

  @Field(() => PermissionEnum, {
    nullable: true,
    description: 'The permission that the key does not have; null if its address was refused.',
  })
  permission?: Permission;

  @Field(() => String, {
    nullable: true,
    description: 'The IP address that the key is not accepted from; null if it lacked a permission.',
  })
  address?: string;
}

@Extensions(
  refetchBy(({ read }, id, { permissions }) =>
    permissions.includes('manage_keys') ? read.one('apiKeys', { id }) : null,
  ),
)
@ObjectType('ApiKey', {
  implements: Node,
  simpleResolvers: true,
  description:
    'An API key of the tenant, without its secret. Its id is a part of the key and names it in traces. For operators.',
})
class ApiKey extends Node {
  @Field(() => String, { nullable: true, description: 'What the key is for.' })
  name!: string | null;

  @Field(() => ApiKeyScope, {
    description:
      'What a secret key may do in short: `read` if it changes nothing. `read` for a publishable key.',
  })
  scope!: Scope;

  @Field(() => DateTime, { description: 'When it was created.' })
  createdAt!: string;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it was last used, to the hour; null if it never was.',
  })
  lastUsedAt!: string | null;

  @Field(() => String, { nullable: true, description: 'The IP address of that use.' })
  lastUsedFrom!: string | null;

  @Field(() => ApiKeyRefusal, {
    nullable: true,
    description: 'The last request that was refused; null if none was.',
  })
  lastRefusal!: KeyRefusal | null;

  @Field(() => DateTime, { nullable: true, description: 'When it expires; null for never.' })
  expiresAt!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was revoked.' })
  revokedAt!: string | null;
}

@ObjectType('CreatedApiKey', { description: 'A new API key.' })
class CreatedApiKey {}

@InputType({ description: 'An API key to create.' })
class CreateApiKeyInput {
  @Field(() => String, { nullable: true, description: 'What the key is for, at most 200 characters.' })
  name?: string | null;

  @Field(() => ApiKeyKind, { nullable: true, description: 'Where the key may be. Default: `secret`.' })
  kind?: keyof typeof ApiKeyKind | null;

  @Field(() => ApiKeyScope, {
    nullable: true,
    description:
      'What the key may do. A secret key has either a scope or `permissions`, a publishable key none of them.',
  })
  scope?: Scope | null;

  @Field(() => [PermissionEnum], {
    nullable: true,
    description:
      'Exactly what the key may do, as for operators: `read` and others, but neither `manage_keys` nor `manage_operators`.',
  })
  permissions?: Permission[] | null;

  @Field(() => [String], {
    nullable: true,
    description:
      'The IP addresses and networks (`192.0.2.0/24`) that the key is accepted from, at most 50. Default: all.',
  })
  ipAllowlist?: string[] | null;

  @Field(() => DateTime, { nullable: true, description: 'When it expires. Default: never.' })
  expiresAt?: string | null;
}

const ApiKeyConnection = defineConnection<Row<'apiKeys'>>('ApiKey', () => ApiKey);

@Resolver(() => ApiKey)
export class ApiKeyResolver {
  @FieldResolver(() => String, {
    description: 'The start of the key, which is no secret: `prn_acme_7v3k9q2m4x8d_`, `prn_pk_acme_…`.',
  })
  prefix(@Root() key: KeyRecord): string {
    return formatKeyPrefix(key);
  }

  @FieldResolver(() => ApiKeyKind, { description: 'Where it may be.' })
  kind(@Root() { kind }: KeyRecord): keyof typeof ApiKeyKind {
    return kind ?? 'secret';
  }

  @FieldResolver(() => [PermissionEnum], {
    description: 'What a secret key may do, by its scope or exactly; none for a publishable key.',
  })
  permissions(@Root() key: KeyRecord): readonly Permission[] {
    return listKeyPermissions(key);
  }

  @FieldResolver(() => Boolean, {
    description: 'Whether its permissions were chosen one by one, and not by a scope.',
  })
  hasOwnPermissions(@Root() { permissions }: KeyRecord): boolean {
    return permissions !== null;
  }

  @FieldResolver(() => [String], {
    description: 'The IP addresses and networks that it is accepted from; empty for all.',
  })
  ipAllowlist(@Root() { ipAllowlist }: KeyRecord): string[] {
    return ipAllowlist ?? [];
  }

  @FieldResolver(() => ApiKeyStatus, { description: 'Whether it is accepted.' })
  status(@Ctx() { tenant }: Context, @Root() { revokedAt, expiresAt }: KeyRecord): KeyStatus {
    if (revokedAt !== null) return 'revoked';
    return expiresAt !== null && expiresAt <= tenant.serviceNow() ? 'expired' : 'active';
  }

  @Query(() => ApiKeyConnection, {
    nullable: true,
    description: 'Lists the API keys of the tenant. For operators.',
    permission: 'manage_keys',
    reasons: ['cursor_invalid'],
  })
  async apiKeys(@CurrentTenant() tenant: TenantScope, @Args(() => ConnectionArgs) page: ConnectionArgs) {
    return new ApiKeyConnection(await listTenantKeys(tenant, page));
  }

  @Mutation(() => CreatedApiKey, {
    nullable: true,
    description: 'Creates an API key, which is shown once. For operators.',
    permission: 'manage_keys',
    reasons: [],
  })
  createApiKey(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => CreateApiKeyInput, { description: 'The key.' }) input: CreateApiKeyInput,
  ): Promise<KeyRecord> {
    return issueKey(tenant, input, ({ id }, apiKey) => (tenant.newKeys ??= new Map()).set(id, apiKey));
  }

  @Mutation(() => ApiKey, {
    nullable: true,
    description: 'Revokes an API key; every server refuses it within a second. For operators.',
    permission: 'manage_keys',
    reasons: ['api_key_not_found'],
  })
  revokeApiKey(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The key.' }) id: string,
  ): Promise<KeyRecord> {
    return tenant.write((unit) => revokeTenantKey(unit, id));
  }
}

@Resolver(() => CreatedApiKey)
export class CreatedApiKeyResolver {
  @FieldResolver(() => ApiKey, { description: 'The key without its secret.' })
  key(@Root() key: KeyRecord): KeyRecord {
    return key;
  }

  @FieldResolver(() => String, {
    nullable: true,
    description:
      'The key to send in the `api-key` header; by pages a publishable key, as `Authorization: Bearer`. It is shown only now and stored nowhere: null in the response to a ' +
      'repeat of the request.',
  })
  apiKey(@Ctx() { tenant }: Context, @Root() { id }: KeyRecord): string | null {
    return tenant.newKeys?.get(id) ?? null;
  }
}
