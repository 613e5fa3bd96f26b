/** What the walks through the console need: a server with a test tenant, and ways to let operators in. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { OperatorRole } from '../../src/storage/model/operators.ts';
import { startApp, type Client } from '../support/app.ts';
import { engine, scratchDatabase } from '../support/engines.ts';
import { createOperatorLink } from '../support/operators.ts';
import { freePort } from '../support/ports.ts';
import { buildConsole, buildEnvironment } from '../support/program.ts';
import { createShop, type Shop } from '../support/shop.ts';
import { root } from '../sourceFiles.ts';

export const tenant = 'walks';
const clock = '2026-01-31T09:00:00.000Z';
const executable = `${root}/dist/perennial`;

/** A server with a console. */
export interface Stage {
  base: string;
  client: Client;
  shop: Shop;
  /** Returns the address of a link that lets an operator in once. */
  invite: (email: string, role?: OperatorRole) => Promise<string>;
  close: () => Promise<unknown>;
}

/** Starts the app in this process. */
export async function openApp(): Promise<Stage> {
  buildConsole();
  const { port, base } = await chooseAddress();
  const app = await startApp({ publicUrl: base });
  const client = await app.tenant({ alias: tenant, test: true, clock });
  await app.server.listen({ host: 'localhost', port });
  const invite = async (email: string, role: OperatorRole = 'owner') =>
    `${base}/console/sign-in#${(await createOperatorLink(app, { email, role, tenant })).token}`;
  return { base, client, shop: createShop(client, tenant), invite, close: () => app.close() };
}

/** Whether `npm run build:binary` has built the executable from the present sources. */
export function isExecutableBuilt(): boolean {
  const stamp = `${root}/dist/.binary-stamp`;
  if (!existsSync(executable) || !existsSync(stamp)) return false;
  const hashing =
    "import('./scripts/setup.mjs').then(({ hashSources }) => process.stdout.write(hashSources()))";
  const { stdout } = spawnSync(process.execPath, ['-e', hashing], { cwd: root, encoding: 'utf8' });
  return readFileSync(stamp, 'utf8') === stdout;
}

/** Starts the executable; what is not shown in a browser goes through its commands and over HTTP. */
export async function openExecutable(): Promise<Stage> {
  const { port, base } = await chooseAddress();
  const scratch = await scratchDatabase();
  const settings = {
    PERENNIAL_DATABASE: scratch.url,
    PERENNIAL_PUBLIC_URL: base,
    ...(engine === 'postgres' && { PERENNIAL_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') }),
  };
  const env = buildEnvironment(settings);
  const call = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(executable, [...args, '--json'], { env, encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    return JSON.parse(stdout);
  };
  const { apiKey } = call('tenant', 'create', tenant, '--test', '--clock', clock);
  const child = spawn(executable, ['serve', '--host', 'localhost', '--port', String(port)], { env });
  const client = createHttpClient(base, apiKey);
  await untilListening(child);
  const invite = async (email: string, role = 'owner') =>
    call('operator', 'create', email, '--role', role, '--tenant', tenant).url;
  const close = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill();
    await ended;
    await scratch.drop();
  };
  return { base, client, shop: createShop(client, tenant), invite, close };
}

async function chooseAddress() {
  const port = await freePort();
  // Passkeys work on https and on localhost, whose addresses differ by machine: the server listens where the browser looks.
  return { port, base: `http://localhost:${port}` };
}

const untilListening = (child: ChildProcess) =>
  new Promise<void>((resolve, reject) => {
    let said = '';
    const read = (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes('Server listening at')) resolve();
    };
    for (const stream of [child.stdout!, child.stderr!]) stream.on('data', read);
    child.once('exit', () => reject(new Error(said)));
  });

function createHttpClient(base: string, apiKey: string): Client {
  const send = async (method: string, url: string, body: object | undefined) => {
    const headers = { 'api-key': apiKey, ...(body && { 'content-type': 'application/json' }) };
    const answer = await fetch(base + url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await answer.text();
    const headersOf = Object.fromEntries(answer.headers);
    return { status: answer.status, headers: headersOf, text, body: text ? JSON.parse(text) : undefined };
  };
  const post: Client['post'] = (query, variables) => send('POST', '/graphql', { query, variables });
  return {
    apiKey,
    rest: (method, path, fields) => send(method, `/api/v1${path}`, fields as object),
    post,
    graphql: async (query, variables) => {
      const { body, text } = await post(query, variables);
      if (!body?.data || body.errors) throw new Error(text);
      return body.data;
    },
  };
}
