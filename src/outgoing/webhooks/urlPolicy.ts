import { findHostProblem, getHost } from '../../lib/hosts.ts';

/** The rules for the URLs of endpoints: no addresses inside the server's network unless allowed. */

interface TargetRules {
  /** Whether http is allowed: only for test tenants. */
  mayBePlain: boolean;
  /** Whether addresses inside the server's network are allowed. */
  mayBePrivate: boolean;
}

const longestUrl = 2048;
const urlForm = /^https?:\/\/[^\s\p{Cc}\\]+$/iu;

/** Returns the problem with an endpoint's URL before its host name is resolved; undefined if there is none. */
export function findUrlProblem(text: string, { mayBePlain, mayBePrivate }: TargetRules): string | undefined {
  if (text.length > longestUrl) return `must be at most ${longestUrl} characters`;
  if (!urlForm.test(text) || !URL.canParse(text)) return 'must be an http or https address';
  const url = new URL(text);
  if (url.protocol === 'http:' && !mayBePlain) return 'must be https; http is for test tenants only';
  if (url.username || url.password) return 'must not contain a user name or password';
  if (url.hash) return 'must not contain a fragment';
  if (url.port === '0') return 'must not have the port 0';
  return mayBePrivate ? undefined : findHostProblem(getHost(url));
}
