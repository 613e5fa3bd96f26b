// Sends a workload's requests from the client's core: by wrk where it is installed, else by `client.mjs`.
import { spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { pinned } from '../servers/processes.mjs';

export const connections = 32;
export const clientName = spawnSync('wrk', ['-v']).error ? 'client.mjs' : 'wrk';

const here = (file) => fileURLToPath(new URL(file, import.meta.url));

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
  const { output, ended } = await run(...pinned('client', [...command, file, String(from)]));
  const line = output.split('\n').find((each) => each.startsWith('{'));
  if (!line) throw new Error(`The client ended with ${ended} and said: ${output}`);
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
    child.once('close', (code, signal) => resolve({ output, ended: signal ?? code }));
  });
}

/**
 * Asks the server of a file's requests so many times a second from now on. Answers how to end that: it resolves with
 * when each was answered, and after how long; with an Error where one was refused.
 */
export function askSteadily({ port, requests }, rate) {
  const command = [process.execPath, here('steady.mjs'), String(rate), String(port), requests];
  const [program, args] = pinned('client', command);
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  const ended = new Promise((resolve) => void child.once('close', resolve));
  return async () => {
    child.stdin.end();
    await ended;
    if (!output) throw new Error('The client has failed.');
    const result = JSON.parse(output);
    if (result.refused === 0) return result;
    throw new Error(
      `${result.refused} of ${result.answeredAtMs.length} requests were refused: ${path.basename(requests)}`,
    );
  };
}
