import type { Command } from 'commander';
import type { CatalogPlan } from '../catalogFile/plan.ts';
import type { CatalogChange } from '../catalogFile/planning.ts';
import { readCatalogFile, writeCatalogFile } from './catalogFiles.ts';
import { withCatalog } from './catalogSource.ts';
import { addSettings, formatColumns, jsonFlag, print, type Flags, type Io } from './io.ts';
import { formatCount } from './progress.ts';

/** Adds `catalog`. */
export function addCatalogCommands(program: Command, io: Io): void {
  const catalog = program
    .command('catalog')
    .description('keep products, prices, coupons, features and settings in a file')
    .addHelpText(
      'after',
      `
Examples:
  $ perennial catalog pull perennial.yaml --tenant acme
  $ perennial catalog diff perennial.yaml --tenant acme
  $ perennial catalog apply perennial.yaml --tenant acme
  $ perennial catalog promote --tenant acme-test --to acme

With PERENNIAL_URL and PERENNIAL_API_KEY the commands ask that server instead of a database.`,
    );
  const add = (name: string, description: string) =>
    catalog
      .command(name)
      .description(description)
      .requiredOption('--tenant <alias>', 'the tenant')
      .option(...jsonFlag);
  const local = ['database'] as const;
  const diff = add('diff <file>', 'show what a file would change, and which subscriptions would see it');
  diff.option('--check', 'exit with 1 if something would change');
  addSettings(diff, local).action((file: string, flags: Flags) => diffFile(file, flags, io));
  addSettings(add('apply <file>', 'apply a file, all or nothing'), local).action(
    (file: string, flags: Flags) => applyFile(file, flags, io),
  );
  addSettings(
    add('pull <file>', 'write the file of a tenant, as YAML, JSON or TypeScript by its name'),
    local,
  ).action((file: string, flags: Flags) => pullFile(file, flags, io));
  const promote = add(
    'promote [file]',
    'copy the catalogue of a tenant to another one, such as from test to live',
  );
  promote.requiredOption('--to <alias>', 'the tenant that receives it').option('--yes', 'apply the plan');
  addSettings(promote, local).action((file: string | undefined, flags: Flags) =>
    promoteTenant(file, flags, io),
  );
}

async function diffFile(file: string, flags: Flags, io: Io) {
  const content = await readCatalogFile(file);
  const plan = await withCatalog(String(flags['tenant']), flags, io, (source) => source.plan(content));
  print(io, flags, plan, describePlan(plan));
  if (flags['check'] && plan.changes.length > 0) throw new Error('The tenant differs from the file.');
}

async function applyFile(file: string, flags: Flags, io: Io) {
  const content = await readCatalogFile(file);
  const plan = await withCatalog(String(flags['tenant']), flags, io, async (source) => {
    const planned = await source.plan(content);
    if (planned.changes.length > 0) await source.apply(content, planned.hash);
    return planned;
  });
  print(io, flags, plan, `${describePlan(plan)}${plan.changes.length > 0 ? 'Applied.\n' : ''}`);
}

async function pullFile(file: string, flags: Flags, io: Io) {
  const alias = String(flags['tenant']);
  const content = await withCatalog(alias, flags, io, (source) => source.pull());
  writeCatalogFile(file, content);
  print(io, flags, { file }, `Wrote the catalogue of ${alias} to ${file}.\n`);
}

async function promoteTenant(file: string | undefined, flags: Flags, io: Io) {
  const to = String(flags['to']);
  if (to === flags['tenant']) throw new Error('--to must be another tenant.');
  const { webhooks: _, ...content } = (await withCatalog(String(flags['tenant']), flags, io, (source) =>
    source.pull(),
  )) as Record<string, unknown>;
  refuseIds(content);
  if (file !== undefined) writeCatalogFile(file, content);
  const plan = await withCatalog(to, flags, io, async (source) => {
    const planned = await source.plan(content);
    if (flags['yes'] && planned.changes.length > 0) await source.apply(content, planned.hash);
    return planned;
  });
  const end =
    plan.changes.length === 0
      ? ''
      : flags['yes']
        ? 'Applied.\n'
        : 'Nothing was changed: add --yes to apply this.\n';
  print(io, flags, plan, `${describePlan(plan)}${end}`);
}

/** An id is of one tenant: what is promoted needs lookup keys. */
function refuseIds(content: { products?: any[]; coupons?: any[] }): void {
  const named = [
    ...(content.products ?? []).flatMap((each) => [each, ...each.prices]),
    ...(content.coupons ?? []),
  ];
  const missing = named.filter(({ id }) => id !== undefined).map(({ id }) => id as string);
  if (missing.length > 0)
    throw new Error(
      `${formatCount(missing.length, 'record')} without a lookup key cannot be promoted: ${missing.slice(0, 5).join(', ')}`,
    );
}

/** Writes a plan for people. */
function describePlan({ changes, unmanaged }: CatalogPlan): string {
  const left =
    unmanaged === 0
      ? ''
      : `${formatCount(unmanaged, 'record')} without a lookup key ${unmanaged === 1 ? 'is' : 'are'} left alone.\n`;
  if (changes.length === 0) return `Nothing changes.\n${left}`;
  const rows = changes.map((change) => [
    change.action,
    change.resource.replaceAll('_', ' '),
    change.key,
    describeFields(change),
    describeSubscribers(change),
  ]);
  return `${formatColumns([['DOES', 'WHAT', 'KEY', 'FIELDS', 'SUBSCRIPTIONS'], ...rows])}${left}`;
}

const longestValue = 60;

const shorten = (value: unknown) => {
  const text = JSON.stringify(value);
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
};

function describeFields({ action, changes }: CatalogChange): string {
  if (action === 'create') return '';
  return Object.entries(changes)
    .map(([field, [before, after]]) => `${field}: ${shorten(before)} → ${shorten(after)}`)
    .join('; ');
}

function describeSubscribers({ action, subscribers }: CatalogChange): string {
  if (subscribers === null || subscribers === 0) return '';
  return `${subscribers} ${action === 'replace' || action === 'retire' ? 'keep what they have' : 'see it'}`;
}
