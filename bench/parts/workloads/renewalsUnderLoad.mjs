// Measures renewals by a running server while a client reads from it: the rate of renewals, and the latency of
// reads.
import Database from 'better-sqlite3';
import { setTimeout as pause } from 'node:timers/promises';
import { alias } from '../../peers/store.mjs';
import { getEngine } from '../servers/databases.mjs';
import { fillDueOnPostgres, fillDueOnSqlite } from '../data/due.mjs';
import { sendSteadily } from '../load/load.mjs';
import { withClient } from '../servers/postgres.mjs';
import { summarize } from '../report/report.mjs';
import { roundMemory, prepare } from '../load/rounds.mjs';
import { bill } from './renewals.mjs';
import { computePercentile } from './sockets.mjs';
import { workloads } from './requests.mjs';

const name = 'renewals-beside-reads';
const readsPerSecond = 2000;
/** Time for the start and for reads that are not counted. */
const leadMs = 3000;
const leadMsPerRenewal = 0.15;
const pollMs = 250;
const mostMs = 300_000;

const reads = workloads.find((each) => each.name === 'rest-list-10');

const engines = {
  sqlite: {
    fill: fillDueOnSqlite,
    ask: async (file, text) => {
      const database = new Database(file, { readonly: true });
      const rows = database.prepare(text).raw().all();
      database.close();
      return rows;
    },
    paidAtMs: '(julianday(created_at) - 2440587.5) * 86400000',
  },
  postgres: {
    fill: fillDueOnPostgres,
    ask: (address, text) =>
      withClient(address, async (client) => (await client.query({ text, rowMode: 'array' })).rows),
    paidAtMs: 'extract(epoch FROM created_at) * 1000',
  },
};

async function measureBesideReads(world) {
  const measured = [];
  for (const variant of besideReads.variants.filter(world.takesPart)) {
    try {
      measured.push({ name: variant, ...(await measureOne(world, variant)) });
    } catch (error) {
      world.leaveOut(variant, error.message, name);
    }
  }
  return summarize(name, measured);
}

async function measureOne(world, variant) {
  const { databases, size } = world;
  const engine = getEngine(variant);
  // If server and PostgreSQL share a core, reads alone nearly use it up.
  const count =
    engine === 'postgres' ? size.renewalsBesideReads / 10 : Math.min(size.renewalsBesideReads, size.renewals);
  const { fill } = engines[engine];
  const billed = variant === 'floor' ? await createBilledFile(world, count) : undefined;
  const database = await databases.copy(engine, `${name}-${variant}`);
  const at = new Date(Date.now() + leadMs + count * leadMsPerRenewal).toISOString();
  await fill(database, count, at);
  const server = await prepare(
    world,
    {
      ...reads,
      name,
      selectDatabase: async () => database,
      sharesServers: false,
      more: { floor: ['--billed', billed, '--renew-at', at] },
    },
    variant,
  );
  try {
    const begunAtMs = Date.now();
    const endReads = sendSteadily(server, readsPerSecond);
    await waitUntilBilled(engine, database, at);
    const samples = await endReads();
    const paidAtMs = await listPayments(engine, database, at);
    return { ...computeFigures(samples, paidAtMs, begunAtMs), ...roundMemory(server) };
  } finally {
    await server.stop();
  }
}

/** Returns a file billed by the product, whose rows the floor writes again. */
async function createBilledFile(world, count) {
  const file = await world.databases.copy('sqlite', `${name}-billed`);
  fillDueOnSqlite(file, count, new Date().toISOString());
  await bill(world, 'sqlite', file, count);
  return file;
}

async function waitUntilBilled(engine, database, at) {
  const endsAt = Date.now() + mostMs;
  const due = `SELECT 1 FROM subscriptions WHERE tenant_alias = '${alias}' AND due_at <= '${at}'`;
  // Runs in the client process, because counting would delay the measured server.
  const left = `SELECT CASE WHEN EXISTS (${due}) THEN 1 ELSE 0 END`;
  await pause(Math.max(0, Date.parse(at) - Date.now()));
  while (Number((await engines[engine].ask(database, left))[0][0]) > 0) {
    if (Date.now() > endsAt) throw new Error(`what was due was not billed within ${mostMs} ms`);
    await pause(pollMs);
  }
}

async function listPayments(engine, database, at) {
  const { ask, paidAtMs } = engines[engine];
  const rows = await ask(database, `SELECT ${paidAtMs} FROM payments WHERE created_at >= '${at}'`);
  return rows.map(([value]) => Number(value)).toSorted((a, b) => a - b);
}

/** Computes the figures of the time in which both were active. */
function computeFigures({ answeredAtMs, latenciesMs }, paidAtMs, begunAtMs) {
  const warmAtMs = begunAtMs + 1000;
  const fromMs = Math.max(paidAtMs[0], warmAtMs);
  const toMs = paidAtMs.at(-1);
  const seconds = (toMs - fromMs) / 1000;
  if (!(seconds > 0)) throw new Error('the renewals were over before the reads had begun');
  const latencies = latenciesMs
    .filter((_, index) => answeredAtMs[index] >= fromMs && answeredAtMs[index] <= toMs)
    .toSorted((a, b) => a - b);
  const renewed = paidAtMs.filter((ms) => ms >= fromMs).length;
  return {
    rounds: [
      {
        perSecond: renewed / seconds,
        p50Ms: computePercentile(latencies, 0.5),
        p99Ms: computePercentile(latencies, 0.99),
      },
    ],
    readsPerSecond: Math.round(latencies.length / seconds),
  };
}

export const besideReads = {
  name,
  variants: ['floor', 'perennial', 'perennial-postgres'],
  measure: measureBesideReads,
};
