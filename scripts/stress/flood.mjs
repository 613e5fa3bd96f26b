// `npm run flood -- --seconds 10`: verifies that a flood of one tenant's requests does not delay another's. Tenant B
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
const asksPerSecond = 50;

/** Sends a request; returns its status and duration. */
function ask(agent, url, apiKey, method, path_, body) {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const headers = { 'api-key': apiKey, ...(body && { 'content-type': 'application/json' }) };
    const sent = request(url + path_, { agent, method, headers }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve({ status: answer.statusCode, ms: performance.now() - started }));
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
            ? await ask(agent, url, apiKey, 'POST', '/graphql', heavy)
            : await ask(agent, url, apiKey, 'POST', '/api/v1/customers', customer('a'));
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
  for (const rateLimit of ['500', '1000000']) figures[rateLimit] = await round(rateLimit, seconds);
  if (values.json) return console.log(JSON.stringify(figures));
  for (const [rateLimit, { alone, flooded, counts }] of Object.entries(figures)) {
    const told = Object.entries(counts).map(([status, count]) => `${count} × ${status}`);
    console.log(
      `A may ask ${rateLimit} times a second; the flood was answered ${told.join(', ')} in ${seconds} s`,
    );
    for (const [name, { p50, p99, most, failed }] of Object.entries({ alone, flooded })) {
      console.log(`  B ${name.padEnd(8)} p50 ${p50} ms   p99 ${p99} ms   most ${most} ms   failed ${failed}`);
    }
  }
}

async function round(rateLimit, seconds) {
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
    const url = await addressOf(server);
    const [a, b] = [await tenant('a', database), await tenant('b', database)];
    const agent = new Agent({ keepAlive: true });
    for (let index = 0; index < 100; index++) {
      await ask(agent, url, a, 'POST', '/api/v1/groups', JSON.stringify({ name: `group ${index}` }));
    }
    await steady(agent, url, b, 1);
    const alone = await steady(agent, url, b, seconds);
    const worker = new Worker(new URL(import.meta.url), { workerData: { url, apiKey: a } });
    const flooded = await steady(agent, url, b, seconds);
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
async function steady(agent, url, apiKey, seconds) {
  const asked = [];
  const started = performance.now();
  for (let turn = 0; turn < seconds * asksPerSecond; turn++) {
    const waitMs = started + (turn * 1000) / asksPerSecond - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    asked.push(
      turn % 2
        ? ask(agent, url, apiKey, 'POST', '/api/v1/customers', customer('b'))
        : ask(agent, url, apiKey, 'GET', '/api/v1/customers?limit=10'),
    );
  }
  const answers = await Promise.all(asked);
  const sorted = answers.map(({ ms }) => ms).toSorted((one, other) => one - other);
  const at = (share) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] * 10) / 10;
  const failed = answers.filter(({ status }) => status >= 300).length;
  return { p50: at(0.5), p99: at(0.99), most: at(1), failed };
}

/** Returns the address that the server logs when it listens. */
async function addressOf(server) {
  for await (const line of createInterface({ input: server.stdout })) {
    const [, url] = /(http:\/\/[\d.:]+)/.exec(line) ?? [];
    if (!url) continue;
    server.stdout.resume();
    return url;
  }
  throw new Error('The server did not start.');
}

function tenant(alias, database) {
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
