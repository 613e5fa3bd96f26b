/** `perennial mcp`: passes messages between a client on standard input and output and the `/mcp` of a server. */
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  ErrorCode,
  isInitializeRequest,
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import { version } from '../lib/version.ts';

/** What the bridge connects. */
export interface BridgeParts {
  /** The base URL of the server, without a trailing slash. */
  url: string;
  apiKey: string;
  input: Readable;
  output: Writable;
  /** Takes lines for people. */
  warn: (line: string) => void;
  /** Resolves when the process has to end. */
  stopped: Promise<void>;
}

const pingTimeoutMs = 10_000;

/** Sends a message; returns the status and the body of the response. */
type Send = (message: unknown, signal?: AbortSignal) => Promise<{ status: number; body: unknown }>;

/**
 * Passes messages on until the input ends or the process has to end; messages that are under way are answered first. Throws
 * an Error with a plain text if the server does not respond or refuses the key.
 */
export async function runBridge({ url, apiKey, input, output, warn, stopped }: BridgeParts): Promise<void> {
  const headers: Record<string, string> = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'user-agent': `perennial-mcp/${version}`,
    'api-key': apiKey,
  };
  const send: Send = async (message, signal) => {
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers,
      body: JSON.stringify(message),
      redirect: 'error',
      ...(signal && { signal }),
    });
    const text = await response.text();
    return { status: response.status, body: parseJson(text) };
  };
  await checkServer(url, send);
  const transport = new StdioServerTransport(input, output);
  const underWay = new Map<RequestId, AbortController>();
  const pending = new Set<Promise<void>>();
  const take = (message: JSONRPCMessage) => {
    cancelNamed(message, underWay);
    const work = pass(message, { send, transport, underWay, headers, url, warn });
    pending.add(work);
    void work.finally(() => pending.delete(work));
  };
  const refuseLine = () => warn('A line is not a message of the Model Context Protocol.');
  Object.assign(transport, { onmessage: take, onerror: refuseLine });
  const ended = new Promise<void>((resolve) => input.once('end', resolve).once('close', resolve));
  await transport.start();
  await Promise.race([ended, stopped]);
  await Promise.race([Promise.allSettled(pending), stopped]);
  await transport.close();
}

/** Asks the server for a sign of life with the key. Throws an Error that says what to change. */
async function checkServer(url: string, send: Send): Promise<void> {
  const ping = { jsonrpc: '2.0', id: 'ping', method: 'ping' };
  const { status, body } = await send(ping, AbortSignal.timeout(pingTimeoutMs)).catch((error: unknown) => {
    throw new Error(`${url} does not respond: ${describe(error)}. Check PERENNIAL_URL.`, { cause: error });
  });
  if (status === 200) return;
  const { message, reason } = readError(body);
  if (status === 401) throw new Error(`The server refuses PERENNIAL_API_KEY: ${message} (${reason})`);
  if (status === 404 || reason === undefined)
    throw new Error(
      `${url} has no /mcp (status ${status}). It must be the base URL of a Perennial server on which mcp is not switched off.`,
    );
  throw new Error(`The server refuses the connection: ${message} (${reason})`);
}

interface Passing {
  send: Send;
  transport: StdioServerTransport;
  underWay: Map<RequestId, AbortController>;
  headers: Record<string, string>;
  url: string;
  warn: (line: string) => void;
}

async function pass(message: JSONRPCMessage, { underWay, ...passing }: Passing): Promise<void> {
  const { send, transport, headers, url, warn } = passing;
  const id = isJSONRPCRequest(message) ? message.id : undefined;
  const abort = new AbortController();
  if (id !== undefined) underWay.set(id, abort);
  try {
    const { status, body } = await send(message, abort.signal);
    if (id === undefined) {
      if (status >= 400) warn(`The server refused a message: ${readError(body).message}`);
      return;
    }
    if (isInitializeRequest(message)) keepVersion(body, headers);
    await transport.send(toAnswer(id, status, body));
  } catch (error) {
    if (abort.signal.aborted) return;
    const text = `${url} does not respond: ${describe(error)}.`;
    if (id === undefined) warn(text);
    else await transport.send(buildError(id, ErrorCode.InternalError, text));
  } finally {
    if (id !== undefined) underWay.delete(id);
  }
}

/** Returns the answer to a request; errors from before the message was read have no id of it. */
function toAnswer(id: RequestId, status: number, body: unknown): JSONRPCMessage {
  if (isJSONRPCResultResponse(body)) return body;
  if (isJSONRPCErrorResponse(body) && body.id !== undefined && body.id !== null) return body;
  const { message, code, data } = readError(body);
  return buildError(id, code ?? ErrorCode.InternalError, message ?? `The server responds ${status}.`, data);
}

const buildError = (id: RequestId, code: number, message: string, data?: unknown): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id,
  error: { code, message, ...(data !== undefined && { data }) },
});

interface ErrorBody {
  error?: { code?: number; message?: string; data?: { reason?: string } };
}

function readError(body: unknown) {
  const { code, message, data } = (body as ErrorBody | undefined)?.error ?? {};
  return { code, message, data, reason: data?.reason };
}

/** By the specification, each request after the first names the version that both have agreed on. */
function keepVersion(body: unknown, headers: Record<string, string>): void {
  const { result } = (body ?? {}) as { result?: { protocolVersion?: string } };
  if (result?.protocolVersion !== undefined) headers['mcp-protocol-version'] = result.protocolVersion;
}

/** Ends the request that a client no longer waits for. */
function cancelNamed(message: JSONRPCMessage, underWay: Map<RequestId, AbortController>): void {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return;
  const { requestId } = (message.params ?? {}) as { requestId?: RequestId };
  if (requestId !== undefined) underWay.get(requestId)?.abort();
}

function describe(error: unknown): string {
  const { cause, message } = error as { cause?: { message?: string; code?: string }; message: string };
  return cause?.code ?? cause?.message ?? message;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
