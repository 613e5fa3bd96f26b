// `npm run stress -- usage --kills 100`: kills the real program with kill -9 while clients send usage events, each until it is
// answered, then verifies that every event counts once, that what was counted is what the events say, and that what clients used of
// limits is what they were answered.
import { spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ensureBuilt, program } from '../setup.mjs';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    /** How many clients send at the same time. */
    clients: { type: 'string', default: '8' },
    batch: { type: 'string', default: '200' },
    /** The database; by default a new file. */
    database: { type: 'string' },
  },
});
const [kills, clients, batch] = [Number(values.kills), Number(values.clients), Number(values.batch)];

ensureBuilt();
const folder = mkdtempSync(path.join(tmpdir(), 'perennial-usage-'));
const database = values.database ?? `sqlite:${path.join(folder, 'usage.db')}`;
const port = await findPort();
const env = {
  ...process.env,
  PERENNIAL_DATABASE: database,
  PERENNIAL_LOG_LEVEL: 'error',
  PERENNIAL_RATE_LIMIT: '1000000',
  PERENNIAL_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
};
const alias = `usage-${process.pid}`;

/** Runs a command of the program; returns what it printed. */
function run(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    env,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`perennial ${args[0]} failed: ${stderr}${stdout}`);
  return stdout;
}

async function findPort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.on('listening', resolve));
  const { port: found } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return found;
}

/** Starts the server; resolves when it answers. */
async function start() {
  const child = spawn(process.execPath, [program, 'serve', '--port', String(port)], { env, stdio: 'ignore' });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  for (;;) {
    if (child.exitCode !== null) throw new Error('The server ended by itself.');
    const isReady = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    if (isReady?.ok) return { child, ended };
    await pause(20);
  }
}

const apiKey = /prn_\S+/.exec(run('tenant', 'create', alias, '--test'))[0];

async function send(route, body) {
  const headers = { 'api-key': apiKey, 'content-type': 'application/json' };
  const answer = await fetch(`http://127.0.0.1:${port}${route}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return answer.json();
}

const graphql = async (query, variables) => {
  const { data, errors } = await send('/graphql', { query, variables });
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
};

/** Repeats until the server answers: an answer that was lost is asked for again with the same content. */
async function sendUntilAnswered(route, body) {
  let repeats = 0;
  for (;;) {
    try {
      return { ...(await send(route, body)), repeats };
    } catch (error) {
      if (!/fetch failed|terminated|other side closed|ECONN|503 /.test(String(error))) throw error;
      repeats += 1;
      await pause(20);
    }
  }
}

async function recordUntilAnswered(events) {
  const result = await sendUntilAnswered('/api/v1/usage', { events });
  if (result.conflicts.length + result.refused.length > 0) throw new Error(JSON.stringify(result));
  return result;
}

let server = await start();
const fields = `firstName: "A", lastName: "B", email: "a@example.com"`;
const customers = [];
for (let number = 0; number < 10; number++) {
  const document = `mutation { createCustomer(input: { ${fields}, associatedId: "c${number}" }) { id } }`;
  customers.push((await graphql(document)).createCustomer.id);
}
const meters = await graphql(`
  mutation {
    sum: createMeter(input: { name: "Sum", event: "e", aggregation: sum, value: "n", groupBy: ["g"] }) {
      id
    }
    unique: createMeter(input: { name: "Unique", event: "e", aggregation: unique, value: "u" }) {
      id
    }
  }
`);

const sent = { repeats: 0, repeated: 0 };
let stopped = false;

/** Sends batches until it is stopped. Two clients make a pair, which sends the same events. */
async function sendAll(client) {
  const pair = Math.floor(client / 2);
  for (let round = 0; !stopped; round++) {
    const events = Array.from({ length: batch }, (_, index) => ({
      id: `${pair}-${round}-${index}`,
      event: 'e',
      customerId: customers[(index + round) % customers.length],
      at,
      properties: { n: index % 100, g: index % 3, u: index % 50 },
    }));
    const { duplicates, repeats } = await recordUntilAnswered(events);
    sent.repeats += repeats;
    sent.repeated += duplicates;
    rounds[pair] = Math.max(rounds[pair] ?? 0, round + 1);
  }
}

const limit = 2000;
/** The shares of the limit, in percent, of which events tell. */
const shares = [1, 2, 5, 50, 100];
await graphql(`
  mutation {
    limited: createMeter(input: { name: "Limited", event: "limited", aggregation: sum, value: "n" }) {
      id
    }
  }
`).then(({ limited }) =>
  graphql(
    `
      mutation ($id: ID!) {
        createFeature(input: { key: "units", name: "Units", kind: limit, meterId: $id, alertPercents: [${shares.join(', ')}] }) {
          id
        }
      }
    `,
    { id: limited.id },
  ),
);
for (const customerId of customers)
  await graphql(
    `mutation ($id: ID!) { overrideEntitlement(input: { customerId: $id, feature: "units", value: ${limit} }) { id } }`,
    { id: customerId },
  );
const taken = new Map(customers.map((id) => [id, 0]));
const uses = { consumed: 0, settled: 0, refused: 0, answersLost: 0 };

/** Consumes, and reserves and settles less, until it is stopped. */
async function useLimits(client) {
  for (let round = 0; !stopped; round++) {
    const customerId = customers[round % customers.length];
    const amount = (round % 7) + 1;
    const use = { customerId, feature: 'units', amount: String(amount) };
    const add = (units, { repeats }) => {
      taken.set(customerId, taken.get(customerId) + units);
      uses.answersLost += repeats;
    };
    const consumed = await sendUntilAnswered('/api/v1/entitlements/consume', {
      id: `use-${client}-${round}`,
      ...use,
    });
    if (!consumed.allowed) uses.refused += 1;
    else {
      uses.consumed += 1;
      add(amount, consumed);
    }
    const id = `reserved-${client}-${round}`;
    const reserved = await sendUntilAnswered('/api/v1/reservations', { id, ...use }).catch((error) => {
      if (/entitlement_exceeded/.test(String(error))) return undefined;
      throw error;
    });
    if (!reserved) continue;
    const units = Math.min(amount, 2);
    add(
      units,
      await sendUntilAnswered(`/api/v1/reservations/${reserved.id}/settle`, { amount: String(units) }),
    );
    uses.settled += 1;
  }
}

/** Compares what is used of each limit with what was answered. */
async function checkLimits() {
  const wrong = [];
  for (const [customerId, units] of taken) {
    const document = `query ($id: ID!) { checkEntitlement(customerId: $id, feature: "units") { used reserved } }`;
    const { used, reserved } = (await graphql(document, { id: customerId })).checkEntitlement;
    if (used !== String(units) || reserved !== '0' || units > limit)
      wrong.push({ customerId, used, reserved, expected: units });
  }
  return wrong;
}

const listReached = (units) => shares.filter((percent) => units * 100 >= limit * percent);

/** Compares the shares that were told of each limit with its use: each that is reached, once. */
async function checkAlerts() {
  const { traces } = await graphql(
    '{ traces(activityType: CustomerEvent, first: 100) { nodes { event { type resourceId details } } } }',
  );
  const alerts = traces.nodes.filter(({ event }) => event.type === 'CustomerEvent.usage_alert');
  return [...taken].flatMap(([customerId, units]) => {
    const own = alerts.filter(({ event }) => event.resourceId === customerId);
    const told = own.map(({ event }) => event.details.percent).toSorted((a, b) => a - b);
    const reached = listReached(units);
    return String(told) === String(reached) ? [] : [{ customerId, told, reached }];
  });
}

const at = new Date().toISOString();
const rounds = [];
const begunAt = performance.now();
const sending = Array.from({ length: clients }, (_, client) =>
  client % 4 === 3 ? useLimits(client) : sendAll(client),
);
for (let kill = 0; kill < kills; kill++) {
  await pause(randomInt(50, 450));
  server.child.kill('SIGKILL');
  await server.ended;
  server = await start();
}
stopped = true;
await Promise.all(sending);

const expected = rounds.reduce((sum, count) => sum + count * batch, 0);
const sumOfBatch = Array.from({ length: batch }, (_, index) => index % 100).reduce((sum, n) => sum + n, 0);
const day = new Date(Date.parse(at) - 3_600_000);
const span = { from: new Date(Math.floor(day / 900_000) * 900_000).toISOString() };
span.until = new Date(Date.parse(span.from) + 4 * 3_600_000).toISOString();
const document = `query ($id: ID!, $from: DateTime!, $until: DateTime!) {
  usage(meterId: $id, from: $from, until: $until) { value events }
}`;
const counted = (await graphql(document, { id: meters.sum.id, ...span })).usage;
const unique = (await graphql(document, { id: meters.unique.id, ...span })).usage;
const wrongLimits = await checkLimits();
// The scheduler compares limits after their use.
for (let second = 0; second < 30 && (await checkAlerts()).length > 0; second++) await pause(1000);
const wrongAlerts = await checkAlerts();
server.child.kill('SIGTERM');
await server.ended;
const doctor = run('doctor');
if (!values.database) rmSync(folder, { recursive: true });
console.log({
  kills,
  events: expected,
  counted: counted.events,
  sum: counted.value,
  expectedSum: String((expected / batch) * sumOfBatch),
  unique: unique.value,
  answersLost: sent.repeats,
  sentAgain: sent.repeated,
  ...uses,
  wrongLimits,
  alerts: [...taken.values()].flatMap(listReached).length,
  wrongAlerts,
  doctor: doctor.trim().split('\n').at(-1),
  seconds: Math.round((performance.now() - begunAt) / 100) / 10,
});
const isRight =
  counted.events === expected &&
  counted.value === String((expected / batch) * sumOfBatch) &&
  unique.value === '50' &&
  unique.events === expected &&
  wrongLimits.length === 0 &&
  wrongAlerts.length === 0;
if (!isRight) process.exitCode = 1;
