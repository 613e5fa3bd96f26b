import { createError, isRepeatable, PerennialError, type Issue } from './errors.ts';
import type { Reason } from './generated/reasons.ts';
import type { Follow } from './methods.ts';
import type { FollowOptions, PerennialOptions } from './options.ts';
import { buildHeaders, type Operation } from './request.ts';

/** The field that is passed as `after` when the connection is opened again; the others begin with the present state. */
const cursors: Record<string, string> = { traceRecorded: 'eventId', usageRecorded: 'id' };

const [firstDelayMs, longestDelayMs] = [500, 30_000];

interface Result {
  data?: Record<string, Record<string, unknown> | null>;
  errors?: { message: string; extensions: { reason: Reason; status: number; issues?: Issue[] } }[];
}

/**
 * Returns the function that follows subscriptions by server-sent events. A lost connection is opened again, and events that
 * were missed meanwhile are sent then.
 */
export const createFollow =
  (settings: PerennialOptions): Follow =>
  (operation, options = {}) => ({
    [Symbol.asyncIterator]: () => follow(settings, operation, options),
  });

async function* follow(
  settings: PerennialOptions,
  operation: Operation,
  options: FollowOptions,
): AsyncGenerator<unknown, void, undefined> {
  const { name } = operation;
  const cursor = cursors[name];
  let { variables } = operation;
  let isLost = false;
  for (let failures = 0; ;) {
    try {
      for await (const result of open(settings, { ...operation, variables }, options)) {
        const event = readEvent(result, name);
        failures = 0;
        if (cursor) {
          isLost = event[cursor] === undefined;
          variables = { ...variables, after: event[cursor] };
        }
        yield event;
      }
      return;
    } catch (error) {
      if (options.signal?.aborted) return;
      if (!(error instanceof PerennialError) || !isRepeatable(error)) throw error;
      // The selection lacks the place of the last event: a new connection would miss some.
      if (isLost) throw error;
      failures += 1;
      await pause(Math.min(longestDelayMs, firstDelayMs * 2 ** (failures - 1)), options.signal);
      if (options.signal?.aborted) return;
    }
  }
}

function readEvent({ data, errors }: Result, name: string): Record<string, unknown> {
  const event = data?.[name];
  if (event) return event;
  const { message = 'The event has no data.', extensions } = errors?.[0] ?? {};
  const { reason = 'response_invalid', status = 0, issues } = extensions ?? {};
  throw createError({ reason, status, message, issues });
}

/** Opens a connection and reads its results until it is complete. Error: `connection_failed` if it ends before. */
async function* open(
  settings: PerennialOptions,
  { query, variables }: Operation,
  options: FollowOptions,
): AsyncGenerator<Result, void, undefined> {
  const headers = { ...(await buildHeaders(settings, options)), accept: 'text/event-stream' };
  const controller = new AbortController();
  const abort = () => controller.abort();
  options.signal?.addEventListener('abort', abort, { once: true });
  if (options.signal?.aborted) abort();
  try {
    const response = await (settings.fetch ?? globalThis.fetch)(
      `${settings.url.replace(/\/+$/, '')}/graphql/stream`,
      {
        method: 'POST',
        headers,
        body: JSON.stringify({ query, variables }),
        signal: controller.signal,
      },
    );
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
      yield (await response.json()) as Result;
      return;
    }
    for await (const { name, data } of readEvents(response.body!)) {
      if (name === 'complete') return;
      if (name === 'next') yield JSON.parse(data) as Result;
    }
    throw new TypeError('The stream has ended.');
  } catch (cause) {
    const message = 'The connection of live events failed.';
    throw createError({ reason: 'connection_failed', status: 0, message, cause });
  } finally {
    options.signal?.removeEventListener('abort', abort);
    controller.abort();
  }
}

/** Reads server-sent events, as the specification of HTML has them. */
async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<{ name: string; data: string }> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop()!;
    for (const block of blocks) {
      const event = { name: 'message', data: '' };
      for (const line of block.split('\n')) {
        const [, field, content] = /^(event|data): ?(.*)$/.exec(line) ?? [];
        if (field === 'event') event.name = content!;
        if (field === 'data') event.data += content!;
      }
      yield event;
    }
  }
}

async function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, delayMs);
    signal?.addEventListener('abort', end, { once: true });
  });
}
