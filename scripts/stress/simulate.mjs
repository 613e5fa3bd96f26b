// `npm run simulate -- --seed 7 --years 10 --subscriptions 10000`: the long run of test/stress/simulation.
import { parseArgs } from 'node:util';
import { load } from '../build/bundle.mjs';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(process.pid) },
    /** How many seeds, from that one on. */
    runs: { type: 'string', default: '1' },
    years: { type: 'string', default: '10' },
    subscriptions: { type: 'string', default: '10000' },
    /** After how many moments (of four days) the books are checked. */
    'check-every': { type: 'string' },
    /** Keeps the database in memory, where the system has a folder for that: no waiting for the disk. */
    memory: { type: 'boolean' },
    quiet: { type: 'boolean', default: false },
  },
});
const { simulate } = await load('test/stress/simulation/simulate.ts');
const years = Number(values.years);
const subscriptions = Number(values.subscriptions);
// A check reads all there is: in a large world it is made some twenty times, in a small one at every moment.
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
    });
    if (!values.quiet) console.table(counts);
    console.log({ ...figures, seconds: Math.round((performance.now() - begunAt) / 100) / 10 });
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  }
}
