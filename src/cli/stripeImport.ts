import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { importStripe } from '../maintenance/stripeImport/importStripe.ts';
import { acceptableLosses } from '../maintenance/stripeImport/losses.ts';
import { readStripeFile } from '../maintenance/stripeImport/readFile.ts';
import type { StripeExport } from '../maintenance/stripeImport/records.ts';
import { expectedForm } from '../maintenance/stripeImport/values.ts';
import {
  checkFile,
  formatColumns,
  jsonFlag,
  retryWhileBusy,
  print,
  addSettings,
  withService,
  type Flags,
  type Io,
} from './io.ts';
import { formatNumber, formatCount } from './progress.ts';

const mostShown = 20;

type ImportResult = Awaited<ReturnType<typeof importStripe>>;

/** Adds `import stripe`. */
export function addStripeImport(parent: Command, io: Io): void {
  const stripe = parent
    .command('stripe <files...>')
    .description(
      "import customers, products, prices, tax rates and subscriptions from Stripe's exports (CSV or JSON)",
    )
    .requiredOption('--tenant <alias>', 'the tenant to import into')
    .option('--associated-id <key>', "metadata key that holds your own customer id; default Stripe's id")
    .option(
      '--accept <kinds>',
      'losses to accept: discount, tax; otherwise affected subscriptions stay with Stripe',
    )
    .option('--yes', 'save the import; without it, only show the first charges')
    .option(...jsonFlag)
    .addHelpText(
      'after',
      `
Nothing is charged, and nothing is changed at Stripe. Cancel imported subscriptions there before their next date.

Examples:
  $ perennial import stripe customers.csv products.csv prices.csv subscriptions.csv --tenant acme
  $ perennial import stripe stripe.jsonl --tenant acme --associated-id user_id --yes`,
    );
  addSettings(stripe, ['database']).action((files: string[], flags: Flags) => importFiles(files, flags, io));
}

async function importFiles(files: string[], flags: Flags, io: Io) {
  const from: StripeExport = {
    customers: [],
    products: [],
    prices: [],
    subscriptions: [],
    taxRates: [],
    methods: [],
    notes: [],
  };
  for (const file of files) {
    checkFile(file);
    try {
      readStripeFile(readFileSync(file), from);
    } catch (error) {
      throw new Error(`${file}: ${(error as Error).message}`, { cause: error });
    }
  }
  const lists = [from.customers, from.products, from.prices, from.subscriptions, from.taxRates];
  if (lists.every((list) => list.length === 0))
    throw new Error(
      `The files contain no customers, products, prices, tax rates or subscriptions. ${expectedForm}`,
    );
  const options = {
    tenant: String(flags['tenant']),
    associatedId: flags['associatedId'] as string | undefined,
    accept: parseAccepted(flags['accept'] as string | undefined),
    isConfirmed: flags['yes'] === true,
  };
  const imported = await withService(flags, io, (service) =>
    retryWhileBusy(() => importStripe(service, from, options)),
  );
  print(io, flags, { ...imported, kept: options.isConfirmed }, describeImport(imported, options.isConfirmed));
}

function parseAccepted(list: string | undefined): string[] {
  const kinds = list === undefined ? [] : list.split(',').map((kind) => kind.trim());
  const unknown = kinds.find((kind) => !(acceptableLosses as readonly string[]).includes(kind));
  if (unknown !== undefined)
    throw new Error(`--accept takes ${acceptableLosses.join(' and ')}, not ${JSON.stringify(unknown)}.`);
  return kinds;
}

/** Formats the first lines under a heading; empty without lines. */
function formatSection(heading: string, lines: string[]): string {
  if (lines.length === 0) return '';
  const more =
    lines.length > mostShown
      ? `  … and ${formatNumber(lines.length - mostShown)} more (--json has all)\n`
      : '';
  const first = lines.slice(0, mostShown).map((line) => `  ${line}\n`);
  return `\n${formatNumber(lines.length)} ${heading}:\n${first.join('')}${more}`;
}

function describeImport(imported: ImportResult, isKept: boolean): string {
  const { customers, products, prices, taxRates, subscriptions, known } = imported;
  const { charges, left, lost, credits, counts, notes } = imported;
  const headline = `${isKept ? 'Imported' : 'Would import'} ${formatCount(customers, 'customer')}, ${formatCount(products, 'product')}, ${formatCount(prices, 'price')}, ${formatCount(taxRates, 'tax rate')} and ${formatCount(subscriptions, 'subscription')}; ${formatCount(known, 'record')} imported before.\n`;
  const first = charges.toSorted((a, b) => ((a.date ?? '~') < (b.date ?? '~') ? -1 : 1)).slice(0, mostShown);
  const rows = first.map(
    ({ date, amount, currency, customer, product, addOns, stripeId, hasPaymentMethod }) => [
      date ?? 'ends',
      `${amount} ${currency}`,
      hasPaymentMethod ? 'yes' : 'NONE',
      customer,
      addOns === 0 ? product : `${product} + ${formatCount(addOns, 'add-on')}`,
      stripeId,
    ],
  );
  const heading = ['FIRST CHARGE', 'AMOUNT', 'PAYMENT METHOD', 'CUSTOMER', 'PRODUCT', 'AT STRIPE'];
  const table = rows.length === 0 ? '' : `\n${formatColumns([heading, ...rows])}`;
  const more =
    charges.length > mostShown
      ? `… and ${formatNumber(charges.length - mostShown)} more (--json has all)\n`
      : '';
  const staying = formatSection(
    left.length === 1 ? 'record not imported' : 'records not imported',
    left.map(({ stripeId, why }) => `${stripeId}: ${why}`),
  );
  const losing = formatSection(
    `${lost.length === 1 ? 'detail' : 'details'} ${isKept ? 'not imported' : 'that would not be imported'}`,
    lost.map(({ stripeId, field, why }) => `${stripeId} (${field}): it ${why}`),
  );
  const credited = formatSection(
    `${credits.length === 1 ? 'credit' : 'credits'} ${isKept ? 'imported' : 'that would be imported'}`,
    credits.map(
      ({ stripeId, customer, amount, currency }) => `${stripeId} (${customer}): ${amount} ${currency}`,
    ),
  );
  const kinds = Object.entries(counts).map(([kind, count]) => `${kind} ${formatNumber(count)}`);
  const summary = kinds.length === 0 ? '' : `\nLosses by kind: ${kinds.join(', ')}\n`;
  const noted = notes.map((note) => `\n${note}\n`).join('');
  const next = isKept
    ? charges.length === 0
      ? 'No subscription was imported.\n'
      : 'Cancel these subscriptions at Stripe before their first charge here.\n'
    : 'Nothing was saved; run it again with --yes to save it.\n';
  return `${headline}${table}${more}${credited}${staying}${losing}${summary}${noted}\n${next}`;
}
