import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** What becomes of a COMMIT: it passes; it is lost; it arrives and its answer is lost; so, and nobody can call again. */
type Fate = 'passes' | 'is lost' | 'answer is lost' | 'answer is lost for long';

/** Something between a gateway and PostgreSQL that cuts connections exactly at their COMMIT. */
export interface CommitProxy {
  port: number;
  /** Decides on the next COMMIT; after it all pass. */
  next(fate: Fate): void;
  /** How many COMMITs have met with such a fate. */
  cuts(): number;
  /** Takes calls again. */
  mend(): void;
  close(): Promise<void>;
}

/** COMMIT as a message of the protocol: a simple query. */
const commit = Buffer.concat([Buffer.from([0x51, 0, 0, 0, 11]), Buffer.from('COMMIT\0')]);

/** Passes on what comes for a port of this machine. */
export async function startCommitProxy(portOf: () => number): Promise<CommitProxy> {
  const sockets = new Set<Socket>();
  let fate: Fate = 'passes';
  let cuts = 0;
  let isDown = false;

  const pass = (near: Socket, far: Socket) => {
    let isDeaf = false;
    near.on('data', (bytes: Buffer) => {
      const at = fate === 'passes' ? -1 : bytes.indexOf(commit);
      if (at < 0) {
        far.write(bytes);
        return;
      }
      cuts += 1;
      isDeaf = true;
      isDown = fate === 'answer is lost for long';
      const arrives = fate !== 'is lost';
      fate = 'passes';
      // Ended, not destroyed: the server reads what has been sent.
      far.end(bytes.subarray(0, arrives ? at + commit.length : at));
      near.destroy();
    });
    far.on('data', (bytes) => isDeaf || near.write(bytes));
  };
  const server = createServer((near) => {
    if (isDown) {
      near.destroy();
      return;
    }
    const far = connect(portOf(), '127.0.0.1');
    sockets.add(near).add(far);
    pass(near, far);
    near.on('close', () => far.end());
    far.on('close', () => near.destroy());
    near.on('error', () => {});
    far.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    next: (wanted) => void (fate = wanted),
    cuts: () => cuts,
    mend: () => void (isDown = false),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
