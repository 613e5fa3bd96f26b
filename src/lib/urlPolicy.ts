import { findHostProblem, getHost } from './hosts.ts';
import type { FieldProblem } from './issueCodes.ts';

/** The rules for the URLs that tenants have called: no addresses inside the server's network unless allowed. */

interface TargetRules {
  /** Whether http is allowed: only for test tenants. */
  mayBePlain: boolean;
  /** Whether addresses inside the server's network are allowed. */
  mayBePrivate: boolean;
}

const longestUrl = 2048;
const urlForm = /^https?:\/\/[^\s\p{Cc}\\]+$/iu;

/** Returns the problem with a URL to call before its host name is resolved; undefined if there is none. */
export function findUrlProblem(
  text: string,
  { mayBePlain, mayBePrivate }: TargetRules,
): FieldProblem | undefined {
  if (text.length > longestUrl)
    return { message: `must be at most ${longestUrl} characters`, code: 'too_long', limit: longestUrl };
  if (!urlForm.test(text) || !URL.canParse(text))
    return { message: 'must be an http or https address', code: 'not_a_url' };
  const url = new URL(text);
  if (url.protocol === 'http:' && !mayBePlain)
    return { message: 'must be https; http is for test tenants only', code: 'not_https' };
  if (url.username || url.password) return { message: 'must not contain a user name or password' };
  if (url.hash) return { message: 'must not contain a fragment' };
  if (url.port === '0') return { message: 'must not have the port 0' };
  return mayBePrivate ? undefined : findHostProblem(getHost(url));
}
