import {
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  ID,
  Int,
  ObjectType,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';
import type { Context } from '../../graphql/context.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { Currency, DateTime } from '../../graphql/scalars.ts';
import { declareWork } from '../../graphql/work.ts';
import { toInstant } from '../../lib/time.ts';
import type { SavedView } from '../../storage/model/common.ts';
import type { OperatorRole } from '../../storage/model/operators.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { computeStepUpEnd, requireSignedIn } from '../../tenancy/actor.ts';
import { permissions, permissionsByRole, roles, type Permission } from '../../tenancy/permissions.ts';
import type { Membership } from '../../tenancy/serverScope.ts';
import { needsCredential } from './firstCredential.ts';
import { listSessions, type OperatorRow, type SessionRow } from './sessions.ts';

const roleDescriptions: Record<OperatorRole, string> = {
  owner: 'Everything, including the other owners. A tenant has at least one owner.',
  admin: 'Everything, but cannot change owners.',
  finance: 'Invoices, refunds, credits and exports.',
  support: 'Customers and their subscriptions, without refunds.',
  viewer: 'Sees all records and changes nothing.',
};

export const OperatorRoleEnum = Object.fromEntries(roles.map((role) => [role, role]));
registerEnumType(OperatorRoleEnum, {
  name: 'OperatorRole',
  description: 'The role of an operator in a tenant.',
  valuesConfig: Object.fromEntries(roles.map((role) => [role, { description: roleDescriptions[role] }])),
});

const permissionNames = Object.keys(permissions) as Permission[];
export const PermissionEnum = Object.fromEntries(permissionNames.map((name) => [name, name]));
registerEnumType(PermissionEnum, {
  name: 'Permission',
  description: 'What a caller may do in a tenant.',
  valuesConfig: Object.fromEntries(permissionNames.map((name) => [name, { description: permissions[name] }])),
});

@ObjectType('SavedView', {
  simpleResolvers: true,
  description: 'A view of a list of the console that an operator has saved.',
})
class SavedViewType {
  @Field(() => String, { description: 'The list.' })
  list!: string;

  @Field(() => String, { description: 'The name.' })
  name!: string;

  @Field(() => String, { description: 'The query part of the address: filters, order, columns.' })
  query!: string;
}

@ObjectType({ simpleResolvers: true, description: 'A tenant that an operator works for.' })
class OperatorTenant {
  @Field(() => ID, { description: 'The alias, sent in the `perennial-tenant` header.' })
  alias!: string;

  @Field(() => String, { description: 'The display name.' })
  name!: string;

  @Field(() => Boolean, { description: 'Whether it is a test tenant, which moves no real money.' })
  isTest!: boolean;

  @Field(() => String, { description: 'The IANA time zone of its billing dates.' })
  timeZone!: string;

  @Field(() => Currency, { nullable: true, description: 'The currency that forms begin with, if set.' })
  defaultCurrency!: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'The role of an operator in one tenant.' })
export class OperatorMembership {
  @Field(() => OperatorTenant, { description: 'The tenant.' })
  tenant!: OperatorTenant;

  @Field(() => OperatorRoleEnum, { description: 'The role.' })
  role!: OperatorRole;

  @Field(() => [PermissionEnum], { description: 'What the role permits.' })
  permissions!: readonly Permission[];

  @Extensions(declareWork({ cost: 0, size: 30 }))
  @Field(() => [SavedViewType], { description: 'The views of lists that the operator has saved there.' })
  views!: SavedView[];
}

/** Returns the operator who is signed in, whose own records are found by id; undefined for an API key. */
const findSignedIn = ({ client }: Context) => client?.signedIn?.operator;

@Extensions(
  refetchBy(async (_, id, context) => {
    const operator = findSignedIn(context);
    if (!operator) return null;
    const { server } = context.client!;
    return (await listSessions(server.read, operator.id, server.now())).find((session) => session.id === id);
  }),
)
@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: 'A browser in which an operator is signed in.',
})
class OperatorSession extends Node {
  @Field(() => DateTime, { description: 'When it began.' })
  createdAt!: string;

  @Field(() => DateTime, { description: 'When it was last used, to the minute.' })
  lastSeenAt!: string;

  @Field(() => DateTime, { description: 'When it ends, even if it is used.' })
  expiresAt!: string;

  @Field(() => String, { nullable: true, description: 'The `user-agent` of the browser.' })
  userAgent!: string | null;

  @Field(() => String, { nullable: true, description: 'The IP address at the sign-in.' })
  address!: string | null;
}

@Extensions(
  refetchBy((_, id, context) => {
    const operator = findSignedIn(context);
    return operator && context.client!.server.read.one('operatorPasskeys', { id, operatorId: operator.id });
  }),
)
@ObjectType({ implements: Node, simpleResolvers: true, description: 'A passkey of an operator.' })
class OperatorPasskey extends Node {
  @Field(() => String, { description: 'The name that the operator gave it.' })
  name!: string;

  @Field(() => Boolean, { description: 'Whether the authenticator keeps copies of it on other devices.' })
  isBackedUp!: boolean;

  @Field(() => DateTime, { description: 'When it was registered.' })
  createdAt!: string;

  @Field(() => DateTime, { nullable: true, description: 'When it was last used.' })
  lastUsedAt!: string | null;
}

@Extensions(
  refetchBy((_, id, context) => {
    const operator = findSignedIn(context);
    return operator?.id === id ? operator : null;
  }),
)
@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description:
    'A person who uses the console. Operators belong to the server and work for tenants. Traces name an operator as ' +
    '`operator:` and the id.',
})
export class Operator extends Node {
  @Field(() => String, { description: 'The e-mail address, in lower case.' })
  email!: string;

  @Field(() => String, { nullable: true, description: 'The name.' })
  name!: string | null;

  @Field(() => DateTime, { description: 'When the operator was created.' })
  createdAt!: string;
}

/** Returns a membership as the API shows it. */
export const toMembership = ({ membership: { role, views }, tenant }: Membership): OperatorMembership => ({
  tenant: {
    alias: tenant.alias,
    name: tenant.name,
    isTest: tenant.test,
    timeZone: tenant.timezone,
    defaultCurrency: tenant.defaultCurrency,
  },
  role,
  permissions: permissionsByRole[role],
  views: views ?? [],
});

/** The details of the operator who is signed in; they exist for nobody else. */
@Resolver(() => Operator)
export class OperatorTypeResolver {
  @FieldResolver(() => [OperatorMembership], { description: 'The tenants, sorted by alias.' })
  async memberships(@Ctx() { client }: Context, @Root() { id }: OperatorRow): Promise<OperatorMembership[]> {
    return (await client!.server.listMemberships(id)).map(toMembership);
  }

  @FieldResolver(() => [OperatorSession], { description: 'The sessions that have not ended, newest first.' })
  sessions(@Ctx() { client }: Context, @Root() { id }: OperatorRow): Promise<SessionRow[]> {
    return listSessions(client!.server.read, id, client!.server.now());
  }

  @FieldResolver(() => [OperatorPasskey], { description: 'The passkeys, oldest first.' })
  passkeys(@Ctx() { client }: Context, @Root() { id: operatorId }: OperatorRow) {
    return client!.server.read.many('operatorPasskeys', {
      where: { operatorId },
      orderBy: ['operatorId', 'createdAt', 'id'],
    });
  }

  @FieldResolver(() => Boolean, {
    description:
      'Whether a password is set. It signs in only together with an authenticator app (`hasTotp`).',
  })
  hasPassword(@Root() { passwordHash }: OperatorRow): boolean {
    return passwordHash !== null;
  }

  @FieldResolver(() => Boolean, { description: 'Whether an authenticator app is set up.' })
  hasTotp(@Root() { totpSecret }: OperatorRow): boolean {
    return totpSecret !== null;
  }

  @FieldResolver(() => Int, { description: 'The number of unused recovery codes.' })
  recoveryCodesLeft(@Root() { recoveryCodes }: OperatorRow): number {
    return recoveryCodes?.length ?? 0;
  }

  @FieldResolver(() => Boolean, {
    description:
      'Whether the operator has no credential that could repeat a sign-in, and may set up the first one without a recent ' +
      'sign-in, because a link began this session.',
  })
  needsCredential(@Ctx() { client }: Context): Promise<boolean> {
    return needsCredential(client!.server.read, requireSignedIn(client));
  }

  @FieldResolver(() => DateTime, {
    nullable: true,
    description: 'Until when refunds, keys, erasure, exports and operators need no repeated sign-in.',
  })
  steppedUpUntil(@Ctx() { client }: Context): string {
    return toInstant(computeStepUpEnd(requireSignedIn(client)));
  }
}

@Resolver(() => OperatorSession)
export class OperatorSessionResolver {
  @FieldResolver(() => Boolean, { description: 'Whether it is the session of this request.' })
  isCurrent(@Ctx() { client }: Context, @Root() { id }: Row<'operatorSessions'>): boolean {
    return client?.signedIn?.session.id === id;
  }
}
