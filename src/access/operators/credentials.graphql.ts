import { Arg, Ctx, Field, ID, InputType, ObjectType, Resolver } from 'type-graphql';
import { Mutation } from '../../graphql/operations.ts';
import type { Context } from '../../graphql/context.ts';
import { JSONObject, UrlScalar } from '../../graphql/scalars.ts';
import { hash } from 'node:crypto';
import { normalizeEmail } from '../../lib/tokens.ts';
import type { JsonObject } from '../../storage/model/common.ts';
import { requireSignedIn, requireStepUp, type ConsoleClient, type SignedIn } from '../../tenancy/actor.ts';
import { buildTotpUrl } from './codes.ts';
import {
  finishTotp,
  removePassword,
  replaceRecoveryCodes,
  setPassword,
  signInWithPassword,
  startTotp,
  stepUpWithPassword,
} from './credentials.ts';
import { needsCredential, requireStepUpUnlessFirst } from './firstCredential.ts';
import { Operator } from './operatorTypes.graphql.ts';
import {
  finishPasskeySignIn,
  finishPasskeyStepUp,
  finishRegistration,
  removePasskey,
  startPasskey,
  startRegistration,
  type PasskeyChallenge as StartedPasskey,
} from './passkeys.ts';
import { recordStepUp, type OperatorRow } from './sessions.ts';
import { describeBrowser, enterSession, reloadOperator, requireClient } from './signIn.graphql.ts';
import { describeSite } from './site.ts';

@ObjectType({ simpleResolvers: true, description: 'The begin of the use of a passkey.' })
class PasskeyChallenge {
  @Field(() => ID, { description: 'The id to finish with, within five minutes.' })
  challengeId!: string;

  @Field(() => JSONObject, {
    description: 'The options for `navigator.credentials`, as JSON of WebAuthn Level 3.',
  })
  options!: JsonObject;
}

@ObjectType({ simpleResolvers: true, description: 'An authenticator app to set up.' })
class CreatedTotp {
  @Field(() => String, { description: 'The secret in base 32, to type.' })
  secret!: string;

  @Field(() => UrlScalar, { description: 'The `otpauth` URL, to show as a QR code.' })
  url!: string;
}

@ObjectType({ simpleResolvers: true, description: 'New recovery codes.' })
class CreatedRecoveryCodes {
  @Field(() => [String], {
    description: 'The codes, each valid once in place of a code of the app; not shown again.',
  })
  codes!: string[];
}

@InputType({ description: 'A sign-in with a passkey.' })
class FinishPasskeySignInInput {
  @Field(() => ID, { description: 'The id of the challenge.' })
  challengeId!: string;

  @Field(() => JSONObject, { description: 'The response of the authenticator, as JSON of WebAuthn Level 3.' })
  response!: JsonObject;
}

@InputType({ description: 'A repeated sign-in with a passkey.' })
class FinishPasskeyStepUpInput extends FinishPasskeySignInInput {}

@InputType({ description: 'A passkey to register.' })
class FinishPasskeyRegistrationInput extends FinishPasskeySignInInput {
  @Field(() => String, { nullable: true, description: 'A name to recognize it by, at most 60 characters.' })
  name?: string | null;
}

@InputType({ description: 'A sign-in with a password.' })
class SignInWithPasswordInput {
  @Field(() => String, { description: 'The e-mail address.' })
  email!: string;

  @Field(() => String, { description: 'The password.' })
  password!: string;

  @Field(() => String, {
    nullable: true,
    description: 'A code of the authenticator app, or a recovery code.',
  })
  code?: string | null;
}

@InputType({ description: 'A repeated sign-in with the password.' })
class StepUpWithPasswordInput {
  @Field(() => String, { description: 'The password.' })
  password!: string;

  @Field(() => String, { description: 'A code of the authenticator app, or a recovery code.' })
  code!: string;
}

@InputType({ description: 'A new password.' })
class SetPasswordInput {
  @Field(() => String, { description: 'The password: 12 to 256 characters.' })
  password!: string;
}

@InputType({ description: 'A code of the authenticator app to set up.' })
class FinishTotpInput {
  @Field(() => String, { description: 'The code that the app shows.' })
  code!: string;
}

const needsRecent =
  'Needs a recent sign-in, except for the first credential, in a session that a link began.';

interface Entered extends SignedIn {
  client: ConsoleClient;
}

/** Returns the operator who is signed in. Error: `sign_in_required`. */
function enter(context: Context): Entered {
  const client = requireClient(context);
  return { client, ...requireSignedIn(client) };
}

/** Returns the operator who has signed in within ten minutes. Errors: `sign_in_required`, `step_up_required`. */
function enterRecently(context: Context): Entered {
  const entered = enter(context);
  requireStepUp(entered, entered.client.server.now());
  return entered;
}

/** Does the same for a credential, of which the first one needs no repeated sign-in. */
async function enterToAdd(context: Context): Promise<Entered & { isFirst: boolean }> {
  const entered = enter(context);
  return { ...entered, isFirst: await requireStepUpUnlessFirst(entered.client.server, entered) };
}

/** Counts the first credential, once it is complete, as the repeated sign-in that it stands in for. */
async function confirmFirst({ client, operator, session, isFirst }: Entered & { isFirst: boolean }) {
  if (!isFirst || (await needsCredential(client.server.read, { operator, session }))) return;
  await client.server.write((unit) => recordStepUp(unit, session));
  await refreshSession(client);
}

const getSite = ({ publicUrl }: Context, { origin }: ConsoleClient) => describeSite(publicUrl, origin);
/** Limits count attempts by the hash of an address, so that they keep no addresses. */
const hashAccount = (email: string) => hash('sha256', normalizeEmail(email));

@Resolver()
export class PasskeyResolver {
  @Mutation(() => PasskeyChallenge, {
    nullable: true,
    description: 'Begins a sign-in with any passkey.',
    permission: 'public',
    reasons: [],
  })
  startPasskeySignIn(@Ctx() context: Context): Promise<StartedPasskey> {
    const client = requireClient(context);
    client.countAttempt();
    return startPasskey(client.server, getSite(context, client));
  }

  @Mutation(() => Operator, {
    nullable: true,
    description: 'Signs in with a passkey. Sets the cookie of the session.',
    permission: 'public',
    reasons: ['sign_in_failed'],
  })
  async finishPasskeySignIn(
    @Ctx() context: Context,
    @Arg('input', () => FinishPasskeySignInInput, { description: 'The result.' })
    input: FinishPasskeySignInInput,
  ): Promise<OperatorRow> {
    const client = requireClient(context);
    const site = getSite(context, client);
    return enterSession(
      client,
      await finishPasskeySignIn(client.server, input, site, describeBrowser(client)),
    );
  }

  @Mutation(() => PasskeyChallenge, {
    nullable: true,
    description: `Begins the registration of a passkey. ${needsRecent}`,
    permission: 'operator',
    reasons: [],
  })
  async startPasskeyRegistration(@Ctx() context: Context): Promise<StartedPasskey> {
    const { client, operator } = await enterToAdd(context);
    return startRegistration(client.server, operator, getSite(context, client));
  }

  @Mutation(() => Operator, {
    nullable: true,
    description: `Registers a passkey. ${needsRecent}`,
    permission: 'operator',
    reasons: [],
  })
  async finishPasskeyRegistration(
    @Ctx() context: Context,
    @Arg('input', () => FinishPasskeyRegistrationInput, { description: 'The result.' })
    input: FinishPasskeyRegistrationInput,
  ): Promise<OperatorRow> {
    const entered = await enterToAdd(context);
    const { client, operator } = entered;
    await finishRegistration(client.server, operator.id, input, getSite(context, client));
    await confirmFirst(entered);
    return reloadOperator(client);
  }

  @Mutation(() => Operator, {
    nullable: true,
    description: 'Removes a passkey. Needs a recent sign-in.',
    permission: 'operator',
    reasons: ['passkey_not_found'],
  })
  async removePasskey(
    @Ctx() context: Context,
    @Arg('id', () => ID, { description: 'The passkey.' }) id: string,
  ): Promise<OperatorRow> {
    const { client, operator } = enterRecently(context);
    await client.server.write((unit) => removePasskey(unit, operator.id, id));
    return reloadOperator(client);
  }

  @Mutation(() => PasskeyChallenge, {
    nullable: true,
    description: 'Begins a repeated sign-in with a passkey of the operator.',
    permission: 'operator',
    reasons: [],
  })
  startPasskeyStepUp(@Ctx() context: Context): Promise<StartedPasskey> {
    const { client, operator } = enter(context);
    client.countAttempt(operator.id);
    return startPasskey(client.server, getSite(context, client), operator.id);
  }

  @Mutation(() => Operator, {
    nullable: true,
    description: 'Repeats the sign-in with a passkey.',
    permission: 'operator',
    reasons: ['sign_in_failed'],
  })
  async finishPasskeyStepUp(
    @Ctx() context: Context,
    @Arg('input', () => FinishPasskeyStepUpInput, { description: 'The result.' })
    input: FinishPasskeyStepUpInput,
  ): Promise<OperatorRow> {
    const { client, ...signedIn } = enter(context);
    await finishPasskeyStepUp(client.server, signedIn, input, getSite(context, client));
    return refreshSession(client);
  }
}

/** Makes the rest of the operation see the repeated sign-in. */
function refreshSession(client: ConsoleClient): Promise<OperatorRow> {
  const { operator, session } = requireSignedIn(client);
  client.signedIn = { operator, session: { ...session, verifiedAt: client.server.now() } };
  return reloadOperator(client);
}

@Resolver()
export class PasswordResolver {
  @Mutation(() => Operator, {
    nullable: true,
    description: 'Signs in with a password and a code. Sets the cookie of the session.',
    permission: 'public',
    reasons: ['sign_in_failed'],
  })
  async signInWithPassword(
    @Ctx() context: Context,
    @Arg('input', () => SignInWithPasswordInput, { description: 'The credentials.' })
    input: SignInWithPasswordInput,
  ): Promise<OperatorRow> {
    const client = requireClient(context);
    client.countAttempt(hashAccount(input.email));
    return enterSession(client, await signInWithPassword(client.server, input, describeBrowser(client)));
  }

  @Mutation(() => Operator, {
    nullable: true,
    description: 'Repeats the sign-in with the password and a code.',
    permission: 'operator',
    reasons: ['sign_in_failed'],
  })
  async stepUpWithPassword(
    @Ctx() context: Context,
    @Arg('input', () => StepUpWithPasswordInput, { description: 'The credentials.' })
    input: StepUpWithPasswordInput,
  ): Promise<OperatorRow> {
    const { client, ...signedIn } = enter(context);
    client.countAttempt(hashAccount(signedIn.operator.email));
    await stepUpWithPassword(client.server, signedIn, input);
    return refreshSession(client);
  }

  @Mutation(() => Operator, {
    nullable: true,
    description: `Sets the password, and ends all other sessions. It signs in together with an authenticator app. ${needsRecent}`,
    permission: 'operator',
    reasons: [],
  })
  async setPassword(
    @Ctx() context: Context,
    @Arg('input', () => SetPasswordInput, { description: 'The password.' }) input: SetPasswordInput,
  ): Promise<OperatorRow> {
    const entered = await enterToAdd(context);
    const { client } = entered;
    await setPassword(client.server, entered, input);
    await confirmFirst(entered);
    return reloadOperator(client);
  }

  @Mutation(() => Operator, {
    nullable: true,
    description:
      'Removes the password, the authenticator app and the recovery codes. Needs a recent sign-in.',
    permission: 'operator',
    reasons: [],
  })
  async removePassword(@Ctx() context: Context): Promise<OperatorRow> {
    const { client, operator } = enterRecently(context);
    await client.server.write((unit) => removePassword(unit, operator.id));
    return reloadOperator(client);
  }

  @Mutation(() => CreatedTotp, {
    nullable: true,
    description: `Begins to set up an authenticator app. ${needsRecent}`,
    permission: 'operator',
    reasons: [],
  })
  async startTotp(@Ctx() context: Context): Promise<CreatedTotp> {
    const { client, operator } = await enterToAdd(context);
    const secret = await startTotp(client.server, operator.id);
    return { secret, url: buildTotpUrl(secret, operator.email, new URL(context.publicUrl).host) };
  }

  @Mutation(() => CreatedRecoveryCodes, {
    nullable: true,
    description: `Sets up the authenticator app by its first code; returns recovery codes. ${needsRecent}`,
    permission: 'operator',
    reasons: ['sign_in_failed'],
  })
  async finishTotp(
    @Ctx() context: Context,
    @Arg('input', () => FinishTotpInput, { description: 'The first code.' }) { code }: FinishTotpInput,
  ): Promise<CreatedRecoveryCodes> {
    const entered = await enterToAdd(context);
    const codes = await finishTotp(entered.client.server, entered.operator.id, code);
    await confirmFirst(entered);
    return { codes };
  }

  @Mutation(() => CreatedRecoveryCodes, {
    nullable: true,
    description: 'Replaces the recovery codes. Needs a recent sign-in.',
    permission: 'operator',
    reasons: [],
  })
  async createRecoveryCodes(@Ctx() context: Context): Promise<CreatedRecoveryCodes> {
    const { client, operator } = enterRecently(context);
    return { codes: await client.server.write((unit) => replaceRecoveryCodes(unit, operator.id)) };
  }
}
