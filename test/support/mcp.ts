/** Clients of the Model Context Protocol: over HTTP, and over the standard input and output of `perennial mcp`. */
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult, JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { run } from '../../src/cli/program.ts';
import type { TestApp } from './app.ts';

/** The result of a tool, read. */
export interface ToolAnswer {
  /** The structured content; undefined for an error. */
  value: any;
  error?: { reason: string; message: string; issues?: { path: string; message: string }[] };
  /** All text that a model reads. */
  text: string;
}

export interface Agent {
  client: Client;
  call: (name: string, args?: Record<string, unknown>) => Promise<ToolAnswer>;
  close: () => Promise<void>;
}

export const transports = ['http', 'stdio'] as const;

/** Makes the app listen on a free port, once; returns its base URL. */
export async function listen({ server }: TestApp): Promise<string> {
  if (!server.server.listening) await server.listen({ port: 0, host: '127.0.0.1' });
  return `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
}

/** Connects the official client by one of the transports. */
export async function connectAgent(
  app: TestApp,
  apiKey: string,
  transport: (typeof transports)[number] = 'http',
): Promise<Agent> {
  const url = await listen(app);
  const client = new Client({ name: 'test', version: '1' });
  const bridge = transport === 'stdio' ? startBridge(url, apiKey) : undefined;
  const headers = { 'api-key': apiKey };
  await client.connect(
    bridge?.transport ??
      new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }),
  );
  // Lets the client check each result by the output schema of its tool.
  await client.listTools();
  return {
    client,
    call: async (name, args = {}) =>
      readAnswer((await client.callTool({ name, arguments: args })) as CallToolResult),
    close: async () => {
      await client.close();
      await bridge?.ended;
    },
  };
}

function readAnswer({ content, structuredContent, isError }: CallToolResult): ToolAnswer {
  const texts = content.map((part) => (part.type === 'text' ? part.text : ''));
  const text = texts.join('\n');
  if (isError) return { value: undefined, error: JSON.parse(texts.at(-1)!).error, text };
  return { value: structuredContent, text };
}

/** Runs `perennial mcp` in this process; returns the transport of its client. */
function startBridge(url: string, apiKey: string): { transport: Transport; ended: Promise<number> } {
  const input = new PassThrough();
  let rest = '';
  const transport: Transport = {
    start: async () => {},
    send: async (message) => void input.write(`${JSON.stringify(message)}\n`),
    close: async () => {
      input.end();
      transport.onclose?.();
    },
  };
  const ended = run(['mcp'], {
    out: (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop()!;
      for (const line of lines) transport.onmessage?.(JSON.parse(line) as JSONRPCMessage);
    },
    err: (text) => transport.onerror?.(new Error(text)),
    openInput: () => input,
    env: { PERENNIAL_URL: url, PERENNIAL_API_KEY: apiKey },
    isTerminal: false,
    program: 'perennial',
    runSelf: () => Promise.resolve(''),
    waitForStop: () => new Promise(() => {}),
  });
  return { transport, ended };
}
