// Measures start-up time and memory.
import { cpuMicros, startServer } from '../servers/processes.mjs';
import { summarize } from '../report/report.mjs';
import { measureRound, roundMemory, startAll } from '../load/rounds.mjs';
import { workloads } from './requests.mjs';

const starting = [
  'floor',
  'perennial',
  'perennial-binary',
  'perennial-postgres',
  'fastify',
  'mercurius-jit',
  'yoga',
  'apollo-default',
];

const nested = workloads.find(({ name }) => name === 'graphql-nested');
const remembering = {
  ...nested,
  name: 'memory',
  sharesServers: false,
  variants: ['floor', 'perennial', 'perennial-postgres', 'mercurius-jit', 'yoga', 'apollo-default'],
};

/** Measures the time from the command to the first response, several times in turn. */
async function measureStarts(world) {
  const name = 'start-up';
  const measured = new Map();
  for (const variant of starting.filter(world.takesPart)) {
    measured.set(variant, { database: await world.databases.getFor({ name }, variant), rounds: [] });
  }
  for (let start = 0; start < world.size.starts; start++) {
    for (const [variant, { database, rounds }] of measured) {
      try {
        const command = world.variants[variant];
        const server = await startServer({ name: variant, command }, { database, observed: false });
        rounds.push({ p50Ms: server.startMs, cpuMicros: cpuMicros(server.pids) });
        await server.stop();
      } catch (error) {
        world.leaveOut(variant, error.message, name);
        measured.delete(variant);
      }
    }
  }
  return summarize(
    name,
    [...measured].map(([variant, { rounds }]) => ({ name: variant, rounds })),
  );
}

/** Measures the start of two programs in turn. Returns the pairs of rounds. */
export async function compareStarts(world) {
  const databases = {};
  for (const name of world.compared)
    databases[name] = await world.databases.getFor({ name: 'start-up' }, name);
  const pairs = [];
  for (let start = 0; start < world.size.starts; start++) {
    const pair = [];
    for (const index of start % 2 === 0 ? [0, 1] : [1, 0]) {
      const name = world.compared[index];
      const command = world.variants[name];
      const server = await startServer({ name, command }, { database: databases[name], observed: false });
      pair[index] = { perSecond: 1000 / server.startMs, cpuMicros: cpuMicros(server.pids) };
      await server.stop();
    }
    pairs.push(pair);
  }
  return pairs;
}

/** Measures the current and the peak memory after a load of nested queries. */
async function measureMemory(world) {
  const group = await startAll(world, remembering);
  try {
    await group.inTurn(async (server) => {
      await measureRound(server, world.size.memorySeconds);
      Object.assign(server, roundMemory(server));
    });
    return summarize(
      remembering.name,
      group.servers.map(({ name, residentMiB, peakMiB }) => ({ name, rounds: [], residentMiB, peakMiB })),
    );
  } finally {
    await group.release();
  }
}

export const others = [
  { name: 'start-up', variants: starting, measure: measureStarts },
  { name: 'memory', variants: remembering.variants, measure: measureMemory },
];
