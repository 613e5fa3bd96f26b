// `node scripts/make-fixture.mjs <program> <folder>`: makes the databases and files of test/fixtures with the
// `dist/perennial.mjs` of any release. A later release has to open, migrate and import them:
//   database.db.gz       a SQLite database
//   database.sql.gz      a PostgreSQL database, as the statements that make it
//   <tenant>.jsonl.gz    what `perennial export` wrote of each tenant of the SQLite database
//   fixture.json         the keys and ids of both, and when they were made
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import pg from 'pg';
import { load } from './bundle.mjs';
import { fill } from './fixture-scenario.mjs';

const [program, folder] = process.argv.slice(2).map((each) => path.resolve(each));
const scratch = mkdtempSync(path.join(tmpdir(), 'perennial-fixture-'));
/** The server's secret key: what endpoints sign with is kept encrypted. */
const secretKey = Buffer.alloc(32, 7).toString('base64');

const env = (database) => ({
  PATH: process.env.PATH,
  PERENNIAL_DATABASE: database,
  PERENNIAL_SECRET_KEY: secretKey,
  PERENNIAL_WEBHOOK_ALLOW_PRIVATE: 'on',
});
const call = (database, args) =>
  execFileSync(process.execPath, [program, ...args], { env: env(database), encoding: 'utf8' });
const pack = (name, content) =>
  writeFileSync(path.join(folder, `${name}.gz`), gzipSync(content, { level: 9 }));

mkdirSync(folder, { recursive: true });
try {
  const file = path.join(scratch, 'fixture.db');
  const sqlite = await make(`sqlite:${file}`);
  for (const alias of Object.keys(sqlite.keys)) {
    const exported = path.join(scratch, `${alias}.jsonl`);
    call(`sqlite:${file}`, ['export', '--tenant', alias, exported]);
    pack(`${alias}.jsonl`, readFileSync(exported));
  }
  packSqlite(file);
  const postgres = await makePostgres();
  const description = { secretKey, sqlite, postgres };
  writeFileSync(path.join(folder, 'fixture.json'), `${JSON.stringify(description, null, 2)}\n`);
} finally {
  rmSync(scratch, { recursive: true });
}

/** Fills a database through the program; returns its keys and ids, and the instant it was left at. */
async function make(database) {
  const server = spawn(process.execPath, [program, 'serve', '--port', '0'], { env: env(database) });
  const ended = new Promise((resolve) => server.on('exit', resolve));
  try {
    const url = await addressOf(server);
    const create = (alias, flags) =>
      JSON.parse(call(database, ['tenant', 'create', alias, ...flags, '--json'])).apiKey;
    const made = await fill(url, create);
    return { madeAt: new Date().toISOString(), ...made };
  } finally {
    server.kill('SIGTERM');
    await ended;
  }
}

function addressOf(server) {
  return new Promise((resolve, reject) => {
    let out = '';
    const read = (chunk) => {
      out += chunk;
      const [url] = /http:[^"\s]+/.exec(/Server listening at [^\n]*/.exec(out)?.[0] ?? '') ?? [];
      if (url) resolve(url);
    };
    server.stdout.on('data', read);
    server.stderr.on('data', read);
    server.on('exit', () => reject(new Error(`The server has ended: ${out}`)));
  });
}

function packSqlite(file) {
  const small = path.join(scratch, 'small.db');
  const connection = new Database(file);
  connection.exec(`VACUUM INTO '${small}'`);
  connection.close();
  pack('database.db', readFileSync(small));
}

async function makePostgres() {
  const { startEmbedded } = await load('test/support/embedded.ts');
  const server = await startEmbedded(['fsync=off']);
  try {
    const database = `${server.address}/postgres`;
    const made = await make(database);
    const client = new pg.Client({ connectionString: database });
    await client.connect();
    pack('database.sql', await dump(client));
    await client.end();
    return made;
  } finally {
    await server.remove();
  }
}

/** The statements that make the database: its tables as the release's migrations made them, then every row. */
async function dump(client) {
  const folderOfMigrations = path.join(path.dirname(program), '..', 'drizzle', 'postgres');
  const { rows: performed } = await client.query('SELECT tag FROM migrations ORDER BY position');
  const schema = performed.map(({ tag }) =>
    readFileSync(path.join(folderOfMigrations, `${tag}.sql`), 'utf8'),
  );
  const unknown = readdirSync(folderOfMigrations).filter(
    (name) => name.endsWith('.sql') && !performed.some(({ tag }) => name === `${tag}.sql`),
  );
  if (unknown.length > 0) throw new Error(`The database has not performed ${unknown.join(', ')}.`);
  const { rows: tables } = await client.query(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY table_name`,
  );
  const statements = [
    'CREATE TABLE IF NOT EXISTS migrations (position bigserial PRIMARY KEY, tag text NOT NULL, hash text NOT NULL);',
    ...schema,
    // Rows of one table may refer to those of another that comes later.
    'SET session_replication_role = replica;',
  ];
  for (const { name } of tables) statements.push(...(await rowsOf(client, name)));
  statements.push(
    'SET session_replication_role = origin;',
    `SELECT setval('migrations_position_seq', (SELECT max(position) FROM migrations));`,
  );
  return `${statements.join('\n')}\n`;
}

async function rowsOf(client, table) {
  const { rows: columns } = await client.query(
    `SELECT column_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name = $1 ORDER BY ordinal_position`,
    [table],
  );
  const names = columns.map(({ name }) => `"${name}"`);
  const values = names.map((name) => `quote_nullable(${name}::text)`).join(` || ', ' || `);
  const { rows } = await client.query(`SELECT ${values} AS text FROM "${table}" ORDER BY 1`);
  return rows.map(({ text }) => `INSERT INTO "${table}" (${names.join(', ')}) VALUES (${text});`);
}
