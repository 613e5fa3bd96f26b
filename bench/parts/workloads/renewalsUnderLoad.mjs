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
import { batchesPerSecond } from './usage.mjs';

const name = 'renewals-beside-reads';
const readsPerSecond = 2000;
/** Time for the start and for reads that are not counted. */
const leadMs = 3000;
const leadMsPerRenewal = 0.15;
const pollMs = 250;
const mostMs = 300_000;

const reads = workloads.find((each) => each.name === 'rest-list-10');
const ingest = workloads.find((each) => each.name === 'usage-batches');

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

/** Measures the variants of a workload one after another; returns their figures. */
async function measureAll(world, { name: workload, variants }, measureVariant) {
  const measured = [];
  for (const variant of variants.filter(world.takesPart)) {
    try {
      measured.push({ name: variant, ...(await measureVariant(world, variant)) });
    } catch (error) {
      world.leaveOut(variant, error.message, workload);
    }
  }
  return summarize(workload, measured);
}

const measureBesideReads = (world) => measureAll(world, besideReads, measureOne);

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

/**
 * Renewals beside ten thousand events a second: the rate of both, and a note about each alone, on copies of the same data. With
 * one processor for all, each can have only what the other leaves.
 */
async function measureBesideUsage(world) {
  const notes = [];
  const result = await measureAll(world, besideUsage, async (_, variant) => {
    const [renewals, usage, both] = [
      await measureWithUsage(world, variant, { bills: true, records: false }),
      await measureWithUsage(world, variant, { bills: false, records: true }),
      await measureWithUsage(world, variant, { bills: true, records: true }),
    ];
    const share = (of, to) => (of / to).toFixed(2);
    const [alone, beside] = [renewals, both].map(({ rounds }) => rounds[0].perSecond);
    notes.push(
      `${variant}: ${Math.round(alone)} renewals a second alone, beside usage ${share(beside, alone)} of that; ` +
        `${usage.eventsPerSecond} events a second alone, beside renewals ${share(both.eventsPerSecond, usage.eventsPerSecond)} of that.`,
    );
    return both;
  });
  return { ...result, note: notes.join('\n') };
}

const usageSeconds = 10;

async function measureWithUsage(world, variant, { bills, records }) {
  const engine = getEngine(variant);
  const count = Math.min(world.size.renewalsBesideReads, world.size.renewals);
  const database = await world.databases.copy(engine, `${besideUsage.name}-${variant}-${bills}-${records}`);
  const at = new Date(Date.now() + leadMs + count * leadMsPerRenewal).toISOString();
  if (bills) await engines[engine].fill(database, count, at);
  const server = await prepare(
    world,
    {
      ...ingest,
      name: besideUsage.name,
      selectDatabase: async () => database,
      sharesServers: false,
    },
    variant,
  );
  try {
    const endUsage = records ? sendSteadily(server, batchesPerSecond) : undefined;
    await pause(Math.max(0, Date.parse(at) - Date.now()));
    const fromMs = Date.now();
    if (bills) await waitUntilBilled(engine, database, at);
    else await pause(usageSeconds * 1000);
    const paidAtMs = bills ? await listPayments(engine, database, at) : [];
    const toMs = bills ? paidAtMs.at(-1) : Date.now();
    const { answeredAtMs = [] } = (await endUsage?.()) ?? {};
    const seconds = (toMs - fromMs) / 1000;
    const answered = answeredAtMs.filter((ms) => ms >= fromMs && ms <= toMs).length;
    return {
      rounds: [{ perSecond: bills ? paidAtMs.length / ((toMs - paidAtMs[0]) / 1000) : undefined }],
      eventsPerSecond: records ? Math.round((answered * 1000) / seconds) : undefined,
      ...roundMemory(server),
    };
  } finally {
    await server.stop();
  }
}

export const besideUsage = {
  name: 'renewals-beside-usage',
  variants: ['perennial', 'perennial-postgres'],
  measure: measureBesideUsage,
};
