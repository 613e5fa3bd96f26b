/** Every refusal of the catalogue, reached by a real request, in the one body of the interface (section 7). */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { catalogue, type Reason } from '../../src/lib/errors.ts';
import { warningCodes } from '../../src/lib/warnings.ts';
import { routes } from '../../src/rest/routes.ts';
import { startApp, type Answer, type Client, type TestApp } from '../support/app.ts';
import { expectRestError, fillTenant, inject, raw, type World } from '../support/world.ts';

let app: TestApp;
let client: Client;
let world: World;
let port: number;

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000' });
  client = await app.tenant({ alias: 'acme' });
  world = await fillTenant(client, 'acme');
  await app.server.listen({ host: '127.0.0.1', port: 0 });
  port = (app.server.server.address() as { port: number }).port;
});
afterAll(() => app.close());

const own = (fields: object = {}) => ({ tenantAlias: 'acme', ...fields });
const get = (url: string, fields: object = {}) => client.rest('GET', url, own(fields));
const post = (url: string, fields: object = {}) => client.rest('POST', url, own(fields));
const priced = (amount: number, currency: string) =>
  post(`/products/${world.product}/prices`, { prices: [{ details: { amount, currency } }] });
const createIntent = (fields: object = {}) =>
  post('/subscriptions/intent', {
    customerId: world.customer,
    associatedCustomerId: world.associatedId,
    productId: world.spareProduct,
    priceId: world.sparePrice,
    receiptUrl: 'https://shop.example/receipt',
    ...fields,
  });

/** Reasons that no request of REST can meet, and where they are met instead. */
const elsewhere: Partial<Record<Reason, string>> = {
  too_many_attempts: 'only the pages for payers take codes: test/billing/discounts/codeAttempts.test.ts',
  payment_not_found: 'no route asks for payments: test/graphql/tenancy.test.ts',
  payments_not_set_up: 'no route asks for a link: test/billing/subscriptions/intents/unpayable.test.ts',
  customer_note_not_found: 'no route asks for notes: test/graphql/tenancy.test.ts',
  credit_grant_not_found: 'no route asks for credit grants: test/graphql/tenancy.test.ts',
  credit_type_not_found: 'no route asks for credit types: test/graphql/tenancy.test.ts',
  auto_top_up_not_found: 'no route asks for automatic top-ups: test/graphql/tenancy.test.ts',
  usage_price_override_not_found: 'no route asks for overrides: test/graphql/tenancy.test.ts',
  meter_not_found: 'no route asks for meters: test/graphql/tenancy.test.ts',
  feature_not_found: 'test/billing/entitlements/entitlements.test.ts',
  catalog_changed: 'no route applies files: test/catalogFile/catalogFile.test.ts',
  feature_exists: 'no route creates features: test/billing/entitlements/entitlements.test.ts',
  feature_archived: 'no route attaches features: test/billing/entitlements/entitlements.test.ts',
  entitlement_not_found: 'no route detaches features: test/billing/entitlements/entitlements.test.ts',
  entitlement_override_not_found: 'no route asks for overrides: test/graphql/tenancy.test.ts',
  entitlement_exceeded: 'test/billing/entitlements/reservations.test.ts',
  reservation_not_found: 'test/rest/tenancy.test.ts',
  reservation_closed: 'test/billing/entitlements/reservations.test.ts',
  usage_id_reused: 'test/billing/entitlements/reservations.test.ts',
  payment_failed: 'no route pays: test/graphql/errors.test.ts',
  payment_action_required: 'no route pays: test/graphql/errors.test.ts',
  amount_changed: 'no route has an expected total: test/graphql/errors.test.ts',
  intent_not_payable: 'no route pays: test/graphql/errors.test.ts',
  no_scheduled_change: 'no route takes a change back: test/graphql/errors.test.ts',
  group_conflict: 'takes two that are paid: test/graphql/errors.test.ts',
  customer_has_subscriptions: 'no route erases: test/graphql/errors.test.ts',
  invoice_not_open: 'no route pays: test/graphql/errors.test.ts',
  invoice_not_paid: 'no route pays back: test/graphql/errors.test.ts',
  refund_too_large: 'no route pays back: test/graphql/errors.test.ts',
  invoice_not_draft: 'no route finalizes: test/graphql/errors.test.ts',
  invoice_line_not_found: 'no route credits: test/graphql/errors.test.ts',
  credit_note_not_found: 'no route asks for credit notes: test/graphql/errors.test.ts',
  credit_too_large: 'no route credits: test/graphql/errors.test.ts',
  tax_rate_not_found: 'no route asks for tax rates: test/graphql/errors.test.ts',
  request_in_flight: 'takes two requests at once: test/rest/idempotency.test.ts',
  idempotency_key_reused: 'takes two requests: test/rest/idempotency.test.ts',
  outcome_unknown: 'takes a lost connection: test/storage/postgres/lostCommits.extended.test.ts',
  query_timeout: 'takes a long search: test/graphql/scans.extended.test.ts',
  coupon_not_found: 'no route asks for coupons: test/graphql/errors.test.ts',
  promotion_code_not_found: 'no route takes a code: test/graphql/errors.test.ts',
  promotion_code_exists: 'no route creates a code: test/graphql/errors.test.ts',
  coupon_not_redeemable: 'no route takes a code: test/graphql/errors.test.ts',
  discount_not_found: 'no route asks for discounts: test/graphql/errors.test.ts',
  invoice_item_not_found: 'no route asks for items: test/graphql/errors.test.ts',
  invoice_item_billed: 'no route deletes items: test/graphql/errors.test.ts',
  webhook_endpoint_not_found: 'no route asks for webhooks: test/graphql/errors.test.ts',
  delivery_not_found: 'no route asks for webhooks: test/graphql/errors.test.ts',
  account_not_found: 'no route asks for accounts: test/graphql/errors.test.ts',
  account_in_use: 'no route removes accounts: test/providers/accounts.test.ts',
  payment_method_not_found: 'no route asks for payment methods: test/graphql/errors.test.ts',
  credit_grant_in_use: 'no route voids credit grants: test/billing/invoices/creditGrants.test.ts',
  meter_in_use: 'no route archives meters: test/billing/usage/usagePrices.test.ts',
  payment_method_in_use: 'no route removes payment methods: test/billing/collection/customerMethods.test.ts',
  customer_session_not_found: 'no route asks for sessions: test/graphql/errors.test.ts',
  portal_session_not_found: 'no route asks for the portal: test/graphql/errors.test.ts',
  mail_delivery_not_found: 'no route asks for mails: test/graphql/errors.test.ts',
  mail_template_not_found: 'no route asks for mails: test/graphql/errors.test.ts',
  sign_in_required: 'no route takes a cookie: test/access/operators/sessions.test.ts',
  sign_in_failed: 'no route signs in: test/access/operators/passwords.test.ts',
  tenant_missing: 'a key has a tenant: test/access/operators/sessions.test.ts',
  step_up_required: 'a key needs no sign-in: test/access/operators/permissions.test.ts',
  api_key_not_found: 'no route revokes keys: test/access/operators/keys.test.ts',
  address_not_allowed: 'takes an address: test/access/operators/limitedKeys.test.ts',
  secret_key_in_browser: 'takes a page: test/access/browsers/origins.test.ts',
  origin_not_allowed: 'takes a page: test/access/browsers/origins.test.ts',
  action_not_allowed: 'no route takes a session: test/access/browsers/customerSessions.test.ts',
  closed_to_browsers: 'takes a publishable key: test/access/browsers/publishableKeys.test.ts',
  csrf_refused: 'no route takes a cookie: test/access/operators/sessions.test.ts',
  document_not_found: 'REST has documents of its own: test/http/trustedDocuments.test.ts',
  persisted_query_not_found: 'REST has documents of its own: test/http/conventions.test.ts',
  cost_exceeded: 'the cost of a route is fixed: test/graphql/errors.test.ts',
  document_not_trusted: 'REST has documents of its own: test/http/trustedDocuments.test.ts',
  role_too_high: 'no route manages operators: test/access/operators/team.test.ts',
  operator_not_found: 'no route manages operators: test/access/operators/team.test.ts',
  operator_session_not_found: 'no route ends sessions: test/access/operators/sessions.test.ts',
  passkey_not_found: 'no route removes passkeys: test/access/operators/passkeys.test.ts',
  operator_exists: 'no route manages operators: test/access/operators/team.test.ts',
  operator_unconfirmed: 'no route manages operators: test/access/operators/team.test.ts',
  last_owner: 'no route manages operators: test/access/operators/team.test.ts',
  approval_required: 'takes a limited key: test/access/approvals/everyAction.test.ts',
  action_request_not_found: 'test/rest/tenancy.test.ts',
  action_request_own: 'takes a limited key: test/access/approvals/decisions.test.ts',
  action_request_closed: 'takes two keys: test/access/approvals/decisions.test.ts',
  action_request_changed: 'takes two keys: test/access/approvals/decisions.test.ts',
  action_without_effect: 'no route asks for an action: test/access/approvals/decisions.test.ts',
};

const attempts: Partial<Record<Reason, () => Promise<Answer>>> = {
  validation_failed: () => post('/customers', { email: 'none' }),
  cursor_invalid: () => get('/customers', { cursor: 'abc' }),
  amount_precision: () => priced(19.999, 'afn'),
  currency_unsupported: () => priced(1, 'zzz'),
  start_date_in_past: () => createIntent({ startDate: '2020-01-01' }),
  api_key_missing: () => inject(app, { url: '/api/v1/customers' }),
  api_key_invalid: () => app.client('prn_acme_x').rest('GET', '/customers'),
  tenant_mismatch: () => client.rest('GET', '/customers', { tenantAlias: 'other' }),
  insufficient_scope: async () => (await app.key('acme', 'read')).rest('POST', '/groups', own({ name: 'A' })),
  permission_missing: async () =>
    (await app.key('acme', ['read', 'refund'])).rest('POST', '/groups', own({ name: 'A' })),
  associated_id_mismatch: () =>
    client.rest('PATCH', `/customers/${world.customer}`, own({ associatedId: 'other' })),
  customer_not_found: () => get('/customers/cus_0'),
  product_not_found: () => get('/products/prod_0'),
  price_archived: async () => {
    const id = world.sparePrice;
    await client.graphql('mutation ($id: ID!) { archivePrice(id: $id) { id } }', { id });
    const answer = await createIntent({});
    await client.graphql('mutation ($id: ID!) { unarchivePrice(id: $id) { id } }', { id });
    return answer;
  },
  price_not_found: () => get(`/products/${world.product}/prices/price_0`),
  group_not_found: () => get('/groups/grp_0'),
  subscription_not_found: () => get('/subscriptions/sub_0'),
  intent_not_found: () => get('/subscriptions/intent/int_0'),
  trace_not_found: () => get('/traces/event', { traceId: 'a', eventId: 'b', timestamp: '2026-01-01' }),
  route_not_found: () => get('/nothing'),
  method_not_allowed: () => client.rest('PUT', '/customers', own()),
  associated_id_exists: () =>
    post('/customers', {
      email: 'a@example.org',
      firstName: 'A',
      lastName: 'B',
      associatedId: world.associatedId,
    }),
  lookup_key_exists: async () => {
    const product = { name: 'A', description: '', lookupKey: 'twice' };
    expect((await post('/products', product)).status).toBe(201);
    return post('/products', product);
  },
  order_number_reused: async () => {
    expect((await createIntent({ orderNumber: '7' })).status).toBe(201);
    return createIntent({ orderNumber: '7', reason: 'other' });
  },
  invoice_not_found: () => get('/invoices/inv_0'),
  invoice_not_finalized: () => get(`/invoices/${world.draft}/document`, { format: 'pdf' }),
  subscription_exists: () => createIntent({ productId: world.product, priceId: world.price }),
  currency_mismatch: async () => {
    const prices = [{ details: { amount: 99, currency: 'usd' } }];
    const made = await post('/products', { name: 'P', description: '', groupId: world.group, prices });
    return createIntent({ productId: made.body.product.id, priceId: made.body.prices[0].id });
  },
  subscription_not_active: async () => {
    const cancel = () =>
      client.rest('DELETE', `/subscriptions/${world.subscription}`, own({ customer: world.customer }));
    expect((await cancel()).status).toBe(200);
    return cancel();
  },
  request_too_large: () => post('/groups', { name: 'x'.repeat(1024 * 1024) }),
  result_too_large: async () => {
    const narrow = await startApp({ maxResponseBytes: '65536' });
    const wordy = await narrow.tenant({ alias: 'acme' });
    const metadata = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [index, 'a'.repeat(500)]));
    for (let made = 0; made < 5; made++) {
      expect((await wordy.rest('POST', '/groups', own({ name: 'A', metadata }))).status).toBe(201);
    }
    expect((await wordy.rest('GET', '/groups', own({ limit: 4 }))).status).toBe(200);
    const answer = await wordy.rest('GET', '/groups', own());
    await narrow.close();
    return answer;
  },
  unsupported_media_type: () =>
    client.rest('POST', '/groups', '<name/>', { 'content-type': 'application/xml' }),
  rate_limited: async () => {
    const busy = await startApp({ rateLimitPerSecond: '1' });
    const impatient = await busy.tenant({ alias: 'acme' });
    for (let left = 10; left > 0; left--) {
      expect((await impatient.rest('GET', '/customers')).status).toBe(200);
    }
    const answer = await impatient.rest('GET', '/customers');
    await busy.close();
    return answer;
  },
  unavailable: () => app.backdoor.whileLocked('acme', () => post('/groups', { name: 'A' })),
  internal_error: async () => {
    const broken = await post('/groups', { name: 'Broken' });
    await app.backdoor.poison('groups', broken.body.id);
    const answer = await get(`/groups/${broken.body.id}`);
    await app.backdoor.execute(`delete from groups where id = '${broken.body.id}'`);
    return answer;
  },
};

const reasons = Object.keys(catalogue) as Reason[];

test('every reason has a row here or is tested elsewhere', () => {
  expect([...Object.keys(attempts), ...Object.keys(elsewhere)].toSorted()).toEqual(reasons.toSorted());
});

describe.each(Object.entries(attempts) as [Reason, () => Promise<Answer>][])('%s', (reason, attempt) => {
  it('has the documented error body and changes nothing', async () => {
    const answer = await attempt();
    expectRestError(answer, reason);
    expect(answer.body.body.response.body).toBe(catalogue[reason].message);
    const waits = catalogue[reason].status === 429 || catalogue[reason].status === 503;
    if (waits) expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    else expect(answer.headers['retry-after']).toBeUndefined();
  });
});

test('docs/errors.md lists every reason with its status', () => {
  const page = readFileSync(path.join(import.meta.dirname, '../../docs/errors.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)` +\| (\d{3}) +\| (.+?) +\| (.+?) +\|$/gm)];
  const documented = rows.map(([, reason, status]) => [reason, Number(status)]);
  expect(documented).toEqual(reasons.map((reason) => [reason, catalogue[reason].status]));
  for (const [, reason, , when, what] of rows) {
    expect(when!.length, reason).toBeGreaterThan(10);
    expect(what!.length, reason).toBeGreaterThan(10);
  }
});

test('docs/errors.md lists every warning', () => {
  const page = readFileSync(path.join(import.meta.dirname, '../../docs/errors.md'), 'utf8');
  const [, warnings = ''] = /## Warnings\n(.*?)\n## /s.exec(page) ?? [];
  const documented = Array.from(warnings.matchAll(/^\| `(\w+)`/gm), ([, code]) => code);
  expect(documented).toEqual(Object.keys(warningCodes));
});

test('an error contains the request without its secrets', async () => {
  const answer = await inject(app, {
    method: 'POST',
    url: '/api/v1/customers?a=1',
    headers: {
      'api-key': client.apiKey,
      authorization: 'Bearer secret-1',
      cookie: 'sid=secret-2',
      'proxy-authorization': 'secret-3',
      'x-forwarded-for': 'secret-4',
      'content-type': 'application/json',
      accept: 'application/json',
      'user-agent': 'test',
      'x-executor-id': 'ada',
      'x-request-id': 'r1',
    },
    payload: '{"email":"café"}',
  });
  expectRestError(answer, 'validation_failed');
  expect(answer.body.body.request).toEqual({
    body: '{"email":"café"}',
    headers: {
      accept: 'application/json',
      'content-length': '17',
      'content-type': 'application/json',
      'user-agent': 'test',
      'x-executor-id': 'ada',
      'x-request-id': 'r1',
    },
    url: '/api/v1/customers?a=1',
    method: 'POST',
  });
  expect(answer.text).not.toContain(client.apiKey);
  expect(answer.text).not.toMatch(/secret|Bearer|sid=/);
  const issues = answer.body.cause.issues.map((issue: any) => issue.path);
  expect(issues).toEqual(['a']);
});

test('an error names every field at fault', async () => {
  const { body } = await post('/customers', { email: 'none', firstName: 5, metadata: [] });
  const issues = body.cause.issues.map((issue: any) => issue.path);
  expect(issues.toSorted()).toEqual(['associatedId', 'email', 'firstName', 'lastName', 'metadata']);
});

test('an internal error reveals no details', async () => {
  const answer = await attempts.internal_error!();
  expect(answer.text).not.toMatch(/SQLITE|JSON|stack|\.ts|metadata/);
});

test('a locked database delays requests, which work again afterwards', async () => {
  const before = await app.backdoor.dump('acme');
  expect((await app.backdoor.whileLocked('acme', () => get('/groups'))).status).toBe(200);
  expect((await attempts.unavailable!()).status).toBe(503);
  expect(await app.backdoor.dump('acme')).toBe(before);
  expect((await post('/groups', { name: 'A' })).status).toBe(201);
});

test('an address that guesses API keys is rate-limited, and a valid key from it is not', async () => {
  const guesser = { url: '/api/v1/customers', remoteAddress: '10.9.9.9' };
  const guess = (apiKey: string) => inject(app, { ...guesser, headers: { 'api-key': apiKey } });
  for (let left = 20; left > 0; left--) expectRestError(await guess('wrong'), 'api_key_invalid');
  const refused = await guess('wrong');
  expectRestError(refused, 'rate_limited');
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect((await guess(client.apiKey)).status).toBe(200);
});

describe('every error under /api/v1 has the documented body', () => {
  const chunk = 'x'.repeat(64 * 1024);
  const chunked = `${`10000\r\n${chunk}\r\n`.repeat(17)}0\r\n\r\n`;
  const json = 'content-type: application/json';
  const key = () => `api-key: ${client.apiKey}`;
  const lines = (...all: string[]) => `${all.join('\r\n')}\r\n\r\n`;
  const close = ['host: a', 'connection: close'];

  const table: [name: string, reason: Reason, request: () => string | Buffer][] = [
    ['an unknown route', 'route_not_found', () => lines('GET /api/v1/nothing HTTP/1.1', ...close)],
    ['the prefix alone', 'route_not_found', () => lines('GET /api/v1 HTTP/1.1', ...close)],
    ['a slash alone', 'route_not_found', () => lines('GET /api/v1/ HTTP/1.1', ...close, key())],
    ['an empty id', 'method_not_allowed', () => lines('DELETE /api/v1/customers/ HTTP/1.1', ...close, key())],
    ['capitals', 'route_not_found', () => lines('GET /API/V1/customers HTTP/1.1', ...close, key())],
    ['dots', 'route_not_found', () => lines('GET /api/v1/customers/../../x HTTP/1.1', ...close, key())],
    ['PUT', 'method_not_allowed', () => lines('PUT /api/v1/customers HTTP/1.1', ...close)],
    ['OPTIONS', 'method_not_allowed', () => lines('OPTIONS /api/v1/customers HTTP/1.1', ...close)],
    [
      'POST to the document',
      'method_not_allowed',
      () => lines('POST /api/v1/openapi.json HTTP/1.1', ...close),
    ],
    ['TRACE', 'route_not_found', () => lines('TRACE /api/v1/customers HTTP/1.1', ...close)],
    ['PROPFIND', 'route_not_found', () => lines('PROPFIND /api/v1/customers HTTP/1.1', ...close)],
    [
      'a method that there is not',
      'validation_failed',
      () => lines('BREW /api/v1/customers HTTP/1.1', ...close),
    ],
    ['no HTTP', 'validation_failed', () => 'hello\r\n\r\n'],
    [
      'bad encoding in the path',
      'validation_failed',
      () => lines('GET /api/v1/customers/%zz?tenantAlias=acme HTTP/1.1', ...close, key()),
    ],
    [
      'half an encoding in the path',
      'validation_failed',
      () => lines('GET /api/v1/customers/% HTTP/1.1', ...close, key()),
    ],
    [
      'bytes that are no UTF-8 in the path',
      'validation_failed',
      () => lines('GET /api/v1/customers/%ff%fe?tenantAlias=acme HTTP/1.1', ...close, key()),
    ],
    [
      'bad encoding in the query',
      'validation_failed',
      () => lines('GET /api/v1/products?name=%zz HTTP/1.1', ...close, key()),
    ],
    [
      'bytes that are no UTF-8 in the query',
      'validation_failed',
      () => lines('GET /api/v1/products?name=%ff HTTP/1.1', ...close, key()),
    ],
    [
      'bytes that are no UTF-8 in the name of a parameter',
      'validation_failed',
      () => lines('GET /api/v1/products?%ff=1 HTTP/1.1', ...close, key()),
    ],
    [
      'headers that are too long',
      'validation_failed',
      () => lines('GET /api/v1/customers HTTP/1.1', ...close, `x-long: ${'x'.repeat(20_000)}`),
    ],
    [
      'an address that is too long',
      'validation_failed',
      () => lines(`GET /api/v1/customers?cursor=${'x'.repeat(20_000)} HTTP/1.1`, ...close, key()),
    ],
    [
      'a body without a type',
      'unsupported_media_type',
      () => lines('POST /api/v1/groups HTTP/1.1', ...close, key(), 'content-length: 2') + '{}',
    ],
    [
      'a body of another type',
      'unsupported_media_type',
      () =>
        lines(
          'POST /api/v1/groups HTTP/1.1',
          ...close,
          key(),
          'content-type: text/json',
          'content-length: 2',
        ) + '{}',
    ],
    [
      'a form',
      'unsupported_media_type',
      () =>
        lines(
          'POST /api/v1/groups HTTP/1.1',
          ...close,
          key(),
          'content-type: application/x-www-form-urlencoded',
          'content-length: 3',
        ) + 'a=1',
    ],
    [
      'a body that is too large by its length',
      'request_too_large',
      () => lines('POST /api/v1/groups HTTP/1.1', ...close, key(), json, 'content-length: 1048577'),
    ],
    [
      'a body in chunks that is too large',
      'request_too_large',
      () =>
        lines('POST /api/v1/groups HTTP/1.1', ...close, key(), json, 'transfer-encoding: chunked') + chunked,
    ],
    [
      'broken chunks',
      'validation_failed',
      () =>
        lines('POST /api/v1/groups HTTP/1.1', ...close, key(), json, 'transfer-encoding: chunked') + 'zz\r\n',
    ],
    [
      'two lengths',
      'validation_failed',
      () =>
        lines('POST /api/v1/groups HTTP/1.1', ...close, json, 'content-length: 2', 'content-length: 3') +
        '{}',
    ],
    [
      'an expectation that cannot be met, which is ignored',
      'api_key_missing',
      () => lines('GET /api/v1/customers HTTP/1.1', ...close, 'expect: miracles'),
    ],
    ['no host', 'api_key_missing', () => lines('GET /api/v1/customers HTTP/1.1', 'connection: close')],
    [
      'NUL in a header',
      'validation_failed',
      () => lines('GET /api/v1/customers HTTP/1.1', ...close, 'a: \0'),
    ],
    [
      'bytes in a header',
      'api_key_invalid',
      () => Buffer.from(lines('GET /api/v1/customers HTTP/1.1', ...close, 'api-key: \xff\xfe'), 'latin1'),
    ],
  ];

  it.each(table)('%s: %s', async (_, reason, request) => {
    const answer = await raw(port, request());
    expectRestError(answer, reason);
  });

  it('except for HEAD, which has no body', async () => {
    const answer = await raw(port, lines('HEAD /api/v1/customers HTTP/1.1', ...close));
    expect(answer.status).toBe(401);
    expect(answer.text).toBe('');
  });

  it('a client that disconnects', async () => {
    const socket = connect(port, '127.0.0.1');
    const head = ['POST /api/v1/groups HTTP/1.1', 'host: a', key(), json, 'content-length: 100'];
    socket.write(lines(...head, 'expect: 100-continue'));
    // The server has begun with it.
    await once(socket, 'data');
    socket.write('{"na');
    socket.destroy();
    expect((await get('/groups')).status).toBe(200);
  });

  const urls = [...new Set(routes.map((route) => route.path))];
  it.each(urls)('%s with an unsupported method, with the header Allow', async (url) => {
    const allowed: string[] = routes.filter((route) => route.path === url).map(({ method }) => method);
    if (allowed.includes('GET')) allowed.push('HEAD');
    const filled = `/api/v1${url.replace(/\{\w+\}/g, 'x')}`;
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'OPTIONS', 'HEAD'] as const) {
      if (allowed.includes(method)) continue;
      const answer = await inject(app, { method, url: filled });
      expect(answer.status).toBe(405);
      expect(String(answer.headers.allow).split(', ').toSorted()).toEqual(allowed.toSorted());
      if (method !== 'HEAD') expectRestError(answer, 'method_not_allowed');
    }
  });
});
