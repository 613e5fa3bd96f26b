// Starts what some servers need in addition to a file: a PostgreSQL server and Vendure's shop.
import { getEngine } from './databases.mjs';
import { apart, ensurePeers } from './peers.mjs';
import { startPostgres } from './postgres.mjs';

/**
 * Starts the services of the given servers. `leaveOut` is called with servers whose services are not available, and
 * the reason.
 */
export async function startServices({ program, seeded, folder, names, leaveOut }) {
  const started = {};
  const starts = {
    postgres: () => startPostgres(program, seeded, folder),
    vendure: async () => {
      const { makeShop } = await import('./vendure.mjs');
      return makeShop();
    },
  };
  const installed = names.filter((name) => isInstalled(name, leaveOut));
  for (const [engine, start] of Object.entries(starts)) {
    const needed = installed.filter((name) => getEngine(name) === engine);
    if (needed.length === 0) continue;
    try {
      started[engine] = await start();
    } catch (error) {
      for (const name of needed) leaveOut(name, error.message);
    }
  }
  return {
    ...started,
    stop: async () => void (await Promise.all(Object.values(started).map(({ stop }) => stop()))),
  };
}

/** Installs a server with a package of its own. Returns whether it can run. */
function isInstalled(name, leaveOut) {
  try {
    if (apart.has(name)) ensurePeers(name);
    return true;
  } catch (error) {
    leaveOut(name, error.message);
    return false;
  }
}
