// `npm run bench`: compares the product with the floor and other servers, on the same data, in interleaved rounds.
// `--help` lists the options.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isChosen, options, size } from './parts/options.mjs';
import { binary, binaryStamp, buildStamp, ensureBuilt, program as ownProgram } from '../scripts/setup.mjs';
import { ensurePeers, peers } from './parts/servers/peers.mjs';

if (!options.program) ensureBuilt();
const peersError = tryEnsurePeers();
// Imported late, because they need packages that were installed above.
const { besideReads, besideUsage } = await import('./parts/workloads/renewalsUnderLoad.mjs');
const { drawChart } = await import('./parts/report/chart.mjs');
const { createDatabases } = await import('./parts/servers/databases.mjs');
const { machine } = await import('./parts/report/machine.mjs');
const { others } = await import('./parts/workloads/startupAndMemory.mjs');
const { renewals } = await import('./parts/workloads/renewals.mjs');
const { formatTable } = await import('./parts/report/report.mjs');
const { clientName } = await import('./parts/load/load.mjs');
const { measure } = await import('./parts/load/rounds.mjs');
const { seed } = await import('./parts/data/seed.mjs');
const { startServices } = await import('./parts/servers/services.mjs');
const { soak } = await import('./parts/workloads/soak.mjs');
const { waits } = await import('./parts/workloads/waits.mjs');
const { listVariants } = await import('./parts/servers/servers.mjs');
const { checksBesideUsage } = await import('./parts/workloads/usageBeside.mjs');
const { workloads } = await import('./parts/workloads/requests.mjs');

const everyRun = [
  ...workloads.map((workload) => ({ ...workload, measure: (world) => measure(world, workload) })),
  ...renewals,
  besideReads,
  besideUsage,
  checksBesideUsage,
  ...others,
  ...waits,
];
const program = options.program ? path.resolve(options.program) : ownProgram;
const profile = options.profile && path.resolve(options.profile);
const selected = options.only ? selectWorkloads([...everyRun, soak], options.only) : everyRun;
const results = [];
const remarks = [];
const leftOut = [];
const begunAt = performance.now();
const folder = mkdtempSync(path.join(options.folder, 'perennial-bench-'));
/** Servers shared by several workloads. */
const kept = new Map();
let services;
try {
  const { cpu, cores, system, node, client } = machine;
  console.log(`${cpu}, ${cores} cores, ${system}, Node ${node}, client ${client}\n`);
  if (peersError) leaveOut(peers.join(', '), peersError);
  if (clientName !== 'wrk')
    remarks.push('wrk is not installed: the built-in client uses more of its core, so high rates are lower.');
  const world = await createWorld();
  for (const workload of selected) await perform(workload, world);
} finally {
  await Promise.all([...kept.values()].map(({ stop }) => stop()));
  await services?.stop();
  rmSync(folder, { recursive: true, force: true });
}
if (selected.some(({ filled }) => filled === 'traces')) {
  remarks.push(`The table of traces has ${size.traces.toLocaleString('en')} rows.`);
}
for (const remark of remarks) console.log(remark);
console.log(`In ${Math.round((performance.now() - begunAt) / 1000)} s.`);
const figures = { machine, remarks, leftOut, workloads: results };
if (options.json) writeFileSync(options.json, `${JSON.stringify(figures, null, 2)}\n`);
if (options.svg) writeFileSync(options.svg, drawChart(figures));
if (options.markdown) writeFileSync(options.markdown, `${results.map(formatTable).join('\n\n')}\n`);
// A run without the product's figures has failed.
if (leftOut.some(({ name }) => name === 'perennial')) process.exitCode = 1;

/** Returns why the packages of the peers cannot be installed, if so: the product and the floor do without. */
function tryEnsurePeers() {
  try {
    ensurePeers('peers');
    return undefined;
  } catch (error) {
    return error.message;
  }
}

async function createWorld() {
  const data = await seed(listVariants({ program }), program, folder, size.customers);
  const variants = listVariants({ program, binary: findBinary(), profile });
  const missing = new Set();
  const takesPart = (name) => Boolean(variants[name]) && isChosen(name) && !missing.has(name);
  if (peersError) for (const name of peers) missing.add(name);
  const names = [...new Set(selected.flatMap((workload) => workload.variants))].filter(takesPart);
  const leaveOutOfAll = (name, reason) => {
    missing.add(name);
    leaveOut(name, reason);
  };
  services = await startServices({ program, seeded: data.database, folder, names, leaveOut: leaveOutOfAll });
  return {
    program,
    profile,
    variants,
    data,
    folder,
    size,
    services,
    takesPart,
    leaveOut,
    minutes: Number(options.minutes),
    kept,
    databases: createDatabases({ folder, seeded: data.database, size, services }),
  };
}

async function perform(workload, world) {
  const workloadBegunAt = performance.now();
  const result = await workload.measure(world);
  if (result.variants.length === 0) return;
  results.push({ ...result, seconds: Math.round((performance.now() - workloadBegunAt) / 1000) });
  console.log(`${formatTable(result)}\n`);
}

/** Leaves a server out of a workload, or of all if `workload` is undefined. */
function leaveOut(name, reason, workload) {
  leftOut.push({ workload, name, reason });
  remarks.push(`${workload ? `${workload} w` : 'W'}ithout ${name}: ${reason.trim()}`);
}

/** Returns the path of the single executable, unless it was built from another bundle. */
function findBinary() {
  const name = 'perennial-binary';
  const isAsked = isChosen(name) && selected.some(({ variants }) => variants.includes(name));
  if (options.program || !isAsked) return undefined;
  const stampIn = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);
  const make = 'npm run build:binary makes it';
  if (!existsSync(binary)) leaveOut(name, `dist/perennial has not been built; ${make}`);
  else if (stampIn(binaryStamp) === stampIn(buildStamp)) return binary;
  else leaveOut(name, `dist/perennial was built from other sources than the bundle; ${make} anew`);
  return undefined;
}

function selectWorkloads(known, names) {
  const unknown = names.find((name) => !known.some((workload) => workload.name === name));
  if (!unknown) return known.filter(({ name }) => names.includes(name));
  console.error(`There is no workload ${unknown}, but ${known.map(({ name }) => name).join(', ')}.`);
  return process.exit(1);
}
