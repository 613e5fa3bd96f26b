import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { parseInstant } from '../lib/time.ts';
import { exportTenant } from '../maintenance/tenantFiles/exportTenant.ts';
import { exportUsage, type UsageFormat } from '../maintenance/tenantFiles/exportUsage.ts';
import { listLines, writeFileAtomically } from '../maintenance/tenantFiles/files.ts';
import { importTenant } from '../maintenance/tenantFiles/importTenant.ts';
import { addOperatorsOfNewTenants } from '../tenancy/tenants.ts';
import {
  checkFile,
  jsonFlag,
  parseConfig,
  print,
  addSettings,
  withConfiguredService,
  withService,
  type Flags,
  type Io,
} from './io.ts';
import { formatCount, createProgress } from './progress.ts';

/** Adds `export`, `export-usage` and `import`. Returns `import`, which has subcommands. */
export function addTenantFileCommands(program: Command, io: Io): Command {
  const exportCommand = program
    .command('export <file>')
    .description('export all data of a tenant to a file of JSON lines; the file holds secrets')
    .requiredOption('--tenant <alias>', 'the tenant')
    .option('--force', 'overwrite an existing file')
    .option(...jsonFlag)
    .addHelpText(
      'after',
      `
Examples:
  $ perennial export --tenant acme acme.jsonl
  $ perennial export --tenant acme acme.jsonl --force --json`,
    );
  addSettings(exportCommand, ['database']).action((file: string, flags: Flags) => exportOne(file, flags, io));
  const usageCommand = program
    .command('export-usage <file>')
    .description('export the usage events of a tenant to a file of JSON lines or CSV')
    .requiredOption('--tenant <alias>', 'the tenant')
    .option('--before <time>', 'only events received before this day or instant')
    .addOption(new Option('--format <format>', 'of the file').choices(['jsonl', 'csv']).default('jsonl'))
    .option('--force', 'overwrite an existing file')
    .option(...jsonFlag)
    .addHelpText(
      'after',
      `
Examples:
  $ perennial export-usage --tenant acme --before 2026-07-01 usage.jsonl
  $ perennial export-usage --tenant acme --format csv usage.csv`,
    );
  addSettings(usageCommand, ['database']).action((file: string, flags: Flags) =>
    exportEvents(file, flags, io),
  );
  const importCommand = program
    .command('import <file>')
    .description('import a tenant from an exported file, completely or not at all')
    .option('--dry-run', 'check every line and import nothing')
    .option(...jsonFlag)
    .addHelpText(
      'after',
      `
Examples:
  $ perennial import acme.jsonl --dry-run
  $ perennial import acme.jsonl --database postgres://perennial@db.example.com/perennial`,
    );
  addSettings(importCommand, ['database']).action((file: string, flags: Flags) => importOne(file, flags, io));
  return importCommand;
}

async function exportOne(file: string, flags: Flags, io: Io) {
  const tenant = String(flags['tenant']);
  const progress = createProgress(io, flags['json'] === true);
  const written = await withService(flags, io, (service) =>
    writeFileAtomically(resolve(file), flags['force'] === true, (write) =>
      exportTenant(service, tenant, write, (rows) => progress.show(`Exported ${formatCount(rows, 'row')}`)),
    ),
  );
  progress.end();
  const text = `Exported ${tenant} to ${file}: ${formatCount(written.rows, 'row')}. The file holds secrets: protect it like the database.\n`;
  print(io, flags, { tenant, file, ...written }, text);
}

async function exportEvents(file: string, flags: Flags, io: Io) {
  const alias = String(flags['tenant']);
  const format = flags['format'] as UsageFormat;
  const before =
    flags['before'] === undefined ? undefined : parseInstant(String(flags['before']), 'UTC', '--before');
  const progress = createProgress(io, flags['json'] === true);
  const events = await withService(flags, io, (service) =>
    writeFileAtomically(resolve(file), flags['force'] === true, (write) =>
      exportUsage(service, { alias, before, format }, write, (count) =>
        progress.show(`Exported ${formatCount(count, 'event')}`),
      ),
    ),
  );
  progress.end();
  const text = `Exported the usage of ${alias} to ${file}: ${formatCount(events, 'event')}.\n`;
  print(io, flags, { tenant: alias, file, format, events }, text);
}

async function importOne(file: string, flags: Flags, io: Io) {
  const isTrial = flags['dryRun'] === true;
  checkFile(file);
  const progress = createProgress(io, flags['json'] === true);
  const outcome = await withConfiguredService(
    parseConfig(flags, io),
    async (service) => {
      const imported = await importTenant(service, listLines(file), isTrial, (rows) =>
        progress.show(`Read ${formatCount(rows, 'row')}`),
      );
      if (!isTrial && imported.faulty === 0) await addOperatorsOfNewTenants(service, imported.tenant);
      return imported;
    },
    { mayCreate: !isTrial },
  );
  progress.end();
  const { tenant, rows, faults, faulty } = outcome;
  if (faulty === 0) {
    const done = isTrial ? 'Would import' : 'Imported';
    print(io, flags, { ...outcome, kept: !isTrial }, `${done} ${tenant}: ${formatCount(rows, 'row')}.\n`);
    return;
  }
  const lines = faults.map(({ line, message }) => `${file}:${line} ${message}\n`).join('');
  print(io, flags, { ...outcome, kept: false }, lines);
  throw new Error(`Nothing was imported: ${formatCount(faulty, 'error')} in ${file}.`);
}
