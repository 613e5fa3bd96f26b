// Measures a workload: all its servers run, and are asked in turn, round after round, so that noise hits all alike.
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { load, writeRequests } from './load.mjs';
import { cpuMicros, memoryOf, startServer } from './processes.mjs';
import { summary } from './report.mjs';

const mostWarmSeconds = 30;

/** Answers the workload's figures. */
export async function measure(world, workload) {
  const servers = [];
  try {
    const names = workload.variants.filter((each) => isThere(world, each));
    const started = await Promise.allSettled(
      names.map((name) => unlessOptional(world, name, () => prepare(world, workload, name))),
    );
    servers.push(...started.map(({ value }) => value).filter(Boolean));
    for (const { reason } of started) if (reason) throw reason;
    refuseOtherAnswers(workload, servers);
    await Promise.all(servers.map((server) => warmUp(server, world.size.warmRequests)));
    for (let round = 0; round < world.size.rounds; round++) {
      for (const server of servers) {
        server.rounds.push(await ask(server, world.size.seconds, workload.requestsEach));
      }
    }
    return summary(
      workload.name,
      servers.map(({ name, rounds, pid }) => {
        const { residentMiB, peakMiB } = memoryOf(pid);
        return { name, rounds, residentMiB: Math.round(residentMiB), peakMiB: Math.round(peakMiB) };
      }),
    );
  } finally {
    await Promise.all(servers.map(({ stop }) => stop()));
  }
}

const isThere = ({ variants, optional, takesPart }, name) =>
  Boolean(variants[name]) && takesPart(name) && !optional.missing.has(name);

/** A peer that needs more than a file may fail: then it is left out, and the output says why. */
async function unlessOptional({ optional }, name, work) {
  try {
    return await work();
  } catch (error) {
    if (!optional.needsNoFile.has(name)) throw error;
    optional.missing.add(name);
    optional.remarks.push(`Without ${name}: ${error.message}`);
    return undefined;
  }
}

/** Starts a server on its own copy of the data, and writes down what it will be asked. */
export async function prepare(world, workload, name) {
  const { variants, data, folder, optional, databaseFor } = world;
  const file = optional.needsNoFile.has(name) ? undefined : databaseFor(workload, name);
  const server = await startServer(
    { name, command: variants[name], alsoCounted: optional.alsoCounted[name] },
    { database: file, ...optional.addresses },
  );
  const headers = { 'api-key': data.apiKey };
  const send = (request) => answerOf(server.port, headers, request);
  const makeRequests = workload.own?.[name] ?? workload.requests;
  try {
    const plan = await makeRequests(send, data);
    const requests = writeRequests(path.join(folder, `${workload.name}-${name}`), server.port, headers, plan);
    const isOwn = Boolean(workload.own?.[name]);
    const answer = await send(plan.requests.at(workload.writes ? -1 : 0));
    return { ...server, requests, isOwn, answer, number: 0, rounds: [] };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function answerOf(port, headers, { method, path: target, body }) {
  const content = body && { body, headers: { ...headers, 'content-type': 'application/json' } };
  const response = await fetch(`http://127.0.0.1:${port}${target}`, { method, headers, ...content });
  const text = await response.text();
  if (!response.ok) throw new Error(`${target} was answered with ${response.status}: ${text.slice(0, 500)}`);
  const answer = JSON.parse(text);
  if (answer.errors)
    throw new Error(`${target} was answered with ${JSON.stringify(answer.errors).slice(0, 500)}`);
  return answer;
}

/** A server that answers something else is not compared. */
function refuseOtherAnswers({ name, shown }, servers) {
  const [first, ...others] = servers.filter(({ isOwn }) => !isOwn);
  for (const other of others) {
    if (isDeepStrictEqual(shown(other.answer), shown(first.answer))) continue;
    throw new Error(`${name}: ${other.name} answers otherwise than ${first.name}.`);
  }
}

/** Asks until V8 has compiled what is asked for: by requests and not by time, for the machine may be busy. */
export async function warmUp(server, requests) {
  let answered = 0;
  for (let second = 0; answered < requests && second < mostWarmSeconds; second++) {
    const round = await load(server.requests, server.port, 1, server.number);
    server.number = round.number;
    answered += round.answered;
  }
  if (answered === 0) throw new Error(`${server.name} answers nothing.`);
}

/** One round of one server. */
export async function ask(server, seconds, requestsEach = 1) {
  const before = cpuMicros(server.pids);
  const result = await load(server.requests, server.port, seconds, server.number);
  const after = cpuMicros(server.pids);
  server.number = result.number;
  const answered = result.answered / requestsEach;
  return {
    perSecond: answered / result.seconds,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    cpuMicros: after === undefined ? undefined : (after - before) / answered,
  };
}
