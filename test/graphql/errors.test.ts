/** Every refusal of the catalogue that GraphQL can meet, with the same reason as over REST. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { catalogue, type Reason } from '../../src/lib/errors.ts';
import { startApp, type Answer, type Client, type TestApp } from '../support/app.ts';
import { expectGraphqlError, fillTenant, inject, type World } from '../support/world.ts';

let app: TestApp;
let client: Client;
let world: World;

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000' });
  client = await app.tenant({ alias: 'acme' });
  world = await fillTenant(client, 'acme');
});
afterAll(() => app.close());

const ask = (query: string, variables?: object) =>
  client.post(query, variables as Record<string, unknown> | undefined);

const createGroup = 'mutation { createGroup(input: { name: "A" }) { id } }';
const createIntentDocument =
  'mutation ($input: CreateSubscriptionIntentInput!) { createSubscriptionIntent(input: $input) { id status } }';
const confirm =
  'mutation ($id: ID!, $by: String!) { confirmIntent(id: $id, input: { paymentMethod: $by }) { status } }';
const cancel = 'mutation ($id: ID!) { cancelSubscription(id: $id) { id } }';

const createIntent = (fields: object = {}) =>
  ask(createIntentDocument, {
    input: {
      customerId: world.customer,
      productId: world.spareProduct,
      priceId: world.sparePrice,
      receiptUrl: 'https://shop.example/receipt',
      ...fields,
    },
  });
const priced = (amount: number, currency: string) =>
  ask(
    'mutation ($id: ID!, $prices: [CreatePriceInput!]!) { createPrices(input: { productId: $id, prices: $prices }) { id } }',
    { id: world.product, prices: [{ details: { amount, currency } }] },
  );

const couponOf = async (duration: string): Promise<string> => {
  const document = `mutation { createCoupon(input: { name: "Sale", percentOff: "10", duration: ${duration} }) { id } }`;
  return (await ask(document)).body.data.createCoupon.id;
};

const credit = (fields: object = {}) =>
  ask('mutation ($input: CreateCreditNoteInput!) { createCreditNote(input: $input) { id } }', {
    input: { invoiceId: world.invoice, kind: 'credit', ...fields },
  });

const attempts: Partial<Record<Reason, () => Promise<Answer>>> = {
  validation_failed: () => ask('{ customers(first: 0) { nodes { id } } }'),
  cursor_invalid: () => ask('{ customers(after: "abc") { nodes { id } } }'),
  amount_precision: () => priced(19.999, 'afn'),
  currency_unsupported: () => priced(1, 'zzz'),
  start_date_in_past: () => createIntent({ startDate: '2020-01-01' }),
  api_key_missing: () =>
    inject(app, {
      method: 'POST',
      url: '/graphql',
      headers: { 'content-type': 'application/json' },
      payload: '{"query":"{ tenant { alias } }"}',
    }),
  api_key_invalid: () => app.client('prn_acme_x').post('{ tenant { alias } }'),
  tenant_mismatch: () => client.post('{ tenant { alias } }', {}, { 'perennial-tenant': 'other' }),
  insufficient_scope: async () => (await app.key('acme', 'read')).post(createGroup),
  permission_missing: async () => (await app.key('acme', ['read', 'refund'])).post(createGroup),
  associated_id_mismatch: () =>
    ask(
      'mutation ($id: ID!) { updateCustomer(id: $id, input: { associatedId: "x", firstName: "A" }) { id } }',
      { id: world.customer },
    ),
  payment_failed: () => ask(confirm, { id: world.intent, by: 'sandbox_declined' }),
  payment_action_required: () =>
    ask(
      'mutation ($id: ID!) { setPaymentMethod(id: $id, input: { paymentMethod: "sandbox_requires_action" }) { id } }',
      { id: world.subscription },
    ),
  customer_not_found: () => ask('{ customer(id: "cus_0") { id } }'),
  cost_exceeded: () =>
    ask(`{ products(first: 100) { nodes { group { products { group { products { group { id } } } } } } } }`),
  product_not_found: () => ask('{ product(id: "prod_0") { id } }'),
  price_archived: () =>
    ask(
      `query ($id: ID!, $priceId: ID!) {
        previewSubscriptionChange(id: $id, input: { addOns: [{ priceId: $priceId }] }) { effectiveAt }
      }`,
      { id: world.subscription, priceId: world.archivedPrice },
    ),
  price_not_found: () => ask('{ price(id: "price_0") { id } }'),
  group_not_found: () => ask('{ group(id: "grp_0") { id } }'),
  subscription_not_found: () => ask('{ subscription(id: "sub_0") { id } }'),
  intent_not_found: () => ask('{ intent(id: "int_0") { id } }'),
  coupon_not_found: () => ask('{ coupon(id: "cpn_0") { id } }'),
  promotion_code_not_found: () => ask('{ promotionCode(id: "promo_0") { id } }'),
  discount_not_found: () => ask('{ discount(id: "disc_0") { id } }'),
  lookup_key_exists: async () => {
    const document =
      'mutation { createProduct(input: { name: "A", description: "", lookupKey: "twice" }) { id } }';
    await ask(document);
    return ask(document);
  },
  catalog_changed: () => ask('mutation { applyCatalog(input: { catalog: {}, hash: "a" }) { hash } }'),
  promotion_code_exists: async () => {
    const document = `mutation ($id: ID!) {
      a: createPromotionCode(input: { couponId: $id, code: "TWICE" }) { id }
    }`;
    const coupon = await couponOf('once');
    await ask(document, { id: coupon });
    return ask(document, { id: coupon });
  },
  coupon_not_redeemable: async () => {
    const id = await couponOf('once');
    await ask('mutation ($id: ID!) { updateCoupon(id: $id, input: { active: false }) { id } }', { id });
    return ask(
      'mutation ($id: ID!, $customerId: ID!) { applyDiscount(input: { customerId: $customerId, couponId: $id }) { id } }',
      { id, customerId: world.customer },
    );
  },
  invoice_line_not_found: () =>
    credit({ lines: [{ lineId: 'il_0', amount: { amount: 1, currency: 'afn' } }] }),
  credit_note_not_found: () => ask('{ creditNote(id: "cn_0") { id } }'),
  tax_rate_not_found: () => ask('{ taxRate(id: "txr_0") { id } }'),
  invoice_item_not_found: () => ask('{ invoiceItem(id: "itm_0") { id } }'),
  invoice_not_found: () => ask('{ invoice(id: "inv_0") { id } }'),
  webhook_endpoint_not_found: () => ask('{ webhookEndpoint(id: "whe_0") { id } }'),
  delivery_not_found: () => ask('{ delivery(id: "whd_0") { id } }'),
  account_not_found: () => ask('mutation { removeAccount(input: { provider: stripe }) { provider } }'),
  payment_method_not_found: () => ask('mutation { removePaymentMethod(id: "pm_0") { id } }'),
  customer_session_not_found: () => ask('{ customerSession(id: "css_0") { id } }'),
  portal_session_not_found: () => ask('{ portalSession(id: "pss_0") { id } }'),
  mail_delivery_not_found: () => ask('{ mailDelivery(id: "mail_0") { id } }'),
  mail_template_not_found: () => ask('{ mailTemplate(id: "mtpl_0") { id } }'),
  trace_not_found: () => ask('{ trace(eventId: "evt_0") { id } }'),
  route_not_found: () =>
    inject(app, { method: 'POST', url: '/graphql/nothing', headers: { 'api-key': client.apiKey } }),
  method_not_allowed: () => inject(app, { method: 'PUT', url: '/graphql' }),
  associated_id_exists: () =>
    ask('mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }', {
      input: { email: 'a@example.org', firstName: 'A', lastName: 'B', associatedId: world.associatedId },
    }),
  order_number_reused: async () => {
    expect((await createIntent({ orderNumber: '7' })).body.errors).toBeUndefined();
    return createIntent({ orderNumber: '7', reason: 'other' });
  },
  subscription_exists: () => createIntent({ productId: world.product, priceId: world.price }),
  no_scheduled_change: () =>
    ask('mutation ($id: ID!) { cancelScheduledChange(id: $id) { id } }', { id: world.subscription }),
  group_conflict: async () => {
    const { createGroup: made } = await client.graphql(createGroup);
    const { createProduct } = await client.graphql(
      'mutation ($input: CreateProductInput!) { createProduct(input: $input) { id prices { id } } }',
      {
        input: {
          name: 'P',
          description: '',
          groupId: made.id,
          prices: [{ details: { amount: 1, currency: 'afn' } }],
        },
      },
    );
    const order = { productId: createProduct.id, priceId: createProduct.prices[0].id };
    const { id } = (await createIntent(order)).body.data.createSubscriptionIntent;
    expect((await ask(confirm, { id, by: 'sandbox_ok' })).body.errors).toBeUndefined();
    return ask('mutation ($id: ID!, $to: ID!) { updateProduct(id: $id, input: { groupId: $to }) { id } }', {
      id: world.product,
      to: made.id,
    });
  },
  intent_not_payable: async () => {
    expect((await ask(confirm, { id: world.intent, by: 'sandbox_ok' })).body.errors).toBeUndefined();
    return ask(confirm, { id: world.intent, by: 'sandbox_ok' });
  },
  currency_mismatch: async () => {
    const prices = [{ details: { amount: 99, currency: 'usd' } }];
    const { createProduct } = await client.graphql(
      'mutation ($input: CreateProductInput!) { createProduct(input: $input) { prices { id } } }',
      { input: { name: 'P', description: '', groupId: world.group, prices } },
    );
    return ask(
      'query ($id: ID!, $to: ID!) { previewSubscriptionChange(id: $id, input: { priceId: $to }) { effectiveAt } }',
      {
        id: world.subscription,
        to: createProduct.prices[0].id,
      },
    );
  },
  amount_changed: async () => {
    const prices = [{ details: { amount: 99, currency: 'afn' } }];
    const { createProduct } = await client.graphql(
      'mutation ($input: CreateProductInput!) { createProduct(input: $input) { prices { id } } }',
      { input: { name: 'P', description: '', groupId: world.group, prices } },
    );
    return ask(
      `mutation ($id: ID!, $to: ID!) { changeSubscription(
        id: $id,
        input: { expectedTotal: { decimal: "0.01", currency: "afn" }, priceId: $to }
      ) { id } }`,
      { id: world.subscription, to: createProduct.prices[0].id },
    );
  },
  request_in_flight: async () => {
    // One that comes when the first has just ended is given its answer.
    for (let round = 1; ; round++) {
      const named = { 'idempotency-key': `at-once-${round}` };
      const sent = Array.from({ length: 10 }, () => client.post(createGroup, {}, named));
      const refused = (await Promise.all(sent)).find(({ status }) => status !== 200);
      if (refused || round === 20) return refused!;
    }
  },
  idempotency_key_reused: async () => {
    const named = { 'idempotency-key': 'once' };
    expect((await client.post(createGroup, {}, named)).body.errors).toBeUndefined();
    return client.post('mutation { createGroup(input: { name: "B" }) { id } }', {}, named);
  },
  invoice_item_billed: async () => {
    const bill = `mutation ($id: ID!) {
      createInvoice(
        input: { customerId: $id, items: [{ amount: { amount: 1, currency: "afn" }, description: "Work" }], collect: send_invoice }
      ) { id }
    }`;
    expect((await ask(bill, { id: world.spareCustomer })).body.errors).toBeUndefined();
    return ask('mutation ($id: ID!) { deleteInvoiceItem(id: $id) { id } }', { id: world.invoiceItem });
  },
  invoice_not_open: () =>
    ask('mutation ($id: ID!) { recordPayment(id: $id, input: { reference: "a" }) { id } }', {
      id: world.invoice,
    }),
  invoice_not_paid: () =>
    ask('mutation ($id: ID!) { refundInvoice(id: $id) { id } }', { id: world.openInvoice }),
  refund_too_large: () =>
    ask(
      'mutation ($id: ID!) { refundInvoice(id: $id, input: { amount: { amount: 1000000, currency: "afn" } }) { id } }',
      { id: world.invoice },
    ),
  credit_too_large: () => credit({ amount: { amount: 1000000, currency: 'afn' } }),
  invoice_not_finalized: () => credit({ invoiceId: world.draft }),
  invoice_not_draft: () =>
    ask('mutation ($id: ID!) { finalizeInvoice(id: $id) { id } }', { id: world.invoice }),
  customer_has_subscriptions: () =>
    ask('mutation ($id: ID!) { eraseCustomer(id: $id) { id } }', { id: world.customer }),
  subscription_not_active: async () => {
    expect((await ask(cancel, { id: world.subscription })).body.errors).toBeUndefined();
    return ask(cancel, { id: world.subscription });
  },
  request_too_large: () => ask(`{ tenant { alias } } # ${'x'.repeat(1024 * 1024)}`),
  result_too_large: async () => {
    const narrow = await startApp({ maxResponseBytes: '65536' });
    const wordy = await narrow.tenant({ alias: 'acme' });
    const metadata = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [index, 'a'.repeat(500)]));
    const create = 'mutation ($m: JSONObject) { createGroup(input: { name: "A", metadata: $m }) { id } }';
    for (let made = 0; made < 5; made++) await wordy.graphql(create, { m: metadata });
    const answer = await wordy.post('{ groups { nodes { metadata } } }');
    await narrow.close();
    return answer;
  },
  unsupported_media_type: () =>
    inject(app, {
      method: 'POST',
      url: '/graphql',
      headers: { 'content-type': 'application/graphql', 'api-key': client.apiKey },
      payload: '{ tenant { alias } }',
    }),
  rate_limited: async () => {
    const busy = await startApp({ rateLimitPerSecond: '1' });
    const impatient = await busy.tenant({ alias: 'acme' });
    for (let left = 10; left > 0; left--) await impatient.graphql('{ tenant { alias } }');
    const answer = await impatient.post('{ tenant { alias } }');
    await busy.close();
    return answer;
  },
  unavailable: () => app.backdoor.whileLocked('acme', () => ask(createGroup)),
  internal_error: async () => {
    const { createGroup: made } = await client.graphql(createGroup);
    await app.backdoor.poison('groups', made.id);
    const answer = await ask('query ($id: ID!) { group(id: $id) { metadata } }', { id: made.id });
    await app.backdoor.execute(`delete from groups where id = '${made.id}'`);
    return answer;
  },
};

const beforeExecution = new Set<Reason>([
  'api_key_missing',
  'api_key_invalid',
  'tenant_mismatch',
  'route_not_found',
  'method_not_allowed',
  'request_too_large',
  'result_too_large',
  'unsupported_media_type',
  'rate_limited',
  'request_in_flight',
  'idempotency_key_reused',
]);

/**
 * They take a lost connection, a long search, a subscription charged through an account, one charged to a method,
 * or a payment: test/storage/postgres/lostCommits, test/graphql/scans, test/providers/accounts,
 * test/billing/collection/customerMethods, test/providers/reversals; three are of a document as a whole:
 * test/http/trustedDocuments, test/http/conventions; six are of requests for an action: test/access/approvals; the first is of a key: test/access/operators/limitedKeys; the last is one of pages: test/billing/discounts/codeAttempts.
 */
const elsewhere: Reason[] = [
  'address_not_allowed',
  'secret_key_in_browser',
  'origin_not_allowed',
  'closed_to_browsers',
  'action_not_allowed',
  'outcome_unknown',
  'query_timeout',
  'account_in_use',
  'payment_method_in_use',
  'payment_not_found',
  'payments_not_set_up',
  'meter_not_found',
  'feature_not_found',
  'feature_exists',
  'feature_archived',
  'entitlement_not_found',
  'entitlement_override_not_found',
  'entitlement_exceeded',
  'reservation_not_found',
  'reservation_closed',
  'usage_id_reused',
  'usage_price_override_not_found',
  'customer_note_not_found',
  'meter_in_use',
  'credit_grant_not_found',
  'credit_type_not_found',
  'auto_top_up_not_found',
  'credit_grant_in_use',
  'document_not_found',
  'document_not_trusted',
  'persisted_query_not_found',
  'too_many_attempts',
  'approval_required',
  'action_request_not_found',
  'action_request_own',
  'action_request_closed',
  'action_request_changed',
  'action_without_effect',
];
/** Only operators of the console get these: test/access/operators has them. */
const ofOperators: Reason[] = [
  'api_key_not_found',
  'csrf_refused',
  'last_owner',
  'operator_exists',
  'operator_not_found',
  'operator_session_not_found',
  'operator_unconfirmed',
  'passkey_not_found',
  'role_too_high',
  'sign_in_failed',
  'sign_in_required',
  'step_up_required',
  'tenant_missing',
];

test('every reason has a row here or is tested elsewhere', () => {
  expect([...Object.keys(attempts), ...elsewhere, ...ofOperators].toSorted()).toEqual(
    Object.keys(catalogue).toSorted(),
  );
});

describe.each(Object.entries(attempts) as [Reason, () => Promise<Answer>][])('%s', (reason, attempt) => {
  it('is in the extensions of the error', async () => {
    const answer = await attempt();
    expectGraphqlError(answer, reason);
    expect(answer.status).toBe(beforeExecution.has(reason) ? catalogue[reason].status : 200);
    expect(answer.text).not.toContain(client.apiKey);
    expect(answer.text).not.toMatch(/SQLITE|JSON at|stack|\.ts"/);
    if (reason !== 'unavailable' && reason !== 'rate_limited') return;
    expect(answer.body.errors[0].extensions.retryAfterSeconds).toBeGreaterThanOrEqual(1);
  });
});

describe('a document or variables that graphql-js refuses are validation_failed', () => {
  const input = 'email: "a@example.org", firstName: "A", lastName: "B", associatedId: "1"';
  const create = (fields: string) => `mutation { createCustomer(input: { ${fields} }) { id } }`;
  it.each([
    ['a syntax error', '{ tenant {'],
    ['nothing', ' '],
    ['an unknown field', '{ tenant { foo } }'],
    ['an unknown argument', '{ tenant(a: 1) { alias } }'],
    ['a missing argument', '{ product { id } }'],
    ['null for what must be there', '{ product(id: null) { id } }'],
    ['null within an input', create(`${input}, email: null`)],
    ['null in a list', '{ nodes(ids: [null]) { id } }'],
    ['a number for text', create('email: 1, firstName: 2, lastName: 3, associatedId: 4')],
    ['a text for an enum', '{ customers(order: "ASC") { nodes { id } } }'],
    ['an unknown enum', '{ customers(order: UP) { nodes { id } } }'],
    ['an address that is none', create(input.replace('a@', ''))],
    ['an unknown field of an input', create(`${input}, id: "1"`)],
    ['a field that must be asked further', '{ tenant }'],
    ['a field that cannot be asked further', '{ tenant { alias { a } } }'],
    ['an unknown type', 'query ($a: Foo) { tenant { alias } }'],
    ['an unknown directive', '{ tenant @foo { alias } }'],
    ['an unknown variable', '{ customer(id: $id) { id } }'],
    ['an unused variable', 'query ($a: ID) { tenant { alias } }'],
    ['a fragment that spreads itself', '{ tenant { ...a } } fragment a on Tenant { ...a }'],
    ['two operations without a name', '{ tenant { alias } } { tenant { alias } }'],
    ['a decimal for a whole number', '{ customers(first: 1.5) { nodes { id } } }'],
    ['a number that is too large', '{ customers(first: 99999999999) { nodes { id } } }'],
  ])('%s', async (_, query) => {
    const answer = await ask(query);
    expectGraphqlError(answer, 'validation_failed');
    // GraphQL over HTTP, section 6.4: whoever takes plain JSON is told 200, whoever takes GraphQL's own type 400.
    expect(answer.status).toBe(200);
    const own = await client.post(query, undefined, { accept: 'application/graphql-response+json' });
    expectGraphqlError(own, 'validation_failed');
    expect(own.status).toBe(400);
  });

  it('a variable of a wrong type, named with its field', async () => {
    const answer = await ask(
      'mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }',
      {
        input: { email: 'none', firstName: 1, lastName: 'B', associatedId: '1' },
      },
    );
    expectGraphqlError(answer, 'validation_failed');
    const paths = answer.body.errors.flatMap((error: any) => error.extensions.issues.map((i: any) => i.path));
    expect(paths).toEqual(expect.arrayContaining(['input.email', 'input.firstName']));
  });

  it.each([
    [
      'mutation { advanceClock(input: { to: "soon" }) { clock } }',
      'query:1:38',
      '"soon" must be an ISO 8601 date, or date-time with its offset.',
    ],
    [
      'mutation { advanceClock(input: { to: 5 }) { clock } }',
      'query:1:38',
      '5 must be an ISO 8601 date or date-time.',
    ],
    [
      `mutation { createPrices(input: { productId: "a", prices: [
        { details: { decimal: "x", currency: "usd" } }] }) { id } }`,
      'query:2:31',
      '"x" must be a decimal number, as text such as "0.000375".',
    ],
  ])('a literal that its scalar refuses, named with its position: %s', async (query, path, message) => {
    const answer = await ask(query);
    expectGraphqlError(answer, 'validation_failed');
    expect(answer.body.errors[0]).toMatchObject({ message, extensions: { issues: [{ path, message }] } });
  });

  it('an unsupported kind of operation', async () => {
    expectGraphqlError(await ask('subscription { tenant { alias } }'), 'validation_failed');
  });

  it('a null variable whose default allows to omit it', async () => {
    const query = 'query ($a: Boolean = true) { tenant @include(if: $a) { alias } }';
    expectGraphqlError(await ask(query, { a: null }), 'validation_failed');
  });
});

test('one failed field does not affect the others', async () => {
  const { body } = await ask('{ tenant { alias } customer(id: "cus_0") { id } }');
  expect(body.data).toEqual({ tenant: { alias: 'acme' }, customer: null });
  expect(body.errors).toHaveLength(1);
  expect(body.errors[0]).toMatchObject({ path: ['customer'], extensions: { code: 'CUSTOMER_NOT_FOUND' } });
});

test('unsupported methods are refused with the header Allow', async () => {
  for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
    const answer = await inject(app, { method, url: '/graphql' });
    expectGraphqlError(answer, 'method_not_allowed');
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD, POST']);
  }
});

test('a mutation by GET is refused and not performed', async () => {
  const url = `/graphql?query=${encodeURIComponent(createGroup.replace('"A"', '"ByGet"'))}`;
  const headers = { 'api-key': client.apiKey, 'apollo-require-preflight': '1' };
  const answer = await inject(app, { url, headers });
  expectGraphqlError(answer, 'method_not_allowed');
  expect(answer.status).toBe(405);
  const { groups } = await client.graphql('{ groups(name: "ByGet") { nodes { name } } }');
  const answered = await inject(app, {
    url: `/graphql?query=${encodeURIComponent('{tenant{alias}}')}`,
    headers,
  });
  expect(answered.body).toEqual({ data: { tenant: { alias: 'acme' } } });
  expect(groups.nodes).toEqual([]);
});

test('a client that does not accept JSON is refused before the operation is performed', async () => {
  const answer = await inject(app, {
    method: 'POST',
    url: '/graphql',
    headers: { 'api-key': client.apiKey, 'content-type': 'application/json', accept: 'text/plain' },
    payload: JSON.stringify({ query: 'mutation { createGroup(input: { name: "Unseen" }) { id } }' }),
  });
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.status).toBeLessThan(500);
  const { groups } = await client.graphql('{ groups(name: "Unseen") { nodes { name } } }');
  expect(groups.nodes).toEqual([]);
});

test('an internal error is logged with its cause', async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const quiet = await startApp({}, { log });
  const acme = await quiet.tenant({ alias: 'acme' });
  const { createGroup: made } = await acme.graphql(createGroup);
  await quiet.backdoor.poison('groups', made.id);
  await acme.post('{ groups { nodes { id } } }');
  await acme.rest('GET', '/groups');
  await quiet.close();
  const errors = lines.filter((line) => JSON.parse(line).level === 50);
  expect(errors).toHaveLength(2);
  for (const line of errors) expect(line).toMatch(/SyntaxError|TypeError|SqliteError/);
  expect(lines.join('')).not.toContain(acme.apiKey);
});
