import { Arg, Ctx, Field, ID, InputType, ObjectType, Resolver } from 'type-graphql';
import { Query, Mutation } from '../../graphql/operations.ts';
import type { Context } from '../../graphql/context.ts';
import { refuse } from '../../lib/errors.ts';
import { requireSignedIn, type ConsoleClient } from '../../tenancy/actor.ts';
import { redeemLink } from './links.ts';
import { findOperator, updateOperator } from './operators.ts';
import { Operator } from './operatorTypes.graphql.ts';
import {
  revokeOtherSessions,
  revokeSession,
  type Browser,
  type IssuedSession,
  type OperatorRow,
} from './sessions.ts';
import { describeSite } from './site.ts';

@ObjectType({ simpleResolvers: true, description: 'How operators can sign in to this server.' })
class SignInOptions {
  @Field(() => Boolean, { description: 'With a passkey.' })
  passkeys!: boolean;

  @Field(() => Boolean, { description: 'With a password and a code of an authenticator app.' })
  password!: boolean;

  @Field(() => Boolean, { description: 'At an identity provider; begins at `/console/oidc`.' })
  oidc!: boolean;
}

@InputType({ description: 'Changes of the own operator; absent fields stay.' })
class UpdateOperatorInput {
  @Field(() => String, { nullable: true, description: 'The name, at most 100 characters.' })
  name?: string | null;
}

@InputType({ description: 'A link to sign in with.' })
class RedeemOperatorLinkInput {
  @Field(() => String, { description: 'The part of the link after `#`.' })
  token!: string;
}

/** Returns the client of the console. Error: `sign_in_required` for an API key, which cannot sign in. */
export const requireClient = ({ client }: Context): ConsoleClient => client ?? refuse('sign_in_required');

/** Describes the browser for its new session. */
export const describeBrowser = ({ address, userAgent, signedIn }: ConsoleClient): Browser => ({
  address,
  userAgent,
  earlierSessionId: signedIn?.session.id,
});

/** Sets the cookie of a new session; the rest of the operation acts as its operator. */
export function enterSession(
  client: ConsoleClient,
  { operator, session, token }: IssuedSession,
): OperatorRow {
  client.setCookie(token);
  client.signedIn = { operator, session };
  client.role = undefined;
  return operator;
}

/** Returns the operator after a change. */
export async function reloadOperator(client: ConsoleClient): Promise<OperatorRow> {
  const { operator } = requireSignedIn(client);
  return findOperator(client.server.read, operator.id);
}

@Resolver()
export class SignInResolver {
  @Query(() => SignInOptions, {
    nullable: true,
    description: 'Returns how operators can sign in.',
    permission: 'public',
    reasons: [],
  })
  signInOptions(@Ctx() context: Context): SignInOptions {
    const { passkeyDomain } = describeSite(context.publicUrl, undefined);
    const passkeys = passkeyDomain !== undefined;
    return { passkeys, password: true, oidc: context.client?.hasOidc ?? false };
  }

  @Query(() => Operator, {
    nullable: true,
    description: 'Returns the operator who is signed in; null for an API key.',
    permission: 'operator',
    reasons: [],
  })
  operator(@Ctx() { client }: Context): OperatorRow | null {
    return client ? requireSignedIn(client).operator : null;
  }

  @Mutation(() => Operator, {
    nullable: true,
    description:
      'Signs in with the token of a link, once, within 30 minutes. Sets the cookie of the session.',
    permission: 'public',
    reasons: ['sign_in_failed'],
  })
  async redeemOperatorLink(
    @Ctx() context: Context,
    @Arg('input', () => RedeemOperatorLinkInput, { description: 'The link.' })
    { token }: RedeemOperatorLinkInput,
  ): Promise<OperatorRow> {
    const client = requireClient(context);
    return enterSession(client, await redeemLink(client.server, token, describeBrowser(client)));
  }

  @Mutation(() => Boolean, {
    nullable: true,
    description: 'Ends the session and removes its cookie.',
    permission: 'operator',
    reasons: [],
  })
  async signOut(@Ctx() context: Context): Promise<boolean> {
    const client = requireClient(context);
    const { operator, session } = requireSignedIn(client);
    await client.server.write((unit) => revokeSession(unit, operator.id, session.id));
    client.setCookie();
    client.signedIn = undefined;
    return true;
  }

  @Mutation(() => Operator, {
    nullable: true,
    description: 'Changes the operator who is signed in.',
    permission: 'operator',
    reasons: [],
  })
  async updateOperator(
    @Ctx() context: Context,
    @Arg('input', () => UpdateOperatorInput, { description: 'The changes.' }) input: UpdateOperatorInput,
  ): Promise<OperatorRow> {
    const client = requireClient(context);
    const { operator } = requireSignedIn(client);
    await client.server.write((unit) => updateOperator(unit, operator.id, input));
    return reloadOperator(client);
  }

  @Mutation(() => Operator, {
    nullable: true,
    description: 'Ends a session of the operator; its browser is signed out at once.',
    permission: 'operator',
    reasons: ['operator_session_not_found'],
  })
  async revokeOperatorSession(
    @Ctx() context: Context,
    @Arg('id', () => ID, { description: 'The session.' }) id: string,
  ): Promise<OperatorRow> {
    const client = requireClient(context);
    const { operator } = requireSignedIn(client);
    await client.server.write((unit) => revokeSession(unit, operator.id, id));
    return reloadOperator(client);
  }

  @Mutation(() => Operator, {
    nullable: true,
    description: 'Ends all sessions of the operator but this one.',
    permission: 'operator',
    reasons: [],
  })
  async revokeOtherOperatorSessions(@Ctx() context: Context): Promise<OperatorRow> {
    const client = requireClient(context);
    const { operator, session } = requireSignedIn(client);
    await client.server.write((unit) => revokeOtherSessions(unit, operator.id, session.id));
    return reloadOperator(client);
  }
}
