// `npm run stress -- flood --seconds 10`: verifies that a flood of one tenant's requests does not delay another's. Tenant B
// sends 50 requests a second, first alone, then while tenant A sends as many as it can on 64 connections.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { isMainThread, Worker, workerData, parentPort } from 'node:worker_threads';
import { ensureBuilt, program } from '../setup.mjs';

const connections = 64;
const requestsPerSecond = 50;

/** Sends a request; returns its status and duration. */
function sendRequest(agent, url, apiKey, method, path_, body) {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const headers = { 'api-key': apiKey, ...(body && { 'content-type': 'application/json' }) };
    const sent = request(url + path_, { agent, method, headers }, (response) => {
      response.resume();
      response.on('end', () => resolve({ status: response.statusCode, ms: performance.now() - started }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const heavy = JSON.stringify({
  query:
    '{ groups(first: 100) { nodes { id name metadata products { id name prices { id details { amount } } } } } }',
});
let made = 0;
const customer = (tenantAlias) =>
  JSON.stringify({
    tenantAlias,
    email: `a${++made}@example.com`,
    firstName: 'A',
    lastName: 'B',
    associatedId: `${made}`,
  });

/** Floods the server: every connection sends its next request as soon as it receives a response. */
async function flood({ url, apiKey }) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const counts = {};
  let over = false;
  parentPort.on('message', () => (over = true));
  await Promise.all(
    Array.from({ length: connections }, async (_, index) => {
      while (!over) {
        const { status } =
          index % 2
            ? await sendRequest(agent, url, apiKey, 'POST', '/graphql', heavy)
            : await sendRequest(agent, url, apiKey, 'POST', '/api/v1/customers', customer('a'));
        counts[status] = (counts[status] ?? 0) + 1;
      }
    }),
  );
  agent.destroy();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort.postMessage(counts);
}

if (!isMainThread) await flood(workerData);
else await measure();

async function measure() {
  ensureBuilt();
  const { values } = parseArgs({
    options: { seconds: { type: 'string', default: '10' }, json: { type: 'boolean' } },
  });
  const seconds = Number(values.seconds);
  const figures = {};
  for (const rateLimit of ['500', '1000000']) figures[rateLimit] = await runRound(rateLimit, seconds);
  if (values.json) return console.log(JSON.stringify(figures));
  for (const [rateLimit, { alone, flooded, counts }] of Object.entries(figures)) {
    const statuses = Object.entries(counts).map(([status, count]) => `${count} × ${status}`);
    console.log(
      `A may send ${rateLimit} requests a second; the flood received ${statuses.join(', ')} in ${seconds} s`,
    );
    for (const [name, { p50, p99, most, failed }] of Object.entries({ alone, flooded })) {
      console.log(`  B ${name.padEnd(8)} p50 ${p50} ms   p99 ${p99} ms   most ${most} ms   failed ${failed}`);
    }
  }
}

async function runRound(rateLimit, seconds) {
  const folder = mkdtempSync(path.join(tmpdir(), 'perennial-flood-'));
  const database = ['--database', `sqlite:${folder}/flood.db`];
  const server = spawn(
    process.execPath,
    [program, 'serve', '--port', '0', '--rate-limit', rateLimit, ...database],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  try {
    const url = await readAddress(server);
    const [a, b] = [await createTenant('a', database), await createTenant('b', database)];
    const agent = new Agent({ keepAlive: true });
    for (let index = 0; index < 100; index++) {
      await sendRequest(agent, url, a, 'POST', '/api/v1/groups', JSON.stringify({ name: `group ${index}` }));
    }
    await sendSteadily(agent, url, b, 1);
    const alone = await sendSteadily(agent, url, b, seconds);
    const worker = new Worker(new URL(import.meta.url), { workerData: { url, apiKey: a } });
    const flooded = await sendSteadily(agent, url, b, seconds);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage('over');
    const counts = await new Promise((resolve) => worker.once('message', resolve));
    await worker.terminate();
    agent.destroy();
    return { alone, flooded, counts };
  } finally {
    server.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Sends B's requests at a constant rate, regardless of responses; half of them are writes. */
async function sendSteadily(agent, url, apiKey, seconds) {
  const requests = [];
  const started = performance.now();
  for (let index = 0; index < seconds * requestsPerSecond; index++) {
    const waitMs = started + (index * 1000) / requestsPerSecond - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    requests.push(
      index % 2
        ? sendRequest(agent, url, apiKey, 'POST', '/api/v1/customers', customer('b'))
        : sendRequest(agent, url, apiKey, 'GET', '/api/v1/customers?limit=10'),
    );
  }
  const responses = await Promise.all(requests);
  const sorted = responses.map(({ ms }) => ms).toSorted((one, other) => one - other);
  const at = (share) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] * 10) / 10;
  const failed = responses.filter(({ status }) => status >= 300).length;
  return { p50: at(0.5), p99: at(0.99), most: at(1), failed };
}

/** Returns the address that the server logs when it listens. */
async function readAddress(server) {
  for await (const line of createInterface({ input: server.stdout })) {
    const [, url] = /(http:\/\/[\d.:]+)/.exec(line) ?? [];
    if (!url) continue;
    server.stdout.resume();
    return url;
  }
  throw new Error('The server did not start.');
}

function createTenant(alias, database) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, 'tenant', 'create', alias, '--json', ...database]);
    let out = '';
    child.stdout.on('data', (data) => (out += data));
    child.on('close', () => {
      const [apiKey] = /prn_\w+_[0-9a-z]{12}_[0-9a-z]{40}/.exec(out) ?? [];
      if (apiKey) resolve(apiKey);
      else reject(new Error(out));
    });
  });
}
