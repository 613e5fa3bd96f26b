// `npm run stress -- simulate --seed 7 --years 10 --subscriptions 10000`: the long run of test/stress/simulation; with
// `--postgres` on a PostgreSQL server of its own; with `--gateways` on two gateways there, one of which is killed now and then.
import { parseArgs } from 'node:util';
import { bundle, load } from '../build/bundle.mjs';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(process.pid) },
    /** The number of consecutive seeds to run. */
    runs: { type: 'string', default: '1' },
    years: { type: 'string', default: '10' },
    subscriptions: { type: 'string', default: '10000' },
    /** The number of steps (of four days) between checks of the books. */
    'check-every': { type: 'string' },
    /** Keeps the database in a memory file system, if there is one, to avoid disk latency. */
    memory: { type: 'boolean' },
    /** Runs on PostgreSQL instead of SQLite. */
    postgres: { type: 'boolean', default: false },
    /** Runs two gateways on PostgreSQL, for a number of moments, each with several requests at once. */
    gateways: { type: 'boolean', default: false },
    moments: { type: 'string', default: '60' },
    quiet: { type: 'boolean', default: false },
  },
});
const { simulate, simulateGateways, startServer } = await load('test/stress/simulation/run.ts');
const server = values.postgres || values.gateways ? await startServer() : undefined;
const program = values.gateways ? await bundle('test/stress/simulation/gatewayProcess.ts') : undefined;
const years = Number(values.years);
const subscriptions = Number(values.subscriptions);
// A check reads the whole database: a large simulation is checked about twenty times, a small one at every step.
const checkEvery = Number(values['check-every'] ?? (subscriptions <= 100 ? 1 : Math.ceil((years * 91) / 20)));

async function run(seed, say) {
  const database = await server?.createDatabase(`seed_${seed}`);
  if (program) return simulateGateways({ seed, moments: Number(values.moments), database, program, say });
  return simulate({
    seed,
    years,
    subscriptions,
    checkEvery,
    say,
    inMemory: values.memory,
    postgres: database,
  });
}

const first = Number(values.seed);
for (let seed = first; seed < first + Number(values.runs); seed++) {
  const size = program
    ? `two gateways, ${values.moments} moments`
    : `${years} years, ${subscriptions} subscriptions, checked every ${checkEvery} moments`;
  console.log(`Seed ${seed}: ${size}`);
  const begunAt = performance.now();
  const say = values.quiet ? () => {} : (line) => console.log(`  ${line}`);
  try {
    const { counts, ...figures } = await run(seed, say);
    if (!values.quiet) console.table(counts);
    console.log({ ...figures, seconds: Math.round((performance.now() - begunAt) / 100) / 10 });
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  }
}
await server?.remove();
// The package that starts the server keeps the process alive.
process.exit();
