import { Args, Ctx, Field, ObjectType, Resolver } from 'type-graphql';
import { CurrentTenant } from '../../graphql/arguments.ts';
import type { Context } from '../../graphql/context.ts';
import { Query } from '../../graphql/operations.ts';
import { DateTime } from '../../graphql/scalars.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { CustomerArgs } from './entitlements.graphql.ts';
import { issueEntitlementToken, type EntitlementToken as IssuedToken } from './tokens.ts';

@ObjectType({
  simpleResolvers: true,
  description: 'What a customer may do, signed, so that an application can check it without this server.',
})
class EntitlementToken {
  @Field(() => String, {
    description:
      'A JSON Web Token, signed with EdDSA by a key of `/.well-known/jwks.json`: `iss` is the address of this server, `aud` the ' +
      'alias of the tenant, `sub` the customer, and `entitlements` has each feature by its key.',
  })
  token!: string;

  @Field(() => DateTime, { description: 'When it ends: five minutes after it was made.' })
  expiresAt!: string;
}

@Resolver()
export class EntitlementTokenResolver {
  @Query(() => EntitlementToken, {
    nullable: true,
    description: 'Returns what a customer may do with each feature as a signed token for five minutes.',
    permission: 'read',
    reasons: ['customer_not_found'],
    work: { cost: 200 },
  })
  entitlementToken(
    @CurrentTenant() tenant: TenantScope,
    @Ctx() { publicUrl }: Context,
    @Args(() => CustomerArgs) who: CustomerArgs,
  ): Promise<IssuedToken> {
    return issueEntitlementToken(tenant, who, publicUrl);
  }
}
