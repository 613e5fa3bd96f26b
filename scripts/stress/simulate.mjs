// `npm run simulate -- --seed 7 --years 10 --subscriptions 10000`: the long run of test/stress/simulation; with `--postgres`
// on a PostgreSQL server of its own.
import { parseArgs } from 'node:util';
import { load } from '../build/bundle.mjs';

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
    quiet: { type: 'boolean', default: false },
  },
});
const { simulate, startServer } = await load('test/stress/simulation/run.ts');
const server = values.postgres ? await startServer() : undefined;
const years = Number(values.years);
const subscriptions = Number(values.subscriptions);
// A check reads the whole database: a large simulation is checked about twenty times, a small one at every step.
const checkEvery = Number(values['check-every'] ?? (subscriptions <= 100 ? 1 : Math.ceil((years * 91) / 20)));

const first = Number(values.seed);
for (let seed = first; seed < first + Number(values.runs); seed++) {
  console.log(
    `Seed ${seed}: ${years} years, ${subscriptions} subscriptions, checked every ${checkEvery} moments`,
  );
  const begunAt = performance.now();
  const say = values.quiet ? () => {} : (line) => console.log(`  ${line}`);
  try {
    const { counts, ...figures } = await simulate({
      seed,
      years,
      subscriptions,
      checkEvery,
      say,
      inMemory: values.memory,
      postgres: await server?.createDatabase(`seed_${seed}`),
    });
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
