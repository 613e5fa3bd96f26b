/** A running server checks the pages of its file ten seconds after its start. */
import { closeSync, openSync, writeSync } from 'node:fs';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { perennial } from '../../support/cli.ts';
import { scratchDatabase, type Scratch } from '../../support/engines.ts';
import { build, serve, type Running } from '../../support/program.ts';

// The check has the lowest priority: on a busy machine it takes minutes.
const checked = { interval: 200, timeout: 170_000 };

let scratch: Scratch;
let server: Running | undefined;
beforeEach(async () => {
  build();
  scratch = await scratchDatabase();
  expect(await perennial(scratch.url, ['tenant', 'create', 'acme'])).toMatchObject({ code: 0 });
});
afterEach(async () => {
  server?.process.kill('SIGKILL');
  await server?.ended;
  await scratch.drop();
});

const start = async () =>
  (server = await serve({ PERENNIAL_DATABASE: scratch.url, PERENNIAL_LOG_FORMAT: 'json' }));

/** Damages a page that nothing reads at the start. */
function damage(file: string) {
  const database = new Database(file);
  database.pragma('wal_checkpoint(TRUNCATE)');
  const select = "select rootpage from sqlite_schema where name = 'traces_executor'";
  const page = database.prepare<[], number>(select).pluck().get()!;
  database.close();
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.from('damaged!'), 0, 8, (page - 1) * 4096 + 8);
  closeSync(descriptor);
}

it('damage is reported in the log of a running server', async () => {
  damage(scratch.path);
  const { out, url } = await start();
  await expect.poll(out, checked).toMatch(/the database file is damaged/);
  expect(out()).toMatch(/"found":"[^"]+"/);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
});

it('an undamaged file is reported as such', async () => {
  const { out } = await start();
  await expect.poll(out, checked).toMatch(/no damage/);
});
