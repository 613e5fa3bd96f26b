import type { Command } from 'commander';
import { choosableNames } from '../providers/list.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import { updateTenant } from '../tenants/settings.ts';
import { findTenant, createOperatorOrigin, transact } from '../tenancy/tenants.ts';
import { internalTenantColumns } from '../tenancy/traces/traceTypes.ts';
import { jsonFlag, retryWhileBusy, print, addSettings, withService, type Flags, type Io } from './io.ts';

/** The flags of the bank account and the field that each sets. */
const bankFlags = {
  bankHolder: 'accountHolder',
  iban: 'iban',
  accountNumber: 'accountNumber',
  bic: 'bic',
  bankName: 'bankName',
  bankInstructions: 'instructions',
} as const;

/** Adds `tenant update`. */
export function addTenantUpdate(parent: Command, io: Io): void {
  const update = parent
    .command('update <alias>')
    .description("change a tenant's name and payment settings; omitted options stay unchanged")
    .option('--name <name>', 'display name')
    .option(
      '--providers <list>',
      `providers for new payments: some of ${choosableNames.join(',')}, none, or all`,
    )
    .option('--payment-terms <days>', 'days until an invoice paid by hand is due, 0 to 365; 14 unless set')
    .option('--retention-years <years>', 'years that documents are kept after an erasure, 0 to 30')
    .option(
      '--change-policy <list>',
      'how changes are billed, such as increase=charge_now,decrease=none; or default',
    )
    .option('--trial-end-without-method <action>', 'what happens then to a subscription: cancel or pause')
    .option('--bank-holder <name>', 'account holder; the bank options together replace the whole account')
    .option('--iban <iban>', 'IBAN for transfers')
    .option('--account-number <number>', 'account number, if there is no IBAN')
    .option('--bic <bic>', "the bank's BIC (SWIFT code)")
    .option('--bank-name <name>', "the bank's name")
    .option('--bank-instructions <text>', 'further instructions for payers')
    .option('--no-bank', 'remove the bank account')
    .option(...jsonFlag)
    .addHelpText(
      'after',
      `
Examples:
  $ perennial tenant update acme --providers stripe
  $ perennial tenant update acme --payment-terms 14 --bank-holder "Acme Inc." --iban "DE89 3704 0044 0532 0130 00"`,
    );
  addSettings(update, ['database']).action((alias: string, flags: Flags) => updateOne(alias, flags, io));
}

async function updateOne(alias: string, flags: Flags, io: Io) {
  const changes = readChanges(flags);
  if (Object.keys(changes).length === 0) throw new Error('Nothing to change; see --help.');
  const tenant = await withService(flags, io, async (service) => {
    if (!(await findTenant(service, alias))) throw new Error(`There is no tenant ${alias}.`);
    return retryWhileBusy(() =>
      transact(service, alias, createOperatorOrigin(service), (unit) => updateTenant(unit, changes)),
    );
  });
  print(io, flags, { tenant: toPublicTenant(tenant) }, `Updated the tenant ${alias}.\n`);
}

/** Converts the flags to fields of the interface. */
function readChanges(flags: Flags): Record<string, unknown> {
  const changes: Record<string, unknown> = {};
  if (flags['name'] !== undefined) changes['name'] = flags['name'];
  if (flags['providers'] !== undefined)
    changes['paymentProviders'] = parseProviders(String(flags['providers']));
  if (flags['paymentTerms'] !== undefined)
    changes['paymentTermsDays'] = parseWhole('--payment-terms', 'days', String(flags['paymentTerms']));
  if (flags['retentionYears'] !== undefined)
    changes['documentRetentionYears'] = parseWhole(
      '--retention-years',
      'years',
      String(flags['retentionYears']),
    );
  if (flags['changePolicy'] !== undefined)
    changes['changePolicy'] = parsePolicy(String(flags['changePolicy']));
  if (flags['trialEndWithoutMethod'] !== undefined)
    changes['trialEndWithoutMethod'] = flags['trialEndWithoutMethod'];
  const bank = Object.entries(bankFlags).flatMap(([flag, field]) =>
    flags[flag] === undefined ? [] : [[field, flags[flag]] as const],
  );
  if (bank.length > 0) changes['bankAccount'] = { accountHolder: '', ...Object.fromEntries(bank) };
  else if (flags['bank'] === false) changes['bankAccount'] = null;
  return changes;
}

function parseProviders(list: string): string[] | null {
  if (list === 'all') return null;
  return list === 'none' ? [] : list.split(',').map((name) => name.trim());
}

/** Parses `increase=charge_now,decrease=none`; `default` clears the policy. */
function parsePolicy(list: string): Record<string, string> | null {
  if (list === 'default') return null;
  const directions = ['increase', 'decrease', 'planUpgrade', 'planDowngrade'];
  return Object.fromEntries(
    list.split(',').map((part) => {
      const [direction = '', billing = ''] = part.split('=').map((word) => word.trim());
      if (directions.includes(direction)) return [direction, billing];
      throw new Error(`--change-policy must name ${directions.join(', ')}, for example increase=charge_now.`);
    }),
  );
}

function parseWhole(flag: string, unit: string, text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new Error(`${flag} must be a whole number of ${unit}.`);
  return Number(text);
}

/** Returns a tenant without internal fields. */
export const toPublicTenant = (tenant: Row<'tenants'>) =>
  Object.fromEntries(
    Object.entries(tenant).filter(
      ([column]) => !(internalTenantColumns as readonly string[]).includes(column),
    ),
  );
