import { resolve } from 'node:path';
import type { Command } from 'commander';
import { backupDatabase, restoreDatabase } from '../app/databases.ts';
import { parseConfig, jsonFlag, print, addSettings, type Flags, type Io } from './io.ts';
import { createProgress } from './progress.ts';

/** Adds `backup` and `restore`. */
export function addBackupCommands(program: Command, io: Io): void {
  const backup = program
    .command('backup <file>')
    .description('back up the database and verify the copy; a server may be running')
    .option('--force', 'overwrite an existing file')
    .option(...jsonFlag)
    .addHelpText(
      'after',
      `
Examples:
  $ perennial backup /var/backups/perennial-monday.db
  $ perennial backup /var/backups/perennial.db --force --json`,
    );
  addSettings(backup, ['database']).action((file: string, flags: Flags) => backUp(file, flags, io));
  const restore = program
    .command('restore <file>')
    .description('verify a backup and replace the database with it; no server may be running on it')
    .option('--force', 'keep an existing database as <file>.replaced')
    .option(...jsonFlag)
    .addHelpText(
      'after',
      `
Examples:
  $ perennial restore /var/backups/perennial-monday.db
  $ perennial restore backup.db --database sqlite:/var/lib/perennial/perennial.db --force`,
    );
  addSettings(restore, ['database']).action((file: string, flags: Flags) => restoreOne(file, flags, io));
}

const formatMegabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

async function backUp(file: string, flags: Flags, io: Io) {
  const config = parseConfig(flags, io);
  const progress = createProgress(io, flags['json'] === true);
  const checked = await backupDatabase(config, resolve(file), flags['force'] === true, (done, total) =>
    progress.show(`Copied ${Math.floor((100 * done) / Math.max(1, total))}%`),
  );
  progress.end();
  print(
    io,
    flags,
    { file, ...checked },
    `Backed up ${config.database} to ${file} (${formatMegabytes(checked.bytes)}) and verified the copy.\n`,
  );
}

async function restoreOne(file: string, flags: Flags, io: Io) {
  const config = parseConfig(flags, io);
  const checked = await restoreDatabase(config, resolve(file), flags['force'] === true);
  const due = checked.due.length === 0 ? '' : ` The next command will migrate it: ${checked.due.join(', ')}.`;
  if (!checked.hasChecksum) {
    io.err(
      `${file} has no checksum, so damage within its records cannot be detected; check it with \`perennial doctor\`.\n`,
    );
  }
  print(
    io,
    flags,
    { file, ...checked },
    `Verified ${file} and restored it to ${config.database} (${formatMegabytes(checked.bytes)}).${due}\n`,
  );
}
