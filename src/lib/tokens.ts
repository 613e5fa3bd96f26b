import { hash, timingSafeEqual } from 'node:crypto';
import type { RandomBytes } from './ids.ts';

const tokenBytes = 32;

/** The form of a token. */
export const tokenForm = /^[A-Za-z0-9_-]{43}$/;

/** Creates the token of a link or a session: 256 random bits, for a URL or a cookie. */
export const createToken = (randomBytes: RandomBytes): string =>
  Buffer.from(randomBytes(tokenBytes)).toString('base64url');

/** Hashes a token for the database. It has 256 random bits, so one round of SHA-256 suffices: it cannot be guessed. */
export const hashToken = (token: string): string => hash('sha256', token);

/** Returns an address without surrounding spaces, in lower case, with composed letters. */
export const normalizeEmail = (email: string): string => email.trim().normalize('NFC').toLowerCase();

/** Compares two hashes in constant time. */
export const isSameHash = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
