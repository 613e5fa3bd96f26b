// What can be said on the command line, and how large each run is.
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';

const sizes = {
  full: {
    rounds: 5,
    seconds: 3,
    warmRequests: 4000,
    mostWarmSeconds: 30,
    /** Whether workloads on the same data share their servers, or each has them fresh. */
    keepsServers: false,
    starts: 9,
    customers: 10_000,
    traces: 10_000_000,
    renewals: 100_000,
    renewalsOnPostgres: 100_000,
    renewalsBesideReads: 20_000,
    memorySeconds: 20,
    /** What `scans` go over. */
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

/** Who a quick run leaves out, so that there is time for the others to get warm. */
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

const listOf = (text) => text?.split(',');

if (values.help) {
  console.log(help());
  process.exit();
}

export const options = { ...values, only: listOf(values.only), variants: listOf(values.variants) };

/** How large the run is, with what was said otherwise. */
export const size = { ...sizes[values.quick ? 'quick' : 'full'] };
for (const name of ['rounds', 'seconds', 'customers', 'traces', 'renewals', 'rows']) {
  if (values[name]) size[name] = Number(values[name]);
}
if (values.renewals) size.renewalsOnPostgres = size.renewals;

/** Whether a server was asked for, or takes part in such a run by itself. */
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
  --program FILE     another build of the product than this folder's own
  --profile FOLDER   keeps CPU profiles of the product there
  --minutes N        how long a soak lasts: ${values.minutes}
  --folder FOLDER    where the data is made: on the disk that is to be measured
  --rounds N, --seconds N, --customers N, --traces N, --renewals N, --rows N`;
}
