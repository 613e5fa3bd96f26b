// `npm run bench -- --compare REF`: the working tree beside an earlier commit. Both programs run at the same time on copies
// of the same data and are measured in turn, in pairs: the ratio of a pair is free of what slows the machine for a while.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ensureBuilt, program as ownProgram } from '../scripts/setup.mjs';
import { confirmMutation, formerConfirmMutation } from './peers/queries.mjs';
import { seed } from './parts/data/seed.mjs';
import { comparePairs, formatComparison } from './parts/report/comparison.mjs';
import { machine } from './parts/report/machine.mjs';
import { options, size } from './parts/options.mjs';
import { createDatabases } from './parts/servers/databases.mjs';
import { buildReference } from './parts/servers/reference.mjs';
import { listVariants } from './parts/servers/servers.mjs';
import { startServices } from './parts/servers/services.mjs';
import { measurePairs } from './parts/load/rounds.mjs';
import { compareRenewals, renewals } from './parts/workloads/renewals.mjs';
import { compareStarts } from './parts/workloads/startupAndMemory.mjs';
import { workloads } from './parts/workloads/requests.mjs';

if (!options.program) ensureBuilt();
const program = options.program ? path.resolve(options.program) : ownProgram;
const reference = buildReference(options.compare);
const confirm = reference.schema.includes('input ConfirmIntentInput')
  ? confirmMutation
  : formerConfirmMutation;
const engines = options.engines ?? ['sqlite'];

/** What is measured, by name. Each returns pairs of rounds: of the reference and of the working tree. */
const comparisons = {
  ...Object.fromEntries(
    workloads.map((workload) => [workload.name, (world) => measurePairs(world, workload)]),
  ),
  ...Object.fromEntries(
    renewals.map((workload) => [workload.name, (world) => compareRenewals(world, workload)]),
  ),
  'start-up': compareStarts,
};
const names = options.only ?? Object.keys(comparisons);
const unknown = names.find((name) => !comparisons[name]);
if (unknown) {
  console.error(`Cannot compare ${unknown}, but ${Object.keys(comparisons).join(', ')}.`);
  process.exit(1);
}

const { cpu, cores, system, node, client } = machine;
console.log(`${cpu}, ${cores} cores, ${system}, Node ${node}, client ${client}`);
console.log(`The working tree beside ${reference.name}, ${size.rounds} pairs of rounds.\n`);
const folder = mkdtempSync(path.join(options.folder, 'perennial-bench-'));
const results = [];
let services;
try {
  // The data comes from the reference: a later program opens and migrates it, an earlier one could not.
  const data = await seed(
    { perennial: listVariants({ reference: reference.program }).reference },
    reference.program,
    folder,
    size.customers,
    confirm,
  );
  data.confirms = { reference: confirm, 'reference-postgres': confirm };
  for (const engine of engines) {
    const world = await createWorld(engine, data);
    for (const name of names) {
      const pairs = await comparisons[name](world).catch((error) => world.leaveOut(name, error.message));
      if (pairs) results.push({ name, engine, ...comparePairs(pairs) });
      console.log(`${engine} ${name}: ${pairs ? results.at(-1).ratio.toFixed(3) : 'left out'}`);
    }
    await services.stop();
    services = undefined;
  }
} finally {
  await services?.stop();
  rmSync(folder, { recursive: true, force: true });
}
const table = formatComparison(reference.name, results);
console.log(`\n${table}`);
if (options.json) writeFileSync(options.json, `${JSON.stringify({ machine, results }, null, 2)}\n`);
if (options.markdown) writeFileSync(options.markdown, `${table}\n`);

/** Returns what the workloads of one engine need. */
async function createWorld(engine, data) {
  const suffix = engine === 'postgres' ? '-postgres' : '';
  const compared = [`reference${suffix}`, `perennial${suffix}`];
  const leaveOut = (name, reason, workload = name) => {
    console.log(`${engine} ${workload}: without ${name}: ${reason.trim().split('\n')[0]}`);
    process.exitCode = 1;
  };
  services = await startServices({
    program: reference.program,
    seeded: data.database,
    folder,
    names: compared,
    leaveOut,
  });
  return {
    engine,
    program,
    reference: reference.program,
    compared,
    variants: listVariants({ program, reference: reference.program }),
    data,
    folder,
    size: { ...size, keepsServers: false },
    services,
    takesPart: (name) => compared.includes(name),
    leaveOut,
    databases: createDatabases({ folder, seeded: data.database, size, services }),
  };
}
