import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { existsSync, readdirSync, readFileSync, statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { defineConfig } from 'vitest/config';
import { longFiles } from './test/support/longFiles.ts';

const require = createRequire(import.meta.url);

// Under another name for the tests: those that start the program hand it all variables, and it refuses unknown settings.
if (process.env['PERENNIAL_TEST_POSTGRES'])
  process.env['TEST_POSTGRES'] = process.env['PERENNIAL_TEST_POSTGRES'];
delete process.env['PERENNIAL_TEST_POSTGRES'];

// Without isolation a worker keeps its modules from file to file, which is ten times faster: the first file that imports the
// app takes 1.7 seconds of a processor for that, and each other one a hundredth.
const shared = {
  isolate: false,
  pool: 'threads' as const,
  // On a machine that others keep busy a table of requests takes a while.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  // A test without an assertion fails. What happens by and by is polled for: one limit for all, which only what never comes
  // reaches.
  expect: { requireAssertions: true, poll: { timeout: 60_000, interval: 20 } },
};

/** Loaded as module and as CommonJS, graphql would refuse its own types; these load the one that they find beside them. */
const loadedAsCommonJs = [
  'graphql',
  'graphql-scalars',
  'type-graphql',
  '@apollo/server',
  '@apollo/server/plugin/disabled',
];

/** A folder in memory, if this machine has a large one: each commit of SQLite waits for the disk, which proves nothing here. */
const memory = '/dev/shm';
const leastBytes = 2 * 1024 ** 3;

function chooseScratchFolder(): string {
  if (process.env['TMPDIR'] || !existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize >= leastBytes ? memory : tmpdir();
}

const installed = '**/node_modules/**';
/** What is about one database alone, or about none. */
const once = [
  installed,
  'test/tidy.test.ts',
  'test/cli/{cli,readme.extended}.test.ts',
  'test/app/package.extended.test.ts',
  'test/guides/{pages,walkthroughs.extended}.test.ts',
  'test/http/**',
  'test/pages/{checkout,shared}/**',
  'test/browser/**',
  'test/console/**',
  'test/storage/{keys,migrate}.test.ts',
  'test/storage/sqlite/**',
  'test/graphql/{schemaChanges,generators.extended}.test.ts',
  'test/graphql/jit/**',
  'test/rest/jit.test.ts',
  'test/runtime/**',
  'test/examples/**',
  'test/sdk/{documents,guide,live,methods,money,package,react,requests,routes,testing,webhooks}.test.ts',
  'test/cli/logLines.test.ts',
  'test/app/codeCache.test.ts',
  'test/rest/openapi.test.ts',
  'test/lib/money.test.ts',
  'test/billing/pricing/**',
  'test/billing/tax/resolveRate.test.ts',
  'test/documents/**',
  'test/stress/simulation/simulation.extended.test.ts',
  'test/maintenance/backup.test.ts',
];

/** What is dear and seldom breaks alone: outages, the program killed and started again and again, limits of size. */
const extended = 'test/**/*.extended.test.ts';

/** Of these, what has little to do with the database: on PostgreSQL in the long run alone. */
const seldom = 'test/app/binary.extended.test.ts';

/** What PostgreSQL runs each time: what is about databases, and concurrent requests that compete for the same money. */
const eachTime =
  /^test\/((storage|idempotency)\/|insights\/revenue\/(figures|movements)|.*\/(redemption|balancePayments|refunds|transfers|creditNotes|finalization)\.)/;
/** Rules that depend little on the database: on SQLite all run, on PostgreSQL a tenth of the files. */
const rules =
  /^test\/(billing|graphql|guides|insights\/(activity|search)|maintenance|outgoing|pages|providers|rest)\//;
const turns = 10;

/**
 * Returns the files that do not run, for each database. `npm test` leaves out the extended tests, the files that take longest
 * and, on PostgreSQL, all that does not depend on the database. `npm run test:extended` runs these, all rows of the files that `npm test` samples
 * by `sampledInCore` and `sampledRunsInCore`, and of the rules on PostgreSQL a tenth: `TEST_TURN` (0 to 9, by default 0) chooses it.
 * `npm run test:long` runs all, and so does a command that names files.
 */
function listDeferred(): { sqlite: string[]; postgres: string[] } {
  const isNamed = process.argv.slice(2).some((word) => /^(\.\/)?test\//.test(word));
  if (isNamed || process.env['TEST_LONG'] === 'on') return { sqlite: [], postgres: [] };
  const files = readdirSync(new URL('test', import.meta.url), { recursive: true, encoding: 'utf8' })
    .map((file) => `test/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.test.ts'));
  const isQuick = (file: string) => !file.endsWith('.extended.test.ts');
  const isCore = (file: string) => isQuick(file) && !longFiles.sqlite.includes(file);
  const isCoreOnPostgres = (file: string) =>
    isQuick(file) && eachTime.test(file) && !longFiles.postgres.includes(file);
  if (process.env['TEST_EXTENDED'] !== 'on')
    return {
      sqlite: [extended, ...longFiles.sqlite],
      postgres: files.filter((file) => !isCoreOnPostgres(file)),
    };
  const turn = Number(process.env['TEST_TURN'] ?? 0) % turns;
  const hasTurn = (file: string) => createHash('sha256').update(file).digest()[0]! % turns === turn;
  const waits = (file: string) => rules.test(file) && !hasTurn(file) && !longFiles.postgres.includes(file);
  const isSampled = (file: string) =>
    /\bsampled(Runs)?InCore\(/.test(readFileSync(new URL(file, import.meta.url), 'utf8'));
  return {
    sqlite: files.filter((file) => isCore(file) && !isSampled(file)),
    postgres: [
      seldom,
      ...files.filter((file) => (isCoreOnPostgres(file) && !isSampled(file)) || waits(file)),
    ],
  };
}

const deferred = listDeferred();

export default defineConfig({
  resolve: {
    alias: loadedAsCommonJs.map((name) => ({
      find: RegExp(`^${name}$`),
      replacement: require.resolve(name),
    })),
  },
  test: {
    // Many tests wait for a server, a page or a moment: meanwhile others have the processors.
    maxWorkers: availableParallelism() + 2,
    // Both projects load the same modules, and so does the next run.
    experimental: { fsModuleCache: true },
    projects: [
      {
        extends: true,
        test: {
          ...shared,
          name: 'sqlite',
          include: ['test/**/*.test.ts'],
          exclude: [installed, 'test/storage/postgres/**', ...deferred.sqlite],
          env: { TMPDIR: chooseScratchFolder() },
          globalSetup: 'test/support/browserServer.ts',
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'postgres',
          include: ['test/**/*.test.ts'],
          exclude: [...once, ...deferred.postgres],
          env: { PERENNIAL_TEST_ENGINE: 'postgres' },
          globalSetup: ['test/support/postgresServer.ts', 'test/support/browserServer.ts'],
        },
      },
    ],
  },
});
