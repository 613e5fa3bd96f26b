import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { GraphQLError } from 'graphql';
import { CloseCode, handleProtocols, makeServer } from 'graphql-ws';
import { WebSocketServer, type WebSocket } from 'ws';
import { BillingError, refuse } from '../../lib/errors.ts';
import { readJson } from '../body.ts';
import { getClientAddress } from '../address.ts';
import { graphqlPath } from '../graphql.ts';
import { readCredential } from '../admission.ts';
import { readSessionCookie } from '../operators/cookie.ts';
import { consoleHeader, isOwnOrigin, isOwnSite } from '../operators/origin.ts';
import { tenantHeader } from '../tenantHeader.ts';
import type { LiveCredentials, LiveSession, LiveSessions, SubscriptionRequest } from './session.ts';
import type { Timing } from '../timeouts.ts';
import { refuseUpgrade, ignoreUpgrade } from '../upgrade.ts';

/** Close codes of this server, in addition to those of graphql-transport-ws. */
const tooSlow = 4420;
const goingAway = 1001;

const messageLimitBytes = 64 * 1024;
const unsentLimitBytes = 1024 * 1024;
const subscriptionsPerConnection = 20;
const farewellMs = 1000;

interface Extra {
  socket: WebSocket;
  request: IncomingMessage;
  address: string;
  session?: LiveSession;
}

/**
 * Serves subscriptions over WebSockets at `/graphql` by the graphql-transport-ws protocol. The credential is sent in the header
 * `api-key` or `authorization`, or in the payload of `connection_init` by the same name; so is `perennial-tenant`.
 */
export function serveSockets(server: FastifyInstance, live: LiveSessions, proxies: number): void {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: messageLimitBytes,
    perMessageDeflate: false,
    handleProtocols,
  });
  const protocol = createProtocol(live);
  let closing = false;
  server.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (request.headers.upgrade?.toLowerCase() !== 'websocket') {
      ignoreUpgrade(server.server, request, socket, head);
      return;
    }
    const path = request.url?.split('?')[0];
    if (closing || path !== graphqlPath)
      return refuseUpgrade(socket, closing ? 'unavailable' : 'route_not_found');
    sockets.handleUpgrade(request, socket, head, (opened) =>
      runConnection(
        opened,
        { socket: opened, request, address: getClientAddress(request, proxies) },
        protocol,
        live,
      ),
    );
  });
  server.addHook('preClose', async () => {
    closing = true;
    for (const socket of sockets.clients) socket.close(goingAway, 'the server stops');
    const late = setTimeout(() => {
      for (const socket of sockets.clients) socket.terminate();
    }, farewellMs);
    await new Promise<void>((resolve) => sockets.close(() => resolve()));
    clearTimeout(late);
  });
}

function createProtocol(live: LiveSessions) {
  return makeServer<Record<string, unknown>, Extra>({
    onConnect: async ({ connectionParams, extra }) => {
      const { socket, request, address } = extra;
      try {
        const given = readCredentials(request, connectionParams ?? {}, live.publicUrl);
        const session = await live.openSession({ ...given, address }, (error) => close(socket, error));
        // If the connection closed during authentication, no later event would close the session.
        if (socket.readyState === socket.OPEN) extra.session = session;
        else session.close();
        return true;
      } catch (error) {
        close(socket, error);
        return false;
      }
    },
    onSubscribe: async ({ extra, subscriptions }, _, payload) => {
      try {
        if (Object.keys(subscriptions).length > subscriptionsPerConnection) {
          const message = `at most ${subscriptionsPerConnection} on one connection`;
          throw new BillingError('rate_limited', [{ path: 'subscriptions', message }]);
        }
        return await extra.session!.prepare(payload);
      } catch (error) {
        return [toGraphqlError(error)];
      }
    },
    subscribe: live.subscribe,
    onNext: (_, __, ___, ____, result) => live.formatResult(result),
    onError: (_, __, ___, errors) => live.format(errors),
    onClose: ({ extra }) => extra.session?.close(),
  });
}

/**
 * Reads the credentials of a connection. Browsers let a page of any site open a WebSocket with the cookie, but name the
 * site, which must be this server; they send no own headers, so the console sends its own in `connection_init`.
 */
function readCredentials(
  { headers }: IncomingMessage,
  parameters: Record<string, unknown>,
  publicUrl: string,
): Omit<LiveCredentials, 'address'> {
  const header = (name: string) => asText(parameters[name] ?? headers[name]);
  const tenantAlias = header(tenantHeader);
  if (parameters[consoleHeader] !== undefined) {
    const isOwn = headers.origin !== undefined && isOwnOrigin(headers, publicUrl) && isOwnSite(headers);
    if (!isOwn || parameters[consoleHeader] !== '1') refuse('csrf_refused');
    const token = readSessionCookie(headers.cookie, publicUrl);
    return { headers, tenantAlias, operator: { token } };
  }
  const credential = { 'api-key': header('api-key'), authorization: header('authorization') };
  return { headers, tenantAlias, apiKey: readCredential(credential), executor: header('x-executor-id') };
}

const asText = (value: unknown) => (typeof value === 'string' ? value : undefined);

const toGraphqlError = (error: unknown) =>
  error instanceof GraphQLError ? error : new GraphQLError('', { originalError: error as Error });

/** Closes a connection because of an error: 4401 for an invalid key or session, 4429 for an exhausted limit, otherwise 4500. */
function close(socket: WebSocket, error: unknown): void {
  const { status, reason } = error instanceof BillingError ? error : new BillingError('internal_error');
  const code =
    status === 401 || status === 403
      ? CloseCode.Unauthorized
      : status === 429
        ? 4429
        : CloseCode.InternalServerError;
  socket.close(code, reason);
}

/** Runs the protocol on one connection until it closes. */
function runConnection(
  socket: WebSocket,
  extra: Extra,
  protocol: ReturnType<typeof createProtocol>,
  live: LiveSessions,
): void {
  const { timing, log } = live;
  const started = performance.now();
  let isAlive = true;
  const ping = setInterval(() => {
    if (socket.readyState !== socket.OPEN) return;
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
  }, timing.keepAliveMs);
  socket.on('pong', () => {
    isAlive = true;
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  // An error is followed by `close`, which is handled below.
  socket.on('error', () => {});
  const ended = protocol.opened(
    {
      protocol: socket.protocol,
      send: (text) => send(socket, text, timing, closed),
      close: (code, reason) => socket.close(code, reason),
      onMessage: (handle) => socket.on('message', (data) => void receive(data as Buffer, handle)),
    },
    extra,
  );
  const receive = async (data: Buffer, handle: (text: string) => Promise<void>) => {
    let message: unknown;
    try {
      message = readJson(data, 'message');
    } catch {
      return socket.close(CloseCode.BadRequest, 'validation_failed');
    }
    await handle(writeMessage(message, data)).catch((error: unknown) => {
      log.error({ err: error }, 'internal error');
      close(socket, error);
    });
  };
  socket.once('close', (code, reason) => {
    clearInterval(ping);
    void ended(code, String(reason));
    const tenant = extra.session?.principal.tenant.alias;
    const durationMs = Math.round(performance.now() - started);
    log.info({ method: 'WEBSOCKET', route: graphqlPath, code, durationMs, tenant }, 'connection');
  });
}

/** graphql-ws demands that `query` is text, which a subscription by its hash does not have. */
function writeMessage(message: unknown, data: Buffer): string {
  const { type, payload } = (message ?? {}) as { type?: unknown; payload?: SubscriptionRequest };
  const hasHash = payload?.documentId !== undefined || payload?.extensions !== undefined;
  const isById = type === 'subscribe' && hasHash && payload.query === undefined;
  return isById
    ? JSON.stringify({ ...(message as object), payload: { ...payload, query: '' } })
    : data.toString('utf8');
}

/**
 * Sends a message; resolves when it has been written to the connection. A client that does not read in time is
 * disconnected; no more events are read for it until the connection has closed.
 */
function send(socket: WebSocket, text: string, timing: Timing, closed: Promise<void>): Promise<void> {
  if (socket.readyState !== socket.OPEN) return closed;
  const written = new Promise<void>((resolve) => {
    const drop = () => {
      socket.close(tooSlow, 'too slow');
      const late = setTimeout(() => socket.terminate(), timing.closeMs);
      socket.once('close', () => clearTimeout(late));
    };
    // Responses to pings are not awaited and could accumulate.
    if (socket.bufferedAmount > unsentLimitBytes) return drop();
    const late = setTimeout(drop, timing.slowReaderMs);
    socket.send(text, () => {
      clearTimeout(late);
      if (socket.readyState === socket.OPEN) resolve();
    });
  });
  return Promise.race([written, closed]);
}
