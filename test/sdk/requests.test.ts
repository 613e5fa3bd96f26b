/** How the SDK sends requests: repeats, errors, time-outs, hooks and lists, against the real server. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { catalogue } from '../../src/lib/errors.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { listen } from '../support/follow.ts';
import { importSdk } from '../support/sdk.ts';
import { startCuttingProxy, type CuttingProxy, type Fate } from './cuttingProxy.ts';

const sdk = await importSdk();
const { Perennial, PerennialError } = sdk;

let app: TestApp;
let client: Client;
let url: string;
let open: CuttingProxy[] = [];
beforeAll(async () => {
  app = await startApp();
  client = await app.tenant({ alias: 'acme', test: true });
  url = await listen(app);
});
afterEach(async () => {
  await Promise.all(open.map((proxy) => proxy.close()));
  open = [];
});
afterAll(() => app.close());

let numbers = 0;
const newCustomer = () => {
  const associatedId = `own-${(numbers += 1)}`;
  return { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace', associatedId };
};

interface Sent {
  operation: string;
  attempt: number;
  idempotencyKey?: string;
  headers: Record<string, string>;
  error?: { reason: string };
  httpStatus?: number;
  retryInMs?: number;
}

/** A client behind a proxy that gives the first requests these fates, with what its hooks were told. */
async function connect(fates: Fate[], options: object = {}) {
  const left = [...fates];
  const proxy = await startCuttingProxy(url, () => left.shift() ?? 'pass');
  open.push(proxy);
  const responses: Sent[] = [];
  const hooks = { onResponse: (event: Sent) => void responses.push(event) };
  const perennial = new Perennial({
    url: `${proxy.url}/`,
    key: client.apiKey,
    retryDelayMs: 1,
    hooks,
    ...options,
  });
  return { perennial, responses, proxy };
}

/** The error that a call rejects with. */
const failure = async (call: Promise<unknown>): Promise<any> => {
  const outcome = await call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  expect(outcome).toHaveProperty('error');
  return (outcome as { error: unknown }).error;
};

describe('a repeat', () => {
  it.each<Fate>(['lost', 'cut', 'half', 'unavailable'])(
    'follows an answer that is %s, with the same key',
    async (fate) => {
      const { perennial, responses } = await connect([fate, fate]);
      const input = newCustomer();
      const { id } = await perennial.customers.create(input);
      expect(responses.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
      expect(new Set(responses.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
      expect(responses.map(({ error }) => error === undefined)).toEqual([false, false, true]);
      const { customers } = await client.graphql(
        'query ($own: String!) { customers(associatedId: $own) { nodes { id } } }',
        { own: input.associatedId },
      );
      expect(customers.nodes).toEqual([{ id }]);
    },
  );

  it('ends after maxRetries, of the client or of the call', async () => {
    const { perennial, responses } = await connect(['lost', 'cut', 'lost', 'lost', 'lost', 'lost'], {
      maxRetries: 1,
    });
    const error = await failure(perennial.customers.create(newCustomer()));
    expect(error).toBeInstanceOf(sdk.ConnectionError);
    expect(error).toMatchObject({ reason: 'connection_failed', status: 0 });
    expect(responses).toHaveLength(2);
    expect(responses[1]!.retryInMs).toBeUndefined();
    await failure(perennial.tenant.retrieve({ maxRetries: 0 }));
    expect(responses).toHaveLength(3);
  });

  it('is not made of a refusal', async () => {
    const { perennial, responses } = await connect([]);
    const error = await failure(perennial.customers.retrieve('cus_0'));
    expect(error).toBeInstanceOf(sdk.NotFoundError);
    expect(responses).toHaveLength(1);
  });

  it('has a key of its own for each call, and that of the caller', async () => {
    const { perennial, responses } = await connect([]);
    const input = newCustomer();
    const first = await perennial.customers.create(input, { idempotencyKey: 'order-7' });
    expect(await perennial.customers.create(input, { idempotencyKey: 'order-7' })).toEqual(first);
    await perennial.customers.create(newCustomer());
    await perennial.tenant.retrieve();
    const keys = responses.map(({ headers }) => headers['idempotency-key']);
    expect(keys.slice(0, 2)).toEqual(['order-7', 'order-7']);
    expect(keys[2]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys[3]).toBeUndefined();
  });

  it('waits for a request that is under way, and gets its answer', async () => {
    const { perennial } = await connect([], { maxRetries: 20, retryDelayMs: 5 });
    const input = newCustomer();
    const options = { idempotencyKey: 'same' };
    const [one, other] = await Promise.all([
      perennial.customers.create(input, options),
      perennial.customers.create(input, options),
    ]);
    expect(other).toEqual(one);
  });
});

describe('an error', () => {
  const update = 'mutation ($id: ID!) { updateCustomer(id: $id, input: { firstName: "A" }) { id } }';
  it.each([
    [
      'NotFoundError',
      'customer_not_found',
      () => client.apiKey,
      (each: any) => each.customers.retrieve('cus_0'),
    ],
    ['AuthenticationError', 'api_key_invalid', () => 'prn_acme_0', (each: any) => each.tenant.retrieve()],
    [
      'InvalidRequestError',
      'validation_failed',
      () => client.apiKey,
      (each: any) => each.customers.create({}),
    ],
    [
      'InvalidRequestError',
      'validation_failed',
      () => client.apiKey,
      (each: any) => each.graphql('{ nothing }'),
    ],
    [
      'NotFoundError',
      'customer_not_found',
      () => client.apiKey,
      (each: any) => each.graphql(update, { id: 'cus_0' }),
    ],
  ])('is a %s with the reason %s', async (name, reason, key, call) => {
    const { perennial } = await connect([], { key });
    const error = await failure(call(perennial));
    expect(error).toBeInstanceOf(PerennialError);
    expect(error).toBeInstanceOf(sdk[name]);
    expect(error).toMatchObject({ name, reason, status: catalogue[reason as keyof typeof catalogue].status });
    if (reason === 'validation_failed') expect(error.issues.length).toBeGreaterThan(0);
  });

  it('says in its message which field is wrong, once', async () => {
    const { perennial } = await connect([], { key: client.apiKey });
    const person = { email: 'nobody', firstName: 'Ada', lastName: 'Lovelace', associatedId: '7' };
    expect(await failure(perennial.customers.create(person))).toMatchObject({
      message: 'The request is not valid: input.email: Value is not a valid email address: nobody',
    });
    expect(await failure(perennial.graphql('{ nothing }'))).toMatchObject({
      message: 'query:1:3: Cannot query field "nothing" on type "Query".',
    });
    expect(
      await failure(perennial.customers.create({ ...person, email: 'a@example.com', lastName: '' })),
    ).toMatchObject({ message: 'The request is not valid: lastName: must not be empty' });
  });

  it('has its class for each status of the catalogue', () => {
    const classes = new Set(Object.values(catalogue).map(({ status }) => status));
    expect([...classes].toSorted((a, b) => a - b)).toEqual([
      202, 400, 401, 402, 403, 404, 405, 409, 413, 415, 422, 429, 500, 503,
    ]);
  });

  it('of an unknown argument is found before anything is sent', async () => {
    const { perennial, responses } = await connect([]);
    expect(() => perennial.invoices.list({ stauts: 'open' })).toThrow('invoices.list has no argument stauts');
    expect(() => perennial.subscriptions.cancel({ id: 'sub_0' })).toThrow('subscriptions.cancel');
    expect(responses).toEqual([]);
  });
});

describe('the end of a call', () => {
  it('comes by its time-out', async () => {
    const silent: typeof fetch = (_url, init) =>
      new Promise((_resolve, reject) => {
        init!.signal!.addEventListener('abort', () => reject(new Error('aborted')));
      });
    const perennial = new Perennial({ url, key: client.apiKey, fetch: silent, timeoutMs: 20, maxRetries: 0 });
    const error = await failure(perennial.tenant.retrieve());
    expect(error).toMatchObject({ name: 'ConnectionError', reason: 'timed_out' });
  });

  it.each([
    ['before it', 0],
    ['while it waits for a repeat', 30],
  ])('comes by the signal of the caller, %s', async (_when, afterMs) => {
    const { perennial, responses } = await connect(Array<Fate>(20).fill('lost'), { retryDelayMs: 60_000 });
    const stop = new AbortController();
    if (afterMs === 0) stop.abort(new Error('enough'));
    const call = failure(perennial.tenant.retrieve({ signal: stop.signal }));
    if (afterMs > 0) {
      await expect.poll(() => responses.length).toBe(1);
      await pause(0);
      stop.abort(new Error('enough'));
    }
    expect((await call).message).toBe('enough');
    expect(responses.length).toBe(afterMs === 0 ? 0 : 1);
  });
});

it('hooks see each attempt, and may add headers', async () => {
  const seen: Sent[] = [];
  const hooks = {
    onRequest: (event: Sent) => {
      event.headers['traceparent'] = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    },
    onResponse: (event: Sent) => void seen.push(event),
  };
  const { perennial } = await connect(['cut'], { hooks });
  const { id } = await perennial.customers.create(newCustomer());
  expect(seen).toMatchObject([
    { operation: 'createCustomer', attempt: 1, error: { reason: 'connection_failed' } },
    { operation: 'createCustomer', attempt: 2, httpStatus: 200 },
  ]);
  const [trace] = await perennial.traces.list({ activityType: 'CustomerEvent' }).first(1);
  expect(trace.payload.resourceId).toBe(id);
  expect(trace.traceId).toBe('0af7651916cd43dd8448eb211c80319c');
});

describe('a list', () => {
  it('is read page by page, to its end or so far as asked', async () => {
    const { perennial, responses } = await connect([]);
    for (let count = 0; count < 5; count += 1) await perennial.groups.create({ name: `Group ${count}` });
    responses.length = 0;
    const names: string[] = [];
    for await (const group of perennial.groups.list({ order: 'ASC' }, { pageSize: 2 }))
      names.push(group.name);
    expect(names).toEqual([0, 1, 2, 3, 4].map((count) => `Group ${count}`));
    expect(responses).toHaveLength(3);
    responses.length = 0;
    expect(await perennial.groups.list({ order: 'ASC' }, { pageSize: 2 }).first(3)).toHaveLength(3);
    expect(responses).toHaveLength(2);
    expect(await perennial.groups.list().first(0)).toEqual([]);
    const page = await perennial.groups.list({ order: 'ASC' }, { pageSize: 2 }).page();
    const next = await perennial.groups
      .list({ order: 'ASC' }, { pageSize: 2, after: page.nextCursor })
      .first(1);
    expect(next[0].name).toBe('Group 2');
  });
});

describe('a selection', () => {
  it('replaces the usual one', async () => {
    const { perennial } = await connect([]);
    const { id } = await perennial.customers.create(newCustomer(), { select: 'id' });
    expect(await perennial.customers.retrieve(id, { select: 'id mrr { decimal }' })).toEqual({ id, mrr: [] });
    expect(await perennial.customers.retrieve({ associatedId: `own-${numbers}` }, { select: 'id' })).toEqual({
      id,
    });
  });
});
