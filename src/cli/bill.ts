import type { Command } from 'commander';
import { pino } from 'pino';
import { openCommandService } from '../app/app.ts';
import { parseInstant } from '../lib/time.ts';
import { runDueWork } from '../app/scheduler.ts';
import { formatCount } from './progress.ts';
import { parseConfig, jsonFlag, print, addSettings, type Flags, type Io } from './io.ts';

/** Adds `bill`. */
export function addBillCommand(program: Command, io: Io): void {
  const bill = program
    .command('bill')
    .description('bill all due subscriptions once; a running server does this automatically')
    .option('--until <iso>', 'only subscriptions due by this instant or day (UTC)')
    .option(...jsonFlag)
    .addHelpText('after', '\nExamples:\n  $ perennial bill\n  $ perennial bill --until 2026-01-31T00:00:00Z');
  addSettings(bill, ['database', 'logLevel']).action((flags: Flags) => billOnce(flags, io));
}

async function billOnce(flags: Flags, io: Io) {
  const config = parseConfig(flags, io);
  const until = typeof flags['until'] === 'string' ? parseInstant(flags['until'], 'UTC', 'until') : undefined;
  const log = pino({ level: config.logLevel }, { write: (line) => io.err(line) });
  const { service } = await openCommandService(config, { own: true });
  try {
    const performed = await runDueWork(service, log, until);
    print(
      io,
      flags,
      { performed },
      performed === 0 ? 'Nothing was due.\n' : `Processed ${formatCount(performed, 'due item')}.\n`,
    );
  } finally {
    await service.store.close();
  }
}
