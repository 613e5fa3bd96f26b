// The requests of a workload, in a file that the load clients read.
import { readFileSync, writeFileSync } from 'node:fs';

/** Stands in a request for a number that no other request has. */
export const numberMark = '#########';
/** Stands in the second request of a flow for the id that the first one has answered. */
export const idMark = 'int_@@@@@@@@@@@@@@@@@@@@@@@@@@';

/**
 * Writes requests for the client, each ended by a NUL. `follow` is the request that follows on each answer, where
 * there is one.
 */
export function writeRequests(file, port, headers, { requests, follow }) {
  const all = requests.map((request) => raw(request, port, headers));
  writeFileSync(file, all.map((text) => `${text}\0`).join(''));
  writeFileSync(`${file}.follow`, follow ? raw(follow, port, headers) : '');
  return file;
}

/** Reads what `writeRequests` wrote; answers the bytes of the request of a number, round and round. */
export function readRequests(file) {
  const requests = readFileSync(file, 'utf8').split('\0').slice(0, -1);
  return (number) =>
    requests[number % requests.length].replaceAll(numberMark, String(number).padStart(9, '0'));
}

/** The bytes of a request. */
function raw({ method, path: target, body }, port, headers) {
  const all = {
    host: `127.0.0.1:${port}`,
    ...headers,
    ...(body && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
}
