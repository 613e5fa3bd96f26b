import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { request as requestPlain, type IncomingMessage } from 'node:http';
import { request as requestTls } from 'node:https';
import { connect, isIP, type LookupFunction, type TcpNetConnectOpts } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { getHost, isPublic, problemOfHost } from './urlPolicy.ts';

/** What became of a call: without an answer there is an error, in a few words that tell nothing of the network. */
export interface PostOutcome {
  statusCode: number | null;
  error: string | null;
  /** The header of that name. */
  retryAfter: string | undefined;
}

export interface Message {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** Calls an endpoint once. Never fails: what goes wrong is the outcome. */
export type Post = (message: Message, stop: AbortSignal) => Promise<PostOutcome>;

/** Finds all addresses of a name, as `dns.lookup` does. */
export type Lookup = (
  name: string,
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface PostParts {
  mayCallPrivate: boolean;
  /** The whole call takes no longer: look-up, connection, answer. */
  timeoutMs?: number;
  lookup?: Lookup;
  lookupStepMs?: number;
  refusedForMs?: number;
}

const defaultTimeoutMs = 20_000;
const mostAnswerBytes = 64 * 1024;
/**
 * One word for a name that leads inside, that is not there, and that could not be looked up: which of them it is would
 * tell what names there are inside.
 */
export const addressUnusable = 'address_unusable';
/** A name that cannot be used is told so after a whole number of these: how long the look-up took tells nothing then. */
const defaultLookupStepMs = 1000;

/** Shorter than any wait between two tries in real time. */
const defaultRefusedForMs = 3000;
/** Names whose refusal is remembered. */
const mostRefused = 1000;

const lookupAll: Lookup = (name, done) => systemLookup(name, { all: true }, done);

/**
 * Posts to endpoints, each time on a connection of its own. The addresses of a name are looked up once, and the one
 * connected to is among those that were checked, so a name that points elsewhere a moment later gains nothing.
 * Redirects are not followed; of an answer no more than 64 KiB is read, and nothing kept.
 */
export function createPost(parts: PostParts): Post {
  const { mayCallPrivate, timeoutMs = defaultTimeoutMs, lookup = lookupAll } = parts;
  const guarded = mayCallPrivate ? undefined : guardedLookup(lookup, parts);
  return ({ url, headers, body }, stop) =>
    new Promise((resolve) => {
      const target = new URL(url);
      // A literal address is connected to without a look-up.
      if (!mayCallPrivate && problemOfHost(getHost(target))) return resolve(failed(addressUnusable));
      const call = target.protocol === 'https:' ? requestTls : requestPlain;
      const request = call(target, {
        method: 'POST',
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
      // A look-up that takes for ever tells as much as one that fails.
      let isFound = guarded === undefined || isIP(getHost(target)) !== 0;
      request.on('socket', (socket) => {
        socket.once('lookup', (error) => (isFound ||= !error));
      });
      const timer = setTimeout(() => finish(failed(isFound ? 'timeout' : addressUnusable)), timeoutMs);
      request.on('error', (error: NodeJS.ErrnoException) => finish(failed(wordFor(error))));
      request.on('response', (response) => readAnswer(response, finish));
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
 * Looks names up and refuses those that lead inside, each after a whole number of steps. For a while a name that was
 * refused is refused at once: a test clock makes all tries of a delivery in a row, and would wait a step for each.
 */
function guardedLookup(
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
      // One address inside of the network gives the name away.
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

/** The status is known with the headers; the rest is read to its end, or to its bound. */
function readAnswer(response: IncomingMessage, finish: (outcome: PostOutcome) => void) {
  const statusCode = response.statusCode!;
  const isGood = statusCode >= 200 && statusCode < 300;
  const outcome = {
    statusCode,
    error: isGood ? null : `answered ${statusCode}`,
    retryAfter: response.headers['retry-after'],
  };
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > mostAnswerBytes) finish(outcome);
  });
  response.on('end', () => finish(outcome));
  // An answer that breaks off is none: nobody knows what the endpoint was about to say.
  response.on('error', () => finish({ ...outcome, error: 'answer_broken' }));
}

const failed = (error: string): PostOutcome => ({ statusCode: null, error, retryAfter: undefined });

/** A driver's message tells addresses; its code does not. */
const wordFor = ({ code }: NodeJS.ErrnoException): string => code ?? 'call_failed';
