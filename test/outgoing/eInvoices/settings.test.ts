/** The access point of a tenant: what its settings may be, what is shown of them, and the trial call. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAccessPoint, reply, type AccessPoint } from '../../support/accessPoint.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import {
  configureDocument,
  createReceiver,
  issue,
  readDelivery,
  secret,
  setUpSeller,
} from '../../support/eInvoices.ts';

let app: TestApp;
let closed: TestApp;
let point: AccessPoint;
let client: Client;
let live: Client;

beforeAll(async () => {
  point = await openAccessPoint();
  app = await startApp({ webhookAllowPrivate: 'on', rateLimitPerSecond: '100000' });
  closed = await startApp(
    { rateLimitPerSecond: '100000' },
    { webhooks: { lookupStepMs: 20, refusedForMs: 1 } },
  );
  client = await app.tenant({ alias: 'acme', name: 'Acme' });
  live = await closed.tenant({ alias: 'live', name: 'Live', test: false });
});
afterAll(async () => {
  await Promise.all([app.close(), closed.close()]);
  await point.close();
});

const valid = { url: 'https://ap.example/documents', secret, formats: ['peppol_bis_3'] };
const configure = (by: Client, fields: object) =>
  by.post(configureDocument, { accessPoint: { ...valid, ...fields } });

describe('refuses', () => {
  const rows: [string, object, string][] = [
    ['a loopback address', { url: 'https://127.0.0.1/x' }, 'url'],
    ['a loopback name', { url: 'https://localhost/x' }, 'url'],
    ['a private address', { url: 'https://10.0.0.7/x' }, 'url'],
    ['a mapped address', { url: 'https://[::ffff:127.0.0.1]/x' }, 'url'],
    ['the address of metadata', { url: 'https://169.254.169.254/latest' }, 'url'],
    ['a decimal address', { url: 'https://2130706433/' }, 'url'],
    ['plain http of a live tenant', { url: 'http://ap.example/' }, 'url'],
    ['another scheme', { url: 'ftp://ap.example/' }, 'url'],
    ['a user and a password', { url: 'https://a:b@ap.example/' }, 'url'],
    ['a line break in the address', { url: 'https://ap.example/\nx' }, 'url'],
    ['a long address', { url: `https://ap.example/${'x'.repeat(5000)}` }, 'url'],
    ['a line break in the secret', { secret: 'a\r\nX-Admin: 1' }, 'secret'],
    ['an umlaut in the secret', { secret: 'schlüssel' }, 'secret'],
    ['an empty secret', { secret: '' }, 'secret'],
    ['a secret of spaces', { secret: '  ' }, 'secret'],
    ['a long secret', { secret: 'x'.repeat(5000) }, 'secret'],
    ['a line break in the header', { header: 'X-Key\r\nHost' }, 'header'],
    ['a colon in the header', { header: 'X-Key: 1' }, 'header'],
    ['a long header', { header: 'x'.repeat(5000) }, 'header'],
    ['the header Host', { header: 'host' }, 'header'],
    ['the header of the length', { header: 'Content-Length' }, 'header'],
    ['the key of the call', { header: 'Idempotency-Key' }, 'header'],
    ['a header of the call', { header: 'Perennial-Document' }, 'header'],
    ['no format', { formats: [] }, 'formats'],
    ['a PDF', { formats: ['pdf'] }, 'formats'],
  ];
  it.each(rows)('%s', async (_, fields, path) => {
    const { text, body } = await configure(live, fields);
    expect(body.errors[0].extensions.reason).toMatch(/validation_failed|bad_request/);
    expect(text).toContain(path);
    expect((await live.graphql('{ tenant { accounts { provider } } }')).tenant.accounts).toEqual([]);
  });
});

it('shows everything but the secret, in no response, event or column', async () => {
  const { configureAccount: account } = await client.graphql(configureDocument, {
    accessPoint: { ...valid, header: 'X-Key', formats: ['ubl', 'peppol_bis_3', 'ubl'] },
  });
  expect(account).toEqual({
    provider: 'access_point',
    callbackUrl: expect.stringMatching(/\/callbacks\/access_point\/acme$/),
    failedAt: null,
    failure: null,
    settings: [
      { name: 'url', value: valid.url },
      { name: 'header', value: 'X-Key' },
      { name: 'formats', value: 'ubl peppol_bis_3' },
      { name: 'secret', value: '…6789' },
    ],
  });
  const { committed } = app.service.store;
  const rows = [
    await committed.select('traces', { where: { tenantAlias: 'acme' } }),
    await committed.select('accounts', { where: { tenantAlias: 'acme' } }),
    await committed.select('tenants', { where: { alias: 'acme' } }),
  ];
  expect(JSON.stringify(rows)).not.toContain(secret);
  expect(rows[2]).toMatchObject([{ eInvoiceFormats: ['ubl', 'peppol_bis_3'] }]);
  await configure(client, { secret: 'short' });
  expect(
    JSON.stringify(await committed.select('accounts', { where: { tenantAlias: 'acme' } })),
  ).not.toContain('short');
});

describe('the trial call', () => {
  const rows = [
    [200, null],
    [204, null],
    [404, null],
    [405, null],
    [401, 'answered 401'],
    [403, 'answered 403'],
    [500, 'answered 500'],
  ] as const;
  it.each(rows)('answered by %s', async (status, failure) => {
    await configure(client, { url: point.url });
    point.calls.length = 0;
    point.respond(reply(status));
    const { testAccount } = await client.graphql(
      'mutation { testAccount(input: { provider: access_point }) { failure } }',
    );
    expect(testAccount).toEqual({ failure });
    expect(point.calls).toMatchObject([{ method: 'HEAD', headers: { authorization: `Bearer ${secret}` } }]);
    expect(point.calls[0]!.bytes).toHaveLength(0);
  });
});

it('calls no name that resolves to an internal address', async () => {
  const inner = await startApp(
    { rateLimitPerSecond: '100000' },
    {
      webhooks: {
        lookup: (_, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
        lookupStepMs: 1,
      },
    },
  );
  const tenant = await inner.tenant({ alias: 'inner', name: 'Inner' });
  const { port } = new URL(point.url);
  await setUpSeller(tenant, `http://ap.example:${port}/documents`);
  point.calls.length = 0;
  const { id } = await issue(tenant, await createReceiver(tenant));
  await inner.service.eInvoices.sendDue(inner.service, 'inner');
  expect(await readDelivery(tenant, id)).toMatchObject({
    status: 'queued',
    lastError: 'address_unusable',
    history: [{ durationMs: 0 }],
  });
  const { testAccount } = await tenant.graphql(
    'mutation { testAccount(input: { provider: access_point }) { failure } }',
  );
  expect(testAccount).toEqual({ failure: 'address_unusable' });
  expect(point.calls).toEqual([]);
  await inner.close();
});
