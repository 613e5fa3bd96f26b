/** A server of its own process, to be killed with its work half done. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { freePort } from '../../support/ports.ts';

interface ServerSettings {
  /** The built program. */
  program: string;
  database: string;
  /** More of the environment of the server, such as a key. */
  env?: Record<string, string>;
}

export type Ask = (query: string, variables?: object) => Promise<any>;

/** Requests are repeated every 50 ms while the server restarts, for at least two minutes. */
const requestTries = 2400;

/** Waits. */
export const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Starts the program on a new tenant, `acme`, whose clock stands still; it can be killed and started again. */
export async function openServer({ program, database, env: more }: ServerSettings) {
  const port = await freePort();
  const env = {
    ...outsideEnv(),
    PERENNIAL_DATABASE: database,
    PERENNIAL_WEBHOOK_ALLOW_PRIVATE: 'on',
    PERENNIAL_RATE_LIMIT: '1000000',
    PERENNIAL_LOG_LEVEL: 'error',
    ...more,
  };
  const made = execFileSync(process.execPath, [program, 'tenant', 'create', 'acme', '--test', '--json'], {
    env,
    encoding: 'utf8',
  });
  const { apiKey } = JSON.parse(made);
  let child: ChildProcess;
  let exited: Promise<unknown>;
  let out = '';
  const url = `http://127.0.0.1:${port}`;
  const start = async () => {
    child = spawn(process.execPath, [program, 'serve', '--port', String(port)], { env });
    exited = new Promise((resolve) => child.on('exit', resolve));
    for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (out += chunk));
    while (child.exitCode === null) {
      if (await isReady(url)) return;
      await sleep(25);
    }
    throw new Error(`The server does not start: ${out}`);
  };
  await start();
  return {
    url,
    apiKey: apiKey as string,
    start,
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Without the variables of the tests. */
const outsideEnv = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PERENNIAL_')));

const isReady = (url: string) =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

/** Repeats a request with one Idempotency-Key until it has a response, also after a crash of the server. */
export function createAsk({ url, apiKey }: { url: string; apiKey: string }): Ask {
  return async (query, variables) => {
    const named: Record<string, string> = query.startsWith('mutation')
      ? { 'idempotency-key': randomUUID() }
      : {};
    for (let tries = 0; tries < requestTries; tries++) {
      try {
        const answer = await fetch(`${url}/graphql`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'api-key': apiKey, ...named },
          body: JSON.stringify({ query, variables }),
        });
        const { data, errors } = (await answer.json()) as any;
        if (!errors) return data;
        const { reason } = errors[0].extensions;
        // The request that died with the server had begun and will never end: it is made anew, unnamed.
        if (reason === 'request_in_flight' && tries > 20) delete named['idempotency-key'];
        else if (reason !== 'unavailable' && reason !== 'request_in_flight') {
          throw Object.assign(new Error(JSON.stringify(errors)), { isFinal: true });
        }
      } catch (error) {
        if ((error as { isFinal?: boolean }).isFinal) throw error;
      }
      await sleep(50);
    }
    throw new Error('The server does not answer.');
  };
}

/** Advances the clock of the tenant. */
export async function advance(ask: Ask, hours: number): Promise<void> {
  const { tenant } = await ask('{ tenant { clock } }');
  const to = new Date(Date.parse(tenant.clock) + hours * 3_600_000).toISOString();
  // Another may have moved it further meanwhile.
  await ask('mutation ($to: DateTime!) { advanceClock(input: { to: $to }) { clock } }', { to }).catch(
    (error: Error) => {
      if (!error.message.includes('before the clock')) throw error;
    },
  );
}
