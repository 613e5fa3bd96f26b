import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { request as requestPlain, type IncomingMessage } from 'node:http';
import { request as requestTls } from 'node:https';
import { connect, isIP, type LookupFunction, type TcpNetConnectOpts } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { getHost, isPublic, findHostProblem } from '../../lib/hosts.ts';

/** The outcome of a call. Without a response it has a short error that reveals nothing about the network. */
export interface PostOutcome {
  statusCode: number | null;
  error: string | null;
  /** The `Retry-After` header. */
  retryAfter: string | undefined;
  /** The beginning of the response, if the message asks for it. */
  text?: string;
}

export interface Message<Body extends string | Buffer = string> {
  url: string;
  /** POST by default. */
  method?: 'POST' | 'HEAD';
  headers: Record<string, string>;
  body: Body;
  /** Whether the response is read for its text. */
  keepsText?: boolean;
}

/** Calls an endpoint once. Never rejects: errors are part of the outcome. */
export type Post = (message: Message<string | Buffer>, stop: AbortSignal) => Promise<PostOutcome>;

/** Resolves all addresses of a host name, like `dns.lookup`. */
export type Lookup = (
  name: string,
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface PostParts {
  mayCallPrivate: boolean;
  /** The time limit for the whole call: look-up, connection and response. */
  timeoutMs?: number;
  lookup?: Lookup;
  lookupStepMs?: number;
  refusedForMs?: number;
}

const defaultTimeoutMs = 20_000;
const mostResponseBytes = 64 * 1024;
/**
 * One error for internal, missing and unresolvable host names: a distinction would reveal which internal names exist.
 */
export const addressUnusable = 'address_unusable';
/**
 * A refused host name is reported after a multiple of this time, so that the duration of the look-up reveals nothing.
 */
const defaultLookupStepMs = 1000;

/** Shorter than any delay between two attempts in real time. */
const defaultRefusedForMs = 3000;
/** The number of refused names to remember. */
const mostRefused = 1000;

const lookupAll: Lookup = (name, done) => systemLookup(name, { all: true }, done);

/**
 * Creates the function that posts to endpoints, with a new connection for each call. Names are resolved once and the
 * connection uses a checked address, which prevents DNS rebinding. Redirects are not followed; at most 64 KiB of a
 * response are read, and discarded unless the message keeps them.
 */
export function createPost(parts: PostParts): Post {
  const { mayCallPrivate, timeoutMs = defaultTimeoutMs, lookup = lookupAll } = parts;
  const guarded = mayCallPrivate ? undefined : createGuardedLookup(lookup, parts);
  return ({ url, method = 'POST', headers, body, keepsText = false }, stop) =>
    new Promise((resolve) => {
      const target = new URL(url);
      // A literal address is connected to without a look-up.
      if (!mayCallPrivate && findHostProblem(getHost(target))) return resolve(buildFailure(addressUnusable));
      const call = target.protocol === 'https:' ? requestTls : requestPlain;
      const request = call(target, {
        method,
        createConnection: (options) => connectTo(target, options),
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
        lookup: guarded,
        signal: stop,
      });
      const finish = (outcome: PostOutcome) => {
        clearTimeout(timer);
        resolve(outcome);
        request.destroy();
      };
      // A look-up that never ends would reveal as much as one that fails.
      let isFound = guarded === undefined || isIP(getHost(target)) !== 0;
      request.on('socket', (socket) => {
        socket.once('lookup', (error) => (isFound ||= !error));
      });
      const timer = setTimeout(() => finish(buildFailure(isFound ? 'timeout' : addressUnusable)), timeoutMs);
      request.on('error', (error: NodeJS.ErrnoException) => finish(buildFailure(getErrorCode(error))));
      request.on('response', (response) => readResponse(response, keepsText, finish));
      request.end(body);
    });
}

function connectTo(target: URL, options: object) {
  const where = options as TcpNetConnectOpts;
  if (target.protocol === 'http:') return connect(where);
  const host = getHost(target);
  return connectTls({ ...where, servername: isIP(host) ? '' : host, rejectUnauthorized: true });
}

/**
 * Resolves names and refuses those with internal addresses, after a multiple of the step. A refused name is refused
 * immediately for a while: a test clock makes all attempts of a delivery in a row, and would otherwise wait a step for
 * each.
 */
function createGuardedLookup(
  lookup: Lookup,
  { lookupStepMs: stepMs = defaultLookupStepMs, refusedForMs = defaultRefusedForMs }: PostParts,
): LookupFunction {
  const refusedUntilMs = new Map<string, number>();
  return (name, options, done) => {
    const beganMs = performance.now();
    const fail = () => done(Object.assign(new Error(addressUnusable), { code: addressUnusable }), []);
    if (beganMs < (refusedUntilMs.get(name) ?? 0)) {
      setImmediate(fail);
      return;
    }
    const refuse = () => {
      if (refusedUntilMs.size >= mostRefused) refusedUntilMs.clear();
      refusedUntilMs.set(name, performance.now() + refusedForMs);
      fail();
    };
    lookup(name, (error, addresses) => {
      // A single internal address makes the name internal.
      const isAllowed = !error && addresses.length > 0 && addresses.every(({ address }) => isPublic(address));
      if (!isAllowed) {
        const tookMs = performance.now() - beganMs;
        return void setTimeout(refuse, Math.max(1, Math.ceil(tookMs / stepMs)) * stepMs - tookMs);
      }
      if (options.all) return done(null, addresses);
      return done(null, addresses[0]!.address, addresses[0]!.family);
    });
  };
}

/** The status arrives with the headers; the body is read to its end or limit. */
function readResponse(response: IncomingMessage, keepsText: boolean, finish: (outcome: PostOutcome) => void) {
  const statusCode = response.statusCode!;
  const isGood = statusCode >= 200 && statusCode < 300;
  const outcome = {
    statusCode,
    error: isGood ? null : `answered ${statusCode}`,
    retryAfter: response.headers['retry-after'],
  };
  const kept: Buffer[] = [];
  let bytes = 0;
  const end = () => finish(keepsText ? { ...outcome, text: Buffer.concat(kept).toString('utf8') } : outcome);
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > mostResponseBytes) end();
    else if (keepsText) kept.push(chunk);
  });
  response.on('end', end);
  // An aborted response does not count, because its content is unknown.
  response.on('error', () => finish({ ...outcome, error: 'answer_broken' }));
}

const buildFailure = (error: string): PostOutcome => ({ statusCode: null, error, retryAfter: undefined });

/** The error message would reveal addresses; the code does not. */
const getErrorCode = ({ code }: NodeJS.ErrnoException): string => code ?? 'call_failed';
