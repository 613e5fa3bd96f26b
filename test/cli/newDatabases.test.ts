/** Which commands create a database that does not exist, and that all others refuse to, on both databases. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { redactPassword } from '../../src/lib/postgresAddress.ts';
import { placeExport } from '../support/fixtures.ts';
import { perennial } from '../support/cli.ts';
import { engine, scratchDatabase, type Scratch } from '../support/engines.ts';

/** What the arguments of a command name. */
interface Place {
  /** An empty folder for files. */
  folder: string;
  /** The address of a database that does not exist. */
  url: string;
}

type Row = [command: string, args: (place: Place) => string[]];

const tenantFile = ({ folder }: Place) => placeExport('0.1.0', 'acme', folder);
const stripeFile = ({ folder }: Place) => {
  const file = path.join(folder, 'stripe.json');
  writeFileSync(file, JSON.stringify({ object: 'customer', id: 'cus_1', email: 'ada@example.com' }));
  return file;
};
const ratesFile = ({ folder }: Place) => {
  const file = path.join(folder, 'rates.csv');
  writeFileSync(file, 'Date,USD\n2026-01-02,1.1\n');
  return file;
};
const catalogFile = ({ folder }: Place) => {
  const file = path.join(folder, 'catalog.yaml');
  writeFileSync(file, 'products: []\n');
  return file;
};
const vatRatesFile = ({ folder }: Place) => {
  const file = path.join(folder, 'vat-rates.csv');
  writeFileSync(file, '# checked until 2026-10-01\ncountry,territory,kind,percent,valid_from,valid_until\n');
  return file;
};
const inFolder = (name: string) => (place: Place) => [path.join(place.folder, name)];
const none = () => [];

/** Commands that only read or change. */
const refusing: Row[] = [
  ['tenant update', () => ['acme', '--name', 'Acme']],
  ['tenant advance', () => ['acme', '2030-01-01']],
  ['tenant list', none],
  ['key create', () => ['--tenant', 'acme']],
  ['key list', none],
  ['key revoke', () => ['7v3k9q2m4x8d']],
  ['key rotate', () => ['7v3k9q2m4x8d']],
  ['operator create', () => ['ada@example.com']],
  ['operator list', none],
  ['operator link', () => ['ada@example.com']],
  ['operator remove', () => ['ada@example.com']],
  ['bill', none],
  ['reindex', none],
  ['doctor', none],
  ['doctor', () => ['--json']],
  ['export', (place) => ['--tenant', 'acme', ...inFolder('acme.jsonl')(place)]],
  ['export-usage', (place) => ['--tenant', 'acme', ...inFolder('usage.jsonl')(place)]],
  ['catalog diff', (place) => [catalogFile(place), '--tenant', 'acme']],
  ['catalog apply', (place) => [catalogFile(place), '--tenant', 'acme']],
  ['catalog pull', (place) => [...inFolder('acme.yaml')(place), '--tenant', 'acme']],
  ['catalog promote', () => ['--tenant', 'acme', '--to', 'other']],
  ['exchange-rates', (place) => [ratesFile(place), '--tenant', 'acme']],
  ['vat-rates', (place) => [vatRatesFile(place)]],
  ['import', (place) => [tenantFile(place), '--dry-run']],
  ['import stripe', (place) => [stripeFile(place), '--tenant', 'acme']],
];

/** Of SQLite alone: PostgreSQL has its own tools. */
const refusingFiles: Row[] = [
  ['backup', inFolder('backup.db')],
  ['doctor', () => ['--pages-only']],
];

const creating: Row[] = [
  ['serve', () => ['--port', '0']],
  ['serve', () => ['--port', '0', '--demo', 'catalog']],
  ['migrate', none],
  ['tenant create', () => ['acme']],
  ['import', (place) => [tenantFile(place)]],
];

/** Commands that open no database, or name theirs by flags or a file of their own. */
const others = ['restore', 'copy', 'schema', 'mcp', 'openapi', 'completion', 'health'];

async function makePlace(): Promise<{ place: Place; scratch: Scratch }> {
  const scratch = await scratchDatabase(engine, true);
  onTestFinished(() => scratch.drop());
  // Of a test on PostgreSQL, the files alone.
  const files = engine === 'sqlite' ? scratch : await scratchDatabase('sqlite', true);
  if (files !== scratch) onTestFinished(() => files.drop());
  const folder = path.join(path.dirname(files.path), 'files');
  mkdirSync(folder);
  return { place: { folder, url: scratch.url }, scratch };
}

/** Whether there is a database now: a file beside the folder of the test, or tables. */
async function isCreated({ path: file, backdoor }: Scratch): Promise<boolean> {
  if (engine === 'sqlite') return readdirSync(path.dirname(file)).some((name) => name.startsWith('test.db'));
  return (await backdoor.all(`SELECT 1 FROM pg_tables WHERE schemaname = 'public'`)).length > 0;
}

it('knows every command of the program', async () => {
  const listCommands = async (prefix: string[]): Promise<string[]> => {
    const { out } = await perennial(undefined, [...prefix, '--help']);
    const listed = /^Commands:\n((?: .*\n)*)/m.exec(out)?.[1] ?? '';
    const names = [...listed.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name!);
    const inner = await Promise.all(
      names.filter((name) => name !== 'help').map((name) => listCommands([...prefix, name])),
    );
    return [...(names.length === 0 || prefix[0] === 'import' ? [prefix.join(' ')] : []), ...inner.flat()];
  };
  const known = [...refusing, ...refusingFiles, ...creating].map(([command]) => command);
  expect([...new Set([...known, ...others])].toSorted()).toEqual((await listCommands([])).toSorted());
});

it.each(engine === 'sqlite' ? [...refusing, ...refusingFiles] : refusing)(
  '%s %s refuses to create a database, and names it with the setting',
  async (command, args) => {
    const { place, scratch } = await makePlace();
    const words = [...command.split(' '), ...args(place)];
    const before = readdirSync(place.folder);
    const said = await perennial(place.url, words);
    const named =
      engine === 'sqlite'
        ? `There is no database ${scratch.path}. `
        : `${redactPassword(place.url)} has no tables of this program. `;
    expect(said, said.out).toMatchObject({ code: 1 });
    expect(said.err).toContain(named);
    expect(said.err).toContain('--database or PERENNIAL_DATABASE');
    expect(await isCreated(scratch)).toBe(false);
    expect(readdirSync(place.folder)).toEqual(before);
  },
);

it.each(creating)('%s %s creates a database', async (command, args) => {
  const { place, scratch } = await makePlace();
  const said = await perennial(place.url, [...command.split(' '), ...args(place)]);
  expect(said, said.err).toMatchObject({ code: 0 });
  expect(await isCreated(scratch)).toBe(true);
  expect(await perennial(place.url, ['key', 'list'])).toMatchObject({ code: 0 });
});

it('creates the target of a copy, but not for a comparison, and never the source', async () => {
  const { place, scratch } = await makePlace();
  const from = await scratchDatabase();
  onTestFinished(() => from.drop());
  const copy = (...args: string[]) => perennial(undefined, ['copy', ...args]);
  const compared = await copy('--check', '--from', from.url, '--to', place.url);
  expect(compared).toMatchObject({ code: 1, err: expect.stringContaining('Set --to to') });
  const reversed = await copy('--from', place.url, '--to', from.url);
  expect(reversed).toMatchObject({ code: 1, err: expect.stringContaining('Set --from to') });
  expect(await isCreated(scratch)).toBe(false);
  expect(await copy('--from', from.url, '--to', place.url)).toMatchObject({ code: 0 });
  expect(await isCreated(scratch)).toBe(true);
});

it.runIf(engine === 'sqlite')('changes no database of another program', async () => {
  const { place, scratch } = await makePlace();
  const strange = new Database(scratch.path);
  strange.exec('CREATE TABLE bookmarks (url text)');
  strange.close();
  for (const [command, args] of refusing) {
    const said = await perennial(place.url, [...command.split(' '), ...args(place)]);
    expect(said).toMatchObject({ code: 1 });
    expect(said.err).toContain(`${scratch.path} is not a database of this program. `);
  }
  const read = new Database(scratch.path, { readonly: true });
  expect(read.prepare('SELECT name FROM sqlite_schema').pluck().all()).toEqual(['bookmarks']);
  read.close();
  expect(existsSync(`${scratch.path}.key`)).toBe(false);
});
