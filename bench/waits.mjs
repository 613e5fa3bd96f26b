// `npm run bench -- waits`: how long other requests wait during the most expensive requests and scans, without the
// other workloads and servers. `npm run bench -- --help` lists the options.
import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { loadavg } from 'node:os';
import { ensureBuilt, program as ownProgram } from '../scripts/setup.mjs';
import { options, size } from './parts/options.mjs';
import { formatTable } from './parts/report/report.mjs';
import { waits } from './parts/workloads/waits.mjs';

if (!options.program) ensureBuilt();
const program = options.program ? path.resolve(options.program) : ownProgram;
const folder = mkdtempSync(path.join(options.folder, 'perennial-bench-'));
try {
  for (const { name, measure } of waits) {
    if (options.only && !options.only.includes(name)) continue;
    console.log(`${formatTable(await measure({ program, folder, size, takesPart: () => true }))}\n`);
    console.log(`Load ${loadavg()[0].toFixed(1)}.\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
