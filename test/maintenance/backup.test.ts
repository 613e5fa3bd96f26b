/** Backup and restore of a SQLite file, with a server at work beside it. */
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { perennial } from '../support/cli.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'perennial-backup-'));
let app: TestApp;
let client: Client;

beforeAll(async () => {
  app = await startApp();
  client = await app.tenant({ alias: 'acme' });
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

let made = 0;
const createCustomer = () =>
  client.rest('POST', '/customers', {
    tenantAlias: 'acme',
    email: 'ada@example.com',
    firstName: 'Ada',
    lastName: 'Lovelace',
    associatedId: `user-${++made}`,
  });
const customersIn = (file: string) => {
  const database = new Database(file, { readonly: true });
  try {
    return database.prepare('select count(*) from customers').pluck().get() as number;
  } finally {
    database.close();
  }
};

it.runIf(process.getuid?.() === 0)(
  'as root, leaves files that the owner of the folder can open',
  async () => {
    const [service, group] = [65_534, 65_533];
    const place = mkdtempSync(path.join(tmpdir(), 'perennial-root-'));
    onTestFinished(() => rmSync(place, { recursive: true }));
    const home = path.join(place, 'service');
    mkdirSync(home, { mode: 0o700 });
    chownSync(home, service, group);
    const database = path.join(home, 'perennial.db');
    const backup = path.join(place, 'of-root.db');
    const run = async (...args: string[]) => {
      const said = await perennial(`sqlite:${database}`, args);
      expect(said, said.err).toMatchObject({ code: 0 });
      const left = readdirSync(home).map((name) => statSync(path.join(home, name)));
      expect(left.length).toBeGreaterThan(0);
      for (const file of left) expect(file).toMatchObject({ uid: service, gid: group });
    };
    await perennial(app.database, ['backup', backup]);
    // To an empty folder, over a database, over one that the service owns in a folder of root, and a new database.
    await run('restore', backup);
    await run('restore', backup, '--force');
    chownSync(home, 0, 0);
    await run('restore', backup, '--force');
    chownSync(home, service, group);
    for (const name of readdirSync(home)) rmSync(path.join(home, name));
    await run('tenant', 'create', 'acme');
    expect(statSync(backup)).toMatchObject({ uid: 0, mode: 0o100600 });
  },
);

it('copies every acknowledged write under load, into one file readable by its owner only', async () => {
  const target = path.join(folder, 'under-load.db');
  await Promise.all(Array.from({ length: 50 }, createCustomer));
  const before = made;
  let isOver = false;
  const load = (async () => {
    while (!isOver) await Promise.all(Array.from({ length: 5 }, createCustomer));
  })();
  const said = await perennial(app.database, ['backup', target, '--json']);
  const during = made;
  isOver = true;
  await load;
  expect(said, said.err).toMatchObject({ code: 0, json: { bytes: statSync(target).size, due: [] } });
  expect(customersIn(target)).toBeGreaterThanOrEqual(before);
  expect(customersIn(target)).toBeLessThanOrEqual(during);
  expect(statSync(target).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['under-load.db']);
  expect(await perennial(app.database, ['backup', target])).toMatchObject({
    code: 1,
    err: `${target} is there already; --force overwrites it.\n`,
  });
  expect(await perennial(app.database, ['backup', target, '--force'])).toMatchObject({ code: 0 });
  expect((await perennial(`sqlite:${target}`, ['doctor', '--json'])).json.findings).toEqual([]);
});

it('restores to another path, and overwrites only with --force', async () => {
  const backup = path.join(folder, 'backup.db');
  await perennial(app.database, ['backup', backup]);
  const place = path.join(folder, 'elsewhere', 'perennial.db');
  const database = `sqlite:${place}`;
  expect(await perennial(database, ['restore', backup])).toMatchObject({ code: 0 });
  expect(customersIn(place)).toBe(customersIn(backup));
  expect(await perennial(database, ['restore', backup])).toMatchObject({
    code: 1,
    err: `${place} is there already; --force puts it aside.\n`,
  });
  await perennial(database, ['tenant', 'create', 'later']);
  expect(await perennial(database, ['restore', backup, '--force', '--json'])).toMatchObject({
    code: 0,
    json: { due: [] },
  });
  expect((await perennial(database, ['tenant', 'list', '--json'])).json.tenants).toHaveLength(1);
  const aside = await perennial(`sqlite:${place}.replaced`, ['tenant', 'list', '--json']);
  expect(aside.json.tenants).toHaveLength(2);
});

it('refuses incomplete backups, and a restore under a running server', async () => {
  const place = path.join(folder, 'untouched.db');
  const rows: [name: string, make: (file: string) => void, message: RegExp][] = [
    ['none', () => {}, /^There is no file /],
    [
      'text',
      (file) => writeFileSync(file, 'Not a database, though long enough to be one.'.repeat(20)),
      /is no database file/,
    ],
    ['cut', (file) => cut(file), /is (damaged|no database file)/],
    [
      'other',
      (file) => new Database(file).exec('create table t (x)').close(),
      /is not a database of this program/,
    ],
    ['newer', (file) => newer(file), /newer than this release/],
  ];
  for (const [name, make, message] of rows) {
    const file = path.join(folder, `bad-${name}.db`);
    make(file);
    const said = await perennial(`sqlite:${place}`, ['restore', file]);
    expect(said.code, name).toBe(1);
    expect(said.err).toMatch(message);
    expect(existsSync(place)).toBe(false);
  }
  const backup = path.join(folder, 'good.db');
  await perennial(app.database, ['backup', backup]);
  const said = await perennial(app.database, ['restore', backup, '--force']);
  expect(said).toMatchObject({ code: 1, err: expect.stringMatching(/in use by another server/) });
  expect((await createCustomer()).status).toBe(201);

  function cut(file: string) {
    writeFileSync(file, readFileSync(path.join(folder, 'backup.db')));
    truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096);
  }
  function newer(file: string) {
    writeFileSync(file, readFileSync(path.join(folder, 'backup.db')));
    new Database(file).exec("insert into migrations (tag, hash) values ('9999_later', 'x')").close();
    // As a backup without a checksum: this one fits no more.
    truncateSync(file, Math.floor(statSync(file).size / 4096) * 4096);
  }
});

it('refers to pg_dump on PostgreSQL', async () => {
  for (const [command, tool] of [
    ['backup', 'pg_dump'],
    ['restore', 'pg_restore'],
  ] as const) {
    const said = await perennial('postgres://127.0.0.1:1/none', [command, path.join(folder, 'pg.db')]);
    expect(said).toMatchObject({ code: 1, err: expect.stringContaining(tool) });
  }
});
