import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

const lifetimeMs = 60 * 60 * 1000;
const tokenForm = /^(\d{1,16})\.(\d{1,20})\.([0-9a-f]{64})$/;

/** What a form was made for: the intent, and the amount that its page showed. */
interface Shown {
  intentId: string;
  shownMinor: bigint;
}

/**
 * A token that proves a form to come from a page of this server for this intent, good for an hour.
 * `secret` is the tenant's.
 */
export function writeToken(secret: string, { intentId, shownMinor }: Shown, nowMs: number): string {
  const told = `${nowMs + lifetimeMs}.${shownMinor}`;
  return `${told}.${sign(secret, intentId, told)}`;
}

/** What the token says the payer was shown; undefined for a token that is forged, too old or another intent's. */
export function readToken(
  secret: string,
  intentId: string,
  token: string | null,
  nowMs: number,
): Shown | undefined {
  const [, expiresMs, shownMinor, signature] = tokenForm.exec(token ?? '') ?? [];
  if (signature === undefined || Number(expiresMs) <= nowMs) return undefined;
  const genuine = sign(secret, intentId, `${expiresMs}.${shownMinor}`);
  if (!timingSafeEqual(Buffer.from(signature), Buffer.from(genuine))) return undefined;
  return { intentId, shownMinor: BigInt(shownMinor!) };
}

// The secret also signs cursors; no list is called "pay page", so neither can pass for the other.
const sign = (secret: string, intentId: string, told: string) =>
  createHmac('sha256', secret).update(`pay page|${intentId}|${told}`).digest('hex');

/**
 * Whether a form was sent by a page of this server, as far as the browser tells. Because the pages have the policy
 * `no-referrer`, browsers give `null` for their origin; those of today say more in Sec-Fetch-Site.
 */
export function isFromHere({ headers }: Pick<FastifyRequest, 'headers'>, publicUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const { origin, host } = headers;
  if (origin === undefined || origin === 'null') return true;
  if (!URL.canParse(origin)) return false;
  const from = new URL(origin);
  return from.origin === new URL(publicUrl).origin || from.host === host;
}
