import type { WebhookEvents } from './generated/events.ts';
import { eventNames } from './generated/eventNames.ts';
import { verifyWebhook, WebhookVerificationError } from './verify.ts';
import type { AnyWebhookEvent, HeadersLike, VerifyOptions } from './verify.ts';

/** Where the ids of handled events are kept. A database of yours serves several processes, and outlives a restart. */
export interface WebhookStore {
  has(eventId: string): boolean | Promise<boolean>;
  /** Called after the handlers of the event have succeeded. */
  add(eventId: string): unknown;
}

/** The settings of a handler. */
export interface HandlerOptions extends Pick<VerifyOptions, 'toleranceSeconds'> {
  /** The secret of the endpoint; several while it is rotated. */
  secret: string | readonly string[];
  /** Default: the last 10,000 ids, in memory. */
  store?: WebhookStore;
  /** Told of what a handler throws. The message is answered with 500, and the server sends it again. */
  onError?: (error: unknown, event: AnyWebhookEvent | undefined) => void;
}

type EventName = keyof WebhookEvents;
type Handle<Event> = (event: Event) => unknown;

/** What is answered. */
interface Answer {
  status: number;
  text: string;
}

/** Receives the messages of an endpoint. */
export interface WebhookHandler {
  /** Calls a function for each event of the name, such as `invoice.paid`; `*` for all. */
  on<Name extends EventName>(name: Name, handle: Handle<WebhookEvents[Name]>): this;
  on(name: '*', handle: Handle<AnyWebhookEvent>): this;
  /** Verifies a message and calls its functions, once for each event. */
  handle(payload: string | Uint8Array, headers: HeadersLike): Promise<Answer>;
  /** Receives a message as Hono, Next.js, Deno, Bun and workers hand it over. */
  fetch(request: Request): Promise<Response>;
  /** Receives a message of a server of Node, or of Express before `express.json()`. */
  node(request: NodeRequest, response: NodeResponse): Promise<void>;
  /** Returns a plugin of Fastify that receives messages at a path. */
  fastify(path: string): (server: FastifyLike) => Promise<void>;
}

/** A request of Node or Express. */
export interface NodeRequest extends AsyncIterable<unknown> {
  headers: Record<string, string | string[] | undefined>;
  body?: unknown;
}

/** A response of Node or Express. */
export interface NodeResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(text?: string): unknown;
}

/** A server of Fastify. */
export interface FastifyLike {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    type: string,
    options: { parseAs: 'buffer' },
    parse: (request: unknown, body: Uint8Array, done: (error: null, body: Uint8Array) => void) => void,
  ): unknown;
  post(
    path: string,
    handle: (
      request: { headers: NodeRequest['headers']; body: unknown },
      reply: { code(status: number): { send(text: string): unknown } },
    ) => unknown,
  ): unknown;
}

/** Messages have a trace or the result of a query; the server's limit of a response. */
const longestBody = 4 * 1024 * 1024;
const remembered = 10_000;

/** Creates a handler of the messages of an endpoint. */
export function createWebhookHandler(options: HandlerOptions): WebhookHandler {
  const { secret, store = memoryStore(), onError, toleranceSeconds } = options;
  const handles = new Map<string, Handle<never>[]>();
  const underWay = new Map<string, Promise<Answer>>();
  const lines = new Map<string, Promise<unknown>>();

  const perform = async (event: AnyWebhookEvent): Promise<Answer> => {
    try {
      if (await store.has(event.id)) return { status: 200, text: 'handled before' };
      for (const handle of [...(handles.get(event.name) ?? []), ...(handles.get('*') ?? [])])
        await handle(event as never);
      await store.add(event.id);
      return { status: 200, text: 'handled' };
    } catch (error) {
      onError?.(error, event);
      return { status: 500, text: 'a handler failed' };
    }
  };

  /** Waits for the earlier events of the same subscription or record, and joins a repeat to the call that it repeats. */
  const performInOrder = (event: AnyWebhookEvent): Promise<Answer> => {
    const present = underWay.get(event.id);
    if (present) return present;
    const line = findLine(event);
    const answer = (lines.get(line) ?? Promise.resolve()).then(() => perform(event));
    underWay.set(event.id, answer);
    lines.set(line, answer);
    void answer.finally(() => {
      underWay.delete(event.id);
      if (lines.get(line) === answer) lines.delete(line);
    });
    return answer;
  };

  const handler: WebhookHandler = {
    on(name: string, handle: Handle<never>) {
      if (name !== '*' && !names.has(name)) throw new TypeError(`There is no event ${name}`);
      handles.set(name, [...(handles.get(name) ?? []), handle]);
      return this;
    },
    async handle(payload, headers) {
      try {
        return await performInOrder(await verifyWebhook(payload, headers, secret, { toleranceSeconds }));
      } catch (error) {
        if (error instanceof WebhookVerificationError) return { status: 400, text: error.message };
        onError?.(error, undefined);
        return { status: 500, text: 'the message could not be handled' };
      }
    },
    async fetch(request) {
      const body = new Uint8Array(await request.arrayBuffer());
      const { status, text } = await handler.handle(body, request.headers);
      return new Response(text, { status });
    },
    async node(request, response) {
      const body = await readNodeBody(request);
      const { status, text } =
        body === undefined ? { status: 413, text: 'too large' } : await handler.handle(body, request.headers);
      response.statusCode = status;
      response.setHeader('content-type', 'text/plain');
      response.end(text);
    },
    fastify: (path) => async (server) => {
      server.removeAllContentTypeParsers();
      server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
        done(null, body),
      );
      server.post(path, async ({ headers, body }, reply) => {
        const { status, text } = await handler.handle(body as Uint8Array, headers);
        return reply.code(status).send(text);
      });
    },
  };
  return handler;
}

const names: ReadonlySet<string> = new Set(Object.values(eventNames));

/** Remembers the last ids. */
export function memoryStore(most = remembered): WebhookStore {
  const ids = new Set<string>();
  return {
    has: (id) => ids.has(id),
    add: (id) => {
      ids.add(id);
      if (ids.size > most) for (const oldest of ids) return ids.delete(oldest);
      return undefined;
    },
  };
}

/** The subscription, customer or record whose events follow each other. */
function findLine({ id, type, data }: AnyWebhookEvent): string {
  const { object, resourceId } =
    (data as { payload?: { object?: Record<string, unknown>; resourceId?: string } }).payload ?? {};
  const own = type.startsWith('SubscriptionEvent') ? resourceId : undefined;
  const line = own ?? object?.['subscriptionId'] ?? object?.['customerId'] ?? resourceId;
  return typeof line === 'string' ? line : id;
}

/** Reads the bytes of a body; undefined if there are too many. Error: TypeError if another middleware has parsed it. */
async function readNodeBody(request: NodeRequest): Promise<Uint8Array | string | undefined> {
  const { body } = request;
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  if (body !== undefined && body !== null && Object.keys(body).length > 0)
    throw new TypeError(
      'The body has been parsed: receive webhooks before express.json(), or with express.raw()',
    );
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of request) {
    const bytes = typeof part === 'string' ? new TextEncoder().encode(part) : (part as Uint8Array);
    length += bytes.length;
    if (length > longestBody) return undefined;
    parts.push(bytes);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
