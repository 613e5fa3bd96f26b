// Measures the product's `bill` command, compared with writing the same rows directly.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { measureCost } from './cost.mjs';
import { fillDueOnPostgres, fillDueOnSqlite } from '../data/due.mjs';
import { listMeteredStatements } from '../data/metered.mjs';
import { listRichStatements } from '../data/rich.mjs';
import { cpuMicros } from '../servers/processes.mjs';
import { summarize } from '../report/report.mjs';

const floorScript = fileURLToPath(new URL('../../peers/renew.mjs', import.meta.url));
// Due once: the second period has not ended.
const dueForMs = 20 * 86_400_000;
const longAgo = '2000-01-01';

const engines = {
  sqlite: {
    floor: 'floor',
    product: 'perennial',
    fill: fillDueOnSqlite,
    count: 'renewals',
    getUrl: (file) => `sqlite:${file}`,
    /** The source of a copy. */
    getSource: (file) => file,
  },
  postgres: {
    floor: 'floor-postgres',
    product: 'perennial-postgres',
    fill: fillDueOnPostgres,
    count: 'renewalsOnPostgres',
    getUrl: (address) => address,
    getSource: (address) => new URL(address).pathname.slice(1),
  },
};

async function measureRenewals(world, workload) {
  const measured = [];
  for (const name of Object.keys(engines)) {
    const { product } = engines[name];
    if (!world.takesPart(product)) continue;
    try {
      measured.push(...(await measureOn(world, name, workload)));
    } catch (error) {
      world.leaveOut(product, error.message, workload.name);
    }
  }
  return summarize(workload.name, measured);
}

async function measureOn(world, name, workload) {
  const { floor, product, fill, count, getSource } = engines[name];
  const due = Math.ceil(world.size[count] * workload.share);
  const database = await world.databases.copy(name, workload.name);
  const at = new Date(Date.now() - dueForMs).toISOString();
  await fill(database, due, at, workload.statements(at));
  const unbilled = await world.databases.copy(name, `${workload.name}-floor`, getSource(database));
  const billed = await bill(world, name, database, due);
  const variants = [{ name: product, ...billed }];
  if (world.takesPart(floor)) {
    const raw = await writeRaw(world, name, { billed: database, unbilled });
    if (raw.count !== due) throw new Error(`${raw.count} of ${due} were billed.`);
    variants.unshift({ name: floor, rounds: [measureRound(raw, due)] });
  }
  return variants;
}

/** Bills copies of the same subscriptions with the two programs in turn. Returns the pairs of rounds. */
export async function compareRenewals(world, workload) {
  const { engine } = world;
  const { fill, count, getSource } = engines[engine];
  const due = Math.ceil(world.size[count] * workload.share);
  const database = await world.databases.copy(engine, workload.name);
  const at = new Date(Date.now() - dueForMs).toISOString();
  await fill(database, due, at, workload.statements(at));
  const programs = [world.reference, world.program];
  const pairs = [];
  for (let round = 0; round < world.size.rounds; round++) {
    const pair = [];
    for (const index of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const copy = await world.databases.copy(
        engine,
        `${workload.name}-${round}-${index}`,
        getSource(database),
      );
      const { rounds } = await bill({ ...world, program: programs[index] }, engine, copy, due);
      pair[index] = rounds[0];
    }
    pairs.push(pair);
  }
  return pairs;
}

const measureRound = ({ seconds, cpuMicros: micros }, count) => ({
  perSecond: count / seconds,
  cpuMicros: micros === undefined ? undefined : micros / count,
});

/** Bills a database once with the product. The cost of a run without due subscriptions is subtracted. */
export async function bill(world, name, database, count) {
  const { program, folder, profile, services } = world;
  const server = name === 'postgres' ? [services.postgres.pid] : [];
  const run = async (nodeFlags, ...flags) => {
    const url = engines[name].getUrl(database);
    const command = [program, 'bill', '--json', '--log-level', 'error', '--database', url, ...flags];
    const before = cpuMicros(server);
    const cost = await measureCost([...nodeFlags, ...command], path.join(folder, 'cost.json'));
    return { ...cost, cpuMicros: cost.cpuMicros + cpuMicros(server) - before };
  };
  const profiling = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [];
  const idle = await run([], '--until', longAgo);
  const busy = await run(profiling);
  const seconds = busy.seconds - idle.seconds;
  const own = { seconds, cpuMicros: busy.cpuMicros - idle.cpuMicros };
  return { rounds: [measureRound(own, count)], peakMiB: Math.round(busy.peakMiB) };
}

async function writeRaw({ folder, services }, name, { billed, unbilled }) {
  const server = name === 'postgres' ? ['--server-pid', String(services.postgres.pid)] : [];
  const command = [floorScript, '--engine', name, '--billed', billed, '--unbilled', unbilled, ...server];
  const { printed } = await measureCost(command, path.join(folder, 'cost.json'));
  return JSON.parse(printed);
}

const variants = ['floor', 'perennial', 'floor-postgres', 'perennial-postgres'];

/** `share`: how many subscriptions are due, of the size of the run; `statements(at)` change them before they are billed. */
export const renewals = [
  { name: 'renewals', variants, share: 1, statements: () => [] },
  { name: 'renewals-rich', variants, share: 0.2, statements: listRichStatements },
  // A flat renewal is the floor of a metered one: at least half of its rate.
  { name: 'renewals-metered', variants, share: 0.1, statements: listMeteredStatements },
].map((workload) => ({ ...workload, measure: (world) => measureRenewals(world, workload) }));
