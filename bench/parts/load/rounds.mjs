// Measures a workload. All its servers run at the same time and are measured in turn, round after round, so that
// noise affects all equally.
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { getEngine } from '../servers/databases.mjs';
import { load } from './load.mjs';
import { withClient } from '../servers/postgres.mjs';
import { cpuMicros, readMemory, startServer } from '../servers/processes.mjs';
import { summarize } from '../report/report.mjs';
import { writeRequests } from './requests.mjs';

const mostTries = 3;
const idlePollMs = 50;
const mostIdlePolls = 200;
/** A server that has answered nothing in a warm-up of this length is left out. */
const longestWarmSeconds = 16;
/** The resolution of CPU times: one clock tick of the system. */
const idleMicros = 10_000;

/** Returns the figures of a workload. A server that fails is left out; the others continue. */
export async function measure(world, workload) {
  const { rounds, seconds } = world.size;
  const group = await startAll(world, workload);
  try {
    await group.each((server) => refuseOtherAnswer(workload, group.servers[0], server));
    await group.each((server) => warmUp(server, world.size));
    await group.each(vacuumTables);
    await group.each(waitUntilIdle);
    for (let round = 0; round < rounds; round++) {
      await group.inTurn(async (server) => {
        server.rounds.push(await measureRound(server, seconds, workload.requestsEach));
        await waitUntilIdle(server);
      });
    }
    return summarize(
      workload.name,
      group.servers.map((server) => ({ name: server.name, rounds: server.rounds, ...roundMemory(server) })),
    );
  } finally {
    await group.release();
  }
}

/**
 * Measures the two servers of `world.compared` in pairs of rounds, each pair in the other order than the one before. Returns
 * the pairs.
 */
export async function measurePairs(world, workload) {
  const group = await startAll(world, { ...workload, variants: world.compared });
  try {
    await group.each((server) => refuseOtherAnswer(workload, group.servers[0], server));
    for (const server of group.servers) await warmUp(server, world.size);
    await group.each(vacuumTables);
    await group.each(waitUntilIdle);
    if (group.servers.length < 2) throw new Error('one of the two cannot be measured');
    const pairs = [];
    for (let round = 0; round < world.size.rounds; round++) {
      const measured = new Map();
      const order = round % 2 === 0 ? group.servers : group.servers.toReversed();
      for (const server of order) {
        measured.set(server.name, await measureRound(server, world.size.seconds, workload.requestsEach));
        await waitUntilIdle(server);
      }
      pairs.push(world.compared.map((name) => measured.get(name)));
    }
    return pairs;
  } finally {
    await group.release();
  }
}

/** Starts the servers of a workload. A server that fails is stopped and removed. */
export async function startAll(world, workload) {
  const names = workload.variants.filter(world.takesPart);
  const leaveOut = (name, error) => world.leaveOut(name, error.message, workload.name);
  const started = await Promise.allSettled(names.map((name) => prepare(world, workload, name)));
  for (const [index, { reason }] of started.entries()) if (reason) leaveOut(names[index], reason);
  const group = {
    servers: started.flatMap(({ value }) => value ?? []),
    each: async (work) => void (await Promise.all(group.servers.map((server) => catchFailure(server, work)))),
    inTurn: async (work) => {
      // A failure replaces the list.
      for (const server of group.servers) await catchFailure(server, work);
    },
    release: async () => void (await Promise.all(group.servers.map(({ release }) => release()))),
  };
  const catchFailure = async (server, work) => {
    try {
      await work(server);
    } catch (error) {
      // The client's error is "the server has hung up"; the reason is what the server wrote.
      const errors = server.readErrors();
      leaveOut(server.name, errors ? new Error(`${error.message}; it wrote: ${errors}`) : error);
      group.servers = group.servers.filter((other) => other !== server);
      await server.stop();
    }
  };
  return group;
}

/** Returns the memory of a server in MiB. */
export function roundMemory({ pid }) {
  const { residentMiB, peakMiB } = readMemory(pid);
  return { residentMiB: Math.round(residentMiB), peakMiB: Math.round(peakMiB) };
}

/** Starts a server on its own copy of the data, and writes its requests to a file. */
export async function prepare(world, workload, name) {
  const server = await getServer(world, workload, name);
  const headers = { 'api-key': world.data.apiKey };
  const send = (request) => fetchAnswer(server.port, headers, request);
  const makeRequests = workload.own?.[name] ?? workload.requests;
  try {
    const plan = await makeRequests(send, world.data, name);
    const file = path.join(world.folder, `${workload.name}-${name}`);
    const requests = writeRequests(file, server.port, headers, plan);
    const isOwn = Boolean(workload.own?.[name]);
    const answer = await send(plan.requests.at(workload.writes ? -1 : 0));
    return { ...server, requests, isOwn, answer, number: 0, rounds: [] };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Returns a server that was started for another workload on the same data, if the run keeps servers. */
async function getServer(world, workload, name) {
  const isKept = world.size.keepsServers && workload.sharesServers;
  const known = isKept && world.kept.get(name);
  if (known) return known;
  const server = await start(world, workload, name);
  const stop = () => server.stop({ inPeace: Boolean(world.profile) });
  if (!isKept) return { ...server, stop, release: stop };
  const forget = () => {
    world.kept.delete(name);
    return stop();
  };
  const kept = { ...server, stop: forget, release: async () => {} };
  world.kept.set(name, kept);
  return kept;
}

async function start({ variants, services, databases }, workload, name) {
  const database = await (workload.selectDatabase?.(name) ?? databases.getFor(workload, name));
  const alsoCounted = getEngine(name) === 'postgres' ? [services.postgres.pid] : [];
  const server = await startServer(
    { name, command: variants[name], alsoCounted },
    { database, more: workload.more?.[name] },
  );
  return { ...server, database };
}

/**
 * PostgreSQL plans with statistics from before the writes, and reads past the dead rows that the migrations of a reference's data
 * leave; without this it would see to both within minutes.
 */
async function vacuumTables({ name, database }) {
  if (getEngine(name) === 'postgres') await withClient(database, (client) => client.query('VACUUM ANALYZE'));
}

async function fetchAnswer(port, headers, { method, path: target, body }) {
  const content = body && { body, headers: { ...headers, 'content-type': 'application/json' } };
  const response = await fetch(`http://127.0.0.1:${port}${target}`, { method, headers, ...content });
  const text = await response.text();
  if (!response.ok) throw new Error(`${target} was answered with ${response.status}: ${text.slice(0, 500)}`);
  const answer = JSON.parse(text);
  if (answer.errors)
    throw new Error(`${target} was answered with ${JSON.stringify(answer.errors).slice(0, 500)}`);
  return answer;
}

/** Refuses a server whose first response differs from that of the first server. */
function refuseOtherAnswer({ shown }, first, other) {
  if (other.isOwn || isDeepStrictEqual(shown(other.answer), shown(first.answer))) return;
  throw new Error(`it answers otherwise than ${first.name}`);
}

/**
 * Sends requests until V8 has compiled the code. The warm-up is measured in requests, not in time, because the
 * machine may be busy.
 */
async function warmUp(server, { warmRequests, mostWarmSeconds }) {
  let answered = 0;
  let spent = 0;
  let seconds = 1;
  const isCold = () => (answered === 0 ? seconds <= longestWarmSeconds : spent < mostWarmSeconds);
  while (answered < warmRequests && isCold()) {
    const round = await load(server.requests, server.port, seconds, server.number);
    server.number = round.number;
    answered += round.answered;
    spent += seconds;
    // All connections send at once; a server that needs longer for the first responses is given twice the time.
    if (round.answered === 0) seconds *= 2;
  }
  if (answered === 0) throw new Error('it answers nothing');
}

/** Waits until a server has finished its work, which would otherwise use the core of the next server. */
async function waitUntilIdle({ pids }) {
  let isIdle = false;
  for (let polls = 0; !isIdle && polls < mostIdlePolls; polls++) {
    const before = cpuMicros(pids);
    await pause(idlePollMs);
    isIdle = before === undefined || cpuMicros(pids) - before <= idleMicros;
  }
}

/** Measures one round of one server; the time is doubled if there was no response. */
export async function measureRound(server, seconds, requestsEach = 1) {
  for (let tries = 0; tries < mostTries; tries++) {
    const before = cpuMicros(server.pids);
    const result = await load(server.requests, server.port, seconds * 2 ** tries, server.number);
    const after = cpuMicros(server.pids);
    server.number = result.number;
    if (result.answered === 0) continue;
    const answered = result.answered / requestsEach;
    return {
      perSecond: answered / result.seconds,
      p50Ms: result.p50Ms,
      p99Ms: result.p99Ms,
      cpuMicros: after === undefined ? undefined : (after - before) / answered,
    };
  }
  throw new Error(`it answered nothing in ${mostTries} rounds`);
}
