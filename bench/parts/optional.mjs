// The peers that need more than a file: they take part in the full run where they can be had.
import { ensurePeers } from './peers.mjs';
import { startPostgres } from './postgres.mjs';

const none = {
  missing: new Set(['perennial-postgres', 'postgraphile', 'vendure']),
  needsNoFile: new Set(),
  alsoCounted: {},
  addresses: {},
};

/** Starts what they need; tells in `remarks` who is left out, and why. */
export async function startOptional({ program, seeded, workloads, quick, takesPart }) {
  const isWanted = (name) => takesPart(name) && workloads.some(({ variants }) => variants.includes(name));
  if (quick)
    return {
      ...none,
      remarks: ['PostgreSQL and Vendure take part in the full run alone.'],
      stop: async () => {},
    };
  const world = {
    missing: new Set(none.missing),
    needsNoFile: new Set(none.missing),
    alsoCounted: {},
    addresses: {},
    remarks: [],
  };
  const stops = [];
  const attempt = async (name, start) => {
    if (!isWanted(name)) return;
    try {
      await start();
      world.missing.delete(name);
    } catch (error) {
      world.remarks.push(`Without ${name}: ${error.message.split('\n')[0]}`);
    }
  };
  const onPostgres = async (name) => {
    if (!world.addresses.postgres) {
      const { address, pid, stop } = await startPostgres(program, seeded);
      stops.push(stop);
      Object.assign(world.addresses, { postgres: address, postgresPid: pid });
    }
    world.alsoCounted[name] = [world.addresses.postgresPid];
  };
  await attempt('perennial-postgres', () => onPostgres('perennial-postgres'));
  await attempt('postgraphile', () => onPostgres('postgraphile'));
  await attempt('vendure', async () => {
    ensurePeers('vendure');
    const { makeShop } = await import('./vendure.mjs');
    const { database, stop } = makeShop();
    stops.push(stop);
    world.addresses.vendure = database;
  });
  return { ...world, stop: async () => void (await Promise.all(stops.map((stop) => stop()))) };
}
