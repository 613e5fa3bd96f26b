// `npm run stress -- crash --cycles 100`: kills the real program with kill -9 repeatedly while it bills, then lets it finish
// and verifies in the database file that nothing was billed twice or omitted.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import { load } from '../build/bundle.mjs';
import { ensureBuilt, program } from '../setup.mjs';

const { values } = parseArgs({
  options: {
    cycles: { type: 'string', default: '100' },
    subscriptions: { type: 'string', default: '1000' },
    /** The number of daily cycles due for each subscription. */
    days: { type: 'string', default: '40' },
    folder: { type: 'string', default: tmpdir() },
  },
});
const cycles = Number(values.cycles);
const subscriptions = Number(values.subscriptions);
const days = Number(values.days);
const dayMs = 86_400_000;
/** One in ten is always declined, and ends as uncollectible or waits for its next attempt. */
const methods = [...Array.from({ length: 9 }, () => 'sandbox_ok'), 'sandbox_declined'];
const aliases = ['acme', 'globex'];

ensureBuilt();
const { openOn, prepareDue, findFaults } = await load('test/stress/simulation/outside.ts');
const folder = mkdtempSync(path.join(values.folder, 'perennial-crash-'));
const file = path.join(folder, 'crash.db');
const env = { ...process.env, PERENNIAL_DATABASE: `sqlite:${file}`, PERENNIAL_LOG_LEVEL: 'error' };
const begunAt = performance.now();
try {
  await prepare();
  const kills = await killAgainAndAgain();
  finish();
  verify(kills);
} finally {
  rmSync(folder, { recursive: true });
}

async function prepare() {
  const service = await openOn(file);
  const startsAt = new Date(Date.now() - (days - 0.5) * dayMs).toISOString();
  const due = { subscriptions: subscriptions / aliases.length, startsAt, frequency: 'Daily', methods };
  for (const alias of aliases) await prepareDue(service, { ...due, alias });
  await service.store.close();
}

/** Alternates `bill` and `serve`; kills each of them at a random moment while it is billing. */
async function killAgainAndAgain() {
  const kills = { billing: 0, idle: 0, inTheMiddle: 0 };
  for (let cycle = 0; cycle < cycles; cycle++) {
    const before = countRows('invoices');
    const args = cycle % 2 === 0 ? ['bill'] : ['serve', '--port', '0'];
    const child = spawn(process.execPath, [program, ...args], { env, stdio: 'ignore' });
    const ended = new Promise((resolve) => child.on('exit', resolve));
    await waitUntilItBills(child, before);
    await pause(randomMs(0, 60));
    child.kill('SIGKILL');
    await ended;
    if (countRows('invoices') > before) kills.billing += 1;
    else kills.idle += 1;
    // Possibly charged by the provider, but not recorded yet: the most dangerous moment for a crash.
    if (countRows("invoices WHERE status = 'open' AND charge_started_at IS NOT NULL") > 0)
      kills.inTheMiddle += 1;
  }
  return kills;
}

/**
 * Waits until the program has written something, so that it is killed while it works; stops waiting after a while,
 * because there may be nothing left to bill.
 */
async function waitUntilItBills(child, before) {
  for (let waited = 0; waited < 200 && child.exitCode === null; waited++) {
    if (countRows('invoices') > before) return;
    await pause(10);
  }
}

function randomMs(least, most) {
  const [byte] = crypto.getRandomValues(new Uint8Array(1));
  return least + Math.floor((byte * (most - least)) / 255);
}

function countRows(tableAndCondition) {
  const reader = new Database(file, { readonly: true, timeout: 5000 });
  try {
    return reader.prepare(`SELECT count(*) FROM ${tableAndCondition}`).pluck().get();
  } finally {
    reader.close();
  }
}

/** Lets the program finish without interruption. */
function finish() {
  const { status, stderr } = spawnSync(process.execPath, [program, 'bill'], { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`perennial bill failed: ${stderr}`);
}

function verify(kills) {
  const disk = new Database(file);
  disk.defaultSafeIntegers(true);
  const count = (text) => Number(disk.prepare(text).pluck().get());
  const faults = findFaults(disk);
  // The sandbox accepts every charge: each paid period must have one charge, identified by its attempt number.
  const doubled =
    count(`SELECT count(*) FROM (SELECT 1 FROM payments WHERE kind = 'charge' AND status = 'succeeded'
    GROUP BY tenant_alias, invoice_id HAVING count(*) > 1)`);
  const twice = count(
    'SELECT count(*) FROM (SELECT 1 FROM invoices GROUP BY subscription_id, cycle_start HAVING count(*) > 1)',
  );
  const due = count(
    `SELECT count(*) FROM subscriptions WHERE due_at <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')`,
  );
  const payers = Math.round((subscriptions * 9) / 10);
  const paid = count("SELECT count(*) FROM invoices WHERE status = 'paid'");
  const figures = {
    kills: cycles,
    whileBilling: kills.billing,
    withChargesUnderWay: kills.inTheMiddle,
    beforeAnythingWasBilled: kills.idle,
    subscriptions,
    paidPeriods: paid,
    expectedPeriods: payers * days,
    doubledInvoices: twice,
    doubledPayments: doubled,
    stillDue: due,
    otherFaults: faults.length,
    seconds: Math.round((performance.now() - begunAt) / 100) / 10,
  };
  disk.close();
  console.log(figures);
  const isRight = doubled + twice + due + faults.length === 0 && paid === payers * days;
  if (isRight) return;
  console.error(faults.slice(0, 10).join('\n'));
  process.exitCode = 1;
}
