import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { buildSchema } from 'graphql';
import { createVictim } from '../faults/server.ts';
import { createSender } from '../faults/writers.ts';
import { drawGraphqlRequest } from './graphql.ts';
import { chance, drawDamage, withKnown, type Choose, type FuzzRequest } from './requests.ts';
import { drawRestRequest } from './rest.ts';
import { findFault, send } from './sending.ts';

interface Settings {
  program: string;
  root: string;
  folder: string;
  requests: number;
  seed: number;
  say: (line: string) => void;
}

const atOnce = 8;
const perBatch = 500;
/** The server's heap: what it keeps of each request would end it. */
const heapMib = 128;
const shownFaults = 20;

/** Sends random requests, built from OpenAPI and the schema, to a real server. Returns a summary of the responses. */
export async function fuzz({ program, root, folder, requests, seed, say }: Settings) {
  const openapi = JSON.parse(readFileSync(path.join(root, 'openapi.json'), 'utf8'));
  const schema = buildSchema(readFileSync(path.join(root, 'schema.graphql'), 'utf8'));
  const file = path.join(folder, 'fuzz.db');
  const victim = await createVictim({ program, file, level: 'error', heapMib });
  const { apiKey } = victim.run('tenant', 'create', 'acme', '--test', '--json');
  await victim.start();
  const port = Number(new URL(victim.url).port);
  const known = await fill(victim.url, apiKey);
  const randomRequests = drawRequests((g) =>
    chance(g, 2) ? drawRestRequest(g, openapi) : drawGraphqlRequest(g, schema),
  );
  const figures = { requests: 0, broken: 0, serverErrors: 0, hung: 0, wrongForm: 0, slowestMs: 0 };
  const statuses: Record<string, number> = {};
  const memoryMib: number[] = [];
  const begunAt = performance.now();
  const perform = async (drawn: FuzzRequest) => {
    const request = {
      ...drawn,
      path: withKnown(drawn.path, known, encodeURIComponent),
      body: drawn.body && withKnown(drawn.body, known),
    };
    const reply = await send(port, request, apiKey);
    figures.requests += 1;
    if (request.damage) figures.broken += 1;
    figures.slowestMs = Math.max(figures.slowestMs, Math.round(reply.ms));
    statuses[reply.status] = (statuses[reply.status] ?? 0) + 1;
    const fault = findFault(request, reply);
    if (!fault) return learn(reply.text, known);
    if (reply.isHung) figures.hung += 1;
    else if (/^5|internal_error|unavailable/.test(fault)) figures.serverErrors += 1;
    else figures.wrongForm += 1;
    if (figures.hung + figures.serverErrors + figures.wrongForm <= shownFaults)
      say(`${fault}: ${JSON.stringify(request).slice(0, 700)} → ${reply.text.slice(0, 300)}`);
  };
  for (let done = 0; done < requests; done += perBatch) {
    const numRuns = Math.min(perBatch, requests - done);
    const batch = fc.sample(randomRequests, { numRuns, seed: seed + done });
    const queue = batch.values();
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (const request of queue) await perform(request);
      }),
    );
    memoryMib.push(Math.round(victim.residentKib() / 1024));
    if ((done / perBatch) % 4 === 3) say(`${figures.requests} requests, ${memoryMib.at(-1)} MiB`);
  }
  await victim.kill();
  return {
    seed,
    ...figures,
    statuses,
    // The first batches warm it up.
    memoryMib: [0.1, 0.25, 0.5, 0.75, 1].map((part) => memoryMib[Math.ceil(part * memoryMib.length) - 1]!),
    seconds: Math.round((performance.now() - begunAt) / 100) / 10,
  };
}

const drawRequests = (draw: (g: Choose) => FuzzRequest) =>
  fc.gen().map((g) => {
    const request = draw(g);
    return chance(g, 10) ? { ...request, damage: drawDamage(g, request.body !== undefined) } : request;
  });

/** Something of each kind, so that there is something to ask for. */
async function fill(url: string, apiKey: string): Promise<Map<string, string[]>> {
  const post = createSender({ url, apiKey, alias: 'acme' });
  const known = new Map([['tenantAlias', ['acme']]]);
  for (let count = 0; count < 20; count++) {
    const { body: group } = (await post('/groups', { name: 'Plans' }))!;
    const prices = [{ details: { amount: 50, currency: 'usd' } }];
    const wanted = { name: 'Pro', description: '', groupId: group.id, prices };
    const { body: made } = (await post('/products', wanted))!;
    const names = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' };
    const { body: customer } = (await post('/customers', { ...names, associatedId: `own-${count}` }))!;
    const { body: intent } = (await post('/subscriptions/intent', {
      customerId: customer.id,
      associatedCustomerId: customer.associatedId,
      productId: made.product.id,
      priceId: made.prices[0].id,
      receiptUrl: 'https://example.com/thanks',
    }))!;
    for (const each of [group, made, customer, intent]) learn(JSON.stringify(each), known);
    learn(JSON.stringify({ associatedId: customer.associatedId }), known);
  }
  return known;
}

const prefixes = {
  cus: 'customerId',
  prod: 'productId',
  price: 'priceId',
  grp: 'groupId',
  int: 'intentId',
  sub: 'subscriptionId',
};
const mostKnown = 200;

/** Keeps ids, cursors and associated ids from a response. */
function learn(text: string, known: Map<string, string[]>): void {
  const keep = (name: string, value: string) => {
    const values = known.get(name) ?? [];
    if (!values.includes(value)) known.set(name, [...values, value].slice(-mostKnown));
  };
  for (const [, value, prefix] of text.matchAll(/"((cus|prod|price|grp|int|sub)_[0-9A-Za-z]+)"/g))
    keep(prefixes[prefix as keyof typeof prefixes], value!);
  for (const [, value] of text.matchAll(/"nextCursor":"([^"]+)"/g)) keep('cursor', value!);
  for (const [, value] of text.matchAll(/"associatedId":"([^"\\]+)"/g)) keep('associatedId', value!);
}
