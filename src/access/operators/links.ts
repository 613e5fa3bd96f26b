/** Links that sign an operator in once, within 30 minutes. */
import { refuse } from '../../lib/errors.ts';
import { addMs } from '../../lib/time.ts';
import { hashToken, tokenForm } from '../../lib/tokens.ts';
import type { ServerScope, ServerUnit } from '../../tenancy/serverScope.ts';
import { changeOperator, findOperator } from './operators.ts';
import { toConsoleUrl } from './site.ts';
import { beginSession, type Browser, type IssuedSession } from './sessions.ts';

const lifetimeMs = 30 * 60 * 1000;

/** The token of a link, and when it expires. */
export interface IssuedLink {
  token: string;
  expiresAt: string;
}

/**
 * Issues a link. `confirms`: whether the administrator of the server gives it to the operator, so that its use confirms
 * the address.
 */
export async function issueLink(
  unit: ServerUnit,
  operatorId: string,
  confirms: boolean,
): Promise<IssuedLink> {
  const token = unit.token();
  const expiresAt = addMs(unit.now, lifetimeMs);
  await unit.insert('operatorLinks', {
    id: unit.id('opl'),
    operatorId,
    tokenHash: hashToken(token),
    confirms,
    expiresAt,
    createdAt: unit.now,
  });
  return { token, expiresAt };
}

/** Returns the URL of a link. The token is in the fragment, which browsers do not send, so it is in no log. */
export const buildLinkUrl = (publicUrl: string, token: string): string =>
  `${toConsoleUrl(publicUrl)}/console/sign-in#${token}`;

/**
 * Signs in with a link and uses it up. Error: `sign_in_failed` for an unknown, used or expired link.
 */
export function redeemLink(server: ServerScope, token: string, browser: Browser): Promise<IssuedSession> {
  if (!tokenForm.test(token)) return refuse('sign_in_failed');
  const byLink = { ...browser, byLink: true };
  return server.write(async (unit) => {
    const link = await unit.one('operatorLinks', { tokenHash: hashToken(token) });
    if (!link || link.usedAt !== null || link.expiresAt <= unit.now) return refuse('sign_in_failed');
    const { id, operatorId, confirms } = link;
    const used = await unit.update('operatorLinks', { id, usedAt: null }, { usedAt: unit.now });
    if (used !== 1) return refuse('sign_in_failed');
    const operator = await findOperator(unit, operatorId);
    if (!confirms || operator.confirmedAt !== null) return beginSession(unit, operator, byLink);
    const confirmedAt = unit.now;
    await changeOperator(unit, operatorId, { confirmedAt });
    return beginSession(unit, { ...operator, confirmedAt }, byLink);
  });
}
