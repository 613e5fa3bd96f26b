import type { Command } from 'commander';
import { findDamage, inspectDatabase, findUndistributedTables } from '../app/databases.ts';
import { examine, type Examined, type Finding } from '../maintenance/doctor/doctor.ts';
import { repairHints } from '../maintenance/doctor/repairHints.ts';
import type { Config } from '../config/config.ts';
import { redactKeys } from '../lib/redaction.ts';
import { tryServer } from '../outgoing/mails/transport.ts';
import type { Service } from '../tenancy/service.ts';
import {
  parseConfig,
  jsonFlag,
  print,
  addSettings,
  withConfiguredService,
  type Flags,
  type Io,
} from './io.ts';
import { formatCount, createProgress } from './progress.ts';

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
  addSettings(doctor, ['database']).action((flags: Flags) => examineAll(flags, io));
}

async function examineAll(flags: Flags, io: Io) {
  try {
    const outcome = flags['pagesOnly'] ? await checkPages(flags, io) : await checkAll(flags, io);
    report(outcome, flags, io);
    if (outcome.failure !== undefined) throw outcome.failure;
    const { length } = outcome.findings;
    if (length > 0) throw new PrintedError(`Found ${formatCount(length, 'problem')}; nothing was changed.`);
  } catch (error) {
    // With --json, failures are printed as JSON too.
    if (flags['json'] && !(error instanceof PrintedError)) {
      const { message } = error as Error;
      print(io, flags, { findings: [], examined: null, error: redactKeys(message) }, '');
    }
    throw error;
  }
}

/** An error that has already been printed. */
class PrintedError extends Error {}

interface Outcome {
  findings: Finding[];
  /** What may be right, and does not make the command fail. */
  warnings?: Finding[];
  examined: Examined | null;
  /** Why the books could not be examined, if the file is damaged. */
  failure?: Error;
}

const toFileFinding = (found: string): Finding => ({
  tenant: '',
  check: 'file',
  subject: '',
  found,
  repair: repairHints.file,
});

const toDistributionFinding = (table: string): Finding => ({
  tenant: '',
  check: 'distribution',
  subject: table,
  found: 'is not distributed, but other tables are',
  repair: repairHints.distribution,
});

async function checkPages(flags: Flags, io: Io): Promise<Outcome> {
  return { findings: (await findDamage(parseConfig(flags, io))).map(toFileFinding), examined: null };
}

function checkAll(flags: Flags, io: Io): Promise<Outcome> {
  const config = parseConfig(flags, io);
  const progress = createProgress(io, flags['json'] === true);
  progress.show('Checking the database');
  return inspectDatabase(config, async (database, faults) => {
    const damage = faults.map(toFileFinding);
    try {
      const examineBooks = (service: Service) => examine(service, progress.show);
      const leftOut = (await findUndistributedTables({ ...config, database })).map(toDistributionFinding);
      const { findings, warnings, examined } = await withConfiguredService(
        { ...config, database },
        examineBooks,
      );
      progress.show('Connecting to the mail server');
      const unusable = await tryMailServer(config);
      return { findings: [...damage, ...leftOut, ...findings, ...unusable], warnings, examined };
    } catch (error) {
      if (damage.length === 0) throw error;
      const message = `The books cannot be read in a damaged file: ${(error as Error).message}`;
      return { findings: damage, examined: null, failure: new PrintedError(message, { cause: error }) };
    } finally {
      progress.end();
    }
  });
}

/** Tries the mail server of the configuration, if there is one. Those of tenants are judged by their last attempt. */
async function tryMailServer({ smtpUrl, publicUrl }: Config): Promise<Finding[]> {
  if (!smtpUrl) return [];
  const failure = await tryServer(smtpUrl, new URL(publicUrl).hostname);
  if (failure === undefined) return [];
  const subject = `${smtpUrl.host}:${smtpUrl.port}`;
  const found = `cannot be used: ${failure}`;
  return [{ tenant: '', check: 'mail_server', subject, found, repair: repairHints.mail_server }];
}

function report({ findings, warnings = [], examined, failure }: Outcome, flags: Flags, io: Io) {
  const json = { findings, warnings, examined, ...(failure && { error: failure.message }) };
  const summary = examined
    ? `Checked ${formatCount(examined.tenants, 'tenant')}, ${formatCount(examined.subscriptions, 'subscription')}, ${formatCount(examined.invoices, 'invoice')} and ${formatCount(examined.traces, 'trace')}.\n`
    : '';
  const problems = findings.length === 0 ? 'No problems found.\n' : findings.map(formatFinding).join('');
  const warned = warnings.map((each) => `Warning: ${formatFinding(each)}`).join('');
  const all = [...findings, ...warnings];
  const repairs = all.length === 0 ? '' : formatRepairs(all);
  print(io, flags, json, summary + problems + warned + repairs);
}

const formatFinding = ({ tenant, check, subject, found }: Finding) =>
  `${[tenant, check, subject].filter(Boolean).join(' ')}: ${found}\n`;

/** Lists how to repair the findings, once for each kind. */
function formatRepairs(findings: Finding[]): string {
  const kinds = new Map(findings.map(({ check, repair }) => [check, repair]));
  return `\nHow to repair:\n${[...kinds].map(([check, repair]) => `  ${check}: ${repair}\n`).join('')}`;
}
