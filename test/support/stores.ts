import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { systemClock, type Clock } from '../../src/lib/clock.ts';
import { openStore } from '../../src/storage/open.ts';
import type { Store } from '../../src/storage/store.ts';

/** Opens a store on an address, as one gateway of several does. */
export const openGateway = (url: string, connections = 4, clock: Clock = systemClock): Promise<Store> =>
  openStore({ database: url, databaseConnections: connections }, 'drizzle', true, clock);

/** Something between a client and its server that can fall silent, or hang up on both. */
export interface Wire {
  port: number;
  /** Passes nothing on any more, and says nothing. */
  silence: () => void;
  /** Hangs up, and takes no calls. */
  cut: () => void;
  /** Accepts new connections again. */
  mend: () => void;
  close(): Promise<void>;
}

/** Forwards connections to a port of this machine. */
export async function wireTo(port: number): Promise<Wire> {
  const sockets = new Set<Socket>();
  let state: 'whole' | 'silent' | 'cut' = 'whole';
  const server = createServer((near) => {
    if (state === 'cut') {
      near.destroy();
      return;
    }
    const far = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('data', (bytes) => state === 'whole' && other.write(bytes));
      one.on('close', () => other.destroy());
      one.on('error', () => {});
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const hangUp = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return {
    port: (server.address() as AddressInfo).port,
    silence: () => {
      state = 'silent';
    },
    cut: () => {
      state = 'cut';
      hangUp();
    },
    mend: () => {
      hangUp();
      state = 'whole';
    },
    close: async () => {
      hangUp();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
