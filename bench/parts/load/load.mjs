// Sends a workload's requests from the client's core: with wrk if installed, otherwise with `client.mjs`.
import { spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { pinCommand } from '../servers/processes.mjs';

export const connections = 32;
export const clientName = spawnSync('wrk', ['-v']).error ? 'client.mjs' : 'wrk';

const here = (file) => fileURLToPath(new URL(file, import.meta.url));

/**
 * Sends the requests of a file repeatedly for a number of seconds. `from` is the number before that of the first
 * request. Returns the number of responses, the seconds, the latency in ms, and the number of the last request.
 * Throws an Error if a request was refused.
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
  const { output, ended } = await run(...pinCommand('client', [...command, file, String(from)]));
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
 * Sends the requests of a file at a steady rate per second. Returns a function that stops it and resolves with the
 * time and latency of each response, or throws an Error if a request was refused.
 */
export function sendSteadily({ port, requests }, rate) {
  const command = [process.execPath, here('../workloads/steady.mjs'), String(rate), String(port), requests];
  const [program, args] = pinCommand('client', command);
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
