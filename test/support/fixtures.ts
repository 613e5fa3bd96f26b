/** Databases and files that earlier releases made (`scripts/fixtures/make.mjs`): today's program must take them over. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { examine } from '../../src/maintenance/doctor/doctor.ts';
import { root } from '../sourceFiles.ts';
import { startApp, type TestApp } from './app.ts';
import { stoppedClock } from './clock.ts';
import { engine, scratchDatabase, type Engine, type Scratch } from './engines.ts';

/** A database that a release has written. */
export interface Fixture {
  release: string;
  secretKey: string;
  /** When the program was stopped. */
  madeAt: string;
  /** The key of each tenant. */
  keys: Record<string, string>;
  /** Ids of records by their kind. */
  ids: Record<string, string>;
}

const folder = path.join(root, 'test/fixtures');

/** The releases that have a fixture, and builds between two of them, oldest first. */
export const releases = [
  '0.1.0',
  'price-models',
  'price-parts',
  'documents',
  'portal',
  'operators',
  'reversals',
  '0.9.0',
  'customer-sessions',
];

/** Whether a release has what was new in another one. */
export const isSince = (release: string, other: string): boolean =>
  releases.indexOf(release) >= releases.indexOf(other);

/** How many records a fixture has, as doctor counts them. */
export const sizes: Record<string, { subscriptions: number; invoices: number }> = {
  '0.1.0': { subscriptions: 12, invoices: 23 },
  'price-models': { subscriptions: 16, invoices: 31 },
  'price-parts': { subscriptions: 18, invoices: 33 },
  documents: { subscriptions: 18, invoices: 37 },
  portal: { subscriptions: 19, invoices: 39 },
  operators: { subscriptions: 19, invoices: 39 },
  reversals: { subscriptions: 19, invoices: 39 },
  '0.9.0': { subscriptions: 19, invoices: 39 },
  'customer-sessions': { subscriptions: 19, invoices: 39 },
};

const unpacked = (release: string, name: string) =>
  gunzipSync(readFileSync(path.join(folder, release, `${name}.gz`)));

/** Returns the description of the database that a release wrote. */
export function openFixture(release: string, of: Engine = engine): Fixture {
  const description = JSON.parse(readFileSync(path.join(folder, release, 'fixture.json'), 'utf8'));
  return { release, secretKey: description.secretKey, ...description[of] };
}

/** Puts a release's database in a place of its own, as the release left it. */
export async function placeFixture(release: string, of: Engine = engine): Promise<Scratch> {
  const scratch = await scratchDatabase(of, true);
  if (of === 'sqlite') {
    writeFileSync(scratch.path, unpacked(release, 'database.db'));
    return scratch;
  }
  const client = new pg.Client({ connectionString: scratch.url.split('?')[0] });
  await client.connect();
  await client.query(unpacked(release, 'database.sql').toString());
  await client.end();
  return scratch;
}

/** Writes the file that a release exported for a tenant into a folder. Returns its path. */
export function placeExport(release: string, alias: string, into: string): string {
  const file = path.join(into, `${alias}.jsonl`);
  writeFileSync(file, unpacked(release, `${alias}.jsonl`));
  return file;
}

/** Starts today's program at the instant at which the release's was stopped; on a fixture's database, or an empty one. */
export const startAt = (
  { secretKey, madeAt }: Fixture,
  database?: string,
  settings: Parameters<typeof startApp>[0] = {},
): Promise<TestApp> =>
  startApp({ ...(database && { database }), secretKey, ...settings }, { clock: stoppedClock(madeAt) });

/** Returns the findings of doctor, at the time of the program. */
export const examined = ({ service }: TestApp) => examine(service, () => {});
