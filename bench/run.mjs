// `npm run bench`: the product beside the floor and its peers, on the same data, in interleaved rounds.
//   --quick            within two minutes, without PostGraphile and Vendure
//   --only A,B         these workloads alone
//   --variants A,B     these servers alone
//   --json FILE        the figures; --svg FILE a chart; --markdown FILE the tables
//   --program FILE     another build of the product than this folder's own
//   --profile FOLDER   keeps CPU profiles of the product there
import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { binary, ensureBuilt, program as ownProgram } from '../scripts/setup.mjs';
import { ensurePeers } from './parts/peers.mjs';

const { values } = parseArgs({
  options: {
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
    /** Where the data is made; on the disk that is to be measured. */
    folder: { type: 'string', default: tmpdir() },
  },
});
const chosen = (list) => (list ? new Set(list.split(',')) : undefined);
const only = chosen(values.only);
const onlyVariants = chosen(values.variants);
const wanted = (name) => !only || only.has(name);
const takesPart = (name) => !onlyVariants || onlyVariants.has(name);
const size = values.quick
  ? {
      rounds: 1,
      seconds: 1,
      warmRequests: 1000,
      starts: 3,
      customers: 2000,
      traces: 200_000,
      renewals: 10_000,
      memorySeconds: 1,
    }
  : {
      rounds: 5,
      seconds: 3,
      warmRequests: 4000,
      starts: 9,
      customers: 10_000,
      traces: 10_000_000,
      renewals: 100_000,
      memorySeconds: 20,
    };
for (const name of ['rounds', 'seconds', 'customers', 'traces', 'renewals'])
  if (values[name]) size[name] = Number(values[name]);

if (!values.program) ensureBuilt();
ensurePeers('peers');
// They need what has just been installed.
const { machine } = await import('./parts/machine.mjs');
const { chartOf } = await import('./parts/chart.mjs');
const { measureMemory, measureRenewals, measureStarts } = await import('./parts/others.mjs');
const { measure } = await import('./parts/rounds.mjs');
const { startOptional } = await import('./parts/optional.mjs');
const { tableOf } = await import('./parts/report.mjs');
const { seed } = await import('./parts/seed.mjs');
const { fillTraces } = await import('./parts/traces.mjs');
const { variantsOf } = await import('./parts/variants.mjs');
const { workloads } = await import('./parts/workloads.mjs');

const program = values.program ? path.resolve(values.program) : ownProgram;
const executable = !values.program && existsSync(binary) ? binary : undefined;
const folder = mkdtempSync(path.join(values.folder, 'perennial-bench-'));
const results = [];
const remarks = [];
const begunAt = performance.now();
let optional;
try {
  console.log(
    `${machine.cpu}, ${machine.cores} cores, ${machine.system}, Node ${machine.node}, client ${machine.client}\n`,
  );
  const variants = variantsOf({
    program,
    executable,
    profile: values.profile && path.resolve(values.profile),
  });
  const data = await seed(variantsOf({ program }), program, folder, size.customers);
  const selected = workloads.filter(({ name }) => wanted(name));
  optional = await startOptional({
    program,
    seeded: data.database,
    workloads: selected,
    quick: values.quick,
    takesPart,
  });
  let tracesFile;
  const databaseFor = ({ name, traces }, variant) => {
    if (traces) return (tracesFile ??= filledFile(data.database));
    const copy = path.join(folder, `${name}-${variant}.db`);
    copyFileSync(data.database, copy);
    return copy;
  };
  const world = { variants, data, folder, size, optional, databaseFor, takesPart };
  for (const workload of selected) tell(await measure(world, workload));
  if (wanted('renewals')) tell(measureRenewals(folder, size.renewals));
  if (wanted('start-up')) tell(await measureStarts(world));
  if (wanted('memory')) tell(await measureMemory(world));
} finally {
  await optional?.stop();
  rmSync(folder, { recursive: true, force: true });
}
remarks.push(...(optional?.remarks ?? []));
for (const remark of remarks) console.log(remark);
console.log(`In ${Math.round((performance.now() - begunAt) / 1000)} s.`);
const figures = { machine, remarks, workloads: results };
if (values.json) writeFileSync(values.json, `${JSON.stringify(figures, null, 2)}\n`);
if (values.svg) writeFileSync(values.svg, chartOf(figures));
if (values.markdown) writeFileSync(values.markdown, `${results.map(tableOf).join('\n\n')}\n`);

function filledFile(seeded) {
  const file = path.join(folder, 'traces.db');
  fillTraces(seeded, file, size.traces);
  remarks.push(`The table of traces has ${size.traces.toLocaleString('en')} rows.`);
  return file;
}

function tell(result) {
  if (result.failure) {
    remarks.push(result.failure);
    return;
  }
  results.push(result);
  console.log(`${tableOf(result)}\n`);
}
