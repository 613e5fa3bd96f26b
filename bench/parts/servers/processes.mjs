// Starts servers on a separate core, and reads their resource usage from the system.
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { request as httpRequest } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const canPin = availableParallelism() > 1 && spawnSync('taskset', ['-V']).status === 0;
/** The first core is for the client, the second for the server; null if processes cannot be pinned. */
export const cores = canPin ? { client: 0, server: 1 } : null;

// Servers are stopped when the benchmark exits, however it ends.
const running = new Set();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const startTimeoutMs = 60_000;
const patienceMs = 10_000;
const pollMs = 1;
const ticksPerSecond = Number(spawnSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }).stdout) || 100;

/** Returns the command that runs pinned to a core. */
export const pinCommand = (core, [command, ...args]) =>
  cores ? ['taskset', ['-c', String(cores[core]), command, ...args]] : [command, args];

/** Pins a running process and its threads to the server's core; child processes inherit it. */
export function pinToServer(pid) {
  if (cores) spawnSync('taskset', ['-a', '-cp', String(cores.server), String(pid)]);
}

/** Without extra certificates, which take Node 30 ms to read at the start of every server. */
const { NODE_EXTRA_CA_CERTS: _, ...others } = process.env;
const environment = { ...others, NODE_ENV: 'production' };

/**
 * Starts a server and waits for its first response of any status. Returns its address, pid, start-up time, and a
 * function that stops it. Throws an Error with its output if it exits before it responds.
 */
export async function startServer({ name, command, core = 'server', alsoCounted = [] }, prepare) {
  const port = await freePort();
  const [program, args] = pinCommand(core, command({ port, ...prepare }));
  const begunAt = performance.now();
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: environment,
  });
  running.add(child);
  let said = '';
  child.stderr.on('data', (chunk) => (said = `${said}${chunk}`.slice(-4000)));
  let hasEnded = false;
  const ended = new Promise((resolve) => {
    child.once('exit', () => {
      running.delete(child);
      hasEnded = true;
      resolve();
    });
  });
  while (!(await waitForResponse(port))) {
    if (hasEnded) throw new Error(`${name} did not start: ${said}`);
    if (performance.now() - begunAt > startTimeoutMs) {
      child.kill('SIGKILL');
      throw new Error(`${name} did not answer within ${startTimeoutMs} ms: ${said}`);
    }
    await pause(pollMs);
  }
  return {
    name,
    port,
    pid: child.pid,
    pids: [child.pid, ...alsoCounted],
    startMs: performance.now() - begunAt,
    /** Returns the last that it wrote to standard error. */
    readErrors: () => said,
    /** Kills the server, because its data is discarded; stops it regularly only if it has a profile to write. */
    stop: async ({ inPeace = false } = {}) => {
      child.kill(inPeace ? 'SIGTERM' : 'SIGKILL');
      const killer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
      await ended;
      clearTimeout(killer);
    },
  };
}

const waitForResponse = (port) =>
  new Promise((resolve) => {
    const probe = httpRequest({ host: '127.0.0.1', port, path: '/livez', timeout: 1000 }, (response) => {
      response.resume();
      resolve(true);
    });
    probe.once('error', () => resolve(false));
    probe.once('timeout', () => probe.destroy());
    probe.end();
  });

/** Finds a free port. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/**
 * Returns the CPU time of processes and their children, including those that have exited, in microseconds;
 * undefined if the system does not report it.
 */
export function cpuMicros(pids) {
  try {
    const all = readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry))
      .map(readStat)
      .filter(Boolean);
    const counted = all.filter(({ pid, parent }) => pids.includes(pid) || pids.includes(parent));
    const ended = counted.filter(({ pid }) => pids.includes(pid));
    const ticks = sumBy(counted, 'ticks') + sumBy(ended, 'ticksOfEnded');
    return ticks * (1e6 / ticksPerSecond);
  } catch {
    return undefined;
  }
}

const sumBy = (stats, field) => stats.reduce((sum, stat) => sum + stat[field], 0);

function readStat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in parentheses, may contain spaces.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [own, ofEnded] = [fields[11] + fields[12], fields[13] + fields[14]];
    return { pid: Number(pid), parent: fields[1], ticks: own, ticksOfEnded: ofEnded };
  } catch {
    return undefined;
  }
}

/** Returns the current and the peak memory of a process in MiB. */
export function readMemory(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const toMebibytes = (field) => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)[1]) / 1024;
  return { residentMiB: toMebibytes('VmRSS'), peakMiB: toMebibytes('VmHWM') };
}
