import type { Command } from 'commander';
import { renewRates } from '../billing/tax/standardRates.ts';
import { toDay } from '../lib/time.ts';
import { createOperatorOrigin, findTenant, listTenants, transact } from '../tenancy/tenants.ts';
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

/** All rates of all states since 1967 have less than 100 KB. */
const mostMegabytes = 1;

/** Adds `vat-rates`. */
export function addVatRatesCommand(program: Command, io: Io): void {
  const command = program
    .command('vat-rates <file>')
    .description('renew the standard VAT rates of the European Union by a file; a server may run meanwhile')
    .option('--tenant <alias>', 'only this tenant; by default all')
    .option(...jsonFlag)
    .addHelpText(
      'after',
      `
The file is CSV, or JSON with the same fields in camelCase. It has the rates of the places that it names, from the first of
its dates on; the others stay, and are checked until the date of the first line, too:

  # checked until 2026-12-01
  country,territory,kind,percent,valid_from,valid_until
  EE,,standard,26,2027-01-01,
  PT,Azores,standard,17,2027-01-01,

Nothing of a file with a mistake is stored. Bills follow a rate from its date on, and documents stay as they are.

Examples:
  $ perennial vat-rates rates.csv
  $ perennial vat-rates rates.json --tenant acme`,
    );
  addSettings(command, ['database']).action((file: string, flags: Flags) => storeFile(file, flags, io));
}

async function storeFile(file: string, flags: Flags, io: Io) {
  const alias = flags['tenant'] === undefined ? undefined : String(flags['tenant']);
  const text = readTextFile(file, mostMegabytes);
  // Loaded only here, because it takes time.
  const { parseVatRates } = await import('../billing/tax/vatRatesFile.ts');
  const result = await withService(flags, io, async (service) => {
    if (alias !== undefined && !(await findTenant(service, alias)))
      throw new Error(`There is no tenant ${alias}.`);
    const today = toDay(service.clock.nowMs());
    const { leftOut, ...rates } = parseVatRates(text, today);
    const aliases = alias === undefined ? (await listTenants(service)).map((each) => each.alias) : [alias];
    let tenants = 0;
    for (const each of aliases) {
      const isNew = await retryWhileBusy(() =>
        transact(service, each, createOperatorOrigin(service), (unit) => renewRates(unit, rates)),
      );
      if (isNew) tenants += 1;
    }
    return { tenants, checkedUntil: rates.checkedUntil, rates: rates.rates.length, leftOut };
  });
  const { rates, checkedUntil, tenants, leftOut } = result;
  const rest = leftOut > 0 ? ` ${formatCount(leftOut, 'row')} of other kinds left out.` : '';
  print(
    io,
    flags,
    result,
    `Stored ${formatCount(rates, 'rate')}, checked until ${checkedUntil}, for ${formatCount(tenants, 'tenant')}.${rest}\n`,
  );
}
