// `npm run bench -- revenue [--subscriptions 10000 --years 10]`: how long revenue figures and cohorts take over HTTP.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { bundle } from '../scripts/build/bundle.mjs';

const { values } = parseArgs({
  options: {
    subscriptions: { type: 'string', default: '10000' },
    years: { type: 'string', default: '10' },
    engine: { type: 'string', default: 'sqlite,postgres' },
  },
});
const worker = await bundle('bench/parts/revenue/worker.mjs');
console.log(`${values.subscriptions} subscriptions in ${values.years} years\n`);
for (const engine of values.engine.split(',')) {
  const child = spawn(process.execPath, [worker, engine, values.subscriptions, values.years], {
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  const [{ movements, sums, durations }] = await once(child, 'message');
  console.log(`${engine}: ${movements} movements, ${sums} sums`);
  for (const [name, { first, median, longest, cpu }] of Object.entries(durations))
    console.log(
      `  ${name.padEnd(34)} first ${first.toFixed(0)} ms, median ${median.toFixed(0)} ms, longest ${longest.toFixed(0)} ms, CPU ${cpu.toFixed(0)} ms`,
    );
  child.kill();
}
