import { getHeaders } from './client.ts';
import type { RequestWriter } from './documents.ts';
import type { Problem } from './errors.ts';

interface StreamOptions {
  requests: RequestWriter;
  tenant: string;
  query: string;
  variables: Record<string, unknown>;
  signal: AbortSignal;
  onData: (data: unknown) => void;
}

/**
 * Follows a subscription over server-sent events (the distinct connections mode of graphql-sse). Returns when the stream
 * ends, with the problem that ended it, if the server named one. Rejects if the connection fails.
 */
export async function followStream(options: StreamOptions): Promise<Problem | undefined> {
  const problem = await followOnce(options);
  if (problem && options.requests.isUnknownDocument(options.query, problem.reason)) return followOnce(options);
  return problem;
}

async function followOnce(options: StreamOptions): Promise<Problem | undefined> {
  const { requests, tenant, query, variables, signal, onData } = options;
  const response = await fetch('/graphql/stream', {
    method: 'POST',
    credentials: 'same-origin',
    signal,
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...getHeaders(tenant),
    },
    body: await requests.write({ query, variables }),
  });
  if (!response.ok || !response.body) return readRefusal(response);
  let problem: Problem | undefined;
  for await (const data of readEvents(response.body)) {
    const { data: payload, errors } = JSON.parse(data) as ExecutionResult;
    if (errors?.[0]) problem = toProblem(errors[0]);
    else onData(payload);
  }
  return problem;
}

interface ExecutionResult {
  data?: unknown;
  errors?: { message: string; extensions: Partial<Problem> }[];
}

const toProblem = ({ message, extensions }: NonNullable<ExecutionResult['errors']>[number]): Problem => ({
  reason: extensions.reason ?? 'internal_error',
  status: extensions.status ?? 500,
  message,
  issues: extensions.issues ?? [],
});

async function readRefusal(response: Response): Promise<Problem> {
  const body = (await response.json().catch(() => ({}))) as ExecutionResult;
  if (body.errors?.[0]) return toProblem(body.errors[0]);
  return { reason: 'internal_error', status: response.status, message: response.statusText, issues: [] };
}

/** Yields the data of each event of the type `next`. */
async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  let rest = '';
  while (true) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (rest + value).split('\n\n');
    rest = events.pop()!;
    for (const event of events) {
      const data = /^event: next\ndata: (.*)$/s.exec(event.trimStart())?.[1];
      if (data !== undefined) yield data;
    }
  }
}
