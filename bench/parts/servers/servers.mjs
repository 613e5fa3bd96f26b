// The servers to compare, with the command that starts each on a copy of the data.
import { fileURLToPath } from 'node:url';

const { execPath } = process;
const resolvePeer = (file) => fileURLToPath(new URL(`../../peers/${file}`, import.meta.url));
/** The highest possible value: the limit is checked with every request and never reached. */
const rateLimit = '1000000';

/** PostGraphile needs Node 22, which its package includes. */
const node22 =
  Number.parseInt(process.versions.node) >= 22
    ? execPath
    : resolvePeer(`postgraphile/node_modules/node-${process.platform}-${process.arch}/bin/node`);

const onDatabase =
  (file, flags = [], node = execPath) =>
  ({ port, database, more = [] }) => [
    node,
    resolvePeer(file),
    '--port',
    String(port),
    '--database',
    database,
    ...flags,
    ...more,
  ];

/** The mails of test tenants are not kept: the data is a test tenant's, and neither live tenants nor other servers write them. */
const keepNoMails = ['--test-mails', 'off'];

/** The product with all features enabled. `observed`: whether metrics are exported, which is off by default. */
const serve = ({ port, database, observed = true }) => [
  'serve',
  '--port',
  String(port),
  '--database',
  database,
  '--log-level',
  'error',
  '--rate-limit',
  rateLimit,
  ...(observed ? ['--metrics-port', '0'] : []),
];

/**
 * Lists all servers by name. `program` is the product's bundle, `binary` its single executable, if any, and `reference` the
 * bundle of an earlier commit, if one is compared.
 */
export function listVariants({ program, binary, reference, profile }) {
  const profiling = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [];
  const onSqlite = (start) => serve({ ...start, database: `sqlite:${start.database}` });
  return {
    perennial: (start) => [execPath, ...profiling, program, ...onSqlite(start), ...keepNoMails],
    'perennial-binary': binary && ((start) => [binary, ...onSqlite(start), ...keepNoMails]),
    reference: reference && ((start) => [execPath, reference, ...onSqlite(start)]),
    'reference-postgres': reference && ((start) => [execPath, reference, ...serve(start)]),
    'perennial-postgres': (start) => [execPath, ...profiling, program, ...serve(start), ...keepNoMails],
    floor: onDatabase('floor.mjs', ['--grouped', '--intents']),
    'floor-checked': onDatabase('floor.mjs', ['--grouped', '--intents', '--checked']),
    'floor-single': onDatabase('floor.mjs', ['--intents']),
    // Used by the renewals workload only, where it is not a server.
    'floor-postgres': () => [],
    fastify: onDatabase('fastify.mjs'),
    'apollo-default': onDatabase('apollo-default.mjs'),
    'mercurius-jit': onDatabase('mercurius-jit.mjs'),
    yoga: onDatabase('yoga.mjs'),
    postgraphile: onDatabase('postgraphile/server.mjs', [], node22),
    vendure: onDatabase('vendure/server.mjs'),
  };
}
