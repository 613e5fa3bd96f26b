import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { openService } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import { prepareDue } from '../simulation/due.ts';
import { findFaults } from '../simulation/invariants.ts';
import { checkWrites } from './checks.ts';
import { createVictim } from './server.ts';
import { startWriters } from './writers.ts';

interface Settings {
  program: string;
  file: string;
  cycles: number;
  writers: number;
  say: (line: string) => void;
}

const [leastMs, mostMs] = [50, 1000];
const due = {
  subscriptions: 60,
  frequency: 'Daily',
  methods: ['sandbox_ok', 'sandbox_ok', 'sandbox_declined'],
} as const;
const dueDays = 40;
const dayMs = 86_400_000;
/** The whole books are checked less often, because a check takes as long as a cycle. */
const cyclesPerProof = 10;

/** Repeatedly kills the server while clients write and it bills. Returns the faults found after each start. */
export async function killAgainAndAgain({ program, file, cycles, writers: count, say }: Settings) {
  const begunAt = performance.now();
  const victim = await createVictim({ program, file });
  const { apiKey } = victim.run('tenant', 'create', 'acme', '--test', '--json');
  let tenants = 0;
  const addDue = () => makeDue(file, `live-${++tenants}`);
  await addDue();
  await victim.start();
  const writers = await startWriters({ url: victim.url, apiKey, alias: 'acme' }, count);
  const found = { lost: 0, doubled: 0, withoutTrace: 0, doubledPeriods: 0, damaged: 0, otherFaults: 0 };
  const kills = { whileBilling: 0 };
  const faults: string[] = [];
  const check = (isProof: boolean) => {
    const acknowledged = writers.written.writes.filter(({ id }) => id !== undefined);
    const checked = inSnapshot(file, (disk) => {
      const result = checkWrites(disk, writers.written.writes, new Set(acknowledged));
      if (isProof) faults.push(...findFaults(disk));
      return result;
    });
    found.lost += checked.lost;
    found.doubled += checked.doubled;
    found.withoutTrace += checked.withoutTrace;
    found.doubledPeriods += checked.doubledPeriods;
    found.damaged += checked.damaged;
    found.otherFaults = faults.length;
    return checked;
  };

  for (let cycle = 1; cycle <= cycles; cycle++) {
    const before = inSnapshot(file, readInvoices);
    await pause(randomInt(leastMs, mostMs));
    await victim.kill();
    // Answers that the dead server had sent may still be on their way.
    await pause(30);
    const { stillDue, invoices } = inSnapshot(file, readState);
    if (invoices > before) kills.whileBilling += 1;
    if (stillDue === 0) await addDue();
    await victim.start();
    const { lost, doubled } = check(cycle % cyclesPerProof === 0);
    if (cycle % cyclesPerProof === 0)
      say(`${cycle} kills, ${writers.acknowledged()} acknowledged, ${lost} lost, ${doubled} doubled`);
  }
  await writers.finish();
  while (inSnapshot(file, readState).stillDue > 0) await pause(200);
  check(true);
  const { invoices } = inSnapshot(file, readState);
  await victim.kill();
  const doctor = victim.run('doctor', '--json');
  const { repeated, unanswered, unexpected } = writers.written;
  for (const line of [...faults, ...unexpected].slice(0, 10)) say(line);
  return {
    cycles,
    whileBilling: kills.whileBilling,
    acknowledged: writers.acknowledged(),
    ...found,
    repeated,
    unanswered,
    unexpected: unexpected.length,
    periodsBilled: invoices,
    doctor: JSON.stringify(doctor).slice(0, 200),
    seconds: Math.round((performance.now() - begunAt) / 100) / 10,
  };
}

/** A tenant whose subscriptions owe many periods. */
async function makeDue(file: string, alias: string): Promise<void> {
  const service = await openService(readConfig({ database: `sqlite:${file}`, logLevel: 'silent' }, {}), true);
  const startsAt = new Date(Date.now() - (dueDays - 0.5) * dayMs).toISOString();
  await prepareDue(service, { ...due, methods: [...due.methods], startsAt, alias });
  await service.store.close();
}

const readInvoices = (disk: Database.Database) =>
  Number(disk.prepare('SELECT count(*) FROM invoices').pluck().get());

function readState(disk: Database.Database) {
  const now = new Date(Date.now()).toISOString();
  const stillDue = disk.prepare('SELECT count(*) FROM subscriptions WHERE due_at <= ?').pluck().get(now);
  return { stillDue: Number(stillDue), invoices: readInvoices(disk) };
}

/** Reads the file in one snapshot beside the server, which recovers the file itself. */
function inSnapshot<T>(file: string, work: (disk: Database.Database) => T): T {
  const disk = new Database(file, { readonly: true, timeout: 5000 });
  disk.defaultSafeIntegers(true);
  try {
    disk.exec('BEGIN');
    return work(disk);
  } finally {
    disk.close();
  }
}
