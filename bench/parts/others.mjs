// Renewals, start-up and memory: what is not a rate of requests.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cpuMicros, memoryOf, startServer } from './processes.mjs';
import { summary } from './report.mjs';
import { ask, prepare } from './rounds.mjs';
import { workloads } from './workloads.mjs';

const starting = [
  'floor',
  'perennial',
  'perennial-executable',
  'fastify',
  'mercurius-jit',
  'yoga',
  'apollo-default',
];
const remembering = ['floor', 'perennial', 'mercurius-jit', 'yoga', 'apollo-default'];

/** The benchmark of renewals, which can also be run by itself. */
export function measureRenewals(folder, count) {
  const script = fileURLToPath(new URL('../renewals.mjs', import.meta.url));
  const json = path.join(folder, 'renewals.json');
  const { status, stderr } = spawnSync(
    process.execPath,
    [script, '--renewals', String(count), '--json', json],
    {
      encoding: 'utf8',
    },
  );
  if (status !== 0) return { failure: `Renewals were not measured: ${stderr.trim().split('\n').at(-1)}` };
  const { billed, raw } = JSON.parse(readFileSync(json, 'utf8'));
  const variant = (name, { perSecond, peakMegabytes }) => ({
    name,
    rounds: [{ perSecond }],
    peakMiB: Math.round((peakMegabytes * 1e6) / 2 ** 20),
  });
  return summary('renewals', [variant('floor', raw), variant('perennial', billed)]);
}

/** From the command to the first answer, again and again in turn. */
export async function measureStarts({ variants, size, databaseFor, takesPart }) {
  const names = starting.filter((name) => variants[name] && takesPart(name));
  const measured = names.map((name) => ({
    name,
    rounds: [],
    database: databaseFor({ name: 'start-up' }, name),
  }));
  for (let start = 0; start < size.starts; start++) {
    for (const { name, rounds, database } of measured) {
      const server = await startServer({ name, command: variants[name] }, { database });
      rounds.push({ p50Ms: server.startMs, cpuMicros: cpuMicros(server.pids) });
      await server.stop();
    }
  }
  return summary(
    'start-up',
    measured.map(({ name, rounds }) => ({ name, rounds })),
  );
}

/** What each holds after a while of nested queries, and held at most. */
export async function measureMemory(world) {
  const workload = workloads.find(({ name }) => name === 'graphql-nested');
  const measured = [];
  for (const name of remembering.filter((each) => world.takesPart(each))) {
    const server = await prepare(world, { ...workload, name: 'memory' }, name);
    await ask(server, world.size.memorySeconds);
    const { residentMiB, peakMiB } = memoryOf(server.pid);
    await server.stop();
    measured.push({ name, rounds: [], residentMiB: Math.round(residentMiB), peakMiB: Math.round(peakMiB) });
  }
  return summary('memory', measured);
}
