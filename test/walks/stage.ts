/** What the walks through the console need: a server with a test tenant, and ways to let operators in. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { expect } from 'vitest';
import type { OperatorRole } from '../../src/storage/model/operators.ts';
import { startApp, type Client } from '../support/app.ts';
import type { Backdoor } from '../support/backdoor.ts';
import { engine, scratchDatabase } from '../support/engines.ts';
import { startMailServer, type MailServer } from '../support/mailServer.ts';
import { createOperatorLink } from '../support/operators.ts';
import { freePort } from '../support/ports.ts';
import { buildConsole, buildEnvironment, executable } from '../support/program.ts';
import { createShop, type Shop } from '../support/shop.ts';

export const tenant = 'walks';
const clock = '2026-01-31T09:00:00.000Z';
const sender = 'Walks <billing@walks.example>';

/** A server with a console. */
export interface Stage {
  base: string;
  client: Client;
  shop: Shop;
  /** Returns the address of a link that lets an operator in once, into a tenant: that of the walks unless told otherwise. */
  invite: (email: string, role?: OperatorRole, alias?: string) => Promise<string>;
  /** Makes the sessions of an operator as old as if the sign-in had been yesterday. */
  age: (email: string) => Promise<unknown>;
  /** Creates another test tenant. */
  openTenant: (alias: string) => Promise<{ client: Client; shop: Shop }>;
  /** Where the mails of the server arrive. */
  inbox: MailServer;
  /** Sends the mails that are due, unless the server does it by itself. */
  sendMails: () => Promise<unknown>;
  close: () => Promise<unknown>;
}

/** Starts the app in this process. */
export async function openApp(): Promise<Stage> {
  buildConsole();
  const { port, base } = await chooseAddress();
  const inbox = await startMailServer();
  const app = await startApp({ publicUrl: base, smtpUrl: inbox.url, mailFrom: sender });
  const openTenant = async (alias: string) => {
    const client = await app.tenant({ alias, test: true, clock });
    return { client, shop: createShop(client, alias) };
  };
  const own = await openTenant(tenant);
  await app.server.listen({ host: 'localhost', port });
  const invite = async (email: string, role: OperatorRole = 'owner', alias = tenant) =>
    `${base}/console/sign-in#${(await createOperatorLink(app, { email, role, tenant: alias })).token}`;
  const close = async () => {
    await app.close();
    await inbox.close();
  };
  const sendMails = () => app.service.mailer.sendDue(app.service, tenant);
  return { base, ...own, invite, openTenant, inbox, sendMails, age: createAger(app.backdoor), close };
}

/** Returns a function that sets back the sign-in of an operator, which no interface of the server does. */
const createAger = (backdoor: Backdoor) => (email: string) =>
  backdoor.execute(
    `update operator_sessions set verified_at = '2020-01-01T00:00:00.000Z'
      where operator_id = (select id from operators where email = '${email}')`,
  );

/** Starts the executable; what is not shown in a browser goes through its commands and over HTTP. */
export async function openExecutable(): Promise<Stage> {
  const { port, base } = await chooseAddress();
  const scratch = await scratchDatabase();
  const inbox = await startMailServer();
  const settings = {
    PERENNIAL_DATABASE: scratch.url,
    PERENNIAL_PUBLIC_URL: base,
    PERENNIAL_SMTP_URL: inbox.url,
    PERENNIAL_MAIL_FROM: sender,
    ...(engine === 'postgres' && { PERENNIAL_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') }),
  };
  const env = buildEnvironment(settings);
  const call = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(executable, [...args, '--json'], { env, encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    return JSON.parse(stdout);
  };
  const openTenant = (alias: string) => {
    const { apiKey } = call('tenant', 'create', alias, '--test', '--clock', clock);
    const client = createHttpClient(base, apiKey);
    return { client, shop: createShop(client, alias) };
  };
  const own = openTenant(tenant);
  const child = spawn(executable, ['serve', '--host', 'localhost', '--port', String(port)], { env });
  await untilListening(child);
  const invite = async (email: string, role = 'owner', alias = tenant) =>
    call('operator', 'create', email, '--role', role, '--tenant', alias).url;
  const close = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill();
    await ended;
    await scratch.drop();
    await inbox.close();
  };
  return {
    base,
    ...own,
    invite,
    age: createAger(scratch.backdoor),
    openTenant: async (alias) => openTenant(alias),
    inbox,
    sendMails: async () => {},
    close,
  };
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
