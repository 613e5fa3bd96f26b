import type { Command } from 'commander';
import { faultsOfDatabase } from '../app.ts';
import { examine, type Finding } from '../operations/doctor.ts';
import { remedies } from '../operations/remedies.ts';
import { configOf, jsonFlag, print, takeSettings, withService, type Flags, type Io } from './io.ts';
import { countOf, progressOn } from './progress.ts';

/** Adds `doctor`. */
export function addDoctorCommand(program: Command, io: Io): void {
  const doctor = program
    .command('doctor')
    .description('check the database and the books, and change nothing; exits with 1 if there are problems')
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
  progress.tell('Checking the database');
  const damage = await faultsOfDatabase(configOf(flags, io));
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
    ...findings,
  ];
  const { tenants, subscriptions, invoices, traces } = examined;
  const looked = `Checked ${countOf(tenants, 'tenant')}, ${countOf(subscriptions, 'subscription')}, ${countOf(invoices, 'invoice')} and ${countOf(traces, 'trace')}.\n`;
  if (all.length === 0) {
    print(io, flags, { findings: [], examined }, `${looked}No problems found.\n`);
    return;
  }
  print(io, flags, { findings: all, examined }, `${looked}${all.map(told).join('')}${plan(all)}`);
  throw new Error(`Found ${countOf(all.length, 'problem')}; nothing was changed.`);
}

const told = ({ tenant, check, subject, found }: Finding) =>
  `${[tenant, check, subject].filter(Boolean).join(' ')}: ${found}\n`;

/** How to repair the findings, once for each kind. */
function plan(findings: Finding[]): string {
  const kinds = new Map(findings.map(({ check, repair }) => [check, repair]));
  return `\nHow to repair:\n${[...kinds].map(([check, repair]) => `  ${check}: ${repair}\n`).join('')}`;
}
