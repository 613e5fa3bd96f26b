/** Exports for scripts/stress/simulate.mjs, in one bundle. */
import { administer } from '../../support/administer.ts';
import { startEmbedded } from '../../support/embedded.ts';

export { simulate } from './simulate.ts';
export { simulateGateways } from './gateways.ts';

/** Starts a PostgreSQL server for simulations. Its data is not worth waiting for the disk. */
export async function startServer() {
  const server = await startEmbedded(['fsync=off', 'full_page_writes=off']);
  return {
    /** Creates an empty database; returns its address. */
    createDatabase: async (name: string): Promise<string> => {
      await administer(server.address, `CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`);
      return `${server.address}/${name}`;
    },
    remove: () => server.remove(),
  };
}
