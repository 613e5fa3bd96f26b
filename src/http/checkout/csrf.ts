import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

const lifetimeMs = 60 * 60 * 1000;
const tokenForm = /^(\d{1,16})\.(\d{1,20})\.([0-9a-f]{64})$/;

/** The intent of a form, and the amount shown on its page in minor units. */
interface FormToken {
  intentId: string;
  shownMinor: bigint;
}

/**
 * Signs a token with the tenant's `secret`, which proves that a form comes from a page of this server for this
 * intent. It is valid for one hour.
 */
export function writeToken(secret: string, { intentId, shownMinor }: FormToken, nowMs: number): string {
  const payload = `${nowMs + lifetimeMs}.${shownMinor}`;
  return `${payload}.${sign(secret, intentId, payload)}`;
}

/**
 * Verifies a token. Returns the intent and the amount shown, or undefined if the token is forged, expired or
 * belongs to another intent.
 */
export function readToken(
  secret: string,
  intentId: string,
  token: string | null,
  nowMs: number,
): FormToken | undefined {
  const [, expiresMs, shownMinor, signature] = tokenForm.exec(token ?? '') ?? [];
  if (signature === undefined || Number(expiresMs) <= nowMs) return undefined;
  const genuine = sign(secret, intentId, `${expiresMs}.${shownMinor}`);
  if (!timingSafeEqual(Buffer.from(signature), Buffer.from(genuine))) return undefined;
  return { intentId, shownMinor: BigInt(shownMinor!) };
}

// The secret also signs cursors. The prefix differs from the names of all lists, so neither can be used as the
// other.
const sign = (secret: string, intentId: string, payload: string) =>
  createHmac('sha256', secret).update(`pay page|${intentId}|${payload}`).digest('hex');

/**
 * Returns whether a form was sent by a page of this server, as far as the browser reports it. The pages have the
 * policy `no-referrer`, so browsers send the origin `null`; current browsers also send Sec-Fetch-Site.
 */
export function isSameOrigin({ headers }: Pick<FastifyRequest, 'headers'>, publicUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const { origin, host } = headers;
  if (origin === undefined || origin === 'null') return true;
  if (!URL.canParse(origin)) return false;
  const from = new URL(origin);
  return from.origin === new URL(publicUrl).origin || from.host === host;
}
