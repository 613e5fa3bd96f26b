/** A tenant leaves one database and comes to another: nothing may be lost, and nothing half done. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { busyTenant } from '../support/busyTenant.ts';
import { perennial } from '../support/cli.ts';
import { scratchDatabase, type Engine, type Scratch } from '../support/engines.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'perennial-files-'));
const file = path.join(folder, 'tenant.jsonl');
let app: TestApp;
let alias: string;
let exported: any;
const scratches: Scratch[] = [];

const database = () => app.database;

beforeAll(async () => {
  app = await startApp();
  alias = (await busyTenant(app)).alias;
  const said = await perennial(database(), ['export', '--tenant', alias, file, '--json']);
  expect(said, said.err).toMatchObject({ code: 0, err: '' });
  exported = said.json;
});

afterAll(async () => {
  await app.close();
  for (const scratch of scratches) await scratch.drop();
  rmSync(folder, { recursive: true });
});

async function empty(of?: Engine): Promise<string> {
  const scratch = await scratchDatabase(of);
  scratches.push(scratch);
  return scratch.url;
}

it('exports every row of every table, to a file readable by its owner only', async () => {
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  expect(JSON.parse(lines[0]!)).toEqual({ perennial: 'tenant', version: 1, tenant: alias });
  expect(JSON.parse(lines.at(-1)!)).toEqual({ end: true, tables: exported.tables });
  expect(lines).toHaveLength(exported.rows + 2);
  const filled = [
    'subscriptions',
    'invoices',
    'invoiceLines',
    'payments',
    'balanceEntries',
    'customerNotes',
    'traces',
  ];
  for (const table of filled) {
    expect(exported.tables[table].rows).toBeGreaterThan(0);
  }
  const again = await perennial(database(), ['export', '--tenant', alias, file]);
  expect(again).toMatchObject({ code: 1, err: `${file} is there already; --force overwrites it.\n` });
});

it('an imported tenant has the same hash of every table', async () => {
  const other = await empty();
  const trial = await perennial(other, ['import', file, '--dry-run', '--json']);
  expect(trial, trial.err).toMatchObject({ code: 0, json: { kept: false, rows: exported.rows, faulty: 0 } });
  expect((await perennial(other, ['tenant', 'list', '--json'])).json).toEqual({ tenants: [] });
  const said = await perennial(other, ['import', file, '--json']);
  expect(said, said.err).toMatchObject({ code: 0, json: { kept: true, tables: exported.tables } });
  const copy = path.join(folder, 'copy.jsonl');
  const back = await perennial(other, ['export', '--tenant', alias, copy, '--json']);
  expect(back.json.tables).toEqual(exported.tables);
  expect(readFileSync(copy, 'utf8')).toBe(readFileSync(file, 'utf8'));
  expect((await perennial(other, ['doctor', '--json'])).json).toMatchObject({ findings: [] });
  expect(await perennial(other, ['import', file])).toMatchObject({
    code: 1,
    out: expect.stringContaining(`:1 the tenant ${alias} exists already\n`),
  });
});

describe('a faulty file is reported by line, and nothing is saved', () => {
  const rows: [what: string, spoil: (lines: string[]) => string[], messages: RegExp[]][] = [
    ['no JSON', (lines) => lines.with(2, '{'), [/:3 is not JSON\n/]],
    ['no header', (lines) => lines.slice(1), [/:1 is not the first line of a file/]],
    ['no end', (lines) => lines.slice(0, -1), [/ the file is incomplete: its last line is missing\n/]],
    ['a missing row', (lines) => lines.toSpliced(-2, 1), [/ \w+ has \d+ rows; expected \d+\n/]],
    [
      'a strange table',
      (lines) => lines.with(3, '{"table":"sqlite_schema","row":{}}'),
      [/:4 names no table/],
    ],
    ...['__proto__', 'constructor', 'prototype'].map((key): (typeof rows)[number] => [
      `the key ${key}, in a line, in a row and within a value`,
      (lines) => [
        lines[0]!,
        lines[1]!.replace(/^\{/, `{"${key}":{"test":false},`),
        ...lines
          .slice(2)
          .map((line) => line.replace('"row":{', `"row":{"${key}":1,`))
          .map((line) => line.replace('"payload":{', `"payload":{"object":{"a":[{"${key}":{}}]},`)),
      ],
      [RegExp(`:2 has the reserved key ${key}\n`), RegExp(`:3 has the reserved key ${key}\n`)],
    ]),
    [
      'wrong values, each told',
      (lines) =>
        lines
          .with(1, lines[1]!.replace(/"test":true/, '"test":1'))
          .map((line) => line.replace(/"amountMinor":"900"/, '"amountMinor":900'))
          .map((line) => line.replace(/"firstName":"Ada"/, '"firstname":"Ada"')),
      [
        /:2 tenants\.test must be true or false\n/,
        /\.amountMinor must be a whole number of minor units, as text\n/,
        /customers\.firstname is not a column of this release\n/,
      ],
    ],
    [
      'a changed row',
      (lines) => lines.map((line) => line.replace('"lastName":"Lovelace"', '"lastName":"Byron"')),
      [/ customers was changed after the export\n/],
    ],
    [
      'a row twice',
      (lines) => lines.flatMap((line) => (line.startsWith('{"table":"groups"') ? [line, line] : [line])),
      [/:\d+ groups: .*(UNIQUE|duplicate key)/],
    ],
    [
      'a reference that leads nowhere',
      (lines) => lines.filter((line) => !line.startsWith('{"table":"groups"')),
      [/:\d+ products: .*(FOREIGN KEY|foreign key)/],
    ],
    [
      "another tenant's row",
      (lines) =>
        lines.map((line) => line.replace(/^(\{"table":"customers","row":\{"tenantAlias":)"[^"]+"/, '$1"x"')),
      [/:\d+ customers belongs to another tenant\n/],
    ],
  ];
  it.each(rows)('%s', async (_, spoil, messages) => {
    const other = await empty();
    const spoiled = path.join(folder, 'spoiled.jsonl');
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    writeFileSync(spoiled, `${spoil(lines).join('\n')}\n`);
    for (const flags of [['--dry-run'], []]) {
      const said = await perennial(other, ['import', spoiled, ...flags]);
      expect(said.code, said.out).toBe(1);
      expect(said.err).toMatch(/^Nothing was imported: (1 error|[\d,]+ errors) in /);
      for (const each of messages) expect(said.out).toMatch(each);
    }
    expect((await perennial(other, ['tenant', 'list', '--json'])).json).toEqual({ tenants: [] });
  });
});

it('refuses an unknown tenant and a missing file', async () => {
  const other = await empty();
  expect(
    await perennial(other, ['export', '--tenant', 'nobody', path.join(folder, 'no.jsonl')]),
  ).toMatchObject({
    code: 1,
    err: 'tenant: there is no tenant nobody\n',
  });
  const said = await perennial(other, ['import', path.join(folder, 'none.jsonl')]);
  expect(said).toMatchObject({ code: 1, err: expect.stringMatching(/There is no file/) });
});
