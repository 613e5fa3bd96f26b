import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Perennial } from './perennial.ts';
import type { AnyWebhookEvent } from './verify.ts';
import { createWebhookHandler } from './webhookHandler.ts';

/** The settings of a server for tests. */
export interface TestOptions {
  /** The file of the program. Default: that of the installed package `perennial`. */
  program?: string;
  /** The time at which the tenant's clock begins. Default: 2026-01-01T00:00:00Z. */
  clock?: string | Date;
  /** The country of the seller, whose tax is charged; none by default. */
  country?: string;
  /** The IANA time zone of billing dates. Default: UTC. */
  timeZone?: string;
  /** More settings of the server, such as `PERENNIAL_PUBLIC_URL`. */
  env?: Record<string, string>;
  /** Told of each line that the server logs. */
  onLog?: (line: string) => void;
}

/** A server on a temporary database, with one test tenant and its clock. */
export interface TestBilling {
  url: string;
  /** The key of the tenant, which may do everything. */
  key: string;
  client: Perennial;
  /** The events that the tenant's webhook endpoint has received, in their order. */
  webhooks: readonly AnyWebhookEvent[];
  /** Returns the first event of a name, such as `invoice.paid`, that came or comes within ten seconds. */
  waitForWebhook<Name extends AnyWebhookEvent['name']>(
    name: Name,
  ): Promise<Extract<AnyWebhookEvent, { name: Name }>>;
  /** Moves the tenant's clock forward; all that falls due on the way has been done then. */
  advanceTo(to: string | Date): Promise<void>;
  /** Ends the server and removes its database. */
  stop(): Promise<void>;
}

const run = promisify(execFile);
/** The program runs on Node, whatever runs the tests. */
const node = 'Bun' in globalThis || 'Deno' in globalThis ? 'node' : process.execPath;
const alias = 'test';
const [startMs, stopMs, webhookMs] = [60_000, 15_000, 10_000];
const firstClock = '2026-01-01T00:00:00Z';

/** Starts the program for tests. It needs the package `perennial`, which is not one of this package's dependencies. */
export async function startPerennial(options: TestOptions = {}): Promise<TestBilling> {
  const program = options.program ?? (await findProgram());
  const folder = await mkdtemp(path.join(tmpdir(), 'perennial-test-'));
  const env = buildEnvironment(folder, options.env);
  let child: ChildProcess | undefined;
  let receiver: Receiver | undefined;
  const kill = () => {
    child?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  const stop = async () => {
    process.off('exit', kill);
    await receiver?.close();
    if (child) await end(child);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const key = await createTenant(program, env, options);
    // A test that ends by an error leaves nothing behind.
    process.once('exit', kill);
    child = spawn(node, [program, 'serve', '--host', '127.0.0.1', '--port', '0'], { env });
    const url = await readAddress(child, options.onLog);
    const client = new Perennial({ url, key });
    const received = (receiver = await startReceiver(client));
    return {
      url,
      key,
      client,
      webhooks: received.events,
      waitForWebhook: (name) => received.waitFor(name) as never,
      advanceTo: (to) => advance(client, to),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function findProgram(): Promise<string> {
  for (const from of [path.join(process.cwd(), 'package.json'), import.meta.url]) {
    try {
      const require = createRequire(from.startsWith('file:') ? from : pathToFileURL(from));
      const manifest = require.resolve('perennial/package.json');
      const { bin } = JSON.parse(await readFile(manifest, 'utf8')) as { bin: { perennial: string } };
      return path.join(path.dirname(manifest), bin.perennial);
    } catch {
      // Not installed there.
    }
  }
  throw new Error('Install the package perennial, or name the file of the program in the option `program`');
}

/** The settings of the test only, without those of the process. */
function buildEnvironment(folder: string, settings: Record<string, string> = {}): Record<string, string> {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('PERENNIAL_'));
  return {
    ...(Object.fromEntries(own) as Record<string, string>),
    PERENNIAL_DATABASE: `sqlite:${path.join(folder, 'perennial.db')}`,
    PERENNIAL_WEBHOOK_ALLOW_PRIVATE: 'on',
    PERENNIAL_LOG_FORMAT: 'json',
    ...settings,
  };
}

async function createTenant(
  program: string,
  env: Record<string, string>,
  { clock = firstClock, country, timeZone }: TestOptions,
): Promise<string> {
  const at = typeof clock === 'string' ? clock : clock.toISOString();
  const args = [program, 'tenant', 'create', alias, '--test', '--clock', at, '--json'];
  if (country !== undefined) args.push('--country', country);
  if (timeZone !== undefined) args.push('--timezone', timeZone);
  const { stdout } = await run(node, args, { env, timeout: startMs });
  return (JSON.parse(stdout) as { apiKey: string }).apiKey;
}

/** Reads the address from the log. Rejects if the program ends before. */
async function readAddress(child: ChildProcess, onLog: (line: string) => void = () => {}): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`The server has not started:\n${text}`)), startMs);
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`The server has ended:\n${text}`)));
    const read = (chunk: unknown) => {
      for (const line of String(chunk).split('\n').filter(Boolean)) onLog(line);
      text = `${text}${String(chunk)}`.slice(-10_000);
      const url = /Server listening at (http:\/\/[^\s"]+)/.exec(text)?.[1];
      if (url === undefined) return;
      clearTimeout(late);
      resolve(url.replace('localhost', '127.0.0.1'));
    };
    child.stdout!.on('data', read);
    child.stderr!.on('data', read);
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), stopMs);
  await ended;
  clearTimeout(late);
}

async function advance(client: Perennial, to: string | Date): Promise<void> {
  const at = typeof to === 'string' ? to : to.toISOString();
  // A call performs a bounded amount of work.
  for (;;) {
    const { clockAdvance } = await client.clock.advance({ to: at });
    if (clockAdvance?.reached !== false) return;
  }
}

interface Receiver {
  events: AnyWebhookEvent[];
  waitFor(name: string): Promise<AnyWebhookEvent>;
  close(): Promise<void>;
}

/** Receives all events of the tenant. */
async function startReceiver(client: Perennial): Promise<Receiver> {
  const events: AnyWebhookEvent[] = [];
  const waiting = new Set<() => void>();
  let handle: ReturnType<typeof createWebhookHandler> | undefined;
  const server: Server = createServer((request, response) => {
    handle!.node(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { secret } = await client.webhookEndpoints.create({ url: `http://127.0.0.1:${port}/` });
  // The messages have the time of the tenant's clock in them, and are signed by the machine's.
  handle = createWebhookHandler({ secret }).on('*', (event) => {
    events.push(event);
    for (const look of waiting) look();
  });
  return {
    events,
    waitFor: (name) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(() => {
          waiting.delete(look);
          reject(new Error(`No ${name} came. Received: ${events.map((each) => each.name).join(', ')}`));
        }, webhookMs);
        const look = () => {
          const event = events.find((each) => each.name === name);
          if (!event) return;
          clearTimeout(late);
          waiting.delete(look);
          resolve(event);
        };
        waiting.add(look);
        look();
      }),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
