import type { Command } from 'commander';
import { migrateDatabase } from '../app.ts';
import { configOf, jsonFlag, patiently, print, takeSettings, type Flags, type Io } from './io.ts';

/** Adds `migrate`. */
export function addDatabaseCommands(program: Command, io: Io): void {
  const migrate = program
    .command('migrate')
    .description('migrate the database to this release; every other command does so as well')
    .option(...jsonFlag)
    .addHelpText(
      'after',
      '\nExamples:\n  $ perennial migrate\n  $ perennial migrate --database sqlite:/var/lib/perennial/perennial.db',
    );
  takeSettings(migrate, ['database']).action((flags: Flags) => migrateOne(flags, io));
}

async function migrateOne(flags: Flags, io: Io) {
  const config = configOf(flags, io);
  const migrations = await patiently(() => migrateDatabase(config));
  const text =
    migrations.length === 0
      ? `${config.database} is up to date.\n`
      : `Migrated ${config.database}: ${migrations.join(', ')}.\n`;
  print(io, flags, { migrations }, text);
}
