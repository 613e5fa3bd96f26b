import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { BillingError, type Reason } from '../lib/errors.ts';
import { formatRawRefusal } from './malformedRequest.ts';

/** Refuses a protocol upgrade, in the error format of the REST interface. */
export function refuseUpgrade(socket: Duplex, reason: Reason): void {
  const unknownRequest = { method: 'GET', url: '', headers: {}, body: undefined };
  socket.on('error', () => {});
  socket.end(formatRawRefusal(new BillingError(reason), unknownRequest));
}

/**
 * Serves a request as if it had not requested a protocol upgrade. HTTP allows a server to ignore the request (RFC
 * 9110, 7.8), and clients such as Java's offer HTTP/2 with every request. Node detaches the connection of an
 * upgrade request, so the request is put back without the upgrade headers.
 */
export function ignoreUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/1.1`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (!/^(upgrade|connection|http2-settings)$/i.test(name)) lines.push(`${name}: ${rawHeaders[index + 1]}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}
