import { InvalidArgumentError, Option, type Command } from 'commander';
import type * as z from 'zod';
import { dayMs, hourMs, minuteMs, secondMs } from '../lib/durations.ts';
import { BillingError } from '../lib/errors.ts';
import { parseInstant } from '../lib/time.ts';
import { name } from '../lib/validation.ts';
import type { Scope } from '../tenancy/apiKeyCache.ts';
import { createKey, listKeys, revokeKey, rotateKey, type KeyRecord } from '../tenancy/apiKeys.ts';
import { addressList, permissionList } from '../tenancy/keyLimits.ts';
import type { Permission } from '../tenancy/permissions.ts';
import type { Clocked } from '../tenancy/service.ts';
import {
  formatColumns,
  jsonFlag,
  retryWhileBusy,
  print,
  addSettings,
  withService,
  type Flags,
  type Io,
} from './io.ts';

/** Adds `key create`, `key list`, `key revoke` and `key rotate`. */
export function addKeyCommands(program: Command, io: Io): void {
  const key = program.command('key').description('manage API keys');
  const create = key
    .command('create')
    .description('create an API key; it is shown once')
    .requiredOption('--tenant <alias>', 'the tenant of the key')
    .addOption(
      new Option('--scope <scope>', 'what the key may do').choices(['read', 'write']).default('write'),
    )
    .addOption(
      new Option('--publishable', 'a key for pages, which may be public: it reads the catalogue').conflicts(
        'scope',
      ),
    )
    .addOption(
      new Option('--permissions <list>', 'exactly what the key may do, separated by commas: read,refund')
        .argParser(parseListBy(permissionList))
        .conflicts(['scope', 'publishable']),
    )
    .addOption(
      new Option(
        '--allow-from <list>',
        'IP addresses and networks that the key is accepted from; default all',
      )
        .argParser(parseListBy(addressList))
        .conflicts('publishable'),
    )
    .option('--name <text>', 'what the key is for', parseName)
    .option('--expires <iso>', 'expiry (ISO 8601); default never', parseExpiry)
    .option(...jsonFlag)
    .addHelpText(
      'after',
      `
Examples:
  $ perennial key create --tenant acme
  $ perennial key create --tenant acme --publishable --name "Pricing page"
  $ perennial key create --tenant acme --permissions read,refund --allow-from 192.0.2.0/24
  $ perennial key create --tenant acme --name Reports --scope read --expires 2027-01-01 --json`,
    );
  addSettings(create, ['database']).action((flags: Flags) => createOne(flags, io));
  const list = key
    .command('list')
    .description('list keys, without their secrets')
    .option('--tenant <alias>', 'only keys of this tenant')
    .option(...jsonFlag)
    .addHelpText('after', '\nExamples:\n  $ perennial key list\n  $ perennial key list --tenant acme --json');
  addSettings(list, ['database']).action((flags: Flags) => listAll(flags, io));
  const revoke = key
    .command('revoke <id>')
    .description('revoke a key at once, also on running servers')
    .option(...jsonFlag)
    .addHelpText('after', '\nExamples:\n  $ perennial key revoke 7v3k9q2m4x8d');
  addSettings(revoke, ['database']).action((id: string, flags: Flags) => revokeOne(id, flags, io));
  const rotate = key
    .command('rotate <id>')
    .description('replace a key; the old one stays valid for a while')
    .option('--overlap <duration>', 'how long the old key stays valid: 30m, 24h, 7d', checkDuration, '24h')
    .option(...jsonFlag)
    .addHelpText(
      'after',
      '\nExamples:\n  $ perennial key rotate 7v3k9q2m4x8d\n  $ perennial key rotate 7v3k9q2m4x8d --overlap 30m --json',
    );
  addSettings(rotate, ['database']).action((id: string, flags: Flags) => rotateOne(id, flags, io));
}

async function createOne(flags: Flags, io: Io) {
  const { tenant, name: label, scope, expires } = flags as Record<string, string>;
  const kind = flags['publishable'] === true ? 'publishable' : null;
  const input = {
    tenant: tenant!,
    name: label,
    scope: kind === null ? (scope as Scope) : ('read' as const),
    permissions: flags['permissions'] as Permission[] | undefined,
    ipAllowlist: flags['allowFrom'] as string[] | undefined,
    expiresAt: expires,
    kind,
  } as const;
  const issued = await withService(flags, io, (service) => retryWhileBusy(() => createKey(service, input)));
  const end = issued.key.expiresAt ? `, expires at ${issued.key.expiresAt}` : '';
  const text = `Created API key ${issued.key.id} for ${tenant} (${kind ?? describeRights(issued.key)}${end}). It is shown only now:\n\n  ${issued.apiKey}\n\n`;
  print(io, flags, issued, text);
}

async function listAll(flags: Flags, io: Io) {
  await withService(flags, io, async (service) => {
    const keys = await listKeys(service, flags['tenant'] as string | undefined);
    const rows = keys.map((key) => [
      key.id,
      key.tenantAlias,
      key.kind ?? describeRights(key),
      describeState(key, service),
      key.createdAt,
      key.lastUsedAt ?? 'never',
      key.name ?? '',
    ]);
    const text =
      rows.length === 0
        ? 'No API keys.\n'
        : formatColumns([['ID', 'TENANT', 'RIGHTS', 'STATE', 'CREATED', 'USED', 'NAME'], ...rows]);
    print(io, flags, { keys }, text);
  });
}

const describeRights = ({ permissions, scope }: KeyRecord): string =>
  permissions === null ? `scope ${scope}` : permissions.join(',');

function describeState({ revokedAt, expiresAt }: KeyRecord, { clock }: Clocked): string {
  if (revokedAt) return `revoked at ${revokedAt}`;
  if (!expiresAt) return 'active';
  return Date.parse(expiresAt) > clock.nowMs() ? `active until ${expiresAt}` : `expired at ${expiresAt}`;
}

async function revokeOne(id: string, flags: Flags, io: Io) {
  const key = await withService(flags, io, (service) => retryWhileBusy(() => revokeKey(service, id)));
  print(io, flags, { key }, `Revoked API key ${id} of ${key.tenantAlias} at ${key.revokedAt}.\n`);
}

async function rotateOne(id: string, flags: Flags, io: Io) {
  const overlap = flags['overlap'] as string;
  const issued = await withService(flags, io, (service) =>
    retryWhileBusy(() => rotateKey(service, id, parseDuration(overlap)!)),
  );
  const text = `Created API key ${issued.key.id}; ${id} expires in ${overlap}. The new key is shown only now:\n\n  ${issued.apiKey}\n\n`;
  print(io, flags, issued, text);
}

/** Returns a parser of a list separated by commas, which explains to the user what is wrong. */
const parseListBy =
  (schema: z.ZodType<string[]>) =>
  (text: string): string[] => {
    const { data, error } = schema.safeParse(text.split(',').map((each) => each.trim()));
    if (data === undefined) throw new InvalidArgumentError(`It ${error.issues[0]!.message}.`);
    return data;
  };

function parseName(text: string): string {
  const { data, error } = name.safeParse(text);
  if (data === undefined) throw new InvalidArgumentError(`It ${error.issues[0]!.message}.`);
  return data;
}

function parseExpiry(text: string): string {
  try {
    return parseInstant(text, 'UTC', 'expires');
  } catch (error) {
    throw new InvalidArgumentError(`It ${(error as BillingError).issues[0]!.message}.`);
  }
}

const unitMs: Record<string, number> = { s: secondMs, m: minuteMs, h: hourMs, d: dayMs };

function parseDuration(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,5})([smhd])$/.exec(text) ?? [];
  return unit === undefined ? undefined : Number(count) * unitMs[unit]!;
}

function checkDuration(text: string): string {
  if (parseDuration(text) === undefined) {
    throw new InvalidArgumentError('It must be a number and s, m, h or d: 30m, 24h, 7d.');
  }
  return text;
}
