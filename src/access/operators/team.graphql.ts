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
  Resolver,
  Root,
} from 'type-graphql';
import { Query, Mutation } from '../../graphql/operations.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { ConnectionArgs, defineConnection } from '../../graphql/connections.ts';
import type { Context } from '../../graphql/context.ts';
import { DateTime, UrlScalar } from '../../graphql/scalars.ts';
import { declareWork } from '../../graphql/work.ts';
import type { OperatorRole } from '../../storage/model/operators.ts';
import { requireSignedIn } from '../../tenancy/actor.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { buildLinkUrl } from './links.ts';
import { changeRole, removeMembership, type MembershipRow } from './memberships.ts';
import { OperatorRoleEnum } from './operatorTypes.graphql.ts';
import { listSessions, type OperatorRow } from './sessions.ts';
import { requireClient } from './signIn.graphql.ts';
import { inviteOperator, listTeam, type Invited } from './team.ts';

@ObjectType({ simpleResolvers: true, description: 'An operator of the tenant.' })
class TenantOperator {
  @Field(() => OperatorRoleEnum, { description: 'The role in the tenant.' })
  role!: OperatorRole;

  @Field(() => DateTime, { description: 'When the operator was added.' })
  createdAt!: string;
}

@ObjectType({ simpleResolvers: true, description: 'An operator who was added, and the link to pass on.' })
class CreatedInvitation {
  @Field(() => DateTime, { nullable: true, description: 'When the link expires.' })
  expiresAt!: string | null;
}

@InputType({ description: 'A person to add to the tenant.' })
class InviteOperatorInput {
  @Field(() => String, { description: 'The e-mail address.' })
  email!: string;

  @Field(() => String, { nullable: true, description: 'The name, at most 100 characters.' })
  name?: string | null;

  @Field(() => OperatorRoleEnum, { description: 'The role; no higher than your own.' })
  role!: OperatorRole;
}

@InputType({ description: 'Another role of an operator.' })
class ChangeOperatorRoleInput {
  @Field(() => OperatorRoleEnum, { description: 'The role; no higher than your own.' })
  role!: OperatorRole;
}

const TenantOperatorConnection = defineConnection<MembershipRow>('TenantOperator', () => TenantOperator);

const lookUp = declareWork({ cost: 20 });

/** Returns the operator of a membership. A membership has no operator only while they are being removed. */
const findPerson = (context: Context, { id }: MembershipRow): Promise<OperatorRow | undefined> =>
  context.memoize(`operator ${id}`, () => requireClient(context).server.read.one('operators', { id }));

@Resolver(() => TenantOperator)
export class TenantOperatorResolver {
  @FieldResolver(() => ID, { description: 'The id of the operator.' })
  operatorId(@Root() { id }: MembershipRow): string {
    return id;
  }

  @Extensions(lookUp)
  @FieldResolver(() => String, { nullable: true, description: 'The e-mail address.' })
  async email(@Ctx() context: Context, @Root() membership: MembershipRow): Promise<string | null> {
    return (await findPerson(context, membership))?.email ?? null;
  }

  @Extensions(lookUp)
  @FieldResolver(() => String, { nullable: true, description: 'The name.' })
  async name(@Ctx() context: Context, @Root() membership: MembershipRow): Promise<string | null> {
    return (await findPerson(context, membership))?.name ?? null;
  }

  @Extensions(lookUp)
  @FieldResolver(() => DateTime, {
    nullable: true,
    description: 'When an open session of the operator was last used; null without one.',
  })
  async lastSeenAt(@Ctx() context: Context, @Root() { id }: MembershipRow): Promise<string | null> {
    const { server } = requireClient(context);
    const sessions = await listSessions(server.read, id, server.now());
    return (
      sessions
        .map(({ lastSeenAt }) => lastSeenAt)
        .toSorted()
        .at(-1) ?? null
    );
  }

  @Query(() => TenantOperatorConnection, {
    nullable: true,
    description: 'Lists the operators of the tenant.',
    permission: 'manage_operators',
    reasons: ['cursor_invalid'],
  })
  async operators(@CurrentTenant() tenant: TenantScope, @Args(() => ConnectionArgs) page: ConnectionArgs) {
    return new TenantOperatorConnection(await listTeam(tenant, page));
  }

  @Mutation(() => CreatedInvitation, {
    nullable: true,
    description: 'Adds a person to the tenant. A new operator gets a link, which you pass on.',
    permission: 'manage_operators',
    reasons: ['role_too_high', 'operator_exists', 'operator_unconfirmed'],
  })
  inviteOperator(
    @CurrentTenant() tenant: TenantScope,
    @Ctx() context: Context,
    @Arg('input', () => InviteOperatorInput, { description: 'The person.' }) input: InviteOperatorInput,
  ): Promise<Invited> {
    const client = requireClient(context);
    return inviteOperator(tenant, client.server, requireSignedIn(client), input);
  }

  @Mutation(() => TenantOperator, {
    nullable: true,
    description: 'Gives an operator another role.',
    permission: 'manage_operators',
    reasons: ['operator_not_found', 'role_too_high', 'last_owner'],
  })
  changeOperatorRole(
    @CurrentTenant() tenant: TenantScope,
    @Ctx() { client }: Context,
    @Arg('id', () => ID, { description: 'The operator.' }) id: string,
    @Arg('input', () => ChangeOperatorRoleInput, { description: 'The role.' })
    { role }: ChangeOperatorRoleInput,
  ): Promise<MembershipRow> {
    const { operator } = requireSignedIn(client);
    return tenant.write((unit) => changeRole(unit, operator.id, id, role));
  }

  @Mutation(() => TenantOperator, {
    nullable: true,
    description: 'Removes an operator from the tenant at once. Other tenants of the operator stay.',
    permission: 'manage_operators',
    reasons: ['operator_not_found', 'role_too_high', 'last_owner'],
  })
  removeOperator(
    @CurrentTenant() tenant: TenantScope,
    @Ctx() { client }: Context,
    @Arg('id', () => ID, { description: 'The operator.' }) id: string,
  ): Promise<MembershipRow> {
    const { operator } = requireSignedIn(client);
    return tenant.write((unit) => removeMembership(unit, operator.id, id));
  }
}

@Resolver(() => CreatedInvitation)
export class CreatedInvitationResolver {
  @FieldResolver(() => TenantOperator, { description: 'The operator.' })
  operator(@Root() { membership }: Invited): MembershipRow {
    return membership;
  }

  @FieldResolver(() => UrlScalar, {
    nullable: true,
    description:
      'The URL that signs the new operator in, once, within 30 minutes; not shown again. Null for an operator of the ' +
      'server, who can sign in already.',
  })
  url(@Ctx() { tenant, publicUrl }: Context, @Root() { sealedToken }: Invited): string | null {
    return sealedToken === null ? null : buildLinkUrl(publicUrl, tenant.reveal(sealedToken));
  }
}
