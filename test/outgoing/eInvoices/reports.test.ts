/** Signed reports of access points: which are taken, what they change, and that a repeated one changes nothing. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openAccessPoint, signReport, type AccessPoint } from '../../support/accessPoint.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { stoppedClock, type TestClock } from '../../support/clock.ts';
import {
  configureDocument,
  createReceiver,
  issue,
  readDelivery,
  secret as apSecret,
  setUpSeller,
} from '../../support/eInvoices.ts';
import { expectSound } from '../../support/world.ts';

let app: TestApp;
let point: AccessPoint;
let clock: TestClock;
let client: Client;
let alias: string;
let secret: string;
let id: string;
let tenants = 0;
let reports = 0;

const create =
  'mutation ($input: CreateCallbackSecretInput!) { createCallbackSecret(input: $input) { secret account { callbackUrl previousCallbackSecretUntil settings { name value } } } }';
const createSecret = async (by: Client, overlapSeconds?: number): Promise<any> =>
  (await by.graphql(create, { input: { provider: 'access_point', overlapSeconds } })).createCallbackSecret;

beforeAll(async () => {
  point = await openAccessPoint();
  clock = stoppedClock('2026-01-31T00:00:00.000Z');
  app = await startApp({ webhookAllowPrivate: 'on', rateLimitPerSecond: '100000' }, { clock });
});
afterAll(async () => {
  await expectSound(app);
  await app.close();
  await point.close();
});

beforeEach(async () => {
  alias = `acme-${++tenants}`;
  client = await app.tenant({ alias, name: 'Acme' });
  await setUpSeller(client, point.url);
  ({ secret } = await createSecret(client));
  id = (await issue(client, await createReceiver(client))).id;
  await app.service.eInvoices.sendDue(app.service, alias);
});

interface Sent {
  body?: string;
  headers?: Record<string, string>;
  to?: string;
}

const deliver = async ({ body = '', headers = {}, to = alias }: Sent) => {
  const response = await app.server.inject({
    method: 'POST',
    url: `/callbacks/access_point/${to}`,
    payload: body,
    headers,
  });
  return { status: response.statusCode, body: response.json() };
};

const signed = (fields: object, more: { id?: string; secret?: string; atMs?: number } = {}): Sent => {
  const body = JSON.stringify(fields);
  const { id: reportId = `report-${++reports}`, secret: by = secret, atMs = clock.nowMs() } = more;
  return { body, headers: signReport(by, reportId, body, atMs) };
};

const recorded = { status: 200, body: { received: true, recorded: true } };
const repeated = { status: 200, body: { received: true, recorded: false } };

describe('a signed report', () => {
  it.each([
    [
      'of a delivery',
      { status: 'accepted', reference: 'msg-7' },
      { status: 'accepted', reference: 'msg-7', lastError: null },
    ],
    [
      'of a rejection',
      { status: 'rejected', message: 'No order' },
      { status: 'rejected', lastError: 'No order' },
    ],
    [
      'with a long message',
      { status: 'rejected', message: 'x'.repeat(9000) },
      { lastError: 'x'.repeat(1000) },
    ],
    ['with lines', { status: 'rejected', message: 'a\r\n\tb\u0007c' }, { lastError: 'a b c' }],
    ['with further fields', { status: 'accepted', tenant: 'other', constructor: 1 }, { status: 'accepted' }],
  ])('%s is recorded', async (_, fields, expected) => {
    expect(await deliver(signed({ key: id, ...fields }))).toEqual(recorded);
    expect(await readDelivery(client, id)).toMatchObject(expected);
    const where = { tenantAlias: alias, executorId: 'system:access_point' };
    const traces = await app.service.store.committed.select('traces', { where });
    expect(traces.map(({ activityType, payload }) => `${activityType} ${String(payload['action'])}`)).toEqual(
      [`InvoiceEvent e_invoice_${fields.status}`],
    );
  });

  it('changes nothing if it is repeated, also after later ones', async () => {
    const accepted = signed({ key: id, status: 'accepted' });
    const same = signed({ key: id, status: 'accepted' });
    expect(await deliver(accepted)).toEqual(recorded);
    expect(await deliver(same)).toEqual(recorded);
    expect(await deliver(signed({ key: id, status: 'rejected', message: 'late' }))).toEqual(recorded);
    const before = await app.backdoor.dump();
    for (const old of [accepted, same]) expect(await deliver(old)).toEqual(repeated);
    expect(await app.backdoor.dump()).toBe(before);
    expect(await readDelivery(client, id)).toMatchObject({ status: 'rejected', lastError: 'late' });
  });

  it('of a document that was sent again under another key changes nothing', async () => {
    expect(await deliver(signed({ key: id, status: 'rejected' }))).toEqual(recorded);
    await client.graphql('mutation ($id: ID!) { sendEInvoice(id: $id) { status } }', { id });
    await app.service.eInvoices.sendDue(app.service, alias);
    expect(point.calls.at(-1)!.headers['idempotency-key']).toBe(`${id}-2`);
    expect(await deliver(signed({ key: id, status: 'rejected' }))).toEqual(repeated);
    expect(await readDelivery(client, id)).toMatchObject({ status: 'sent' });
    expect(await deliver(signed({ key: `${id}-2`, status: 'accepted' }))).toEqual(recorded);
    expect(await readDelivery(client, id)).toMatchObject({ status: 'accepted' });
  });

  it('before the document was sent is kept, and it is not sent any more', async () => {
    const early = (await issue(client, await createReceiver(client))).id;
    const sent = point.calls.length;
    expect(await deliver(signed({ key: early, status: 'accepted' }))).toEqual(recorded);
    await app.service.eInvoices.sendDue(app.service, alias);
    expect(point.calls).toHaveLength(sent);
    expect(await readDelivery(client, early)).toMatchObject({ status: 'accepted', nextAttemptAt: null });
  });

  it('is recorded once of fifty at once, of two that differ the last', async () => {
    const one = signed({ key: id, status: 'accepted', reference: 'msg-1' });
    const answers = await Promise.all(Array.from({ length: 50 }, () => deliver(one)));
    expect(answers.filter(({ body }) => body.recorded)).toHaveLength(1);
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        deliver(
          signed({ key: id, status: index % 2 === 0 ? 'accepted' : 'rejected', message: String(index) }),
        ),
      ),
    );
    expect((await readDelivery(client, id)).status).toMatch(/^(accepted|rejected)$/);
    const { invoices } = await client.graphql('{ invoices(eInvoiceStatus: accepted) { totalCount } }');
    expect(invoices.totalCount).toBe((await readDelivery(client, id)).status === 'accepted' ? 1 : 0);
  });

  it('says nothing about a customer who is erased', async () => {
    const { invoice } = await client.graphql('query ($id: ID!) { invoice(id: $id) { customerId } }', { id });
    await client.graphql('mutation ($id: ID!) { eraseCustomer(id: $id) { id } }', { id: invoice.customerId });
    await deliver(signed({ key: id, status: 'rejected', message: 'Ada Zuid moved', reference: 'Ada' }));
    expect(await readDelivery(client, id)).toMatchObject({ status: 'rejected', lastError: null });
    expect(await app.backdoor.dump(alias)).not.toContain('Ada Zuid moved');
  });
});

describe('is refused', () => {
  const minute = 60_000;
  const rows: [string, () => Sent, number, string][] = [
    [
      'without a signature',
      () => ({ ...signed({ key: id, status: 'accepted' }), headers: { 'content-type': 'application/json' } }),
      400,
      'webhook-id',
    ],
    [
      'with another secret',
      () =>
        signed(
          { key: id, status: 'accepted' },
          { secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}` },
        ),
      400,
      'webhook-signature',
    ],
    [
      'with the secret of the calls',
      () => signed({ key: id, status: 'accepted' }, { secret: Buffer.from(apSecret).toString('base64') }),
      400,
      'webhook-signature',
    ],
    [
      'with another body',
      () => ({
        ...signed({ key: id, status: 'accepted' }),
        body: JSON.stringify({ key: id, status: 'rejected' }),
      }),
      400,
      'webhook-signature',
    ],
    [
      'with another id',
      () => change(signed({ key: id, status: 'accepted' }), 'webhook-id', 'other'),
      400,
      'webhook-signature',
    ],
    [
      'with another time',
      () =>
        change(
          signed({ key: id, status: 'accepted' }),
          'webhook-timestamp',
          String(clock.nowMs() / 1000 + 1),
        ),
      400,
      'webhook-signature',
    ],
    [
      'six minutes old',
      () => signed({ key: id, status: 'accepted' }, { atMs: clock.nowMs() - 6 * minute }),
      400,
      'webhook-timestamp',
    ],
    [
      'of six minutes ahead',
      () => signed({ key: id, status: 'accepted' }, { atMs: clock.nowMs() + 6 * minute }),
      400,
      'webhook-timestamp',
    ],
    [
      'with a time in words',
      () => change(signed({ key: id, status: 'accepted' }), 'webhook-timestamp', 'now'),
      400,
      'webhook-timestamp',
    ],
    [
      'with a negative time',
      () => change(signed({ key: id, status: 'accepted' }), 'webhook-timestamp', '-1'),
      400,
      'webhook-timestamp',
    ],
    [
      'with a huge time',
      () => change(signed({ key: id, status: 'accepted' }), 'webhook-timestamp', '9'.repeat(400)),
      400,
      'webhook-timestamp',
    ],
    [
      'with a signature without a version',
      () => change(signed({ key: id, status: 'accepted' }), 'webhook-signature', 'abc'),
      400,
      'webhook-signature',
    ],
    [
      'with an empty signature',
      () => change(signed({ key: id, status: 'accepted' }), 'webhook-signature', ''),
      400,
      'webhook-signature',
    ],
    [
      'with a long id',
      () => signed({ key: id, status: 'accepted' }, { id: 'x'.repeat(300) }),
      400,
      'webhook-id',
    ],
    ['with a status of its own', () => signed({ key: id, status: 'sent' }), 400, 'status'],
    ['without a status', () => signed({ key: id }), 400, 'status'],
    ['without a key', () => signed({ status: 'accepted' }), 400, 'key'],
    ['with a list as key', () => signed({ key: [id], status: 'accepted' }), 400, 'key'],
    ['with a key of another form', () => signed({ key: `${id}' or 1=1`, status: 'accepted' }), 400, 'key'],
    ['with a huge edition', () => signed({ key: `${id}-99999999999999`, status: 'accepted' }), 400, 'key'],
    ['with a number as message', () => signed({ key: id, status: 'rejected', message: 7 }), 400, 'message'],
    ['of a document that is not there', () => signed({ key: 'inv_0', status: 'accepted' }), 404, ''],
    ['as a list', () => raw('[]'), 400, 'body'],
    ['as text', () => raw('accepted'), 400, 'body'],
    ['without a body', () => raw(''), 400, 'key'],
    ['nested too deep', () => raw(`{"key":${'['.repeat(500)}${']'.repeat(500)}}`), 400, 'body'],
    [
      'of a tenant that is not there',
      () => ({ ...signed({ key: id, status: 'accepted' }), to: 'nobody' }),
      404,
      '',
    ],
  ];
  const raw = (body: string): Sent => ({
    body,
    headers: signReport(secret, `report-${++reports}`, body, clock.nowMs()),
  });
  const change = (sent: Sent, name: string, value: string): Sent => ({
    ...sent,
    headers: { ...sent.headers, [name]: value },
  });

  it.each(rows)('%s', async (_, build, status, path) => {
    const before = await app.backdoor.dump();
    const answer = await deliver(build());
    expect(answer.status, JSON.stringify(answer.body)).toBe(status);
    if (path) expect(JSON.stringify(answer.body)).toContain(`"${path}`);
    expect(await app.backdoor.dump()).toBe(before);
  });

  it('for the document of another tenant, whose own secret is right', async () => {
    const [victim, victimId, victimSecret] = [alias, id, secret];
    const other = `other-${tenants}`;
    const thief = await app.tenant({ alias: other, name: 'Other' });
    await setUpSeller(thief, point.url);
    const { secret: own } = await createSecret(thief);
    const fields = { key: victimId, status: 'rejected' };
    const before = await app.backdoor.dump();
    expect(await deliver({ ...signed(fields, { secret: own }), to: other })).toMatchObject({ status: 404 });
    expect(await deliver({ ...signed(fields, { secret: own }), to: victim })).toMatchObject({ status: 400 });
    expect(await deliver({ ...signed(fields, { secret: victimSecret }), to: other })).toMatchObject({
      status: 400,
    });
    expect(await app.backdoor.dump()).toBe(before);
  });

  it('without an access point, or without a secret', async () => {
    const without = await app.tenant({ alias: `without-${tenants}`, name: 'Without' });
    const report = { ...signed({ key: id, status: 'accepted' }), to: `without-${tenants}` };
    expect(await deliver(report)).toMatchObject({ status: 404 });
    await setUpSeller(without, point.url);
    expect(await deliver(report)).toMatchObject({ status: 404 });
    await client.graphql('mutation { removeAccount(input: { provider: access_point }) { provider } }');
    expect(await deliver(signed({ key: id, status: 'accepted' }))).toMatchObject({ status: 404 });
  });
});

describe('the secret', () => {
  it('is shown once, as are its last letters afterwards', async () => {
    const created = await createSecret(client, 0);
    expect(created.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(created.account.callbackUrl).toMatch(new RegExp(`/callbacks/access_point/${alias}$`));
    expect(created.account.settings).toContainEqual({
      name: 'callbackSecret',
      value: `…${created.secret.slice(-4)}`,
    });
    expect(await app.backdoor.dump(alias)).not.toContain(created.secret.slice(6));
  });

  it('is replaced, and the one before it is taken for a while', async () => {
    const before = secret;
    const next = await createSecret(client, 60);
    expect(next.account.previousCallbackSecretUntil).toBe('2026-01-31T00:01:00.000Z');
    for (const by of [before, next.secret])
      expect(await deliver(signed({ key: id, status: 'accepted' }, { secret: by }))).toEqual(recorded);
    clock.advance(60_000);
    expect(await deliver(signed({ key: id, status: 'accepted' }, { secret: before }))).toMatchObject({
      status: 400,
    });
    expect(await deliver(signed({ key: id, status: 'accepted' }, { secret: next.secret }))).toEqual(recorded);
  });

  it('is kept with another path or key, and not with another host', async () => {
    const configure = (url: string) =>
      client.graphql(configureDocument, { accessPoint: { url, secret: 'another-secret', formats: ['ubl'] } });
    await configure(`${point.url}/v2`);
    expect(await deliver(signed({ key: id, status: 'accepted' }))).toEqual(recorded);
    await configure('https://ap.example/documents');
    expect(await deliver(signed({ key: id, status: 'rejected' }))).toMatchObject({ status: 404 });
  });

  it.each([
    ['of a mail server', { provider: 'smtp' }, 'validation_failed'],
    ['with a negative overlap', { provider: 'access_point', overlapSeconds: -1 }, 'validation_failed'],
    [
      'with an overlap of months',
      { provider: 'access_point', overlapSeconds: 10_000_000 },
      'validation_failed',
    ],
  ])('%s is refused', async (_, input, reason) => {
    const { body } = await client.post(create, { input });
    expect(body.errors[0].extensions.reason).toBe(reason);
  });

  it('needs the permission to manage accounts, and an account', async () => {
    const reader = await app.key(alias, 'read');
    const { body } = await reader.post(create, { input: { provider: 'access_point' } });
    expect(body.errors[0].extensions.reason).toBe('insufficient_scope');
    const none = await app.tenant({ alias: `none-${tenants}`, name: 'None' });
    const refused = await none.post(create, { input: { provider: 'access_point' } });
    expect(refused.body.errors[0].extensions.reason).toBe('account_not_found');
  });
});
