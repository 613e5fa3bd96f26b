import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { BillingError } from '../lib/errors.ts';
import { buildErrorBody } from '../rest/errorBody.ts';
import { getRetryHeaders } from './retryHeaders.ts';

const type = 'application/json; charset=utf-8';
const unknownRequest = { method: '', url: '', headers: {}, body: undefined };

const messages: Record<string, string> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'did not arrive in time',
  HPE_HEADER_OVERFLOW: 'must have a URL and headers of at most 16 KiB together',
};

/**
 * Responds to bytes that are not valid HTTP with `validation_failed`, in the error format of the REST interface.
 * The bytes are neither logged nor returned, because they may contain a key.
 */
export function refuseMalformedRequest({ code }: NodeJS.ErrnoException, socket: Socket): void {
  if (socket.writable && code !== 'ECONNRESET') {
    const message = messages[code ?? ''] ?? 'must be HTTP';
    const error = new BillingError('validation_failed', [{ path: 'request', message }]);
    socket.write(formatRawRefusal(error, unknownRequest));
  }
  socket.destroy();
}

/** Formats a complete HTTP response for requests that Fastify does not see. The connection closes after it. */
export function formatRawRefusal(error: BillingError, request: Parameters<typeof buildErrorBody>[1]): string {
  const body = JSON.stringify(buildErrorBody(error, request, { 'content-type': type }));
  return [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    'connection: close',
    `content-type: ${type}`,
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries(getRetryHeaders(error) ?? {}).map(([name, value]) => `${name}: ${value}`),
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    '',
    body,
  ].join('\r\n');
}
