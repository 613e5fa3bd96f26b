import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { freePort } from '../../support/ports.ts';
import { isSignedWith, openReceiver, type Received } from '../../webhooks/receiver.ts';

export interface TortureSettings {
  /** The built program. */
  program: string;
  database: string;
  /** More of the environment of the server, such as a key. */
  env?: Record<string, string>;
  events: number;
  kills: number;
  /** How many of a hundred calls fail. */
  failing: number;
  say?: (line: string) => void;
}

export interface TortureFigures {
  acknowledged: number;
  recorded: number;
  delivered: number;
  /** Recorded, and never answered 2xx. */
  lost: number;
  calls: number;
  failedCalls: number;
  /** Messages that were answered 2xx more than once. */
  repeated: number;
  /** Messages that came before one which they follow was answered 2xx, or after a later one. */
  outOfOrder: number;
  badSignatures: number;
  kills: number;
  /** Events that the log does not show as delivered. */
  unfinished: number;
}

const chains = 20;
/** Requests are repeated every 50 ms while the server restarts, for at least two minutes. */
const requestTries = 2400;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * An endpoint that fails now and then, and a server that is killed with its work half done: every event of it must
 * arrive, those of one customer in order, each with a good signature.
 */
export async function tortureWebhooks(settings: TortureSettings): Promise<TortureFigures> {
  const { events, kills, failing, say = () => {} } = settings;
  const receiver = await openReceiver();
  const watched = watch(receiver, failing);
  const server = await openServer(settings);
  const ask = createAsk(server);
  const secret = await prepare(ask, receiver.url);
  const customers: string[] = [];
  for (let index = 0; index < chains; index++) customers.push(await addCustomer(ask, index));
  say(`${chains} customers, an endpoint that fails ${failing} of 100 calls`);

  let acknowledged = chains;
  let killed = 0;
  const killing = (async () => {
    while (killed < kills) {
      const nextAt = ((killed + 1) * events) / (kills + 1);
      while (acknowledged < nextAt) await sleep(10);
      killed += 1;
      await server.kill();
      say(`kill -9 no. ${killed} at ${acknowledged} events, ${watched.calls()} calls`);
      await server.start();
    }
  })();
  let begun = chains;
  const rename = async (customer: string) => {
    while (begun < events) {
      begun += 1;
      await changed(ask, customer, `name ${begun}`);
      acknowledged += 1;
      // The clock of a test tenant is stopped: failed deliveries are retried when it advances.
      if (begun % 50 === 0) await advance(ask, 1);
    }
  };
  await Promise.all([killing, ...customers.map(rename)]);
  say(`${acknowledged} events acknowledged, ${watched.calls()} calls so far`);
  for (let day = 0; day < 40 && (await unfinished(ask)) > 0; day++) {
    await advance(ask, 24);
  }
  const recorded = await recordedEvents(ask);
  const left = await unfinished(ask);
  await server.kill();
  await receiver.close();
  const bad = receiver.received.filter((message) => !isSignedWith(secret, message));
  return {
    acknowledged,
    recorded: recorded.length,
    delivered: watched.delivered.size,
    lost: recorded.filter((eventId) => !watched.delivered.has(eventId)).length,
    calls: watched.calls(),
    failedCalls: watched.failed(),
    repeated: [...watched.delivered.values()].filter((times) => times > 1).length,
    outOfOrder: watched.outOfOrder(),
    badSignatures: bad.length,
    kills: killed,
    unfinished: left,
  };
}

type Ask = (query: string, variables?: object) => Promise<any>;

/** Lets calls fail, and watches that no message of a customer overtakes another. */
function watch(receiver: Awaited<ReturnType<typeof openReceiver>>, failing: number) {
  const delivered = new Map<string, number>();
  const last = new Map<string, number>();
  const refused = new Map<string, number>();
  let calls = 0;
  let failed = 0;
  let outOfOrder = 0;
  let state = 12_345;
  const chance = () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;

  const note = ({ headers, body }: Received, isGood: boolean) => {
    const chain = body.data.payload.resourceId as string;
    // A message before the last good one, or after one that was refused and has not been taken yet.
    const isEarlier = body.sequence < (last.get(chain) ?? 0);
    const waits = refused.get(chain);
    const overtakes = waits !== undefined && body.sequence > waits;
    if (isEarlier || overtakes) outOfOrder += 1;
    if (!isGood) {
      refused.set(chain, body.sequence);
      return;
    }
    if (waits === body.sequence) refused.delete(chain);
    last.set(chain, Math.max(body.sequence, last.get(chain) ?? 0));
    const id = headers['webhook-id'] as string;
    delivered.set(id, (delivered.get(id) ?? 0) + 1);
  };
  receiver.answer((response, message) => {
    calls += 1;
    const isGood = chance() * 100 >= failing;
    if (!isGood) failed += 1;
    note(message, isGood);
    response.writeHead(isGood ? 204 : 500).end();
  });
  return { delivered, calls: () => calls, failed: () => failed, outOfOrder: () => outOfOrder };
}

async function openServer({ program, database, env: more }: TortureSettings) {
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
function createAsk({ url, apiKey }: { url: string; apiKey: string }): Ask {
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

async function prepare(ask: Ask, url: string): Promise<string> {
  const create = `mutation ($input: CreateWebhookEndpointInput!) {
    createWebhookEndpoint(input: $input) { secret }
  }`;
  const input = { url, events: ['CustomerEvent'] };
  return (await ask(create, { input })).createWebhookEndpoint.secret;
}

async function addCustomer(ask: Ask, index: number): Promise<string> {
  const input = {
    email: 'a@example.org',
    firstName: 'A',
    lastName: 'B',
    associatedId: `own-${index}`,
  };
  const create = 'mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }';
  return (await ask(create, { input })).createCustomer.id;
}

const changed = (ask: Ask, id: string, firstName: string) =>
  ask('mutation ($id: ID!, $to: String!) { updateCustomer(id: $id, input: { firstName: $to }) { id } }', {
    id,
    to: firstName,
  });

async function advance(ask: Ask, hours: number): Promise<void> {
  const { tenant } = await ask('{ tenant { clock } }');
  const to = new Date(Date.parse(tenant.clock) + hours * 3_600_000).toISOString();
  // Another may have moved it further meanwhile.
  await ask('mutation ($to: DateTime!) { advanceClock(to: $to) { clock } }', { to }).catch((error: Error) => {
    if (!error.message.includes('before the clock')) throw error;
  });
}

async function unfinished(ask: Ask): Promise<number> {
  const { deliveries } = await ask('{ deliveries(first: 100, status: pending) { nodes { id } } }');
  return deliveries.nodes.length;
}

async function recordedEvents(ask: Ask): Promise<string[]> {
  const found: string[] = [];
  for (let after: string | null = null; ;) {
    const { traces }: any = await ask(
      `query ($after: String) { traces(first: 100, after: $after, activityType: CustomerEvent) {
        nodes { eventId } nextCursor } }`,
      { after },
    );
    found.push(...traces.nodes.map(({ eventId }: any) => eventId));
    after = traces.nextCursor;
    if (after === null) return found;
  }
}
