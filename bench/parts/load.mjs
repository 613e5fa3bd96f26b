// Sends a workload's requests from the client's core: by wrk where it is installed, else by `client.mjs`.
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { pinned } from './processes.mjs';

export const connections = 32;
export const clientName = spawnSync('wrk', ['-v']).error ? 'client.mjs' : 'wrk';

/** Stands in a request for a number that no other request has. */
export const numberMark = '#########';
/** Stands in the second request of a flow for the id that the first one has answered. */
export const idMark = 'int_@@@@@@@@@@@@@@@@@@@@@@@@@@';

const here = (file) => fileURLToPath(new URL(file, import.meta.url));

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

/**
 * Sends the requests of the file round and round for so many seconds; `from` is the number before the first one's.
 * Answers how many were answered in how many seconds, the latency in ms, and the number of the last request.
 * An Error where one was refused.
 */
export async function load(file, port, seconds, from) {
  const command =
    clientName === 'wrk'
      ? [
          'wrk',
          '-t1',
          `-c${connections}`,
          `-d${seconds}s`,
          '--timeout',
          '30s',
          '-s',
          here('wrk.lua'),
          `http://127.0.0.1:${port}`,
          '--',
        ]
      : [process.execPath, here('client.mjs'), String(connections), String(seconds), String(port)];
  const output = await run(...pinned('client', [...command, file, String(from)]));
  const line = output.split('\n').find((each) => each.startsWith('{'));
  if (!line) throw new Error(`The client said: ${output}`);
  const result = JSON.parse(line);
  if (result.refused > 0) {
    throw new Error(`${result.refused} of ${result.answered} requests were refused: ${path.basename(file)}`);
  }
  return result;
}

function run(program, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.once('error', reject);
    child.once('exit', () => resolve(output));
  });
}
