// Applies the same load for hours, to detect growing memory.
import { setTimeout as pause } from 'node:timers/promises';
import { sendSteadily } from '../load/load.mjs';
import { readMemory } from '../servers/processes.mjs';
import { summarize } from '../report/report.mjs';
import { roundMemory, startAll } from '../load/rounds.mjs';
import { computePercentile } from './sockets.mjs';
import { workloads } from './requests.mjs';

const name = 'soak';
const requestsPerSecond = 500;
const samplesPerSoak = 120;

/** The number of requests of each workload, of twenty. */
const shares = {
  'rest-list-10': 7,
  'rest-price': 5,
  'graphql-point': 4,
  'graphql-nested': 2,
  'rest-create': 2,
};

const mixed = {
  name,
  variants: ['perennial', 'perennial-postgres'],
  shown: () => undefined,
  requests: async (ask, data) => {
    const plans = [];
    for (const [share, times] of Object.entries(shares)) {
      const { requests } = await workloads.find((each) => each.name === share).requests(ask, data);
      plans.push(...Array.from({ length: times }, () => requests));
    }
    const length = plans.length * Math.max(...plans.map((requests) => requests.length));
    return {
      requests: Array.from({ length }, (_, index) => {
        const requests = plans[index % plans.length];
        return requests[Math.floor(index / plans.length) % requests.length];
      }),
    };
  },
};

async function measureSoak(world) {
  const group = await startAll(world, mixed);
  try {
    const clients = new Map(group.servers.map((server) => [server, sendSteadily(server, requestsPerSecond)]));
    const samples = await sampleMemory(group.servers, world.minutes * 60);
    await group.each(async (server) => Object.assign(server, await clients.get(server)()));
    return summarize(
      name,
      group.servers.map((server) => ({
        ...computeFigures(server, samples.get(server)),
        ...roundMemory(server),
      })),
    );
  } finally {
    await group.release();
  }
}

/** Samples the memory of each server: pairs of hours and MiB. */
async function sampleMemory(servers, seconds) {
  const samples = new Map(servers.map((server) => [server, []]));
  const begunAt = performance.now();
  for (let taken = 0; taken <= samplesPerSoak; taken++) {
    await pause((taken * seconds * 1000) / samplesPerSoak - (performance.now() - begunAt));
    const hours = (performance.now() - begunAt) / 3_600_000;
    for (const [server, own] of samples) own.push([hours, readMemory(server.pid).residentMiB]);
  }
  return samples;
}

function computeFigures({ name: variant, latenciesMs }, samples) {
  const sorted = latenciesMs.toSorted((a, b) => a - b);
  const [hours] = samples.at(-1);
  const round = {
    perSecond: sorted.length / (hours * 3600),
    p50Ms: computePercentile(sorted, 0.5),
    p99Ms: computePercentile(sorted, 0.99),
  };
  return {
    name: variant,
    rounds: [round],
    firstMiB: Math.round(samples[0][1]),
    // In the first half, V8 adjusts its heap size.
    mebibytesPerHour: Math.round(computeSlope(samples.slice(samples.length / 2)) * 10) / 10,
  };
}

/** Computes the slope by least squares. */
function computeSlope(points) {
  const mean = (index) => points.reduce((sum, point) => sum + point[index], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const products = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  return products / points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
}

export const soak = { name, variants: mixed.variants, measure: measureSoak };
