/** Passwords with codes of an authenticator app or recovery codes: the other way to sign in. */
import * as z from 'zod';
import { refuse } from '../../lib/errors.ts';
import { parseInput } from '../../lib/validation.ts';
import type { SignedIn } from '../../tenancy/actor.ts';
import type { ServerScope, ServerUnit } from '../../tenancy/serverScope.ts';
import {
  createRecoveryCodes,
  createTotpSecret,
  findTotpStep,
  hashRecoveryCode,
  spendRecoveryCode,
} from './codes.ts';
import { changeOperator, findOperator, findOperatorByEmail } from './operators.ts';
import {
  beginSession,
  recordStepUp,
  revokeOtherSessions,
  type Browser,
  type IssuedSession,
  type OperatorRow,
} from './sessions.ts';

const password = z.string().min(12, 'must have at least 12 characters').max(256);
const longestInput = 256;

/** A secret that nobody has: unknown accounts take the same steps as known ones. */
const nobodysSecret = 'A'.repeat(32);

/**
 * Signs in with an e-mail address, a password and a code. Error: `sign_in_failed`, the same and after the same time
 * whatever is wrong.
 */
export async function signInWithPassword(
  server: ServerScope,
  input: { email: string; password: string; code?: string | null },
  browser: Browser,
): Promise<IssuedSession> {
  const isReadable = Object.values(input).every((text) => (text ?? '').length <= longestInput);
  const known = isReadable ? await findOperatorByEmail(server.read, input.email) : undefined;
  const operator = await verifyPassword(server, known, input);
  return server.write(async (unit) => {
    await spendCode(server, unit, operator, input.code ?? '');
    return beginSession(unit, operator, browser);
  });
}

/** Repeats a sign-in with the operator's password and a code. Error: `sign_in_failed`. */
export async function stepUpWithPassword(
  server: ServerScope,
  { operator: { id }, session }: SignedIn,
  input: { password: string; code: string },
): Promise<void> {
  const operator = await verifyPassword(server, await findOperator(server.read, id), input);
  await server.write(async (unit) => {
    await spendCode(server, unit, operator, input.code);
    await recordStepUp(unit, session);
  });
}

async function verifyPassword(
  server: ServerScope,
  known: OperatorRow | undefined,
  input: { password: string; code?: string | null },
): Promise<OperatorRow> {
  const given = input.password.slice(0, longestInput);
  const isRight = await server.passwords.matches(given, known?.passwordHash ?? null);
  const secret = known?.totpSecret ? server.open(known.totpSecret, known.id) : nobodysSecret;
  const code = (input.code ?? '').slice(0, longestInput);
  const isCode = findTotpStep(secret, code, Date.parse(server.now()), known?.totpStep ?? null) !== undefined;
  const isRecovery = spendRecoveryCode(known?.recoveryCodes ?? null, code) !== undefined;
  return known?.totpSecret && isRight && (isCode || isRecovery) ? known : refuse('sign_in_failed');
}

/**
 * Accepts a code once: of two requests with the same code, one fails. Error: `sign_in_failed`, also if the password
 * changed meanwhile.
 */
async function spendCode(
  server: ServerScope,
  unit: ServerUnit,
  { id, passwordHash }: OperatorRow,
  code: string,
): Promise<void> {
  const { totpSecret, totpStep, recoveryCodes, passwordHash: newest } = await findOperator(unit, id);
  if (!totpSecret || newest !== passwordHash) return refuse('sign_in_failed');
  const step = findTotpStep(server.open(totpSecret, id), code, Date.parse(unit.now), totpStep);
  if (step !== undefined) return changeOperator(unit, id, { totpStep: step });
  const left = spendRecoveryCode(recoveryCodes, code);
  return changeOperator(unit, id, { recoveryCodes: left ?? refuse('sign_in_failed') });
}

/** Sets the password, and ends the operator's other sessions. Error: `validation_failed`. */
export async function setPassword(
  server: ServerScope,
  { operator, session }: SignedIn,
  input: unknown,
): Promise<void> {
  const given = parseInput(z.object({ password }), input).password;
  if (given.toLowerCase() === operator.email)
    refuse('validation_failed', {
      path: 'input.password',
      message: 'must not be the e-mail address',
      code: 'same_as_email',
    });
  const passwordHash = await server.passwords.hash(given);
  await server.write(async (unit) => {
    await changeOperator(unit, operator.id, { passwordHash });
    await revokeOtherSessions(unit, operator.id, session.id);
  });
}

/** Removes the password, the authenticator app and the recovery codes. */
export const removePassword = (unit: ServerUnit, operatorId: string): Promise<void> =>
  changeOperator(unit, operatorId, {
    passwordHash: null,
    totpSecret: null,
    pendingTotpSecret: null,
    totpStep: null,
    recoveryCodes: null,
  });

/** Creates the secret of an authenticator app; it counts once a code confirms it. */
export async function startTotp(server: ServerScope, operatorId: string): Promise<string> {
  const secret = createTotpSecret((length) => server.randomBytes(length));
  const pendingTotpSecret = server.seal(secret, operatorId);
  await server.write((unit) => changeOperator(unit, operatorId, { pendingTotpSecret }));
  return secret;
}

/** Confirms an authenticator app by its code; returns new recovery codes. Error: `sign_in_failed` for a wrong code. */
export function finishTotp(server: ServerScope, operatorId: string, code: string): Promise<string[]> {
  return server.write(async (unit) => {
    const { pendingTotpSecret: sealed } = await findOperator(unit, operatorId);
    const step = sealed
      ? findTotpStep(server.open(sealed, operatorId), code, Date.parse(unit.now), null)
      : undefined;
    if (step === undefined) return refuse('sign_in_failed');
    await changeOperator(unit, operatorId, { totpSecret: sealed, pendingTotpSecret: null, totpStep: step });
    return replaceRecoveryCodes(unit, operatorId);
  });
}

/** Replaces the recovery codes; returns them, which are stored hashed. */
export async function replaceRecoveryCodes(unit: ServerUnit, operatorId: string): Promise<string[]> {
  const codes = createRecoveryCodes((length) => unit.secret(length));
  await changeOperator(unit, operatorId, { recoveryCodes: codes.map(hashRecoveryCode) });
  return codes;
}
