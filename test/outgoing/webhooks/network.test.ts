/** What webhooks may call: nothing inside of the server's network, however the address is written. */
import { createHook } from 'node:async_hooks';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Lookup } from '../../../src/outgoing/webhooks/httpClient.ts';
import { isPublic } from '../../../src/lib/hosts.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { sampledInCore } from '../../support/sample.ts';
import { selfSigned } from './certificate.ts';
import { customers, createEndpoint, fetchDeliveries, openReceiver, type Receiver } from './receiver.ts';

/** Addresses that lead inside; the first ones to the very host, where an endpoint listens at the port. */
const loopback = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '0x7f.1',
  '0x7f000001',
  '2130706433',
  '017700000001',
  '0177.0.0.01',
  '127.255.255.254',
  '0.0.0.0',
  '0',
  '①②⑦.⓪.⓪.①',
  'localhost',
  'LOCALHOST',
  'localhost.',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
];
const inside = [
  ...loopback,
  'app.localhost',
  'printer.local',
  'metadata.google.internal',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '198.51.100.7',
  '203.0.113.9',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  '[fd00:ec2::254]',
  '[2002:a9fe:a9fe::1]',
  '[2a00:1450::5efe:a00:1]',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::a00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[100::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd12:3456::1]',
  '[ff02::1]',
  '[2001:db8::1]',
  '[3fff::1]',
];

/** Names, and what they lead to. */
const names: Record<string, { address: string; family: number }[]> = {
  'inside.example': [{ address: '127.0.0.1', family: 4 }],
  'inside6.example': [{ address: '::1', family: 6 }],
  'mapped.example': [{ address: '::ffff:127.0.0.1', family: 6 }],
  'cloud.example': [{ address: '169.254.169.254', family: 4 }],
  'mixed.example': [
    { address: '1.1.1.1', family: 4 },
    { address: '127.0.0.1', family: 4 },
  ],
  'empty.example': [],
};

/** Names that cannot be looked up, and why. */
const failing: Record<string, string> = {
  'nowhere.example': 'ENOTFOUND',
  'silent.example': 'EAI_AGAIN',
  'refused.example': 'EAI_FAIL',
};

let app: TestApp;
let client: Client;
let endpoint: string;
let receiver: Receiver;
let port: number;
const lookedUp: string[] = [];
const lookup: Lookup = (name, done) => {
  lookedUp.push(name);
  const code = failing[name];
  const error = code && Object.assign(new Error(`getaddrinfo ${code} ${name}`), { code });
  if (error) setTimeout(() => done(error, []), 5);
  else done(null, names[name] ?? [{ address: '127.0.0.1', family: 4 }]);
};

/** How many connections of TCP were begun, wherever to. */
let attempts = 0;
const watch = createHook({ init: (_, type) => void (type === 'TCPCONNECTWRAP' && (attempts += 1)) });

beforeAll(async () => {
  receiver = await openReceiver('::');
  port = Number(new URL(receiver.url).port);
  app = await startApp(
    { rateLimitPerSecond: '1000000' },
    { webhooks: { lookup, lookupStepMs: 20, refusedForMs: 600_000 } },
  );
  client = await app.tenant({ alias: 'acme', test: true, clock: new Date().toISOString() });
  ({ id: endpoint } = await createEndpoint(client, {
    url: 'https://shop.example/hooks',
    events: ['CustomerEvent'],
  }));
});
afterAll(async () => {
  await app.close();
  await receiver.close();
});
beforeEach(() => {
  attempts = 0;
  lookedUp.length = 0;
});

const create = `mutation ($input: CreateWebhookEndpointInput!) {
  createWebhookEndpoint(input: $input) { endpoint { id } }
}`;
const update = `mutation ($id: ID!, $input: UpdateWebhookEndpointInput!) {
  updateWebhookEndpoint(id: $id, input: $input) { id }
}`;
const parseMessage = ({ body }: { body: any }) => {
  const { reason, issues } = body.errors[0].extensions;
  expect(reason).toBe('validation_failed');
  expect(issues.map(({ path }: any) => path)).toEqual(['url']);
  return issues[0].message;
};

let customersMade = 0;

/** Delivers to a URL that is in the database, however it came there; answers what the log says. */
async function callStored(url: string) {
  await app.backdoor.execute(
    `update webhook_endpoints set url = '${url.replaceAll("'", "''")}' where id = '${endpoint}'`,
  );
  await customers(client, `c${++customersMade}`);
  watch.enable();
  await app.service.dispatcher.deliverDue(app.service, 'acme');
  watch.disable();
  return (await fetchDeliveries(client, endpoint)).at(-1).attempts.at(-1);
}

describe(`the ${inside.length} addresses that lead inside`, () => {
  it.each(inside)('%s is refused when it is saved', async (host) => {
    const url = `http://${host}:${port}/hooks`;
    expect(parseMessage(await client.post(create, { input: { url } }))).toMatch(/into the network/);
    expect(parseMessage(await client.post(update, { id: endpoint, input: { url } }))).toMatch(
      /into the network/,
    );
  });

  it.each(sampledInCore(inside, 4))('%s is never connected to, also if it was saved', async (host) => {
    const connections = receiver.connections();
    const attempt = await callStored(`http://${host}:${port}/hooks`);
    expect(attempt).toMatchObject({ statusCode: null, error: 'address_unusable' });
    expect(receiver.connections() - connections).toBe(0);
    expect(lookedUp).toEqual([]);
    expect(onWire()).toBe(0);
  });
});

/** PostgreSQL itself is reached over TCP: there the count is that of the endpoint. */
const onWire = () => (app.path === '' ? 0 : attempts);

describe('a name', () => {
  it.each(Object.keys(names))('with a private address (%s) is not connected to', async (host) => {
    const attempt = await callStored(`http://${host}:${port}/hooks`);
    expect(attempt).toMatchObject({ statusCode: null, error: 'address_unusable' });
    expect(receiver.connections()).toBe(0);
    expect(onWire()).toBe(0);
  });

  it('with a private address has the same error as a missing one, without a duration', async () => {
    const outcomes = [];
    for (const host of [...Object.keys(names), ...Object.keys(failing)]) {
      const { at: _, ...attempt } = await callStored(`http://${host}:${port}/hooks`);
      outcomes.push(JSON.stringify(attempt));
    }
    expect(outcomes).toHaveLength(9);
    expect(new Set(outcomes)).toEqual(
      new Set(['{"statusCode":null,"durationMs":0,"error":"address_unusable"}']),
    );
    expect(onWire()).toBe(0);
  });

  it('is looked up once for a call, and only a checked address is connected to', async () => {
    await callStored(`http://other.example:${port}/hooks`);
    expect(lookedUp).toEqual(['other.example']);
  });
});

it('a refused name is refused again for a while without a look-up, with the same error', async () => {
  const refused = `http://again.example:${port}/hooks`;
  names['again.example'] = [{ address: '10.0.0.1', family: 4 }];
  const [first, second] = [await callStored(refused), await callStored(refused)];
  expect(lookedUp).toEqual(['again.example']);
  expect({ ...second, at: first.at }).toEqual(first);
  expect(onWire()).toBe(0);
});

describe('with --webhook-allow-private', () => {
  let open: TestApp;
  let owner: Client;
  beforeAll(async () => {
    open = await startApp({ webhookAllowPrivate: 'on' });
    owner = await open.tenant({ alias: 'acme', test: true, clock: new Date().toISOString() });
  });
  afterAll(() => open.close());

  // The rest depends on how the machine looks up names, and what it listens on.
  const reachable = loopback.filter((host) => !['127.255.255.254', 'localhost.'].includes(host));
  it.each(reachable)('%s is called, so that the tests above can fail', async (host) => {
    const connections = receiver.connections();
    const { id } = await createEndpoint(owner, {
      url: `http://${host}:${port}/hooks`,
      events: ['GroupEvent'],
    });
    await owner.graphql('mutation ($id: ID!) { testWebhookEndpoint(id: $id) { id } }', { id });
    await open.service.dispatcher.deliverDue(open.service, 'acme');
    expect(await fetchDeliveries(owner, id)).toMatchObject([{ status: 'delivered' }]);
    expect(receiver.connections() - connections).toBe(1);
  });

  it('an untrusted certificate is refused', async () => {
    let requests = 0;
    const server = createTlsServer(selfSigned, (_, response) => {
      requests += 1;
      response.end();
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port: securePort } = server.address() as AddressInfo;
    const { id } = await createEndpoint(owner, { url: `https://localhost:${securePort}/` });
    await customers(owner, 'ada');
    await open.service.dispatcher.deliverDue(open.service, 'acme');
    const [{ attempts: tries }] = await fetchDeliveries(owner, id);
    expect(tries).toMatchObject([{ statusCode: null, error: 'DEPTH_ZERO_SELF_SIGNED_CERT' }]);
    expect(requests).toBe(0);
    server.close();
  });
});

describe('the address of an endpoint', () => {
  it.each([
    ['http://shop.example', /https/],
    ['ftp://shop.example', /http or https/],
    ['file:///etc/passwd', /http or https/],
    ['javascript:alert(1)', /http or https/],
    ['https:shop.example', /http or https/],
    ['//shop.example', /http or https/],
    ['shop.example', /http or https/],
    ['', /http or https/],
    ['https://', /http or https/],
    ['https://shop.example:99999', /http or https/],
    ['https://shop.example:0', /port/],
    ['https://shop .example', /http or https/],
    ['https://shop.example\\@127.0.0.1', /http or https/],
    ['https://shop.example/\r\nhost: 127.0.0.1', /http or https/],
    ['https://ada:secret@shop.example', /user name or password/],
    ['https://shop.example@127.0.0.1', /user name or password/],
    ['https://shop.example#127.0.0.1', /fragment/],
    ['https://127.0.0.1', /into the network/],
  ])('may not be %j', async (url, message) => {
    const live = app.client((await liveKey()).apiKey);
    expect(parseMessage(await live.post(create, { input: { url } }))).toMatch(message);
  });

  it.each([
    'https://shop.example',
    'https://shop.example:8443/a?b=c',
    'https://1.1.1.1/',
    'https://bücher.example',
  ])('may be %j', async (url) => {
    const live = app.client((await liveKey()).apiKey);
    expect((await live.post(create, { input: { url } })).body.errors).toBeUndefined();
  });

  let made: Client | undefined;
  const liveKey = async () => (made ??= await app.tenant({ alias: 'live', test: false }));
});

it.each([
  ['1.1.1.1', true],
  ['8.8.8.8', true],
  ['2606:4700:4700::1111', true],
  ['2a00:1450:4001::1', true],
  // Metadata and platform services of clouds: Azure, AWS, GCP, Alibaba, Oracle, Tencent, IBM.
  ['168.63.129.16', false],
  ['168.63.129.17', true],
  ['169.254.169.254', false],
  ['169.254.170.2', false],
  ['169.254.0.23', false],
  ['fd00:ec2::254', false],
  ['fd00:ec2::23', false],
  ['fd20:ce::254', false],
  ['100.100.100.200', false],
  ['192.0.0.192', false],
  ['161.26.0.10', false],
  ['161.27.0.10', true],
  ['166.8.0.1', false],
  ['166.11.255.255', false],
  ['166.12.0.1', true],
  // The same, and others inside, in IPv6: mapped, NAT64, 6to4, Teredo, ISATAP.
  ['::ffff:168.63.129.16', false],
  ['64:ff9b::a83f:8110', false],
  ['64:ff9b::a9fe:a9fe', false],
  ['64:ff9b:1::a9fe:a9fe', false],
  ['2002:a83f:8110::1', false],
  ['2002:a9fe:a9fe::1', false],
  ['2001:0:a9fe:a9fe::1', false],
  ['2001:0:53aa:64c:0:fbdd:5601:5601', false],
  ['2a00:1450::5efe:10.0.0.1', false],
  ['2a00:1450::200:5efe:169.254.169.254', false],
  ['::ffff:8.8.8.8', false],
  ['64:ff9b::808:808', false],
  ['4000::1', false],
  ['fe80::1%eth0', false],
  ['nonsense', false],
  ['', false],
])('%j is public: %s', (address, expected) => {
  expect(isPublic(address)).toBe(expected);
});
