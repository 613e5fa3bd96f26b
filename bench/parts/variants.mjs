// The servers that are compared: how each is started on a copy of the data.
import { fileURLToPath } from 'node:url';

const { execPath } = process;
const peer = (file) => fileURLToPath(new URL(`../peers/${file}`, import.meta.url));
/** The highest that can be set: the limit is reckoned on every request, and never reached. */
const rateLimit = '1000000';

const onFile =
  (file, ...flags) =>
  ({ port, database }) => [execPath, peer(file), '--port', String(port), '--database', database, ...flags];

const serve = ({ port, database }) => [
  'serve',
  '--port',
  String(port),
  '--database',
  database,
  '--log-level',
  'error',
  '--rate-limit',
  rateLimit,
];

/** Every server by its name. `program` is the product's bundle, `executable` its single file where there is one. */
export function variantsOf({ program, executable, profile }) {
  const profiling = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [];
  const onSqlite = ({ port, database }) => serve({ port, database: `sqlite:${database}` });
  const product = (start) => [execPath, ...profiling, program, ...onSqlite(start)];
  return {
    perennial: product,
    'perennial-executable': executable && ((start) => [executable, ...onSqlite(start)]),
    'perennial-postgres': ({ port, postgres }) => [execPath, program, ...serve({ port, database: postgres })],
    floor: onFile('floor.mjs', '--grouped', '--intents'),
    'floor-checked': onFile('floor.mjs', '--grouped', '--intents', '--checked'),
    'floor-single': onFile('floor.mjs', '--intents'),
    fastify: onFile('fastify.mjs'),
    'apollo-default': onFile('apollo-default.mjs'),
    'mercurius-jit': onFile('mercurius-jit.mjs'),
    yoga: onFile('yoga.mjs'),
    postgraphile: ({ port, postgres }) => [
      execPath,
      peer('postgraphile.mjs'),
      '--port',
      String(port),
      '--database',
      postgres,
    ],
    vendure: ({ port, vendure }) => [
      execPath,
      peer('vendure/server.mjs'),
      '--port',
      String(port),
      '--database',
      vendure,
    ],
  };
}
