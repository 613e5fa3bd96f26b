// `npm run stress -- caches --seed 7 --changes 10000`: the long run of test/stress/caches; with `--postgres` on a
// PostgreSQL server of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { load } from '../build/bundle.mjs';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(process.pid) },
    changes: { type: 'string', default: '10000' },
    /** The number of changes between comparisons. */
    'check-every': { type: 'string', default: '500' },
    postgres: { type: 'boolean', default: false },
  },
});
const { replayOn, startServer } = await load('test/stress/caches/run.ts');
const server = values.postgres ? await startServer() : undefined;
const folder = mkdtempSync(path.join(tmpdir(), 'perennial-caches-'));
const database = (await server?.createDatabase('caches')) ?? `sqlite:${path.join(folder, 'caches.db')}`;
const [seed, changes, checkEvery] = [values.seed, values.changes, values['check-every']].map(Number);
console.log(`Seed ${seed}: ${changes} changes, compared every ${checkEvery}`);
const begunAt = performance.now();
try {
  const say = (line) => console.log(`  ${line}`);
  const figures = await replayOn(database, { seed, changes, checkEvery, say });
  console.log({ ...figures, seconds: Math.round((performance.now() - begunAt) / 1000) });
  if (figures.differences.length + figures.complaints.length > 0) process.exitCode = 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
rmSync(folder, { recursive: true });
await server?.remove();
// The package that starts the server keeps the process alive.
process.exit();
