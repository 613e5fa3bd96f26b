import type { Command } from 'commander';
import { findDamage, inspectDatabase, findUndistributedTables } from '../app/app.ts';
import { examine, type Examined, type Finding } from '../maintenance/doctor/doctor.ts';
import { repairHints } from '../maintenance/doctor/repairHints.ts';
import { redactKeys } from '../lib/redaction.ts';
import type { Service } from '../tenancy/tenants.ts';
import { parseConfig, jsonFlag, print, takeSettings, withServiceOf, type Flags, type Io } from './io.ts';
import { countOf, progressOn } from './progress.ts';

/** Adds `doctor`. */
export function addDoctorCommand(program: Command, io: Io): void {
  const doctor = program
    .command('doctor')
    .description('check the database and the books without changes; exits with 1 if it finds problems')
    .option('--pages-only', 'check only the pages of the file, not the books')
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
  try {
    const outcome = flags['pagesOnly'] ? await lookAtPages(flags, io) : await lookThrough(flags, io);
    report(outcome, flags, io);
    if (outcome.failure !== undefined) throw outcome.failure;
    const { length } = outcome.findings;
    if (length > 0) throw new Told(`Found ${countOf(length, 'problem')}; nothing was changed.`);
  } catch (error) {
    // With --json every failure is printed as JSON, too.
    if (flags['json'] && !(error instanceof Told)) {
      const { message } = error as Error;
      print(io, flags, { findings: [], examined: null, error: redactKeys(message) }, '');
    }
    throw error;
  }
}

/** Says what has been printed already. */
class Told extends Error {}

interface Outcome {
  findings: Finding[];
  examined: Examined | null;
  /** Why the books could not be looked through, where the file is damaged. */
  failure?: Error;
}

const asFinding = (found: string): Finding => ({
  tenant: '',
  check: 'file',
  subject: '',
  found,
  repair: repairHints.file,
});

const asLeftOut = (table: string): Finding => ({
  tenant: '',
  check: 'distribution',
  subject: table,
  found: 'is not distributed, but other tables are',
  repair: repairHints.distribution,
});

async function lookAtPages(flags: Flags, io: Io): Promise<Outcome> {
  return { findings: (await findDamage(parseConfig(flags, io))).map(asFinding), examined: null };
}

function lookThrough(flags: Flags, io: Io): Promise<Outcome> {
  const config = parseConfig(flags, io);
  const progress = progressOn(io, flags['json'] === true);
  progress.tell('Checking the database');
  return inspectDatabase(config, async (database, faults) => {
    const damage = faults.map(asFinding);
    try {
      const examineBooks = (service: Service) => examine(service, progress.tell);
      const leftOut = (await findUndistributedTables({ ...config, database })).map(asLeftOut);
      const { findings, examined } = await withServiceOf({ ...config, database }, examineBooks);
      return { findings: [...damage, ...leftOut, ...findings], examined };
    } catch (error) {
      if (damage.length === 0) throw error;
      const message = `The books cannot be read in a damaged file: ${(error as Error).message}`;
      return { findings: damage, examined: null, failure: new Told(message, { cause: error }) };
    } finally {
      progress.end();
    }
  });
}

function report({ findings, examined, failure }: Outcome, flags: Flags, io: Io) {
  const json = { findings, examined, ...(failure && { error: failure.message }) };
  const looked = examined
    ? `Checked ${countOf(examined.tenants, 'tenant')}, ${countOf(examined.subscriptions, 'subscription')}, ${countOf(examined.invoices, 'invoice')} and ${countOf(examined.traces, 'trace')}.\n`
    : '';
  const all =
    findings.length === 0 ? 'No problems found.\n' : `${findings.map(told).join('')}${plan(findings)}`;
  print(io, flags, json, looked + all);
}

const told = ({ tenant, check, subject, found }: Finding) =>
  `${[tenant, check, subject].filter(Boolean).join(' ')}: ${found}\n`;

/** How to repair the findings, once for each kind. */
function plan(findings: Finding[]): string {
  const kinds = new Map(findings.map(({ check, repair }) => [check, repair]));
  return `\nHow to repair:\n${[...kinds].map(([check, repair]) => `  ${check}: ${repair}\n`).join('')}`;
}
