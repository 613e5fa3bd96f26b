/** A real access point: an HTTP server that keeps the e-invoices it is given. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

interface ReceivedEInvoice {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

export type Respond = (response: ServerResponse, received: ReceivedEInvoice, index: number) => unknown;

export interface AccessPoint {
  url: string;
  /** Every call, in order. */
  calls: ReceivedEInvoice[];
  /** How it responds from now on. */
  respond: (how: Respond) => void;
  close(): Promise<void>;
}

/** Returns the headers by which an access point signs a report. */
export const signReport = (secret: string, id: string, body: string, nowMs: number) => ({
  'content-type': 'application/json',
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(nowMs / 1000)),
  'webhook-signature': new Webhook(secret).sign(id, new Date(nowMs), body),
});

/** Responds with a status and a body, which is JSON unless it is a text. */
export const reply =
  (status: number, body?: object | string, headers: Record<string, string> = {}): Respond =>
  (response) =>
    response.writeHead(status, headers).end(typeof body === 'object' ? JSON.stringify(body) : body);

/** Opens an access point on the loopback address; it takes every document unless told otherwise. */
export async function openAccessPoint(): Promise<AccessPoint> {
  const calls: ReceivedEInvoice[] = [];
  let how: Respond = reply(202);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { headers, method = '', url: path = '' } = request;
      const received = { headers, method, path, bytes: Buffer.concat(chunks) };
      calls.push(received);
      how(response, received, calls.length - 1);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/documents`,
    calls,
    respond: (next) => {
      how = next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
