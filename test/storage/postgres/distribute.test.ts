/**
 * The statements that distribute the tables, sent to a real PostgreSQL which has functions and a table of Citus's names
 * that refuse what Citus refuses: a table that refers to another before that is distributed with the same tenant.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { planDistribution, readNow, writeForDistributed } from '../../../src/storage/postgres/distribute.ts';
import { readMigrations } from '../../../src/storage/migrate.ts';
import { tables } from '../../../src/storage/query/tableMeta.ts';
import { isServerTable, tableDeclarations, type TableName } from '../../../src/storage/model/rowTypes.ts';
import { perennial } from '../../support/cli.ts';
import { scratchDatabase, type Scratch } from '../../support/engines.ts';

const names = tables.map((name) => tableDeclarations[name].name);
const serverTables = tables
  .filter(isServerTable)
  .map((name) => `'${tableDeclarations[name].name}'`)
  .join();
let scratch: Scratch;
beforeEach(async () => {
  scratch = await scratchDatabase();
});
afterEach(() => scratch.drop());

const standIn = `
  CREATE TABLE pg_dist_partition (logicalrelid regclass PRIMARY KEY, partmethod "char", partkey text, colocation int);
  CREATE FUNCTION create_distributed_table(relation regclass, key text, colocate_with text DEFAULT 'default')
  RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = relation) THEN
      RAISE EXCEPTION 'table % is already distributed', relation;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = relation AND attname = key) THEN
      RAISE EXCEPTION 'column % of % does not exist', key, relation;
    END IF;
    IF colocate_with <> 'default' AND NOT EXISTS (
      SELECT FROM pg_dist_partition WHERE logicalrelid = colocate_with::regclass) THEN
      RAISE EXCEPTION '% is not distributed', colocate_with;
    END IF;
    IF EXISTS (SELECT FROM pg_constraint WHERE conrelid = relation AND contype = 'f' AND confrelid <> relation
      AND confrelid NOT IN (SELECT logicalrelid FROM pg_dist_partition)) THEN
      RAISE EXCEPTION 'cannot create foreign key constraint: % refers to a local table', relation;
    END IF;
    IF EXISTS (SELECT FROM pg_index WHERE indrelid = relation AND indisunique AND NOT (
      SELECT attnum FROM pg_attribute WHERE attrelid = relation AND attname = key) = ANY (indkey::int2[])) THEN
      RAISE EXCEPTION 'a unique index of % does not contain %', relation, key;
    END IF;
    -- Citus manages local tables with a foreign key to a reference table: these may not refer to a distributed one.
    IF EXISTS (SELECT FROM pg_constraint WHERE confrelid = relation AND contype = 'f' AND conrelid IN (
      SELECT conrelid FROM pg_constraint JOIN pg_dist_partition ON logicalrelid = confrelid WHERE partmethod = 'n')
      AND conrelid NOT IN (SELECT logicalrelid FROM pg_dist_partition)) THEN
      RAISE EXCEPTION 'foreign keys from reference tables and local tables to distributed tables are not supported';
    END IF;
    INSERT INTO pg_dist_partition VALUES (relation, 'h', key, 1);
  END $$;
  CREATE FUNCTION create_reference_table(relation regclass) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (SELECT FROM pg_constraint WHERE conrelid = relation AND contype = 'f' AND confrelid <> relation
      AND confrelid NOT IN (SELECT logicalrelid FROM pg_dist_partition WHERE partmethod = 'n')) THEN
      RAISE EXCEPTION 'cannot create foreign key constraint: % refers to no reference table', relation;
    END IF;
    INSERT INTO pg_dist_partition VALUES (relation, 'n', NULL, 1);
  END $$`;

/** The foreign and unique keys that no distributed database can have; `alias` and `tenant_alias` are the tenant. */
const impossibleKeys = `
  WITH columns AS (
    SELECT attrelid, attnum, attname, relname, relname IN (${serverTables}) AS of_server
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    WHERE relnamespace = 'public'::regnamespace AND relname NOT IN ('migrations', 'pg_dist_partition')
  )
  SELECT conname AS key FROM pg_constraint
    JOIN columns AS own ON own.attrelid = conrelid AND own.attnum = conkey[1]
    JOIN columns AS other ON other.attrelid = confrelid AND other.attnum = confkey[1]
    WHERE contype = 'f' AND NOT other.of_server
      AND (own.of_server OR own.attname <> 'tenant_alias' OR other.attname NOT IN ('alias', 'tenant_alias'))
  UNION ALL
  SELECT indexrelid::regclass::text FROM pg_index JOIN columns ON attrelid = indrelid AND attnum = indkey[0]
    WHERE indisunique AND NOT of_server AND attname <> (CASE relname WHEN 'tenants' THEN 'alias' ELSE 'tenant_alias' END)`;
const listKeys = async () =>
  (
    await scratch.backdoor.all(
      "SELECT conrelid::regclass::text || ' ' || conname || ' ' || pg_get_constraintdef(oid) AS key FROM pg_constraint ORDER BY 1",
    )
  ).map(({ key }) => String(key));
const partitions = async () =>
  (
    await scratch.backdoor.all('SELECT logicalrelid::text AS name, partkey FROM pg_dist_partition ORDER BY 1')
  ).map(({ name, partkey }) => `${String(name)} ${String(partkey)}`);
const findKey = (table: TableName) => {
  if (isServerTable(table)) return 'null';
  return table === 'tenants' ? 'alias' : 'tenant_alias';
};
const expected = tables.map((table) => `${tableDeclarations[table].name} ${findKey(table)}`).toSorted();
const distribute = (...more: string[]) => perennial(scratch.url, ['migrate', '--distribute', ...more]);

it('distributes all tables by tenant in the order of their foreign keys, and later only new ones', async () => {
  await scratch.backdoor.execute(standIn);
  const keys = await listKeys();
  const first = await distribute();
  expect(first).toMatchObject({ code: 0, err: '' });
  expect(await listKeys()).toEqual(keys);
  expect(first.out).toContain(names.map((name) => `Distributed ${name}.\n`).join(''));
  expect(await partitions()).toEqual(expected);

  const second = await distribute('--json');
  expect(second.code).toBe(0);
  expect(JSON.parse(second.out)).toEqual({ migrations: [], distributed: [], already: names });

  await scratch.backdoor.execute(
    `DELETE FROM pg_dist_partition WHERE logicalrelid::text IN ('traces', 'payments')`,
  );
  const doctor = await perennial(scratch.url, ['doctor', '--json']);
  expect(doctor.code).toBe(1);
  expect(JSON.parse(doctor.out).findings.map(({ check, subject }: any) => [check, subject])).toEqual([
    ['distribution', 'traces'],
    ['distribution', 'payments'],
  ]);
  expect(JSON.parse((await distribute('--json')).out).distributed).toEqual(['traces', 'payments']);
  expect(await partitions()).toEqual(expected);
  expect((await perennial(scratch.url, ['doctor'])).code).toBe(0);
});

it('no table of the server refers to one of tenants, and every other key begins with the tenant', async () => {
  expect(await scratch.backdoor.all(impossibleKeys)).toEqual([]);
  const planted = [
    [
      'operators_name_fk',
      'ALTER TABLE operators ADD CONSTRAINT operators_name_fk FOREIGN KEY (name) REFERENCES tenants',
    ],
    ['customers_planted', 'CREATE UNIQUE INDEX customers_planted ON customers (id)'],
  ];
  for (const [key, statement] of planted) {
    await scratch.backdoor.execute(statement!);
    expect((await scratch.backdoor.all(impossibleKeys)).map((row) => row['key'])).toContain(key);
  }
});

it('an interrupted run reports its cause and continues when repeated', async () => {
  await scratch.backdoor.execute(standIn);
  const keys = await listKeys();
  const lock = 'ALTER TABLE customers RENAME COLUMN tenant_alias TO spoilt';
  await scratch.backdoor.execute(lock);
  const first = await distribute();
  expect(first.code).toBe(1);
  expect(first.err).toContain('column tenant_alias of customers does not exist');
  await scratch.backdoor.execute('ALTER TABLE customers RENAME COLUMN spoilt TO tenant_alias');
  expect((await distribute()).code).toBe(0);
  expect(await partitions()).toEqual(expected);
  expect(await listKeys()).toEqual(keys);
});

describe('is refused clearly', () => {
  it('without the extension, and nothing is changed', async () => {
    const { code, err } = await distribute();
    expect([code, err]).toEqual([
      1,
      'The database has no Citus extension (CREATE EXTENSION citus): its tables cannot be distributed.\n',
    ]);
    expect((await perennial(scratch.url, ['doctor'])).code).toBe(0);
  });

  it('on SQLite', async () => {
    const file = await scratchDatabase('sqlite');
    const { code, err } = await perennial(file.url, ['migrate', '--distribute']);
    expect([code, err]).toEqual([
      1,
      'A SQLite file cannot be distributed: --distribute is for PostgreSQL with Citus.\n',
    ]);
    await file.drop();
  });
});

it('a table of a later release is distributed when it is created, before its foreign keys', () => {
  const statements = [
    'CREATE TABLE "payments" ("tenant_alias" text)',
    'ALTER TABLE "payments" ADD CONSTRAINT "f" FOREIGN KEY ("tenant_alias") REFERENCES "tenants"("alias")',
    'CREATE TABLE "migrations" ("tag" text)',
    'UPDATE "payments" SET "tenant_alias" = 1',
  ];
  expect(writeForDistributed(statements, 'x')).toEqual([
    statements[0],
    `SELECT create_distributed_table('payments', 'tenant_alias', colocate_with => 'tenants')`,
    ...statements.slice(1),
  ]);
  expect(planDistribution(new Set(names.filter((name) => name !== 'tenants')))).toEqual([
    { table: 'tenants', statement: `SELECT create_distributed_table('tenants', 'alias')` },
  ]);
});

describe('changes of rows by migrations', () => {
  const changes = readMigrations('drizzle/postgres').flatMap(({ statements }) =>
    writeForDistributed(statements, "'2026-01-01'::timestamptz").filter((text) =>
      /^\s*(--.*\n\s*)*(UPDATE|INSERT|DELETE|WITH|MERGE)\b/i.test(text),
    ),
  );

  it('call only functions that are the same on each shard', async () => {
    expect(changes.length).toBeGreaterThan(10);
    expect(await listUnstable(changes)).toEqual([]);
    expect(await listUnstable(['UPDATE a SET b = now() WHERE c < random()'])).toEqual(['now', 'random']);
    expect(writeForDistributed(['CREATE TABLE a (b timestamptz DEFAULT now())'], 'x')[0]).toContain('now()');
  });

  it('have the bytes of a text without a function that depends on the encoding', async () => {
    const bytes = (text: string) => `encode(convert_to(coalesce(${text}, ''), 'UTF8'), 'hex')`;
    const text = String.raw`E'a\\b\\\\134 \u00e9\u0633'`;
    const [written] = writeForDistributed([`UPDATE a SET b = ${bytes(text)}`], 'x');
    expect(written).not.toContain('convert_to');
    const [row] = await scratch.backdoor.all(
      `SELECT ${bytes(text)} AS one, ${written!.replace('UPDATE a SET b = ', '')} AS other`,
    );
    expect(row!['other']).toBe(row!['one']);
    expect(row!['one']).toBe(Buffer.from('a\\b\\\\134 \u00e9\u0633').toString('hex'));
  });

  it('have the beginning of the transaction in place of now()', async () => {
    const [row] = await scratch.backdoor.all(
      "SELECT quote_literal('2026-11-27 12:00:00.123456+00'::timestamptz) AS then",
    );
    const query = async (text: string) => ({ rows: await scratch.backdoor.all(text) });
    const now = await readNow({ query } as never);
    expect(now).toMatch(/^'\d{4}-\d\d-\d\d .+'::timestamptz$/);
    expect(row!['then']).toContain('12:00:00.123456');
    const statement =
      '-- Past ones.\nUPDATE "discounts" SET "ends_at" = "ends_at" WHERE "ends_at" <= coalesce(NULL, now())';
    const [written] = writeForDistributed([statement], now);
    expect(written).toContain(`coalesce(NULL, ${now})`);
    await scratch.backdoor.execute(written!);
  });
});

/** Returns the functions that statements call and whose results may differ between shards. */
async function listUnstable(statements: string[]): Promise<string[]> {
  const called = statements.flatMap((text) => [...text.matchAll(/\b(\w+)\s*\(/g)].map(([, name]) => name!));
  const listed = [...new Set(called)].map((name) => `'${name.toLowerCase()}'`).join();
  const rows = await scratch.backdoor.all(
    `SELECT DISTINCT proname AS name FROM pg_proc WHERE proname IN (${listed}) AND provolatile <> 'i' ORDER BY 1`,
  );
  return rows.map(({ name }) => String(name));
}
