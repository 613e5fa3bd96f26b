import type { Command } from 'commander';
import { openCommandService } from '../app/app.ts';
import { addTenantUpdate, toPublicTenant as shown } from './tenantUpdate.ts';
import { createKey } from '../tenancy/apiKeys.ts';
import type { Service } from '../tenancy/service.ts';
import { createTenant, findTenant, listTenants } from '../tenancy/tenants.ts';
import { parseFirstSettings } from '../tenants/firstSettings.ts';
import { advanceTenant } from '../app/scheduler.ts';
import {
  formatColumns,
  parseConfig,
  jsonFlag,
  retryWhileBusy,
  print,
  addSettings,
  withConfiguredService,
  withService,
  type Flags,
  type Io,
} from './io.ts';
import { formatCount } from './progress.ts';

/** Adds `tenant create`, `tenant update`, `tenant advance` and `tenant list`. */
export function addTenantCommands(program: Command, io: Io): void {
  const tenant = program
    .command('tenant')
    .description('manage tenants: the businesses that bill with this server');
  const create = tenant
    .command('create <alias>')
    .description('create a tenant, and its first API key')
    .option('--name <name>', 'display name; default the alias')
    .option('--timezone <zone>', 'IANA time zone of its billing dates; default UTC')
    .option('--currency <code>', 'currency that forms begin with, such as eur')
    .option('--country <code>', 'country of the seller, whose tax is charged from the beginning, such as DE')
    .option('--test', 'a test tenant: test payment methods, no real money')
    .option('--clock <iso>', 'give a test tenant its own clock, set to this instant; default real time')
    .option(...jsonFlag)
    .addHelpText(
      'after',
      `
Examples:
  $ perennial tenant create acme
  $ perennial tenant create acme --name "Acme Inc." --timezone Asia/Kabul
  $ perennial tenant create acme --name "Acme GmbH" --country DE --currency eur --timezone Europe/Berlin
  $ perennial tenant create acme-test --test --clock 2026-01-31T00:00:00Z --json`,
    );
  addSettings(create, ['database']).action((alias: string, flags: Flags) => createOne(alias, flags, io));
  addTenantUpdate(tenant, io);
  addAdvance(tenant, io);
  const list = tenant
    .command('list')
    .description('list the tenants')
    .option(...jsonFlag)
    .addHelpText('after', '\nExamples:\n  $ perennial tenant list\n  $ perennial tenant list --json');
  addSettings(list, ['database']).action((flags: Flags) => listAll(flags, io));
}

function addAdvance(tenant: Command, io: Io) {
  const advance = tenant
    .command('advance <alias> <to>')
    .description('advance the clock of a test tenant and perform the work that falls due')
    .option(...jsonFlag)
    .addHelpText(
      'after',
      `
<to> is an ISO 8601 instant, or a day in the tenant's time zone.

Examples:
  $ perennial tenant advance acme-test 2027-01-31
  $ perennial tenant advance acme-test 2027-01-31T12:00:00Z --json`,
    );
  addSettings(advance, ['database']).action((alias: string, to: string, flags: Flags) =>
    advanceOne(alias, to, flags, io),
  );
}

async function advanceOne(alias: string, to: string, flags: Flags, io: Io) {
  const { service } = await openCommandService(parseConfig(flags, io), { own: true });
  try {
    const clock = await advanceTenant(service, alias, to, (clockAt, remaining) => {
      io.err(`The time is ${clockAt}; ${formatCount(remaining, 'subscription')} to bill before ${to}.\n`);
    });
    print(io, flags, { alias, clock }, `The time of ${alias} is ${clock}.\n`);
  } finally {
    await service.store.close();
  }
}

async function createOne(alias: string, flags: Flags, io: Io) {
  const { name, timezone, test, clock, currency, country } = flags as Record<string, string> & {
    test?: boolean;
  };
  const create = async (service: Service) => {
    const begin = parseFirstSettings({ currency, country }, name ?? alias);
    const input = { alias, name, timezone, test, clock };
    await retryWhileBusy(() => createTenant(service, input, undefined, begin));
    const tenant = (await findTenant(service, alias))!;
    const { apiKey } = await retryWhileBusy(() => createKey(service, { tenant: alias }));
    const time = tenant.clockAt === null ? 'follows real time' : `clock at ${tenant.clockAt}`;
    const kind = tenant.test ? `test tenant, ${time}` : tenant.timezone;
    const text = `Created tenant ${alias} (${kind}).\nIts API key, shown only now:\n\n  ${apiKey}\n\n`;
    print(io, flags, { tenant: shown(tenant), apiKey }, text);
  };
  await withConfiguredService(parseConfig(flags, io), create, { mayCreate: true });
}

async function listAll(flags: Flags, io: Io) {
  const tenants = await withService(flags, io, listTenants);
  const rows = tenants.map(({ alias, name, timezone, test, createdAt }) => [
    alias,
    name,
    timezone,
    test ? 'test' : 'live',
    createdAt,
  ]);
  const text =
    rows.length === 0
      ? `No tenants yet. Create one: ${io.program} tenant create <alias>\n`
      : formatColumns([['ALIAS', 'NAME', 'TIME ZONE', 'KIND', 'CREATED'], ...rows]);
  print(io, flags, { tenants: tenants.map(shown) }, text);
}
