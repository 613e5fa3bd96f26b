import type { Command } from 'commander';
import { faultsOfDatabase, undistributedTables } from '../app.ts';
import { examine, type Finding } from '../operations/doctor.ts';
import { remedies } from '../operations/remedies.ts';
import { configOf, jsonFlag, print, takeSettings, withService, type Flags, type Io } from './io.ts';
import { counted, progressOn } from './progress.ts';

/** Adds `doctor`. */
export function addDoctorCommand(program: Command, io: Io): void {
  const doctor = program
    .command('doctor')
    .description('look through the database and the books, and change nothing; exit code 1 with findings')
    .option(...jsonFlag)
    .addHelpText(
      'after',
      `
Examples:
  $ perennial doctor
  $ perennial doctor --database sqlite:/var/backups/perennial-monday.db --json`,
    );
  takeSettings(doctor, ['database']).action((flags: Flags) => examineAll(flags, io));
}

async function examineAll(flags: Flags, io: Io) {
  const progress = progressOn(io, flags['json'] === true);
  progress.tell('The database');
  const config = configOf(flags, io);
  const damage = await faultsOfDatabase(config);
  const leftOut = await undistributedTables(config);
  const { findings, examined } = await withService(flags, io, (service) => examine(service, progress.tell));
  progress.end();
  const all: Finding[] = [
    ...damage.map((found) => ({
      tenant: '',
      check: 'file' as const,
      subject: '',
      found,
      repair: remedies.file,
    })),
    ...leftOut.map((table) => ({
      tenant: '',
      check: 'distribution' as const,
      subject: table,
      found: 'is not distributed, and other tables are',
      repair: remedies.distribution,
    })),
    ...findings,
  ];
  const { tenants, subscriptions, invoices, traces } = examined;
  const looked = `Looked at ${counted(tenants)} tenants, ${counted(subscriptions)} subscriptions, ${counted(invoices)} invoices and ${counted(traces)} traces.\n`;
  if (all.length === 0) {
    print(io, flags, { findings: [], examined }, `${looked}Everything adds up.\n`);
    return;
  }
  print(io, flags, { findings: all, examined }, `${looked}${all.map(told).join('')}${plan(all)}`);
  throw new Error(`The doctor found ${counted(all.length)} things; nothing was changed.`);
}

const told = ({ tenant, check, subject, found }: Finding) =>
  `${[tenant, check, subject].filter(Boolean).join(' ')}: ${found}\n`;

/** What to do, once for each kind. */
function plan(findings: Finding[]): string {
  const kinds = new Map(findings.map(({ check, repair }) => [check, repair]));
  return `\nWhat would put it right:\n${[...kinds].map(([check, repair]) => `  ${check}: ${repair}\n`).join('')}`;
}
