/** Passkeys (WebAuthn Level 3): registration, sign-in without a name, and the repeated sign-in. */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { refuse } from '../../lib/errors.ts';
import type { JsonObject } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { SignedIn } from '../../tenancy/actor.ts';
import type { ServerReads, ServerScope, ServerUnit } from '../../tenancy/serverScope.ts';
import { keepChallenge, takeChallenge } from './challenges.ts';
import { findOperator } from './operators.ts';
import {
  beginSession,
  recordStepUp,
  type Browser,
  type IssuedSession,
  type OperatorRow,
} from './sessions.ts';
import type { Site } from './site.ts';

type PasskeyRow = Row<'operatorPasskeys'>;

/** The options for the browser, and the id to finish with. */
export interface PasskeyChallenge {
  challengeId: string;
  options: JsonObject;
}

/** The result of a ceremony in the browser. */
export interface FinishPasskey {
  challengeId: string;
  response: JsonObject;
}

/** EdDSA, ES256 and RS256 (IANA COSE Algorithms), which all authenticators have among them. */
const algorithms = [-8, -7, -257];
const mostPasskeys = 20;
const longestName = 60;
const standardName = 'Passkey';

// Loaded when somebody uses a passkey: it takes time.
const loadLibrary = () => import('@simplewebauthn/server');

const requireDomain = ({ passkeyDomain }: Site): string =>
  passkeyDomain ??
  refuse('validation_failed', { path: 'passkeys', message: 'need https, or http on localhost' });

/** Returns the passkeys of an operator, oldest first. */
const listPasskeys = async (reads: ServerReads, operatorId: string): Promise<PasskeyRow[]> =>
  reads.many('operatorPasskeys', { where: { operatorId }, orderBy: ['operatorId', 'createdAt', 'id'] });

/** Begins the registration of a passkey, which the authenticator offers without a name and verifies its user for. */
export async function startRegistration(
  server: ServerScope,
  { id, email, name }: OperatorRow,
  site: Site,
): Promise<PasskeyChallenge> {
  const rpID = requireDomain(site);
  const known = await listPasskeys(server.read, id);
  if (known.length >= mostPasskeys)
    refuse('validation_failed', { path: 'passkeys', message: `at most ${mostPasskeys} are possible` });
  const { generateRegistrationOptions } = await loadLibrary();
  const options = await generateRegistrationOptions({
    rpName: 'Perennial',
    rpID,
    userName: email,
    userDisplayName: name ?? email,
    userID: Buffer.from(id),
    supportedAlgorithmIDs: algorithms,
    attestationType: 'none',
    excludeCredentials: known.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  const about = { purpose: 'register', operatorId: id } as const;
  const challengeId = await keepChallenge(server, about, { challenge: options.challenge });
  return { challengeId, options: options as unknown as JsonObject };
}

/** Registers a passkey. Error: `validation_failed` for a response that does not belong to the challenge. */
export async function finishRegistration(
  server: ServerScope,
  operatorId: string,
  { challengeId, response, name }: FinishPasskey & { name?: string | null },
  site: Site,
): Promise<void> {
  const expected = await takeChallenge(server, challengeId, { purpose: 'register', operatorId });
  const { verifyRegistrationResponse } = await loadLibrary();
  const verified =
    expected &&
    (await verifyRegistrationResponse({
      response: response as unknown as RegistrationResponseJSON,
      expectedChallenge: String(expected['challenge']),
      expectedOrigin: site.origin,
      expectedRPID: requireDomain(site),
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    }).catch(() => undefined));
  if (!verified?.verified)
    return refuse('validation_failed', { path: 'input.response', message: 'is not a valid registration' });
  const { credential, credentialBackedUp } = verified.registrationInfo;
  await server.write(async (unit) => {
    if (await unit.one('operatorPasskeys', { credentialId: credential.id }))
      refuse('validation_failed', { path: 'input.response', message: 'is registered already' });
    await unit.insert('operatorPasskeys', {
      id: unit.id('opk'),
      operatorId,
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      transports: credential.transports ?? [],
      isBackedUp: credentialBackedUp,
      name: name?.trim().slice(0, longestName).toWellFormed() || standardName,
      createdAt: unit.now,
    });
  });
}

/** Removes a passkey of the operator. Error: `passkey_not_found`. */
export async function removePasskey(unit: ServerUnit, operatorId: string, id: string): Promise<void> {
  const removed = await unit.remove('operatorPasskeys', { id, operatorId });
  if (removed !== 1) refuse('passkey_not_found');
}

/** Begins a sign-in with any passkey of this server, or a repeated one with a passkey of the operator. */
export async function startPasskey(
  server: ServerScope,
  site: Site,
  operatorId?: string,
): Promise<PasskeyChallenge> {
  const rpID = requireDomain(site);
  const { generateAuthenticationOptions } = await loadLibrary();
  const own = operatorId === undefined ? undefined : await listPasskeys(server.read, operatorId);
  const options = await generateAuthenticationOptions({
    rpID,
    userVerification: 'required',
    allowCredentials: own?.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
  });
  const about = { purpose: operatorId === undefined ? 'sign_in' : 'step_up', operatorId } as const;
  const challengeId = await keepChallenge(server, about, { challenge: options.challenge });
  return { challengeId, options: options as unknown as JsonObject };
}

/** Signs in with a passkey. Error: `sign_in_failed`. */
export async function finishPasskeySignIn(
  server: ServerScope,
  input: FinishPasskey,
  site: Site,
  browser: Browser,
): Promise<IssuedSession> {
  const expected = await takeChallenge(server, input.challengeId, { purpose: 'sign_in' });
  const used = await verifyPasskey(server, input.response, expected, site);
  return server.write(async (unit) => {
    await recordUse(unit, used);
    return beginSession(unit, await findOperator(unit, used.passkey.operatorId), browser);
  });
}

/** Repeats a sign-in with a passkey of the operator. Error: `sign_in_failed`. */
export async function finishPasskeyStepUp(
  server: ServerScope,
  { operator, session }: SignedIn,
  input: FinishPasskey,
  site: Site,
): Promise<void> {
  const about = { purpose: 'step_up', operatorId: operator.id } as const;
  const expected = await takeChallenge(server, input.challengeId, about);
  const used = await verifyPasskey(server, input.response, expected, site);
  if (used.passkey.operatorId !== operator.id) refuse('sign_in_failed');
  await server.write(async (unit) => {
    await recordUse(unit, used);
    await recordStepUp(unit, session);
  });
}

interface UsedPasskey {
  passkey: PasskeyRow;
  counter: number;
  isBackedUp: boolean;
}

/** Verifies the signature of an authenticator. Error: `sign_in_failed`, whatever is wrong. */
async function verifyPasskey(
  server: ServerScope,
  response: JsonObject,
  expected: JsonObject | undefined,
  site: Site,
): Promise<UsedPasskey> {
  const { id } = response;
  if (!expected || typeof id !== 'string') return refuse('sign_in_failed');
  const passkey = await server.read.one('operatorPasskeys', { credentialId: id });
  if (!passkey || !isOwner(response, passkey)) return refuse('sign_in_failed');
  const { verifyAuthenticationResponse } = await loadLibrary();
  const verified = await verifyAuthenticationResponse({
    response: response as unknown as AuthenticationResponseJSON,
    expectedChallenge: String(expected['challenge']),
    expectedOrigin: site.origin,
    expectedRPID: requireDomain(site),
    requireUserVerification: true,
    credential: {
      id: passkey.credentialId,
      publicKey: Buffer.from(passkey.publicKey, 'base64url'),
      counter: passkey.counter,
    },
  }).catch(() => undefined);
  if (!verified?.verified) return refuse('sign_in_failed');
  const { newCounter: counter, credentialBackedUp: isBackedUp } = verified.authenticationInfo;
  return { passkey, counter, isBackedUp };
}

/** Whether the authenticator names the operator of the passkey; it always does without a list of passkeys. */
function isOwner(response: JsonObject, { operatorId }: PasskeyRow): boolean {
  const { userHandle } = (response['response'] ?? {}) as JsonObject;
  if (userHandle === undefined || userHandle === null) return true;
  return typeof userHandle === 'string' && Buffer.from(userHandle, 'base64url').toString() === operatorId;
}

/** Records the counter. Error: `sign_in_failed` if another request has used the same or a later one. */
async function recordUse(unit: ServerUnit, { passkey, counter, isBackedUp }: UsedPasskey): Promise<void> {
  const where = { id: passkey.id, counter: passkey.counter };
  const updated = await unit.update('operatorPasskeys', where, { counter, isBackedUp, lastUsedAt: unit.now });
  if (updated !== 1) refuse('sign_in_failed');
}
