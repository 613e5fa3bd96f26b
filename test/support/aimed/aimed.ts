/** The app in a process that is killed at named moments, beside a bank that survives it. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'vitest';
import type { Charge, Outcome } from '../../../src/providers/provider.ts';
import { serveCalls } from '../../stress/simulation/wire.ts';
import { testSecretKey, type Answer, type Client } from '../app.ts';
import { perennial } from '../cli.ts';
import { scratchDatabase } from '../engines.ts';
import { bundle, call } from '../program.ts';
import type { Aim } from './aim.ts';

export interface Aimed {
  /** Creates a test tenant whose clock stands still at an instant. */
  openTenant: (clock: string) => Promise<AimedTenant>;
  /** Names the moment at which the process ends, does something that reaches it, and starts the process again. */
  strike: (aim: Aim, work: () => Promise<unknown>) => Promise<void>;
  /** What doctor finds. */
  examine: () => Promise<string[]>;
  close: () => Promise<void>;
}

export interface AimedTenant {
  client: Client;
  alias: string;
  /** What the bank has moved, in minor units, by the key of the charge: each once. */
  moved: Map<string, bigint>;
  /** Resolves when the scheduler has nothing more to bill or to charge. */
  finishWork: () => Promise<void>;
}

/** Serves an empty database, with these settings of the server beside its own. */
export async function openAimed(more: Record<string, string> = {}): Promise<Aimed> {
  const program = bundle('test/support/aimed/aimedProcess.ts');
  const scratch = await scratchDatabase();
  const settings = {
    database: scratch.url.replace(/lock_timeout=\d+/, 'lock_timeout=5000'),
    databaseConnections: '6',
    rateLimitPerSecond: '1000000',
    secretKey: testSecretKey,
    testMails: 'off',
    ...more,
  };
  const environment = { PERENNIAL_DATABASE: settings.database, PERENNIAL_SECRET_KEY: testSecretKey };
  const movedOf = new Map<string, Map<string, bigint>>();
  const bank = await serveCalls(({ args: [charge] }: { args: [Charge] }) => {
    movedOf.get(charge.tenantAlias)!.set(charge.idempotencyKey, charge.amountMinor);
    const reference = charge.idempotencyKey;
    return Promise.resolve<Outcome>({ status: 'succeeded', reference, methodReference: 'card' });
  });

  let child: ChildProcess;
  let url = '';
  const start = async () => {
    child = fork(program, [JSON.stringify({ settings, bankUrl: bank.url })], { stdio: 'inherit' });
    [url] = (await once(child, 'message')) as [string];
  };
  await start();
  const end = async (): Promise<unknown> => {
    if (child.signalCode !== null) return child.signalCode;
    return (await once(child, 'exit'))[1];
  };
  const listWork = (alias: string) =>
    scratch.backdoor.all(
      unfinished.map((rest) => `SELECT id FROM ${rest} AND tenant_alias = '${alias}'`).join(' UNION ALL '),
    );
  return {
    openTenant: async (clock) => {
      const alias = `aimed-${movedOf.size + 1}`;
      const moved = new Map<string, bigint>();
      movedOf.set(alias, moved);
      const { apiKey } = await call(['tenant', 'create', alias, '--test', '--clock', clock], environment);
      const finishWork = async () => {
        await expect.poll(() => listWork(alias)).toEqual([]);
      };
      const client = createClient(() => url, apiKey);
      // The server sees what another process has written when its next turn begins.
      await expect.poll(async () => (await client.rest('GET', '/customers', {})).status).toBe(200);
      return { alias, moved, client, finishWork };
    },
    strike: async (aim, work) => {
      const aimedAt = once(child, 'message');
      child.send(aim);
      await aimedAt;
      const ended = end();
      const worked = work().catch(() => 'cut off');
      expect(await ended).toBe('SIGKILL');
      await worked;
      await start();
    },
    examine: async () => {
      const { json } = await perennial(undefined, ['doctor', '--json'], environment);
      return json.findings.map(
        ({ tenant, check, subject, found }: any) => `${tenant} ${check}: ${subject} ${found}`,
      );
    },
    close: async () => {
      child.kill('SIGKILL');
      await end();
      bank.server.close();
      bank.server.closeAllConnections();
      await scratch.drop();
    },
  };
}

/** The rows of work that the scheduler has not finished. */
const unfinished = [
  'invoices WHERE charge_started_at IS NOT NULL',
  'invoices WHERE finalize_at IS NOT NULL',
  'intents WHERE asked_at IS NOT NULL',
  'auto_top_ups WHERE check_at IS NOT NULL',
  'usage_checks WHERE id IS NOT NULL',
  'limit_checks WHERE id IS NOT NULL',
];

/** Creates a client of a server whose address may change. */
function createClient(findUrl: () => string, apiKey: string): Client {
  const send = async (
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const answer = await fetch(findUrl() + path, {
      method,
      headers: { 'api-key': apiKey, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      text,
      body: JSON.parse(text),
    };
  };
  const post: Client['post'] = (query, variables, headers) =>
    send('POST', '/graphql', { query, variables }, headers);
  return {
    apiKey,
    post,
    rest: (method, path, fields, headers) => {
      const isRead = method === 'GET';
      const query = isRead ? `?${new URLSearchParams(fields as never).toString()}` : '';
      return send(method, `/api/v1${path}${query}`, isRead ? undefined : fields, headers);
    },
    graphql: async (query, variables, headers) => {
      const { body, text } = await post(query, variables, headers);
      if (!body?.data || body.errors) throw new Error(text);
      return body.data;
    },
  };
}
