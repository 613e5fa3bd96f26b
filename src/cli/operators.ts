import { Option, type Command } from 'commander';
import { refuse } from '../lib/errors.ts';
import {
  createLink,
  grantTenants,
  listOperators,
  removeOperator,
} from '../access/operators/administration.ts';
import { operatorAddress } from '../access/operators/operators.ts';
import type { OperatorRole } from '../storage/model/operators.ts';
import { roles } from '../tenancy/permissions.ts';
import {
  addSettings,
  formatColumns,
  jsonFlag,
  print,
  retryWhileBusy,
  withService,
  type Flags,
  type Io,
} from './io.ts';

/** Adds `operator create`, `operator list`, `operator link` and `operator remove`. */
export function addOperatorCommands(program: Command, io: Io): void {
  const operator = program
    .command('operator')
    .description('manage operators: the people who use the console');
  const create = operator
    .command('create <email>')
    .description('create an operator, or give one another role; prints a link that signs in once')
    .option('--tenant <alias>', 'the tenant to work for; default all tenants, also new ones')
    .option('--name <name>', 'the name of the person')
    .addOption(new Option('--role <role>', 'the role in it').choices(roles).default('owner'))
    .option(...jsonFlag)
    .addHelpText(
      'after',
      `
Examples:
  $ perennial operator create ada@example.com
  $ perennial operator create grace@example.com --tenant acme --role support`,
    );
  addSettings(create, ['database', 'publicUrl', 'host', 'port']).action((email: string, flags: Flags) =>
    createOne(email, flags, io),
  );
  const list = operator
    .command('list')
    .description('list the operators and their roles')
    .option(...jsonFlag)
    .addHelpText('after', '\nExamples:\n  $ perennial operator list\n  $ perennial operator list --json');
  addSettings(list, ['database']).action((flags: Flags) => listAll(flags, io));
  const link = operator
    .command('link <email>')
    .description('print a link that signs an operator in once, within 30 minutes')
    .option(...jsonFlag)
    .addHelpText('after', '\nExamples:\n  $ perennial operator link ada@example.com');
  addSettings(link, ['database', 'publicUrl', 'host', 'port']).action((email: string, flags: Flags) =>
    linkOne(email, flags, io),
  );
  const remove = operator
    .command('remove <email>')
    .description('remove an operator at once, also from running servers')
    .option('--force', 'even the last owner of a tenant')
    .option(...jsonFlag)
    .addHelpText('after', '\nExamples:\n  $ perennial operator remove grace@example.com');
  addSettings(remove, ['database']).action((email: string, flags: Flags) => removeOne(email, flags, io));
}

const readEmail = (email: string): string => {
  const result = operatorAddress.safeParse(email);
  return result.success
    ? result.data
    : refuse('validation_failed', { path: 'email', message: 'is not valid' });
};

async function createOne(given: string, flags: Flags, io: Io) {
  const { tenant, name, role } = flags as Record<string, string>;
  const email = readEmail(given);
  const made = await withService(flags, io, (service, publicUrl) =>
    retryWhileBusy(async () => {
      const granted = await grantTenants(service, { email, name, role: role as OperatorRole, tenant });
      return { ...granted, ...(await createLink(service, email, publicUrl)) };
    }),
  );
  const verb = made.isNew ? 'Created' : 'Updated';
  const where = `${role} of ${[...made.tenants, ...(tenant === undefined ? ['all new tenants'] : [])].join(', ')}`;
  print(io, flags, made, `${verb} operator ${email} (${where}).\n${formatLink(made.url)}`);
}

const formatLink = (url: string) => `Open this link within 30 minutes; it signs in once:\n\n  ${url}\n\n`;

async function listAll(flags: Flags, io: Io) {
  const operators = await withService(flags, io, listOperators);
  const rows = operators.map(({ id, email, createdAt, memberships, roleInNewTenants }) => {
    const ofNew = roleInNewTenants === null ? [] : [`new tenants:${roleInNewTenants}`];
    const given = [...memberships.map(({ tenant, role }) => `${tenant}:${role}`), ...ofNew];
    return [id, email, given.join(' ') || '-', createdAt];
  });
  const text =
    rows.length === 0
      ? `No operators yet. Create one: ${io.program} operator create <email>\n`
      : formatColumns([['ID', 'EMAIL', 'ROLES', 'CREATED'], ...rows]);
  print(io, flags, { operators }, text);
}

async function linkOne(email: string, flags: Flags, io: Io) {
  const link = await withService(flags, io, (service, publicUrl) =>
    retryWhileBusy(() => createLink(service, email, publicUrl)),
  );
  print(io, flags, link, formatLink(link.url));
}

async function removeOne(email: string, flags: Flags, io: Io) {
  const isForced = flags['force'] === true;
  const id = await withService(flags, io, (service) =>
    retryWhileBusy(() => removeOperator(service, email, isForced)),
  );
  print(io, flags, { id, email }, `Removed operator ${email}.\n`);
}
