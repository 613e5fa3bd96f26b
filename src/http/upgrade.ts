import { STATUS_CODES, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { BillingError, type Reason } from '../errors.ts';
import { errorBody } from '../rest/errorBody.ts';

const type = 'application/json; charset=utf-8';

/** Answers a request that would become something else with a refusal, in the form of the interface's section 7. */
export function refuseUpgrade(socket: Duplex, reason: Reason): void {
  const error = new BillingError(reason);
  const nobodys = { method: 'GET', url: '', headers: {}, body: undefined };
  const body = JSON.stringify(errorBody(error, nobodys, { 'content-type': type }));
  socket.on('error', () => {});
  socket.end(
    [
      `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
      'connection: close',
      `content-type: ${type}`,
      `content-length: ${Buffer.byteLength(body)}`,
      'cache-control: no-store',
      'x-content-type-options: nosniff',
      '',
      body,
    ].join('\r\n'),
  );
}

/**
 * Serves a request as if it had not offered another protocol: HTTP lets a server ignore the offer (RFC 9110, 7.8), and
 * clients such as Java's offer HTTP/2 with every request. Node takes such a request off the connection, so it is put
 * back without the offer.
 */
export function withoutUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/1.1`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (!/^(upgrade|connection|http2-settings)$/i.test(name)) lines.push(`${name}: ${rawHeaders[index + 1]}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}
