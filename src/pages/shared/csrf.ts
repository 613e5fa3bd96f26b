/** Protection of the pages' forms against requests from other sites. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { ReferrerPolicy } from './headers.ts';

const lifetimeMs = 60 * 60 * 1000;
const tokenForm = /^(\d{1,16})\.(\d{1,20})\.([0-9a-f]{64})$/;

/** What a token belongs to. */
export interface FormOwner {
  /** The kind of page; it contains no `|`. */
  page: 'pay page' | 'document page' | 'portal';
  /** The intent, or the session and the form. */
  id: string;
}

/** A valid token. */
export interface FormToken {
  /** The amount shown on the page, in minor units. */
  shownMinor: bigint;
}

/**
 * Signs a token with the tenant's `secret`, which proves that a form comes from a page of this server for this owner.
 * It is valid for one hour.
 */
export function writeToken(
  secret: string,
  owner: FormOwner,
  { shownMinor }: FormToken,
  nowMs: number,
): string {
  const payload = `${nowMs + lifetimeMs}.${shownMinor}`;
  return `${payload}.${sign(secret, owner, payload)}`;
}

/** Verifies a token. Returns undefined if it is forged, expired or belongs to another owner. */
export function readToken(
  secret: string,
  owner: FormOwner,
  token: string | null,
  nowMs: number,
): FormToken | undefined {
  const [, expiresMs, shownMinor, signature] = tokenForm.exec(token ?? '') ?? [];
  if (signature === undefined || Number(expiresMs) <= nowMs) return undefined;
  const genuine = sign(secret, owner, `${expiresMs}.${shownMinor}`);
  if (!timingSafeEqual(Buffer.from(signature), Buffer.from(genuine))) return undefined;
  return { shownMinor: BigInt(shownMinor!) };
}

// The secret also signs cursors. The prefix differs from the names of all lists, so neither can be used as the
// other.
const sign = (secret: string, { page, id }: FormOwner, payload: string) =>
  createHmac('sha256', secret).update(`${page}|${id}|${payload}`).digest('hex');

/**
 * Returns whether a form was sent by a page of this server, as far as the browser reports it: by Sec-Fetch-Site, or by
 * the origin, which is `null` for pages with the policy `no-referrer`. Pages with another one demand one of the two.
 */
export function isOwnForm(
  { headers }: Pick<FastifyRequest, 'headers'>,
  publicUrl: string,
  referrerPolicy: ReferrerPolicy,
): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers;
  const isNamed = origin !== undefined && origin !== 'null';
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  if (isNamed && !isOwnOrigin(origin, publicUrl, host)) return false;
  if (referrerPolicy === 'no-referrer') return true;
  return site === 'same-origin' || (site === undefined && isNamed);
}

function isOwnOrigin(origin: string, publicUrl: string, host: string | undefined): boolean {
  if (!URL.canParse(origin)) return false;
  const from = new URL(origin);
  return from.origin === new URL(publicUrl).origin || from.host === host;
}
