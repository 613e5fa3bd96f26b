import type { Command } from 'commander';
import { assetPath } from '../lib/assets.ts';
import { systemClock } from '../lib/clock.ts';
import { readConfig } from '../config/config.ts';
import { copyRows, type Copied, type CopyStep } from '../maintenance/databaseCopy/copy.ts';
import { openStore } from '../storage/open.ts';
import { compareDatabases, type Comparison } from '../maintenance/databaseCopy/compareDatabases.ts';
import type { Store } from '../storage/store.ts';
import { formatColumns, jsonFlag, print, type Flags, type Io } from './io.ts';
import { formatCount } from './progress.ts';

const connections = 4;
const fewLines = 20;

/** Adds `copy`. */
export function addCopyCommand(program: Command, io: Io): void {
  program
    .command('copy')
    .description('copy a database to another, of either kind, and compare the two')
    .requiredOption('--from <url>', 'the database to copy: sqlite: and the path of a file, or postgres://…')
    .requiredOption('--to <url>', 'the database to copy to; nothing may be using it')
    .option('--check', 'only compare the two')
    .option(...jsonFlag)
    .addHelpText(
      'after',
      `
The source may be in use: the copy is a snapshot of one instant. Run it again to resume an interrupted copy, or to catch up
with what was added, changed and removed since.

Examples:
  $ perennial copy --from sqlite:data/perennial.db --to postgres://perennial@db/perennial
  $ perennial copy --from postgres://perennial@db/perennial --to sqlite:backup.db --json
  $ perennial copy --check --from sqlite:data/perennial.db --to postgres://perennial@db/perennial`,
    )
    .action((flags: Flags) => copyOne(flags, io));
}

async function copyOne(flags: Flags, io: Io) {
  const [from, to] = [readDatabaseFlag(flags, 'from'), readDatabaseFlag(flags, 'to')];
  if (from === to) throw new Error('--from and --to are the same database.');
  const source = await open('from', from, { own: false, mustExist: true });
  try {
    const target = await open('to', to, { own: true, mustExist: flags['check'] === true });
    try {
      const { copied, proof, copyMs } = await copyAndProve(source, target, flags, io);
      print(io, flags, { ...proof, copied, copyMs }, describeResult(proof, copied, copyMs));
      if (!proof.equal) throw new Error('The two databases differ.');
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function open(flag: 'from' | 'to', database: string, how: { own: boolean; mustExist: boolean }) {
  const { own, mustExist } = how;
  const options = { database, databaseConnections: connections, mustExist };
  try {
    return await openStore(options, assetPath('drizzle'), own, systemClock);
  } catch (error) {
    throw nameFlag(error as Error, '--database or PERENNIAL_DATABASE', flag);
  }
}

/** Names the flag of this command in an error about the setting. */
const nameFlag = (error: Error, setting: string, flag: 'from' | 'to') =>
  error.message.includes(setting)
    ? new Error(error.message.replace(setting, `--${flag}`), { cause: error })
    : error;

/** Compares the target with the copied snapshot, because the source may change meanwhile. */
function copyAndProve(from: Store, to: Store, flags: Flags, io: Io) {
  const show = createProgress(io);
  return from.snapshot(async (source) => {
    const begunMs = systemClock.nowMs();
    const copied = flags['check'] ? undefined : await copyRows(source, to, show.step);
    const copyMs = systemClock.nowMs() - begunMs;
    const proof = await compareDatabases(source, to, show.table);
    show.end();
    return { copied, proof, copyMs };
  });
}

function readDatabaseFlag(flags: Flags, flag: 'from' | 'to'): string {
  try {
    return readConfig({ database: String(flags[flag]) }, {}).database;
  } catch (error) {
    throw nameFlag(error as Error, '--database', flag);
  }
}

/** Shows the progress in one line of a terminal. */
function createProgress(io: Io) {
  let widest = 0;
  const write = (text: string) => {
    if (!io.isTerminal) return;
    widest = Math.max(widest, text.length);
    io.out(`\r${text.padEnd(widest)}`);
  };
  return {
    step: ({ table, rows, total: of }: CopyStep) => {
      const percent = of === 0 ? 100 : Math.floor((rows / of) * 100);
      write(`Copying ${table}: ${formatNumber(rows)} of ${formatCount(of, 'row')} (${percent}%)`);
    },
    table: (table: string) => write(`Comparing ${table}`),
    end: () => {
      if (widest > 0) io.out(`\r${' '.repeat(widest)}\r`);
    },
  };
}

function describeResult(
  { equal, tables, money }: Comparison,
  copied: Copied | undefined,
  copyMs: number,
): string {
  const rows = tables.map(({ table, rows: [from, to], hash: [a, b] }) => [
    table,
    formatNumber(from),
    formatNumber(to),
    a === b ? `equal ${a.slice(0, 12)}` : 'DIFFERENT',
  ]);
  const sums = money.map(({ tenant, currency, column, minorUnits: [from, to] }) => [
    tenant,
    currency,
    column,
    from,
    from === to ? 'equal' : `DIFFERENT: ${to}`,
  ]);
  const unequal = sums.filter((line) => line.at(-1) !== 'equal');
  const shown = sums.length <= fewLines ? sums : unequal;
  const differences = tables.flatMap(({ table, differences: own }) =>
    own.map((each) => `  ${table}: ${each}\n`),
  );
  return [
    copied
      ? `Copied in ${copyMs / 1000} s: ${formatCount(copied.added, 'row')} added, ${formatNumber(copied.changed)} changed, ${formatNumber(copied.removed)} removed.\n`
      : '',
    formatColumns([['TABLE', 'FROM', 'TO', 'SHA-256'], ...rows]),
    shown.length > 0 ? formatColumns([['TENANT', 'CURRENCY', 'MONEY', 'MINOR UNITS', ''], ...shown]) : '',
    ...differences,
    equal
      ? `The databases are equal: ${formatCount(tables.length, 'table')} and ${formatCount(money.length, 'sum')} of money match.\n`
      : '',
  ].join('');
}

const formatNumber = (count: number) => count.toLocaleString('en-US');
