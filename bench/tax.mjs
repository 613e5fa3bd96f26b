// `npm run bench -- tax [--invoices 1000000 --notes 20000]`: how long the tax report of a year and its documents take, and how
// long another request waits beside them. Each figure is compared with the sum of the documents.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { bundle } from '../scripts/build/bundle.mjs';

const { values } = parseArgs({
  options: {
    invoices: { type: 'string', default: '1000000' },
    notes: { type: 'string', default: '20000' },
    engine: { type: 'string', default: 'sqlite,postgres' },
  },
});
const worker = await bundle('bench/parts/tax/worker.mjs');
console.log(`${values.invoices} invoices and ${values.notes} credit notes in a year\n`);
for (const engine of values.engine.split(',')) {
  const child = spawn(process.execPath, [worker, engine, values.invoices, values.notes], {
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  const [rows] = await once(child, 'message');
  console.log(engine);
  for (const { name, firstMs, medianMs, cpuMs, waitedMs } of rows)
    console.log(
      `  ${name.padEnd(44)} first ${firstMs.toFixed(0)} ms, median ${medianMs.toFixed(0)} ms, CPU ${cpuMs.toFixed(0)} ms, ` +
        `others waited ${waitedMs.toFixed(0)} ms`,
    );
  child.kill();
}
