import type { Command } from 'commander';
import { storeAndComplete } from '../billing/invoices/taxConversions.ts';
import { isDay, toDay } from '../lib/time.ts';
import { parseRatesFile } from '../providers/ecbFile.ts';
import { createOperatorOrigin, findTenant, transact } from '../tenancy/tenants.ts';
import {
  addSettings,
  jsonFlag,
  print,
  readTextFile,
  retryWhileBusy,
  withService,
  type Flags,
  type Io,
} from './io.ts';
import { formatCount } from './progress.ts';

/** The history since 1999 has 10 MB as XML. */
const mostMegabytes = 64;
/** How many days one unit of work stores. */
const daysAtOnce = 250;

/** Adds `exchange-rates`. */
export function addExchangeRatesCommand(program: Command, io: Io): void {
  const command = program
    .command('exchange-rates <file>')
    .description(
      'store the exchange rates of a file of the European Central Bank; a server may run meanwhile',
    )
    .requiredOption('--tenant <alias>', 'the tenant')
    .option('--from <date>', 'only days from this date on; by default the last 400 of the file')
    .option(...jsonFlag)
    .addHelpText(
      'after',
      `
The file is one of https://www.ecb.europa.eu/stats/eurofxref: eurofxref-hist.csv, or an XML file such as
eurofxref-daily.xml. Nothing of a file with a mistake is stored.

Examples:
  $ perennial exchange-rates eurofxref-hist.csv --tenant acme
  $ perennial exchange-rates eurofxref-hist.csv --tenant acme --from 2020-01-01`,
    );
  addSettings(command, ['database']).action((file: string, flags: Flags) => storeFile(file, flags, io));
}

const defaultDays = 400;

async function storeFile(file: string, flags: Flags, io: Io) {
  const alias = String(flags['tenant']);
  const from = flags['from'] === undefined ? undefined : String(flags['from']);
  if (from !== undefined && !isDay(from)) throw new Error('--from must be a date, such as 2026-01-31.');
  const text = readTextFile(file, mostMegabytes);
  const result = await withService(flags, io, async (service) => {
    if (!(await findTenant(service, alias))) throw new Error(`There is no tenant ${alias}.`);
    const all = parseRatesFile(text, toDay(service.clock.nowMs()));
    const sorted = all.toSorted((one, other) => (one.day < other.day ? -1 : 1));
    const days = from === undefined ? sorted.slice(-defaultDays) : sorted.filter(({ day }) => day >= from);
    const done = { days: 0, documents: 0 };
    for (let at = 0; at < days.length; at += daysAtOnce) {
      const some = days.slice(at, at + daysAtOnce);
      const stored = await retryWhileBusy(() =>
        transact(service, alias, createOperatorOrigin(service), (unit) => storeAndComplete(unit, some)),
      );
      done.days += stored.days;
      done.documents += stored.documents;
    }
    return done;
  });
  const documents =
    result.documents > 0 ? `, and converted the tax of ${formatCount(result.documents, 'document')}` : '';
  print(
    io,
    flags,
    { tenant: alias, ...result },
    `Stored the rates of ${formatCount(result.days, 'day')}${documents}.\n`,
  );
}
