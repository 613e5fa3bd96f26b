/**
 * Protection of requests with a cookie against other sites. Browsers send a cookie by themselves, so such a request must
 * also have a header that a page of another site cannot send without permission (a CORS preflight, which this server
 * refuses), and its origin must be this server.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { refuse } from '../../lib/errors.ts';

/** The header of every request of the console; its value is 1. */
export const consoleHeader = 'perennial-console';

/** Whether a request comes from the console, and its cookie counts. */
export const isConsoleRequest = (headers: IncomingHttpHeaders): boolean =>
  headers[consoleHeader] !== undefined;

/** Refuses a request of the console that another site may have caused. Error: `csrf_refused`. */
export function refuseForeignRequest(method: string, headers: IncomingHttpHeaders, publicUrl: string): void {
  const problem = findProblem(method, headers, publicUrl);
  if (problem) refuse('csrf_refused', { path: problem, message: 'is not that of the console' });
}

/** Returns the name of the first header that the console would not send. */
function findProblem(method: string, headers: IncomingHttpHeaders, publicUrl: string): string | undefined {
  if (headers[consoleHeader] !== '1') return consoleHeader;
  if (headers['api-key'] !== undefined) return 'api-key';
  if (method !== 'POST') return 'method';
  if (!/^application\/json(\s*;|$)/.test(headers['content-type'] ?? '')) return 'content-type';
  if (!isOwnOrigin(headers, publicUrl)) return 'origin';
  return isOwnSite(headers) ? undefined : 'sec-fetch-site';
}

/**
 * Whether the `origin` header is absent or names this server: its public URL, or, without https, the host that the
 * request was sent to.
 */
export function isOwnOrigin({ origin, host }: IncomingHttpHeaders, publicUrl: string): boolean {
  if (origin === undefined) return true;
  const own = new URL(publicUrl).origin;
  return origin === own || (own.startsWith('http:') && origin === `http://${host}`);
}

/** Whether the browser says that a page of this server sent the request; older browsers say nothing. */
export const isOwnSite = (headers: IncomingHttpHeaders): boolean =>
  headers['sec-fetch-site'] === undefined || headers['sec-fetch-site'] === 'same-origin';
