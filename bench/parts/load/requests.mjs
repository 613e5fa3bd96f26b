// The requests of a workload, in a file for the load clients.
import { readFileSync, writeFileSync } from 'node:fs';

/** A placeholder in a request, replaced with a unique number. */
export const numberMark = '#########';
/** A placeholder in the second request of a flow, replaced with the id in the first response. */
export const idMark = 'int_@@@@@@@@@@@@@@@@@@@@@@@@@@';

/**
 * Writes requests for the client, each terminated by NUL. `follow` is the request to send after each response, if
 * any.
 */
export function writeRequests(file, port, headers, { requests, follow }) {
  const all = requests.map((request) => formatRequest(request, port, headers));
  writeFileSync(file, all.map((text) => `${text}\0`).join(''));
  writeFileSync(`${file}.follow`, follow ? formatRequest(follow, port, headers) : '');
  return file;
}

/**
 * Reads a file of `writeRequests`. Returns a function that returns the bytes of the request with a number,
 * repeating from the start.
 */
export function readRequests(file) {
  const requests = readFileSync(file, 'utf8').split('\0').slice(0, -1);
  return (number) =>
    requests[number % requests.length].replaceAll(numberMark, String(number).padStart(9, '0'));
}

/** Formats a request as bytes. */
function formatRequest({ method, path: target, body }, port, headers) {
  const all = {
    host: `127.0.0.1:${port}`,
    ...headers,
    ...(body && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
}
