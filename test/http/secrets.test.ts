/** Keys and secrets are shown once, and are nowhere in clear afterwards: every place where they could be is searched. */
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey, revokeKey, rotateKey } from '../../src/tenancy/apiKeys.ts';
import { follow, listen } from '../support/follow.ts';
import { secretKey, webhookSecret } from '../support/fakeStripe.ts';
import { startStripeApp, type StripeApp } from '../support/stripeApp.ts';

let service: StripeApp;
let url: string;
let alias: string;
/** Every secret by what it is. */
const secrets: Record<string, string> = {
  'the key of Stripe': secretKey,
  'the secret of Stripe': webhookSecret,
};
const logged: string[] = [];
const answers: string[] = [];
let metrics = '';

/** The part of a key that nobody may know; its id is no secret. */
const parseSecret = (apiKey: string) => apiKey.split('_').at(-1)!;

beforeAll(async () => {
  const log = pino({ level: 'trace' }, { write: (line) => void logged.push(line) });
  service = await startStripeApp({ metricsPort: '0' }, { log });
  const { app } = service;
  url = await listen(app);
  alias = 'acme';
  const { apiKey } = await app.tenant({ alias });
  const keep = (what: string, key: string) => (secrets[what] = parseSecret(key));
  keep('a key', apiKey);
  const revoked = await createKey(app.service, { tenant: alias });
  keep('a revoked key', revoked.apiKey);
  const rotated = await rotateKey(app.service, revoked.key.id, 1000);
  keep('a rotated key', rotated.apiKey);
  await revokeKey(app.service, revoked.key.id);
  const wrong = apiKey.slice(0, -8) + 'zzzzzzzz';
  keep('a wrong key', wrong);

  await useKeys([apiKey, revoked.apiKey, rotated.apiKey, wrong]);
  await makeEndpoint(apiKey);
  const port = await app.metrics!.listen(0);
  metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
});
afterAll(() => service.close());

const send = async (path: string, init: RequestInit = {}): Promise<any> => {
  const answer = await fetch(url + path, init);
  const text = await answer.text();
  answers.push([...answer.headers].flat().join('\n') + text);
  return text.startsWith('{') ? JSON.parse(text) : text;
};

/** Every key in every place where a client could put it, rightly or wrongly. */
async function useKeys(keys: string[]) {
  const type = { 'content-type': 'application/json' };
  for (const key of keys) {
    const headers = { 'api-key': key, ...type };
    const group = JSON.stringify({ tenantAlias: alias, name: 'Plans' });
    await send('/api/v1/groups', {
      method: 'POST',
      headers: { ...headers, 'idempotency-key': key.slice(0, 30) },
      body: group,
    });
    await send('/api/v1/groups?limit=x', { headers });
    await send(`/api/v1/customers/${key}?tenantAlias=${alias}`, { headers });
    await send(`/api/v1/customers?tenantAlias=${key}`, { headers });
    await send(`/api/v1/customers?api-key=${key}`, {
      headers: { authorization: `Bearer ${key}`, cookie: `key=${key}` },
    });
    await send(`/api/v1/nowhere/${key}/%E0%A4%A`, { headers });
    await send('/api/v1/groups', { method: 'POST', headers, body: `{"name": "${key}` });
    await send('/graphql', {
      method: 'POST',
      headers: { ...headers, 'perennial-tenant': key },
      body: JSON.stringify({ query: `{ node(id: "${key}") { id } }` }),
    });
    await send('/graphql', {
      method: 'POST',
      headers,
      body: JSON.stringify({ query: '{ tenant { alias } }', variables: { key: 1 } }),
    });
    await send('/graphql/stream?query={x}', { headers: { 'api-key': key } });
    await send('/callbacks/stripe', { method: 'POST', headers, body: '{}' });
    await send(`/pay/${key}`, { headers });
    await (await follow(url, { apiKey: key })).stop();
    await broken(`GET /api/v1/groups HTTP/9.9\r\napi-key: ${key}\r\n\r\n`);
    await broken(`GET / HTTP/1.1\r\napi-key: ${key}\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`);
  }
}

function broken(bytes: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (data) => answers.push(data.toString()));
    socket.on('error', () => {});
    socket.on('close', () => resolve());
  });
}

/** An endpoint's secrets are shown in the answer that makes them, which an idempotent repeat gives again. */
async function makeEndpoint(apiKey: string) {
  const headers = { 'api-key': apiKey, 'content-type': 'application/json', 'idempotency-key': 'endpoint' };
  const perform = async (query: string) => {
    const answer = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query }),
    });
    return (await answer.json()) as any;
  };
  const made =
    'mutation { createWebhookEndpoint(input: { url: "https://hooks.example/a" }) { secret endpoint { id } } }';
  const { data, errors } = await perform(made);
  expect(errors).toBeUndefined();
  secrets['the secret of an endpoint'] = data.createWebhookEndpoint.secret.replace(/^whsec_/, '');
  expect((await perform(made)).data).toEqual(data);
  const { id } = data.createWebhookEndpoint.endpoint;
  headers['idempotency-key'] = 'rotation';
  const rotated = await perform(`mutation { rotateWebhookSecret(id: "${id}") { secret } }`);
  secrets['the next secret of an endpoint'] = rotated.data.rotateWebhookSecret.secret.replace(/^whsec_/, '');
  headers['idempotency-key'] = 'access-point';
  secrets['the secret of an access point'] = 'a-secret-of-the-access-point';
  await perform(`mutation { configureAccount(input: { accessPoint: {
    url: "https://ap.example", secret: "${secrets['the secret of an access point']}", formats: [ubl]
  } }) { provider } }`);
  headers['idempotency-key'] = 'reports';
  const created = 'mutation { createCallbackSecret(input: { provider: access_point }) { secret } }';
  const reports = await perform(created);
  secrets['the secret of reports'] = reports.data.createCallbackSecret.secret.replace(/^whsec_/, '');
  expect((await perform(created)).data).toEqual(reports.data);
}

/** The secret as it may be written: as it is, as base64 of it or of what it stands for, as hexadecimal. */
function listForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const meant = Buffer.from(secret, 'base64');
  // Where base64 begins within a longer text decides its letters: the middle of each of three is searched for.
  const shifted = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .slice(4, -4),
  );
  return [secret, bytes.toString('hex'), meant.toString('hex'), meant.toString('latin1'), ...shifted];
}

function expectNone(place: string, text: string) {
  for (const [what, secret] of Object.entries(secrets)) {
    expect(secret.length, what).toBeGreaterThanOrEqual(10);
    for (const form of listForms(secret)) if (text.includes(form)) expect.fail(`${what} is in ${place}`);
  }
}

describe('no API key and no secret is in clear text in', () => {
  it('the logs of every level', () => {
    expect(logged.length).toBeGreaterThan(40);
    expectNone('the logs', logged.join(''));
  });

  it('responses and errors', () => {
    expect(answers.length).toBeGreaterThan(40);
    for (const text of answers) expectNone('an answer', text);
  });

  it('the metrics', () => {
    expect(metrics).toContain('# TYPE');
    expectNone('the metrics', metrics);
  });

  it('the traces', async () => {
    const traces = await service.app.backdoor.all('select * from traces');
    expect(traces.length).toBeGreaterThan(5);
    const text = await service.app.backdoor.dump(alias);
    expectNone('the traces', text);
    for (const { payload } of traces) expect(String(payload)).not.toMatch(/secretHash|cursorSecret|sealed/i);
  });

  it('the database file, its write-ahead log and the other files beside it', () => {
    const { path } = service.app;
    const files = [path, `${path}-wal`, `${path}-shm`].filter((file) => existsSync(file));
    expect(files).toContain(`${path}-wal`);
    for (const file of files) expectNone(file, readFileSync(file).toString('latin1'));
    expect(readFileSync(path).length + readFileSync(`${path}-wal`).length).toBeGreaterThan(50_000);
  });
});

it('the search of this test finds secrets', () => {
  const [secret] = Object.values(secrets);
  for (const form of [
    secret!,
    `x${Buffer.from(`ab${secret!}cd`).toString('base64')}`,
    Buffer.from(secret!).toString('hex'),
  ]) {
    expect(listForms(secret!).some((each) => form.includes(each))).toBe(true);
  }
});
