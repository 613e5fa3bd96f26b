import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ExecutionResult } from 'graphql';
import { BillingError, refuse } from '../../lib/errors.ts';
import { readJson, readJsonObject, refuseBadEncoding } from '../body.ts';
import { readCredential } from '../admission.ts';
import { exposeResponse, isPreflight, sendPreflight } from '../cors.ts';
import { refuseBareCookie } from '../operators/admission.ts';
import { readSessionCookie } from '../operators/cookie.ts';
import { isConsoleRequest, refuseForeignRequest } from '../operators/origin.ts';
import { readTenantHeader } from '../tenantHeader.ts';
import type { LiveCredentials, SubscriptionRequest, LiveSessions } from './session.ts';
import type { SecurityHeaders } from '../securityHeaders.ts';

const streamPath = '/graphql/stream';
export const eventStreamType = 'text/event-stream; charset=utf-8';

/** Responds with the results of a request's subscription as server-sent events. */
export type SendEvents = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * Serves subscriptions as server-sent events at `/graphql/stream`, by POST with JSON or by GET. Each has its own
 * connection (the distinct connections mode of the graphql-sse protocol). Returns the function that sends them.
 */
export function serveStream(
  server: FastifyInstance,
  live: LiveSessions,
  secure: SecurityHeaders,
): SendEvents {
  const streams = new Set<() => void>();
  const sendEvents: SendEvents = async (request, reply) => {
    refuseOtherMediaTypes(request);
    const { ip: address } = request;
    let end: (error?: BillingError) => void = () => {};
    const session = await live.openSession(
      { ...readCredentials(request, live.publicUrl), address },
      (error) => end(error),
      (tenant) => exposeResponse(reply, tenant),
    );
    request.tenantAlias = session.principal.tenant.alias;
    try {
      if (request.method === 'HEAD') {
        secure.put(reply);
        await reply.type(eventStreamType).send();
        return;
      }
      const results = await openResults(live, session.prepare(parseRequest(request)));
      secure.put(reply);
      const writer = createWriter(reply, live);
      end = (error) => void writer.end(error && { errors: live.format([error]) });
      const stop = () => end();
      streams.add(stop);
      await writeResults(results, writer).finally(() => streams.delete(stop));
    } finally {
      session.close();
    }
  };
  server.route({ method: ['GET', 'HEAD', 'POST'], url: streamPath, handler: sendEvents });
  server.route({
    method: ['PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url: streamPath,
    handler: async (request, reply) => {
      if (isPreflight(request)) return sendPreflight(reply);
      void reply.header('allow', 'GET, HEAD, POST');
      return refuse('method_not_allowed');
    },
  });
  // A client whose stream ends without a `complete` event reconnects, to another server.
  server.addHook('preClose', async () => {
    for (const stop of streams) stop();
  });
  return sendEvents;
}

type Results = AsyncIterable<ExecutionResult> | [ExecutionResult];

/**
 * Returns the results of a subscription. Errors of the subscription itself are sent in the stream, as the protocol
 * requires; `rate_limited` becomes an HTTP error.
 */
async function openResults(
  live: LiveSessions,
  prepared: ReturnType<Awaited<ReturnType<LiveSessions['openSession']>>['prepare']>,
) {
  try {
    const results = await live.subscribe(await prepared);
    return (
      Symbol.asyncIterator in results ? formatResults(results, live) : [live.formatResult(results)]
    ) as Results;
  } catch (error) {
    if (error instanceof BillingError && error.reason === 'rate_limited') throw error;
    return [{ errors: live.format([error]) }] as unknown as Results;
  }
}

function formatResults(results: AsyncIterableIterator<ExecutionResult>, live: LiveSessions) {
  const iterator = {
    next: async () => {
      const { done, value } = await results.next();
      return done ? { done, value } : { done, value: live.formatResult(value) };
    },
    return: () => results.return!(undefined),
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

interface Writer {
  /** Resolves with whether the event was written to the connection. */
  event(name: string, data: unknown): Promise<boolean>;
  end(last?: unknown): Promise<void>;
  onClose(then: () => void): void;
}

function createWriter(reply: FastifyReply, { timing, log }: LiveSessions): Writer {
  const { raw } = reply;
  reply.hijack();
  raw.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), 'content-type': eventStreamType });
  // The first comment makes browsers open the stream. Later ones keep proxies from closing an idle connection.
  const write = (text: string) =>
    writeInTime(raw, text, timing.slowReaderMs, () => log.warn('closed a stream whose reader was too slow'));
  const ping = setInterval(() => void write(':\n\n'), timing.keepAliveMs);
  raw.once('close', () => clearInterval(ping));
  void write(':\n\n');
  const event = (name: string, data: unknown) =>
    write(`event: ${name}\ndata: ${data === undefined ? '' : JSON.stringify(data)}\n\n`);
  return {
    event,
    end: async (last) => {
      if (last !== undefined) {
        await event('next', last);
        await event('complete', undefined);
      }
      raw.end();
    },
    onClose: (then) => void raw.once('close', then),
  };
}

/** Writes text; closes the connection if the client does not read it in time. Event streams have no close code. */
function writeInTime(
  raw: ServerResponse,
  text: string,
  slowReaderMs: number,
  onDrop: () => void,
): Promise<boolean> {
  if (!raw.writable) return Promise.resolve(false);
  return new Promise((resolve) => {
    const late = setTimeout(() => {
      onDrop();
      raw.destroy();
      resolve(false);
    }, slowReaderMs);
    raw.write(text, (error) => {
      clearTimeout(late);
      resolve(!error);
    });
  });
}

async function writeResults(results: Results, writer: Writer): Promise<void> {
  if (Array.isArray(results)) return writer.end(results[0]);
  const iterator = results[Symbol.asyncIterator]();
  writer.onClose(() => void iterator.return?.());
  try {
    for (;;) {
      const { done, value } = await iterator.next();
      if (done) break;
      if (!(await writer.event('next', value))) break;
    }
  } finally {
    await iterator.return?.();
  }
  await writer.end();
}

function refuseOtherMediaTypes({ headers: { accept } }: FastifyRequest) {
  if (!accept || /\*\/\*|text\/(\*|event-stream)/i.test(accept)) return;
  refuse('validation_failed', { path: 'accept', message: 'must take text/event-stream' });
}

function parseRequest({ method, url, query, body }: FastifyRequest): SubscriptionRequest {
  if (method === 'POST') return readJsonObject(body as Buffer | undefined);
  refuseBadEncoding(url);
  const { variables, extensions, ...parameters } = query as Record<string, string>;
  const read = (text: string | undefined, name: string) =>
    text ? readJson(Buffer.from(text), name) : undefined;
  return {
    ...parameters,
    variables: read(variables, 'variables'),
    extensions: read(extensions, 'extensions'),
  };
}

function readCredentials(request: FastifyRequest, publicUrl: string): Omit<LiveCredentials, 'address'> {
  const { headers, method } = request;
  const tenantAlias = readTenantHeader(headers);
  if (isConsoleRequest(headers)) {
    refuseForeignRequest(method, headers, publicUrl);
    const token = readSessionCookie(headers.cookie, publicUrl);
    return { headers, tenantAlias, operator: { token } };
  }
  refuseBareCookie(request, publicUrl);
  return {
    headers,
    tenantAlias,
    apiKey: readCredential(headers),
    executor: asText(headers['x-executor-id']),
  };
}

const asText = (value: string | string[] | undefined) => (typeof value === 'string' ? value : undefined);
