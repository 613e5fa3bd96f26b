// Measures what a server does while it receives usage: answers whether customers may use something, and renewals.
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sendSteadily } from '../load/load.mjs';
import { writeRequests } from '../load/requests.mjs';
import { prepare, roundMemory } from '../load/rounds.mjs';
import { summarize } from '../report/report.mjs';
import { computePercentile } from './sockets.mjs';
import { batchesPerSecond, listBatches, usageWorkloads } from './usage.mjs';

const name = 'entitlement-check-beside-usage';
const checksPerSecond = 2000;
/** Until V8 has compiled the code. */
const warmMs = 5000;

const checks = usageWorkloads.find((each) => each.name === 'entitlement-check');

/** Sends a thousand events at a time to a server, at a steady rate; returns the function that stops it. */
function sendUsage(world, server) {
  const file = path.join(world.folder, `events-${server.name}`);
  const headers = { 'api-key': world.data.apiKey };
  const requests = writeRequests(file, server.port, headers, { requests: listBatches(world.data.customers) });
  return sendSteadily({ port: server.port, requests }, batchesPerSecond);
}

async function measureOne(world, variant) {
  const server = await prepare(world, { ...checks, name }, variant);
  try {
    const [endUsage, endChecks] = [sendUsage(world, server), sendSteadily(server, checksPerSecond)];
    await pause(warmMs);
    const fromMs = Date.now();
    await pause(world.size.rounds * world.size.seconds * 1000);
    const toMs = Date.now();
    const [checked, recorded] = await Promise.all([endChecks(), endUsage()]);
    const seconds = (toMs - fromMs) / 1000;
    const isWithin = (ms) => ms >= fromMs && ms <= toMs;
    const latencies = checked.latenciesMs
      .filter((_, index) => isWithin(checked.answeredAtMs[index]))
      .toSorted((a, b) => a - b);
    const figures = {
      perSecond: latencies.length / seconds,
      p50Ms: computePercentile(latencies, 0.5),
      p99Ms: computePercentile(latencies, 0.99),
    };
    const eventsPerSecond = Math.round((recorded.answeredAtMs.filter(isWithin).length * 1000) / seconds);
    return { rounds: [figures], eventsPerSecond, ...roundMemory(server) };
  } finally {
    await server.stop();
  }
}

async function measureBesideUsage(world) {
  const measured = [];
  for (const variant of checksBesideUsage.variants.filter(world.takesPart)) {
    try {
      measured.push({ name: variant, ...(await measureOne(world, variant)) });
    } catch (error) {
      world.leaveOut(variant, error.message, name);
    }
  }
  return summarize(name, measured);
}

export const checksBesideUsage = {
  name,
  variants: ['floor', 'perennial', 'perennial-postgres'],
  measure: measureBesideUsage,
};
