/** Codes of authenticator apps (TOTP, RFC 6238) and recovery codes. */
import { hash } from 'node:crypto';
import { generateURI, verifySync } from 'otplib';
import { isSameHash } from '../../lib/tokens.ts';

const stepSeconds = 30;
const secretBytes = 20;
const recoveryCodes = 10;
const recoveryLength = 16;
const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** A code of the step before or after is accepted: clocks differ. */
const toleranceSeconds = stepSeconds;

/** Creates the secret of an authenticator app: 160 random bits in base 32. */
export const createTotpSecret = (randomBytes: (length: number) => Uint8Array): string =>
  // A byte has eight times as many values as the alphabet, so none is preferred.
  Array.from(randomBytes((secretBytes * 8) / 5), (byte) => base32[byte % 32]).join('');

/** Formats the URL that an authenticator app reads from a QR code. */
export const buildTotpUrl = (secret: string, email: string, server: string): string =>
  generateURI({ issuer: `Perennial ${server}`, label: email, secret });

/** Returns the time step of a code; undefined if it is wrong, or not after the step `lastStep`. */
export function findTotpStep(
  secret: string,
  code: string,
  nowMs: number,
  lastStep: number | null,
): number | undefined {
  const token = code.replaceAll(/\s/g, '');
  if (!/^\d{6}$/.test(token)) return undefined;
  const epoch = Math.floor(nowMs / 1000);
  const result = verifySync({ secret, token, epoch, epochTolerance: toleranceSeconds });
  if (!result.valid) return undefined;
  const step = Math.floor(epoch / stepSeconds) + result.delta;
  return lastStep === null || step > lastStep ? step : undefined;
}

/** Creates ten recovery codes of 80 random bits: `4f7k-…`. */
export const createRecoveryCodes = (makeSecret: (length: number) => string): string[] =>
  Array.from({ length: recoveryCodes }, () => makeSecret(recoveryLength).replace(/(.{4})(?=.)/g, '$1-'));

/** Hashes a recovery code for the database, without its dashes, spaces and capitals. It cannot be guessed. */
export const hashRecoveryCode = (code: string): string =>
  hash('sha256', code.toLowerCase().replaceAll(/[\s-]/g, ''));

/** Returns the hashes without that of the code; undefined if it is not among them. */
export function spendRecoveryCode(hashes: string[] | null, code: string): string[] | undefined {
  const spent = hashRecoveryCode(code);
  const left = (hashes ?? []).filter((known) => !isSameHash(known, spent));
  return left.length < (hashes ?? []).length ? left : undefined;
}
