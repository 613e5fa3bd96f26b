// The command-line options and the sizes of the runs.
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';

const sizes = {
  full: {
    rounds: 5,
    seconds: 3,
    warmRequests: 4000,
    mostWarmSeconds: 30,
    /** Whether workloads on the same data share their servers. */
    keepsServers: false,
    starts: 9,
    customers: 10_000,
    traces: 10_000_000,
    renewals: 100_000,
    renewalsOnPostgres: 100_000,
    renewalsBesideReads: 20_000,
    memorySeconds: 20,
    /** The number of rows of the workload `scans`. */
    rows: 1_000_000,
  },
  quick: {
    rounds: 2,
    seconds: 1,
    warmRequests: 4000,
    mostWarmSeconds: 3,
    keepsServers: true,
    starts: 2,
    customers: 1500,
    traces: 100_000,
    renewals: 10_000,
    renewalsOnPostgres: 500,
    renewalsBesideReads: 1500,
    memorySeconds: 1,
    rows: 100_000,
  },
};

/** Servers that a quick run leaves out, so that the others have time to warm up. */
const notQuick = [
  'floor-checked',
  'floor-single',
  'fastify',
  'yoga',
  'apollo-default',
  'perennial-postgres',
  'floor-postgres',
  'postgraphile',
  'vendure',
];

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    variants: { type: 'string' },
    json: { type: 'string' },
    svg: { type: 'string' },
    markdown: { type: 'string' },
    program: { type: 'string' },
    compare: { type: 'string' },
    engines: { type: 'string' },
    profile: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    customers: { type: 'string' },
    traces: { type: 'string' },
    renewals: { type: 'string' },
    rows: { type: 'string' },
    minutes: { type: 'string', default: '5' },
    folder: { type: 'string', default: tmpdir() },
  },
});

const parseList = (text) => text?.split(',');

if (values.help) {
  console.log(help());
  process.exit();
}

export const options = {
  ...values,
  only: parseList(values.only),
  variants: parseList(values.variants),
  engines: parseList(values.engines),
};

/** The size of the run, with overrides of the command line. */
export const size = { ...sizes[values.quick ? 'quick' : 'full'] };
for (const name of ['rounds', 'seconds', 'customers', 'traces', 'renewals', 'rows']) {
  if (values[name]) size[name] = Number(values[name]);
}
if (values.renewals) size.renewalsOnPostgres = size.renewals;

/** Returns whether a server was selected, or takes part by default. */
export function isChosen(name) {
  if (options.variants) return options.variants.includes(name);
  return !values.quick || !notQuick.includes(name);
}

function help() {
  return `npm run bench -- [options]: the product beside the floor and its peers, on the same data, in one run

  --quick            within two minutes: every workload on SQLite, with less data, in two rounds of a second each,
                     without ${notQuick.slice(0, 4).join(', ')},
                     ${notQuick.slice(4).join(', ')}
  --only A,B         these workloads alone; soak is in no other run
  --variants A,B     these servers alone
  --json FILE        the figures; --svg FILE a chart of the ratios; --markdown FILE the tables
  --compare REF      the working tree beside a commit, in pairs of rounds: the ratio of each workload and its spread;
                     --engines sqlite,postgres chooses the databases (by default SQLite)
  --program FILE     another build of the product than this folder's own
  --profile FOLDER   keeps CPU profiles of the product there
  --minutes N        how long a soak lasts: ${values.minutes}
  --folder FOLDER    where the data is made: on the disk that is to be measured
  --rounds N, --seconds N, --customers N, --traces N, --renewals N, --rows N`;
}
