import type { Command } from 'commander';
import { distributeDatabase, migrateDatabase } from '../app/databases.ts';
import { redactPassword } from '../lib/postgresAddress.ts';
import { parseConfig, jsonFlag, retryWhileBusy, print, addSettings, type Flags, type Io } from './io.ts';

/** Adds `migrate`. */
export function addDatabaseCommands(program: Command, io: Io): void {
  const migrate = program
    .command('migrate')
    .description('migrate the database to this release; every other command does this too')
    .option('--distribute', 'distribute PostgreSQL tables by tenant with the Citus extension')
    .option(...jsonFlag)
    .addHelpText(
      'after',
      '\nExamples:\n  $ perennial migrate\n  $ perennial migrate --database sqlite:/var/lib/perennial/perennial.db' +
        '\n  $ perennial migrate --distribute --database postgres://perennial@coordinator/perennial',
    );
  addSettings(migrate, ['database']).action((flags: Flags) => migrateOne(flags, io));
}

async function migrateOne(flags: Flags, io: Io) {
  const config = parseConfig(flags, io);
  const database = redactPassword(config.database);
  const migrations = await retryWhileBusy(() => migrateDatabase(config));
  const text =
    migrations.length === 0
      ? `${database} is up to date.\n`
      : `Migrated ${database}: ${migrations.join(', ')}.\n`;
  if (!flags['distribute']) {
    print(io, flags, { migrations }, text);
    return;
  }
  const { distributed, already } = await distributeDatabase(config);
  const done = distributed.map((table) => `Distributed ${table}.\n`).join('');
  const skipped = already.length === 0 ? '' : `Already distributed: ${already.join(', ')}.\n`;
  print(io, flags, { migrations, distributed, already }, `${text}${done}${skipped}`);
}
