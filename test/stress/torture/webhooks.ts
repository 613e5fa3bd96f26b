import { isSignedWith, openReceiver, type Received } from '../../outgoing/webhooks/receiver.ts';
import { advance, createAsk, openServer, sleep, type Ask } from './server.ts';

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
