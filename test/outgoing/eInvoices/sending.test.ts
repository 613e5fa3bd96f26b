/** E-invoices on their way to an access point: which are sent, how often, and what its responses mean. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildDocuments } from '../../documents/pdfFile.ts';
import { openAccessPoint, reply, type AccessPoint, type Respond } from '../../support/accessPoint.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { dayMs, stoppedClock, type TestClock } from '../../support/clock.ts';
import {
  createReceiver,
  deliveryFields,
  downloadBytes,
  issue,
  readDelivery,
  secret,
  setUpSeller,
} from '../../support/eInvoices.ts';
import { documents } from '../../support/oneOff.ts';
import { expectSound } from '../../support/world.ts';

let app: TestApp;
let point: AccessPoint;
let clock: TestClock;
let client: Client;
let alias: string;
let tenants = 0;

beforeAll(async () => {
  buildDocuments();
  point = await openAccessPoint();
  clock = stoppedClock('2026-01-31T00:00:00.000Z');
  app = await startApp(
    { webhookAllowPrivate: 'on', rateLimitPerSecond: '100000' },
    { clock, webhooks: { timeoutMs: 300 } },
  );
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
});
afterEach(() => {
  point.respond(reply(202));
  point.calls.length = 0;
});

const send = () => app.service.eInvoices.sendDue(app.service, alias);

const listEvents = async (id: string): Promise<string[]> => {
  const where = { tenantAlias: alias, resourceId: id };
  const traces = await app.service.store.committed.select('traces', { where, orderBy: ['eventId'] });
  return traces.map(({ activityType, payload }) =>
    [activityType, payload['action'], JSON.stringify(payload['details'])].filter(Boolean).join(' '),
  );
};

describe('what is sent', () => {
  it.each([
    ['peppol_bis_3', 'application/xml'],
    ['ubl', 'application/xml'],
    ['factur_x', 'application/pdf'],
  ])('an invoice as %s, with the bytes of its document', async (format, contentType) => {
    const invoice = await issue(client, await createReceiver(client, format));
    expect(invoice.eInvoiceDelivery).toMatchObject({ status: 'queued', format, attempts: 0, history: [] });
    await send();
    expect(point.calls).toHaveLength(1);
    const [{ method, headers, bytes }] = point.calls as [AccessPoint['calls'][0]];
    expect({ method, headers }).toMatchObject({
      method: 'POST',
      headers: {
        authorization: `Bearer ${secret}`,
        'content-type': contentType,
        'idempotency-key': invoice.id,
        'perennial-document': invoice.id,
        'perennial-document-kind': 'invoice',
        'perennial-format': format,
        'perennial-tenant': alias,
        'perennial-test': 'true',
      },
    });
    expect(bytes).toEqual(await downloadBytes(client, invoice.id, format));
    expect(await readDelivery(client, invoice.id)).toMatchObject({
      status: 'sent',
      attempts: 1,
      lastError: null,
      nextAttemptAt: null,
      history: [{ statusCode: 202, error: null }],
    });
    expect(await listEvents(invoice.id)).toEqual([
      'InvoiceEvent created',
      `InvoiceEvent e_invoice_sent {"format":"${format}"}`,
    ]);
  });

  it('a credit note of its own', async () => {
    const invoice = await issue(client, await createReceiver(client));
    const { createCreditNote: note } = await client.graphql(
      `mutation ($id: ID!) { createCreditNote(input: { invoiceId: $id, kind: credit }) { id ${deliveryFields} } }`,
      { id: invoice.id },
    );
    expect(note.eInvoiceDelivery).toMatchObject({ status: 'queued', documentId: note.id });
    await send();
    const sent = point.calls.find(({ headers }) => headers['idempotency-key'] === note.id)!;
    expect(sent.headers['perennial-document-kind']).toBe('credit_note');
    expect(sent.bytes).toEqual(await downloadBytes(client, note.id, 'peppol_bis_3', 'creditNote'));
    expect((await listEvents(note.id)).at(-1)).toContain('CreditNoteEvent e_invoice_sent');
  });

  it.each([
    ['of a customer without a format', null],
    ['in a format that the access point does not take', 'cii'],
  ])('nothing %s', async (_, format) => {
    const invoice = await issue(client, await createReceiver(client, format));
    expect(invoice.eInvoiceDelivery).toBeNull();
    await send();
    expect(point.calls).toEqual([]);
  });

  it('a draft once it is finalized', async () => {
    await client.graphql('mutation { updateTenant(input: { invoiceGraceHours: 24 }) { alias } }');
    const { createInvoice: draft } = await client.graphql(
      `mutation ($customerId: ID!) { createInvoice(input: { customerId: $customerId, collect: send_invoice,
        items: [{ amount: { amount: 5, currency: "eur" }, description: "Call" }] }) { id documentNumber ${deliveryFields} } }`,
      { customerId: await createReceiver(client) },
    );
    expect(draft).toMatchObject({ documentNumber: null, eInvoiceDelivery: null });
    await client.graphql('mutation ($id: ID!) { finalizeInvoice(id: $id) { id } }', { id: draft.id });
    await send();
    expect(await readDelivery(client, draft.id)).toMatchObject({ status: 'sent' });
  });
});

const refused = 'x'.repeat(5000);

/** How the access point responds, and what becomes of the e-invoice. */
const responses: [string, Respond, object][] = [
  ['202 without a body', reply(202), { status: 'sent', reference: null }],
  ['200 with a reference', reply(200, { reference: 'msg-1' }), { status: 'sent', reference: 'msg-1' }],
  ['201 with an id', reply(201, { id: 77, status: 'queued' }), { status: 'sent', reference: '77' }],
  [
    '200 accepted',
    reply(200, { reference: 'r', status: 'accepted' }),
    { status: 'accepted', reference: 'r' },
  ],
  [
    '200 rejected',
    reply(200, { reference: 'r', status: 'rejected', message: 'unknown\nreceiver' }),
    { status: 'rejected', reference: 'r', lastError: 'unknown receiver' },
  ],
  ['200 with a text', reply(200, '<ok/>'), { status: 'sent', reference: null }],
  ['200 with a list', reply(200, '[1]'), { status: 'sent', reference: null }],
  [
    '200 with hostile fields',
    reply(200, { reference: { a: 1 }, status: 7, message: [] }),
    { status: 'sent' },
  ],
  ['409, it has it already', reply(409, { reference: 'first' }), { status: 'sent', reference: 'first' }],
  ['409, it has accepted it', reply(409, { status: 'accepted' }), { status: 'accepted' }],
  [
    '409, it has rejected it',
    reply(409, { status: 'rejected', message: 'no' }),
    { status: 'rejected', lastError: 'no' },
  ],
  ['400 with a message', reply(400, { message: 'BR-01' }), { status: 'rejected', lastError: 'BR-01' }],
  ['404 without a body', reply(404), { status: 'rejected', lastError: 'answered 404' }],
  ['422 with a long text', reply(422, refused), { status: 'rejected', lastError: refused.slice(0, 1000) }],
  ['410', reply(410, 'gone'), { status: 'rejected', lastError: 'gone' }],
  ['500', reply(500, { status: 'rejected' }), { status: 'queued', lastError: 'answered 500' }],
  ['503', reply(503), { status: 'queued', lastError: 'answered 503' }],
  ['429', reply(429), { status: 'queued', lastError: 'answered 429' }],
  ['401', reply(401), { status: 'queued', lastError: 'answered 401' }],
  ['403', reply(403), { status: 'queued', lastError: 'answered 403' }],
  ['a redirect', reply(302, '', { location: 'http://127.0.0.1/' }), { status: 'queued' }],
  ['nothing in time', () => undefined, { status: 'queued', lastError: 'timeout' }],
  ['a cut connection', (response) => response.destroy(), { status: 'queued', lastError: 'ECONNRESET' }],
  [
    'a response without an end',
    (response) => response.writeHead(200, { 'content-length': '10' }).write('{'),
    { status: 'queued', lastError: 'timeout' },
  ],
];

describe('the responses of the access point', () => {
  it.each(responses)('%s', async (_, respond, expected) => {
    point.respond(respond);
    const { id } = await issue(client, await createReceiver(client));
    await send();
    const delivery = await readDelivery(client, id);
    expect(delivery).toMatchObject({ attempts: 1, ...expected });
    const isRepeated = delivery.status === 'queued';
    expect(delivery.nextAttemptAt !== null).toBe(isRepeated);
    const { invoices } = await client.graphql(
      'query ($status: EInvoiceStatus) { invoices(eInvoiceStatus: $status, first: 2) { nodes { id } totalCount } }',
      { status: delivery.status },
    );
    expect(invoices).toEqual({ nodes: [{ id }], totalCount: 1 });
    const { tenant } = await client.graphql('{ tenant { accounts { provider failure } } }');
    expect(tenant.accounts).toEqual([
      { provider: 'access_point', failure: isRepeated ? delivery.lastError : null },
    ]);
  });
});

it('tries again for three days with the same key and the same bytes, then fails for good', async () => {
  point.respond(reply(500));
  const { id } = await issue(client, await createReceiver(client));
  for (let attempt = 1; attempt <= 11; attempt += 1) {
    await send();
    expect(point.calls).toHaveLength(attempt);
    // What the customer pays meanwhile does not change what is sent.
    if (attempt === 1) await client.graphql(documents.recordPayment, { id });
    clock.advance(dayMs);
  }
  expect(new Set(point.calls.map(({ headers }) => headers['idempotency-key']))).toEqual(new Set([id]));
  for (const { bytes } of point.calls) expect(bytes).toEqual(point.calls[0]!.bytes);
  const failed = await readDelivery(client, id);
  expect(failed).toMatchObject({
    status: 'failed',
    attempts: 11,
    lastError: 'answered 500',
    nextAttemptAt: null,
  });
  expect((await listEvents(id)).at(-1)).toBe(
    'InvoiceEvent e_invoice_failed {"format":"peppol_bis_3","message":"answered 500"}',
  );
  await send();
  expect(point.calls).toHaveLength(11);
});

const again = (id: string) =>
  client.graphql('mutation ($id: ID!) { sendEInvoice(id: $id) { status attempts } }', { id });
const report = (id: string, input: object) =>
  client.post(
    'mutation ($id: ID!, $input: ReportEInvoiceInput!) { reportEInvoice(id: $id, input: $input) { status reference lastError } }',
    { id, input },
  );

describe('sending again', () => {
  it.each([
    ['sent', reply(202), (id: string) => [id, id]],
    ['accepted', reply(200, { status: 'accepted' }), (id: string) => [id, id]],
    ['rejected', reply(422, 'wrong'), (id: string) => [id, `${id}-2`]],
    ['queued', reply(500), (id: string) => [id, id]],
  ] as const)('one that is %s', async (status, respond, keys) => {
    point.respond(respond);
    const { id } = await issue(client, await createReceiver(client));
    await send();
    expect(await readDelivery(client, id)).toMatchObject({ status });
    expect((await again(id)).sendEInvoice).toMatchObject({ status: 'queued' });
    point.respond(reply(202));
    await send();
    expect(point.calls.map(({ headers }) => headers['idempotency-key'])).toEqual(keys(id));
    expect(await readDelivery(client, id)).toMatchObject({ status: 'sent', lastError: null });
  });

  it('one that was issued before there was an access point', async () => {
    await client.graphql('mutation { removeAccount(input: { provider: access_point }) { provider } }');
    const { id } = await issue(client, await createReceiver(client));
    expect(await readDelivery(client, id)).toBeNull();
    await expect(again(id)).rejects.toThrow('account_not_found');
    await setUpSeller(client, point.url);
    await again(id);
    await send();
    expect(await readDelivery(client, id)).toMatchObject({ status: 'sent' });
    expect((await listEvents(id)).map((each) => each.split(' ')[1])).toEqual([
      'created',
      'e_invoice_queued',
      'e_invoice_sent',
    ]);
  });

  it('waits while the access point is removed, and goes on with the next one', async () => {
    const { id } = await issue(client, await createReceiver(client));
    await client.graphql('mutation { removeAccount(input: { provider: access_point }) { provider } }');
    await send();
    expect(point.calls).toEqual([]);
    await setUpSeller(client, point.url, { header: 'X-Api-Key' });
    await send();
    expect(point.calls[0]!.headers).toMatchObject({ 'x-api-key': secret });
    expect(point.calls[0]!.headers['authorization']).toBeUndefined();
    expect(await readDelivery(client, id)).toMatchObject({ status: 'sent' });
  });
});

describe('a report', () => {
  it('accepts or rejects what was sent, once', async () => {
    const { id } = await issue(client, await createReceiver(client));
    point.respond(reply(202, { reference: 'm1' }));
    await send();
    for (let count = 0; count < 2; count += 1) {
      const { body } = await report(id, { status: 'rejected', message: 'No such order.' });
      expect(body.data.reportEInvoice).toEqual({
        status: 'rejected',
        reference: 'm1',
        lastError: 'No such order.',
      });
    }
    const { body } = await report(id, { status: 'accepted', reference: 'm2', message: '' });
    expect(body.data.reportEInvoice).toEqual({ status: 'accepted', reference: 'm2', lastError: null });
    expect((await listEvents(id)).slice(1)).toEqual([
      'InvoiceEvent e_invoice_sent {"format":"peppol_bis_3","reference":"m1"}',
      'InvoiceEvent e_invoice_rejected {"format":"peppol_bis_3","reference":"m1","message":"No such order."}',
      'InvoiceEvent e_invoice_accepted {"format":"peppol_bis_3","reference":"m2"}',
    ]);
  });

  it('ends what is queued, and needs an e-invoice', async () => {
    const { id } = await issue(client, await createReceiver(client));
    await report(id, { status: 'accepted' });
    await send();
    expect(point.calls).toEqual([]);
    const other = await issue(client, await createReceiver(client, null));
    expect((await report(other.id, { status: 'accepted' })).text).toContain('has no e-invoice');
    expect((await report('inv_none', { status: 'accepted' })).text).toContain('invoice_not_found');
  });

  it.each([
    ['another status', { status: 'sent' }, 'status'],
    ['a long reference', { status: 'accepted', reference: 'x'.repeat(201) }, 'reference'],
    ['a long message', { status: 'accepted', message: 'x'.repeat(5000) }, 'message'],
    ['control characters', { status: 'accepted', message: 'a\u0000b' }, 'message'],
    ['a line break in the reference', { status: 'accepted', reference: 'a\nb' }, 'reference'],
  ])('with %s is refused', async (_, input, path) => {
    const { id } = await issue(client, await createReceiver(client));
    await send();
    const { text } = await report(id, input);
    expect(text).toContain(path);
    expect(text).toMatch(/validation_failed|bad_request|BAD_USER_INPUT/);
    expect(await readDelivery(client, id)).toMatchObject({ status: 'sent' });
  });
});

it('belongs to one tenant, over both interfaces', async () => {
  const { id } = await issue(client, await createReceiver(client));
  await send();
  const other = await app.tenant({ alias: `other-${tenants}`, name: 'Other' });
  await setUpSeller(other, point.url);
  for (const [path, fields] of [
    ['/e-invoices', { documentId: id }],
    [`/e-invoices/${id}/report`, { status: 'rejected' }],
  ] as const) {
    const ask = (by: Client, tenantAlias: string) => by.rest('POST', path, { tenantAlias, ...fields });
    expect(await ask(other, `other-${tenants}`)).toMatchObject({ status: 404 });
    expect(await ask(other, alias)).toMatchObject({ status: 403 });
    expect(await ask(await app.key(alias, 'read'), alias)).toMatchObject({ status: 403 });
    expect(await ask(client, alias)).toMatchObject({ status: 201 });
  }
  const { body } = await client.rest('GET', `/invoices/${id}`, { tenantAlias: alias });
  expect(body.eInvoiceDelivery).toMatchObject({ documentId: id, status: 'rejected' });
});

it('sends fifty documents, each once', async () => {
  const customerId = await createReceiver(client);
  const ids = new Set<string>();
  for (let count = 0; count < 50; count += 1) ids.add((await issue(client, customerId)).id);
  await send();
  expect(point.calls).toHaveLength(50);
  expect(new Set(point.calls.map(({ headers }) => headers['idempotency-key']))).toEqual(ids);
});

it('forgets what the access point wrote when the customer is erased, and sends nothing that waits', async () => {
  const customerId = await createReceiver(client);
  const rejected = await issue(client, customerId);
  point.respond(reply(422, 'Ada Zuid is not known'));
  await send();
  point.respond(reply(500));
  const waiting = await issue(client, customerId);
  await send();
  await client.graphql('mutation ($id: ID!) { eraseCustomer(id: $id) { id } }', { id: customerId });
  point.respond(reply(202));
  clock.advance(dayMs);
  await send();
  expect(point.calls).toHaveLength(2);
  expect(await readDelivery(client, waiting.id)).toMatchObject({
    status: 'failed',
    lastError: 'customer_erased',
  });
  expect(await readDelivery(client, rejected.id)).toMatchObject({
    status: 'rejected',
    lastError: '[erased]',
  });
  const where = { tenantAlias: alias };
  const traces = await app.service.store.committed.select('traces', { where });
  expect(JSON.stringify(traces)).not.toContain('is not known');
});
