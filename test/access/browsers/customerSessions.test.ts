/** What the session of a customer reads and does, on whose records, and how it ends. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { schema } from '../../../src/app/schema.ts';
import { routes } from '../../../src/rest/routes.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { stoppedClock } from '../../support/clock.ts';
import { graphqlRows, listAllRootFields, writeDocument } from '../../support/operations.ts';
import { signInOperator } from '../../support/operators.ts';
import { sampledInCore } from '../../support/sample.ts';
import { fillTenant, type World } from '../../support/world.ts';
import { expectOpenFields, page, postFromPage } from './browserApp.ts';
import { openFields } from './openFields.ts';
import { describeOpenField } from './schemaWalk.ts';

const clock = stoppedClock('2026-03-01T00:00:00Z');
const all = [
  'subscribe',
  'change_subscription',
  'cancel_subscription',
  'apply_discount',
  'pay_invoice',
  'update_customer',
  'manage_payment_methods',
];

let app: TestApp;
let client: Client;
let world: World;
let other: World;
let token: string;
/** Sessions that do everything, used in turn, because each has a limit of its own. */
let tokens: string[];

const begin = `mutation ($input: CreateCustomerSessionInput!) {
  createCustomerSession(input: $input) { token expiresAt session { id allow revokedAt } }
}`;
const create = async (input: object, of = client) =>
  (await of.graphql(begin, { input })).createCustomerSession as {
    token: string;
    expiresAt: string;
    session: any;
  };
const setPortal = (portal: object | null) =>
  client.graphql(
    'mutation ($portal: PortalSettingsInput) { updateTenant(input: { portal: $portal }) { alias } }',
    {
      portal,
    },
  );
let used = 0;
const nextToken = () => tokens[used++ % tokens.length]!;
const ask = (query: string, variables?: Record<string, unknown>, headers?: Record<string, string>) =>
  postFromPage(app, nextToken(), { query, ...(variables && { variables }), ...(headers && { headers }) });

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000' }, { clock });
  client = await app.tenant({ alias: 'acme' });
  world = await fillTenant(client, 'acme');
  other = await fillTenant(await app.tenant({ alias: 'other' }), 'other');
  await client.graphql(
    'mutation ($page: [String!]) { updateTenant(input: { allowedOrigins: $page }) { alias } }',
    {
      page: [page],
    },
  );
  const many = Array.from(
    { length: 60 },
    (_, at) => `a${at}: createCustomerSession(input: $input) { token }`,
  );
  const begun = await client.graphql(`mutation ($input: CreateCustomerSessionInput!) { ${many.join(' ')} }`, {
    input: { customerId: world.customer, allow: all, expiresInSeconds: 86_400 },
  });
  tokens = Object.values(begun).map((each: any) => each.token);
  token = tokens[0]!;
});
afterAll(() => app.close());
beforeEach(() =>
  setPortal({
    planChange: true,
    quantityChange: true,
    addOns: true,
    promotionCodes: true,
    cancellation: 'both',
    details: true,
    invoices: true,
    paymentMethods: true,
    balance: true,
    productIds: null,
  }),
);

describe('a session', () => {
  it('begins for a customer by either id, for an hour unless asked otherwise', async () => {
    const usual = await create({ associatedId: world.associatedId });
    expect(usual).toEqual({
      token: expect.stringMatching(/^prn_cs_acme_[0-9a-z]{12}_[0-9a-z]{40}$/),
      expiresAt: '2026-03-01T01:00:00.000Z',
      session: { id: expect.stringMatching(/^css_/), allow: [], revokedAt: null },
    });
    const long = await create({ customerId: world.customer, expiresInSeconds: 86_400 });
    expect(long.expiresAt).toBe('2026-03-02T00:00:00.000Z');
  });

  it.each([
    ['expiresInSeconds', { expiresInSeconds: 86_401 }, 'validation_failed'],
    ['expiresInSeconds', { expiresInSeconds: 59 }, 'validation_failed'],
    ['allow', { allow: ['pay_invoice', 'pay_invoice'] }, 'validation_failed'],
    ['customerId', { associatedId: 'both' }, 'validation_failed'],
  ])('refuses a wrong %s', async (path, input, reason) => {
    const { body } = await client.post(begin, { input: { customerId: world.customer, ...input } });
    expect(body.errors[0].extensions).toMatchObject({ reason, issues: [{ path }] });
  });

  it('begins for no customer of another tenant, and by no read-only key', async () => {
    for (const input of [
      { customerId: other.customer },
      { associatedId: other.associatedId },
      { customerId: 'cus_0' },
    ]) {
      const { body } = await client.post(begin, { input });
      expect(body.errors[0].extensions.reason).toBe('customer_not_found');
    }
    const reader = await app.key('acme', 'read');
    const { body } = await reader.post(begin, { input: { customerId: world.customer } });
    expect(body.errors[0].extensions.reason).toBe('insufficient_scope');
  });

  it('does no more than the operator who begins it', async () => {
    const support = await signInOperator(app, { tenant: 'acme', role: 'support' });
    const input = { customerId: world.customer, allow: ['pay_invoice'] };
    const { body } = await support.post(begin, { input });
    expect(body.errors[0].extensions).toMatchObject({
      reason: 'permission_missing',
      issues: [{ path: 'permission', message: 'manage_invoices' }, { path: 'allow' }],
    });
    const permitted = await support.post(begin, { input: { ...input, allow: ['cancel_subscription'] } });
    expect(permitted.body.data.createCustomerSession.token).toMatch(/^prn_cs_/);
  });

  it('shows its token once, and stores its hash', async () => {
    const headers = { 'idempotency-key': 'begin-once' };
    const variables = { input: { customerId: world.customer } };
    const first = (await client.post(begin, variables, headers)).body.data.createCustomerSession;
    const again = (await client.post(begin, variables, headers)).body.data.createCustomerSession;
    expect(again).toEqual({ ...first, token: null });
    const rows = await app.service.store.fresh.select('customerSessions', {
      where: { id: first.session.id },
    });
    expect(JSON.stringify(rows)).not.toContain(first.token.split('_').at(-1));
    expect(rows[0]!.tokenHash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is listed and revoked, at once and for good, and its pages can read that it has ended', async () => {
    const { token: own, session } = await create({ customerId: world.customer });
    const send = () => postFromPage(app, own, { query: '{ viewer { expiresAt } }' });
    expect((await send()).status).toBe(200);
    const { customerSessions } = await client.graphql(
      'query ($id: ID!) { customerSessions(customerId: $id, first: 100) { nodes { id customer { id } } } }',
      { id: world.customer },
    );
    expect(customerSessions.nodes).toContainEqual({ id: session.id, customer: { id: world.customer } });
    await client.graphql('mutation ($id: ID!) { revokeCustomerSession(id: $id) { revokedAt } }', {
      id: session.id,
    });
    await client.graphql('mutation ($id: ID!) { revokeCustomerSession(id: $id) { revokedAt } }', {
      id: session.id,
    });
    const { traces } = await client.graphql('{ traces(first: 2) { nodes { payload } } }');
    expect(
      traces.nodes.map(({ payload }: any) => [payload.action, payload.resourceId, payload.details]),
    ).toEqual([
      ['session_revoked', world.customer, { sessionId: session.id }],
      [
        'session_created',
        world.customer,
        { sessionId: session.id, allow: [], expiresAt: expect.any(String) },
      ],
    ]);
    expect(JSON.stringify(traces)).not.toContain(own.split('_').at(-1));
    await expect.poll(async () => (await send()).status, { timeout: 1000 }).toBe(401);
    const ended = await send();
    expect([ended.reason, ended.headers['access-control-allow-origin']]).toEqual(['api_key_invalid', page]);
  });

  it('ends with its time', async () => {
    const { token: own } = await create({ customerId: world.customer, expiresInSeconds: 60 });
    const send = () => postFromPage(app, own, { query: '{ viewer { expiresAt } }' });
    clock.advance(59_999);
    expect((await send()).status).toBe(200);
    clock.advance(1);
    expect((await send()).reason).toBe('api_key_invalid');
  });

  it.each(['deleteCustomer', 'eraseCustomer'])('ends with its customer (%s)', async (mutation) => {
    const { createCustomer: customer } = await client.graphql(
      'mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id associatedId } }',
      { input: { email: 'a@b.example', firstName: 'A', lastName: 'B', associatedId: mutation } },
    );
    const { token: own } = await create({ customerId: customer.id });
    const send = () => postFromPage(app, own, { query: '{ viewer { customer { firstName } } }' });
    expect((await send()).body.data.viewer.customer).toEqual({ firstName: 'A' });
    await client.graphql(
      `mutation ($id: ID!, $own: String!) { ${mutation}(id: $id, input: { associatedId: $own }) { __typename } }`,
      { id: customer.id, own: customer.associatedId },
    );
    await expect.poll(async () => (await send()).reason, { timeout: 1000 }).toBe('api_key_invalid');
  });

  it('is no secret key in another form', async () => {
    const forms = [
      token.replace('prn_cs_', 'prn_'),
      token.replace('prn_cs_', 'prn_pk_'),
      token.replace('_acme_', '_other_'),
      client.apiKey.replace('prn_', 'prn_cs_'),
      `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`,
    ];
    for (const form of forms) {
      const answer = await app.client(form).post('{ viewer { expiresAt } }');
      expect([answer.status, answer.body.errors[0].extensions.reason]).toEqual([401, 'api_key_invalid']);
    }
  });
});

describe('what it reaches', () => {
  it(
    'is the list, field by field: each other field of the schema is refused',
    () => expectOpenFields(app, 'customer', nextToken, (closed) => sampledInCore(closed, 24)),
    120_000,
  );

  it('is no operation with a valid call but those of the list', async () => {
    const open = new Set<string>(openFields.customer);
    const closed = listAllRootFields(schema).filter(({ name, kind }) => {
      const field = `${kind === 'mutation' ? 'Mutation' : 'Query'}.${name}`;
      return graphqlRows[name] && !open.has(describeOpenField(schema, field, 'customer'));
    });
    expect(closed.length).toBeGreaterThan(100);
    for (const root of sampledInCore(closed, 3)) {
      const variables = graphqlRows[root.name]!.call(world) as Record<string, unknown>;
      const { reason } = await ask(writeDocument(schema, root, 1), variables);
      expect(reason, root.name).toBe('closed_to_browsers');
    }
  });

  it('is no route of REST', async () => {
    for (const { method, path } of routes) {
      const url = path.replace(/\{\w+\}/g, 'x');
      const { body, status } = await app
        .client(nextToken())
        .rest(method, url, method === 'GET' ? undefined : {});
      expect([status, body.body.reason], `${method} ${path}`).toEqual([403, 'closed_to_browsers']);
    }
  });

  it('is the customer with subscriptions, invoices but drafts, methods and balance', async () => {
    const { body } = await ask(`{ viewer { allow customer {
      id firstName email subscriptions(first: 50) { nodes { id status agreedPrice { decimal } } }
      activeSubscriptions { id } invoices(first: 100) { nodes { id status total { decimal } lines { description } } }
      paymentMethods { nodes { id isDefault } } defaultPaymentMethod { id } balance { decimal }
    } } }`);
    const { customer, allow } = body.data.viewer;
    expect([customer.id, allow]).toEqual([world.customer, all]);
    expect(customer.subscriptions.nodes.map(({ id }: any) => id)).toContain(world.subscription);
    const invoices = customer.invoices.nodes.map(({ id }: any) => id);
    expect(invoices).toEqual(expect.arrayContaining([world.invoice, world.oneOffInvoice]));
    expect(invoices).not.toContain(world.draft);
    expect(customer.defaultPaymentMethod.id).toBe(world.paymentMethod);
    const drafts = await ask('{ viewer { customer { invoices(status: draft) { nodes { id } } } } }');
    expect(drafts.body.data.viewer.customer.invoices.nodes).toEqual([]);
    expect((await client.graphql('{ viewer { allow } }')).viewer).toBeNull();
  });

  it.each([
    ['invoices', '{ viewer { customer { invoices { nodes { id } } } } }'],
    ['paymentMethods', '{ viewer { customer { paymentMethods { nodes { id } } } } }'],
    [
      'paymentMethods',
      '{ viewer { customer { ...A } } } fragment A on Customer { defaultPaymentMethod { id } }',
    ],
    ['balance', '{ viewer { customer { balance { decimal } } } }'],
  ])('is not a part of the portal that is off: %s', async (part, query) => {
    await setPortal({ [part]: false });
    const { body, status } = await ask(query);
    expect([status, body.data]).toEqual([403, undefined]);
    expect(body.errors[0].extensions).toMatchObject({
      reason: 'action_not_allowed',
      issues: [{ path: `portal.${part}` }],
    });
    expect((await ask('{ viewer { customer { id } } }')).status).toBe(200);
  });
});

const change =
  'mutation ($id: ID!, $input: ChangeSubscriptionInput!) { changeSubscription(id: $id, input: $input) { id quantity } }';
const preview =
  'query ($id: ID!, $input: SubscriptionChangeInput!) { previewSubscriptionChange(id: $id, input: $input) { total { decimal } } }';
const cancel =
  'mutation ($id: ID!, $atPeriodEnd: Boolean) { cancelSubscription(id: $id, input: { atPeriodEnd: $atPeriodEnd }) { id cancelAtPeriodEnd } }';
const uncancel = 'mutation ($id: ID!) { uncancelSubscription(id: $id) { cancelAtPeriodEnd } }';
const previewEnd = 'query ($id: ID!) { previewCancellation(subscriptionId: $id) { effectiveAt } }';
const pay = 'mutation ($id: ID!) { payInvoice(id: $id) { id status } }';
const update =
  'mutation ($id: ID!, $input: UpdateCustomerInput!) { updateCustomer(id: $id, input: $input) { companyName } }';
const redeem =
  'mutation ($id: ID, $code: String!) { applyDiscount(input: { subscriptionId: $id, promotionCode: $code }) { id active } }';
const order =
  'mutation ($input: CreateSubscriptionIntentInput!) { createSubscriptionIntent(input: $input) { id status paymentUrl } }';
const link = 'mutation ($input: CreatePortalSessionInput!) { createPortalSession(input: $input) { url } }';
const quote =
  'query ($input: PreviewSubscriptionInput!) { previewSubscription(input: $input) { total { decimal } } }';

/** The calls of the open operations for the records of a world. */
const listCalls = (
  of: World,
  action?: string,
): [document: string, variables: Record<string, unknown>, reason: string][] => {
  const bought = { productId: of.spareProduct, priceId: of.sparePrice, receiptUrl: 'https://shop.example/' };
  const calls: [string, string, Record<string, unknown>, string][] = [
    [
      'change_subscription',
      change,
      { id: of.subscription, input: { priceId: of.sparePrice } },
      'subscription_not_found',
    ],
    ['', preview, { id: of.subscription, input: { priceId: of.sparePrice } }, 'subscription_not_found'],
    ['cancel_subscription', cancel, { id: of.subscription, atPeriodEnd: true }, 'subscription_not_found'],
    ['cancel_subscription', uncancel, { id: of.subscription }, 'subscription_not_found'],
    ['', previewEnd, { id: of.subscription }, 'subscription_not_found'],
    ['pay_invoice', pay, { id: of.openInvoice }, 'invoice_not_found'],
    ['update_customer', update, { id: of.customer, input: { companyName: 'A' } }, 'customer_not_found'],
    ['apply_discount', redeem, { id: of.subscription, code: `${of.alias}-code` }, 'subscription_not_found'],
    ['subscribe', order, { input: { customerId: of.customer, ...bought } }, 'customer_not_found'],
    [
      'manage_payment_methods',
      link,
      { input: { customerId: of.customer, flow: { type: 'payment_method' } } },
      'customer_not_found',
    ],
    [
      '',
      quote,
      { input: { customerId: of.customer, productId: of.spareProduct, priceId: of.sparePrice } },
      'customer_not_found',
    ],
  ];
  return calls.filter(([needed]) => action === undefined || needed === action).map(([, ...call]) => call);
};

describe('records of others', () => {
  it('of another tenant and of another customer are not found, by any operation', async () => {
    const { createCustomer: stranger } = await client.graphql(
      'mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }',
      { input: { email: 'x@y.example', firstName: 'X', lastName: 'Y', associatedId: 'stranger' } },
    );
    const { token: foreign } = await create({ customerId: stranger.id, allow: all });
    const ofStranger = { ...world, spareProduct: world.product, sparePrice: world.price };
    for (const [document, variables, reason] of listCalls(other))
      expect((await ask(document, variables)).reason, document).toBe(reason);
    for (const [document, variables, reason] of listCalls(ofStranger)) {
      const answer = await postFromPage(app, foreign, { query: document, variables });
      expect([answer.reason, answer.body.data && Object.values(answer.body.data)[0]], document).toEqual([
        reason,
        null,
      ]);
    }
    expect((await ask(pay, { id: world.draft })).reason).toBe('invoice_not_found');
  });

  it('are not found through aliases, beside own ones', async () => {
    const { body } = await ask(
      `mutation ($a: ID!, $b: ID!) {
        a: updateCustomer(id: $a, input: { companyName: "Own" }) { companyName }
        b: updateCustomer(id: $b, input: { companyName: "Stolen" }) { companyName }
      }`,
      { a: world.customer, b: world.spareCustomer },
    );
    expect(body.data).toEqual({ a: { companyName: 'Own' }, b: null });
    expect(body.errors[0].extensions.reason).toBe('customer_not_found');
    const { customer } = await client.graphql('query ($id: ID!) { customer(id: $id) { companyName } }', {
      id: world.spareCustomer,
    });
    expect(customer.companyName).not.toBe('Stolen');
  });

  it('are not read through the responses to the keys of others', async () => {
    const headers = { 'idempotency-key': 'shared' };
    const variables = { id: world.customer, input: { companyName: 'By the shop' } };
    const first = await client.post(update, variables, headers);
    expect(first.body.data.updateCustomer.companyName).toBe('By the shop');
    const { token: foreign } = await create({ customerId: world.spareCustomer, allow: all });
    const stolen = await postFromPage(app, foreign, { query: update, variables, headers });
    expect(stolen.reason).toBe('customer_not_found');
    const own = await ask(update, { ...variables, input: { companyName: 'By the customer' } }, headers);
    expect(own.body.data.updateCustomer.companyName).toBe('By the customer');
    const again = await ask(update, { ...variables, input: { companyName: 'By the customer' } }, headers);
    expect(again.text).toBe(own.text);
  });
});

describe('an action', () => {
  it('needs to be allowed by the session', async () => {
    const actions = all.flatMap((action) =>
      listCalls(world, action).map((call) => [action, ...call] as const),
    );
    expect(actions.length).toBeGreaterThanOrEqual(all.length);
    for (const [action, document, variables] of actions) {
      const { token: without } = await create({
        customerId: world.customer,
        allow: all.filter((each) => each !== action),
      });
      const { body } = await postFromPage(app, without, { query: document, variables });
      expect(body.errors[0].extensions, document).toMatchObject({
        reason: 'action_not_allowed',
        issues: [{ path: 'allow' }],
      });
    }
  });

  it.each<[string, object, string, () => Record<string, unknown>, string]>([
    [
      'a plan',
      { planChange: false },
      change,
      () => ({ id: world.subscription, input: { priceId: world.sparePrice } }),
      'input.priceId',
    ],
    [
      'a plan',
      { planChange: false },
      preview,
      () => ({ id: world.subscription, input: { priceId: world.sparePrice } }),
      'input.priceId',
    ],
    [
      'a plan that is not offered',
      { productIds: 'own' },
      change,
      () => ({ id: world.subscription, input: { priceId: world.sparePrice } }),
      'input.priceId',
    ],
    [
      'a plan by an order',
      { planChange: false },
      order,
      () => ({
        input: {
          customerId: world.customer,
          productId: world.spareProduct,
          priceId: world.sparePrice,
          receiptUrl: 'https://shop.example/',
        },
      }),
      'input.priceId',
    ],
    [
      'a price of another tenant',
      {},
      change,
      () => ({ id: world.subscription, input: { priceId: other.sparePrice } }),
      'input.priceId',
    ],
    [
      'a quantity',
      { quantityChange: false },
      change,
      () => ({ id: world.seatSubscription, input: { quantity: 5 } }),
      'input.quantity',
    ],
    [
      'a further add-on',
      {},
      change,
      () => ({ id: world.waitingSubscription, input: { addOns: [{ priceId: world.addOnPrice }] } }),
      'input.addOns',
    ],
    [
      'add-ons',
      { addOns: false },
      change,
      () => ({ id: world.waitingSubscription, input: { addOns: [] } }),
      'input.addOns',
    ],
    [
      'an end at once',
      { cancellation: 'period_end' },
      cancel,
      () => ({ id: world.subscription }),
      'input.atPeriodEnd',
    ],
    [
      'an end with the period',
      { cancellation: 'now' },
      cancel,
      () => ({ id: world.subscription, atPeriodEnd: true }),
      'input.atPeriodEnd',
    ],
    [
      'an end',
      { cancellation: 'off' },
      cancel,
      () => ({ id: world.subscription, atPeriodEnd: true }),
      'input.atPeriodEnd',
    ],
    [
      'a code',
      { promotionCodes: false },
      redeem,
      () => ({ id: world.subscription, code: 'acme-code' }),
      'input.promotionCode',
    ],
    [
      'details',
      { details: false },
      update,
      () => ({ id: world.customer, input: { companyName: 'A' } }),
      'input',
    ],
    [
      'another page',
      {},
      link,
      () => ({ input: { customerId: world.customer, flow: { type: 'overview' } } }),
      'input.flow',
    ],
    ['any page', {}, link, () => ({ input: { customerId: world.customer } }), 'input.flow'],
    [
      'methods',
      { paymentMethods: false },
      link,
      () => ({ input: { customerId: world.customer, flow: { type: 'payment_method' } } }),
      'input.flow',
    ],
  ])('needs the settings of the portal: %s (%o)', async (_, portal, document, variables, path) => {
    const { productIds, ...others } = portal as { productIds?: string };
    await setPortal({ ...others, ...(productIds && { productIds: [world.product] }) });
    const { body } = await ask(document, variables());
    expect(body.errors[0].extensions).toMatchObject({ reason: 'action_not_allowed', issues: [{ path }] });
  });

  it.each<[string, string, () => Record<string, unknown>, string]>([
    [
      'billing',
      change,
      () => ({ id: world.subscription, input: { priceId: world.sparePrice, billing: 'none' } }),
      'input.billing',
    ],
    [
      'an earlier instant',
      change,
      () => ({ id: world.subscription, input: { priceId: world.sparePrice, at: '2026-02-28T00:00:00Z' } }),
      'input.at',
    ],
    ['metadata', update, () => ({ id: world.customer, input: { metadata: {} } }), 'input.metadata'],
    [
      'an exemption from tax',
      update,
      () => ({ id: world.customer, input: { taxExempt: true } }),
      'input.taxExempt',
    ],
    ['a tax rate', update, () => ({ id: world.customer, input: { taxRateId: null } }), 'input.taxRateId'],
    [
      'free days',
      order,
      () => ({
        input: {
          customerId: world.customer,
          productId: world.product,
          priceId: world.price,
          receiptUrl: 'https://shop.example/',
          trialDays: 700,
        },
      }),
      'input.trialDays',
    ],
    [
      'a coupon',
      order,
      () => ({
        input: {
          customerId: world.customer,
          productId: world.product,
          priceId: world.price,
          receiptUrl: 'https://shop.example/',
          couponId: world.coupon,
        },
      }),
      'input.couponId',
    ],
  ])('gives nothing away: %s', async (_, document, variables, path) => {
    const { body } = await ask(document, variables());
    expect(body.errors[0].extensions).toMatchObject({ reason: 'closed_to_browsers', issues: [{ path }] });
  });

  it('changes, cancels, pays and orders as the customer, who is the executor of its traces', async () => {
    const changed = await ask(
      change,
      { id: world.seatSubscription, input: { quantity: 3 } },
      { 'x-executor-id': 'boss' },
    );
    expect(changed.body.data.changeSubscription).toEqual({ id: world.seatSubscription, quantity: 3 });
    expect(
      (await ask(cancel, { id: world.subscription, atPeriodEnd: true })).body.data.cancelSubscription,
    ).toEqual({
      id: world.subscription,
      cancelAtPeriodEnd: true,
    });
    expect((await ask(uncancel, { id: world.subscription })).body.data.uncancelSubscription).toEqual({
      cancelAtPeriodEnd: false,
    });
    const paid = await ask(pay, { id: world.oneOffInvoice });
    expect(paid.body.data?.payInvoice ?? paid.reason).toEqual({ id: world.oneOffInvoice, status: 'paid' });
    const { prices, id } = (
      await client.graphql(
        `mutation { createProduct(input: { name: "New", description: "", prices: [{ details: { amount: 3, currency: "afn" } }] }) {
          id prices { id } } }`,
      )
    ).createProduct;
    const input = { customerId: world.customer, productId: id, priceId: prices[0].id };
    const quoted = await ask(quote, { input });
    expect(quoted.body.data.previewSubscription.total.decimal).toBe('3.00');
    const ordered = await ask(order, { input: { ...input, receiptUrl: 'https://shop.example/thanks' } });
    expect(ordered.body.data.createSubscriptionIntent).toMatchObject({
      status: 'requires_payment_method',
      paymentUrl: expect.stringMatching(/\/pay\/int_\w+\./),
    });
    const opened = await ask(link, {
      input: { customerId: world.customer, flow: { type: 'payment_method' } },
    });
    expect(opened.text).toContain('/portal/acme/s/');
    expect(opened.body.data.createPortalSession.url).toMatch(/\/portal\/acme\/s\//);
    const { traces } = await client.graphql('{ traces(first: 50) { nodes { executorId } } }');
    const executors = traces.nodes.map(({ executorId }: any) => executorId);
    expect(executors).toContain(`customer:${world.customer}`);
    expect(executors).not.toContain('boss');
  });

  it('redeems a code, and guesses are limited as in the portal', async () => {
    const redeemed = await ask(redeem, { id: world.seatSubscription, code: 'acme-code' });
    expect(redeemed.body.data?.applyDiscount ?? redeemed.reason).toMatchObject({ active: true });
    const { token: guesser } = await create({ customerId: world.customer, allow: ['apply_discount'] });
    const guess = (at: number) =>
      postFromPage(app, guesser, {
        query: redeem,
        variables: { id: world.subscription, code: `guess-${at}` },
      });
    for (let at = 0; at < 10; at++) expect((await guess(at)).reason).toBe('promotion_code_not_found');
    expect((await guess(10)).reason).toBe('too_many_attempts');
    // An order counts as well: the codes of both are the same. Another customer has tries of their own.
    const { token: buyer } = await create({ customerId: world.spareCustomer, allow: ['subscribe'] });
    const orderBy = (own: string, customerId: string, promotionCode: string) =>
      postFromPage(app, own, {
        query: order,
        variables: {
          input: {
            customerId,
            productId: world.product,
            priceId: world.price,
            receiptUrl: 'https://shop.example/thanks',
            promotionCode,
          },
        },
      });
    for (let at = 0; at < 10; at++)
      expect((await orderBy(buyer, world.spareCustomer, `order-${at}`)).reason).toBe(
        'promotion_code_not_found',
      );
    expect((await orderBy(buyer, world.spareCustomer, 'acme-code')).reason).toBe('too_many_attempts');
    await setPortal({ promotionCodes: false });
    expect((await orderBy(buyer, world.spareCustomer, 'acme-code')).body.errors[0].extensions).toMatchObject({
      reason: 'action_not_allowed',
      issues: [{ path: 'input.promotionCode' }],
    });
  });

  it('orders by code', async () => {
    const { createCustomer: customer } = await client.graphql(
      'mutation { createCustomer(input: { email: "c@b.example", firstName: "C", lastName: "D", associatedId: "by-code" }) { id } }',
    );
    const { token: own } = await create({ customerId: customer.id, allow: ['subscribe'] });
    const { body, text } = await postFromPage(app, own, {
      query: order,
      variables: {
        input: {
          customerId: customer.id,
          productId: world.product,
          priceId: world.price,
          receiptUrl: 'https://shop.example/thanks',
          promotionCode: 'acme-code',
        },
      },
    });
    expect(body.data?.createSubscriptionIntent, text).toMatchObject({ status: 'requires_payment_method' });
  });
});

it('has a limit of its own, whichever network it comes from', async () => {
  const { token: own } = await create({ customerId: world.customer });
  const query = '{ viewer { expiresAt } }';
  for (let sent = 0; sent < 100; sent++) expect((await postFromPage(app, own, { query })).status).toBe(200);
  expect((await postFromPage(app, own, { query })).status).toBe(429);
  expect((await ask(query)).status).toBe(200);
  expect((await client.post(query)).status).toBe(200);
});
