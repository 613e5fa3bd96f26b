// How fast renewals are billed, beside the same rows written by better-sqlite3 with nothing in between.
// `npm run bench:renewals -- --renewals 100000 --json figures.json`
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import { load } from '../scripts/bundle.mjs';

const { values } = parseArgs({
  options: {
    renewals: { type: 'string', default: '100000' },
    json: { type: 'string' },
    folder: { type: 'string' },
    /** Keeps a CPU profile of the billing run in this folder. */
    profile: { type: 'string' },
    phase: { type: 'string' },
    file: { type: 'string' },
  },
});
const count = Number(values.renewals);
// As large as the group commit's.
const unitsPerCommit = 100;

const phases = {
  /** Fills a file with subscriptions that are all due. */
  prepare: async () => {
    const { openOn, prepareDue } = await load('test/billing/simulation/outside.ts');
    const service = await openOn(values.file);
    // Due once: the second cycle lies ahead.
    const monthAgo = new Date(Date.now() - 20 * 86_400_000).toISOString();
    const due = { alias: 'acme', subscriptions: count, startsAt: monthAgo, frequency: 'Monthly' };
    await prepareDue(service, { ...due, methods: ['sandbox_ok'] });
    await service.store.close();
    return {};
  },

  /** Bills them in one run. */
  run: async () => {
    const { openOn, performDue } = await load('test/billing/simulation/outside.ts');
    const service = await openOn(values.file);
    const log = { error: console.error };
    const figures = await measured(() => performDue(service, log));
    await service.store.close();
    return figures;
  },

  /** Writes the rows that the run has left. */
  raw: async () => {
    const source = new Database(values.file, { readonly: true });
    const written = rowsWritten(source);
    source.close();
    return measured(() => writeRaw(`${values.file}.raw`, written));
  },
};

if (values.phase) {
  console.log(JSON.stringify(await phases[values.phase]()));
} else {
  compare();
}

function compare() {
  const folder = mkdtempSync(path.join(values.folder ?? tmpdir(), 'perennial-bench-'));
  const file = path.join(folder, 'renewals.db');
  try {
    phase('prepare', file);
    copyFileSync(file, `${file}.raw`);
    const profile = values.profile ? ['--cpu-prof', `--cpu-prof-dir=${values.profile}`] : [];
    const billed = phase('run', file, profile);
    const raw = phase('raw', file);
    report(billed, raw);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Each phase is a process of its own, so that its memory is its own. */
function phase(name, file, nodeArguments = []) {
  const self = fileURLToPath(import.meta.url);
  const own = ['--phase', name, '--file', file, '--renewals', String(count)];
  const { stdout, stderr, status } = spawnSync(process.execPath, [...nodeArguments, self, ...own], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${name} failed: ${stderr}`);
  return JSON.parse(stdout.trim().split('\n').at(-1));
}

async function measured(work) {
  const begunAt = performance.now();
  const before = process.memoryUsage().rss;
  const cpuBefore = process.cpuUsage();
  await work();
  const cpu = process.cpuUsage(cpuBefore);
  const seconds = (performance.now() - begunAt) / 1000;
  const megabytes = (bytes) => Math.round(bytes / 1e6);
  return {
    seconds: Math.round(seconds * 1000) / 1000,
    perSecond: Math.round(count / seconds),
    // What the machine would do if nobody else used it, and its disk cost nothing.
    perCpuSecond: Math.round((count * 1e6) / (cpu.user + cpu.system)),
    startMegabytes: megabytes(before),
    peakMegabytes: megabytes(process.resourceUsage().maxRSS * 1024),
  };
}

/** The rows of each renewal, in the order in which they were written, and what the subscription has become. */
function rowsWritten(source) {
  source.defaultSafeIntegers(true);
  const all = (text) => source.prepare(text).raw().all();
  const columnsOf = (table) => source.pragma(`table_info(${table})`).map(({ name }) => name);
  const tables = {};
  for (const table of ['invoices', 'invoice_lines', 'payments']) {
    tables[table] = { columns: columnsOf(table), rows: all(`SELECT * FROM ${table} ORDER BY id`) };
  }
  const traces = all(
    "SELECT * FROM traces WHERE executor_id = 'system:scheduler' AND json_extract(payload, '$.action') <> 'created' OR activity_type IN ('InvoiceEvent', 'PaymentEvent') ORDER BY event_id",
  );
  tables.traces = { columns: columnsOf('traces'), rows: traces };
  const subscriptions = all(
    `SELECT billed_count, current_period_start, current_period_end, next_billing_date, due_at, updated_at,
       tenant_alias, id FROM subscriptions`,
  );
  return { tables, subscriptions };
}

function writeRaw(file, { tables, subscriptions }) {
  const target = new Database(file);
  target.defaultSafeIntegers(true);
  for (const setting of [
    'journal_mode = WAL',
    'synchronous = FULL',
    'foreign_keys = ON',
    'wal_autocheckpoint = 10000',
  ]) {
    target.pragma(setting);
  }
  const change = target.prepare(
    `UPDATE subscriptions SET billed_count = ?, current_period_start = ?, current_period_end = ?,
       next_billing_date = ?, due_at = ?, updated_at = ? WHERE tenant_alias = ? AND id = ?`,
  );
  const inserts = Object.entries(tables).map(([table, { columns, rows }]) => ({
    statement: target.prepare(`INSERT INTO ${table} VALUES (${columns.map(() => '?').join()})`),
    rows,
    perRenewal: rows.length / count,
  }));
  const [begin, commit] = [target.prepare('BEGIN IMMEDIATE'), target.prepare('COMMIT')];
  for (let from = 0; from < count; from += unitsPerCommit) {
    begin.run();
    const to = Math.min(from + unitsPerCommit, count);
    for (let index = from; index < to; index++) {
      for (const { statement, rows, perRenewal } of inserts) {
        for (let row = index * perRenewal; row < (index + 1) * perRenewal; row++) statement.run(rows[row]);
      }
      change.run(subscriptions[index]);
    }
    commit.run();
  }
  target.close();
}

function report(billed, raw) {
  const ratio = Math.round((billed.perSecond / raw.perSecond) * 1000) / 1000;
  const figures = { renewals: count, billed, raw, ratio, node: process.version, cpu: cpus()[0].model };
  const line = ({ perSecond, perCpuSecond, seconds, startMegabytes, peakMegabytes }) =>
    `${perSecond} renewals/s (${perCpuSecond} by processor time), ${seconds} s, memory ${startMegabytes} to ${peakMegabytes} MB`;
  console.log(`${count} due renewals in one run, on ${figures.cpu}, Node ${process.version}`);
  console.log(`  billed: ${line(billed)}`);
  console.log(`  the same rows by better-sqlite3 alone: ${line(raw)}`);
  console.log(`  ratio: ${ratio}`);
  if (values.json) writeFileSync(values.json, `${JSON.stringify(figures, null, 2)}\n`);
}
