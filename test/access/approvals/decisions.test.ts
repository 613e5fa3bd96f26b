/** Who asks and who decides: each credential, each end of a request, and what may not happen twice. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endInterrupted, expireRequests } from '../../../src/access/approvals/requests.ts';
import { openScheduledTenant } from '../../../src/tenancy/openTenant.ts';
import { findTenant } from '../../../src/tenancy/tenants.ts';
import type { Permission } from '../../../src/tenancy/permissions.ts';
import type { OperatorRole } from '../../../src/storage/model/operators.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { signInOperator, type TestOperator } from '../../support/operators.ts';
import { createShop, type Shop } from '../../support/shop.ts';
import {
  type Poster,
  actionRequest,
  approve,
  approveBy,
  ask,
  decline,
  find,
  propose,
  readAnswer,
  readAskedId,
  reasonOf,
  requestFields,
  sumPreview,
  withdraw,
} from './requests.ts';

const dayMs = 86_400_000;
let offsetMs = 0;
const clock: Clock = { nowMs: () => Date.now() + offsetMs };

let app: TestApp;
let writer: Client;
let agent: Client;
let owner: TestOperator;
let shop: Shop;

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '100000' }, { clock });
  writer = await app.tenant({ alias: 'acme' });
  await app.tenant({ alias: 'other' });
  agent = await app.key('acme', ['read', 'propose']);
  owner = await signInOperator(app, { role: 'owner', tenant: 'acme' });
  shop = createShop(writer, 'acme');
});
afterAll(() => app.close());

const grantOf = (customer: { id: string }, amount = 12.34) => ({
  operation: 'grantCredit',
  input: { customerId: customer.id, amount: { amount, currency: 'afn' }, reason: 'For Ada' },
});
const read = async (id: string) => (await writer.graphql(find, { id })).actionRequest;
const balanceOf = async ({ id }: { id: string }): Promise<string[]> => {
  const { customer } = await writer.graphql(
    'query ($id: ID!) { customer(id: $id) { balance { decimal } } }',
    {
      id,
    },
  );
  return customer.balance.map(({ decimal }: { decimal: string }) => decimal);
};
const scheduled = async () => openScheduledTenant(app.service, (await findTenant(app.service, 'acme'))!);

async function pay() {
  const customer = await shop.customer();
  const { price } = await shop.product({ amount: 50 });
  const subscription = await shop.subscribe(customer, price);
  const { invoices } = await writer.graphql(
    'query ($id: ID) { invoices(customerId: $id) { nodes { id } } }',
    {
      id: customer.id,
    },
  );
  return { customer, price, subscription, invoice: invoices.nodes[0].id as string };
}

const refund = `mutation ($id: ID!, $input: RefundInvoiceInput) { refundInvoice(id: $id, input: $input) { id } }`;
const refundedOf = async (id: string) =>
  (await writer.graphql('query ($id: ID!) { invoice(id: $id) { refunded { decimal } } }', { id })).invoice
    .refunded.decimal;

describe('who decides', () => {
  const rows: [string, () => Promise<Poster>, string | undefined][] = [
    ['the key that asked', async () => agent, 'permission_missing'],
    ['another key that may only ask', () => app.key('acme', ['read', 'propose']), 'permission_missing'],
    [
      'a key with the permission that may not ask',
      () => app.key('acme', ['read', 'credit']),
      'permission_missing',
    ],
    ['a key that reads', () => app.key('acme', 'read'), 'insufficient_scope'],
    ['a key of another tenant', () => app.key('other', 'write'), 'action_request_not_found'],
    ['a viewer', () => signInOperator(app, { role: 'viewer', tenant: 'acme' }), 'permission_missing'],
    ['a supporter', () => signInOperator(app, { role: 'support', tenant: 'acme' }), 'permission_missing'],
    ['somebody of finance', () => signInOperator(app, { role: 'finance', tenant: 'acme' }), undefined],
    ['a key with the permission', () => app.key('acme', ['read', 'propose', 'credit']), undefined],
    ['a key that writes', () => app.key('acme', 'write'), undefined],
  ];
  it.each(rows)('%s', async (_, open, refused) => {
    const customer = await shop.customer();
    const request = await ask(agent, grantOf(customer));
    const by = await open();
    for (const document of [approve, decline]) {
      if (refused === undefined && document === decline) continue;
      const answer = await by.post(document, { id: request.id, version: request.preview.version });
      expect(reasonOf(answer), answer.text).toBe(refused);
    }
    expect((await read(request.id)).status).toBe(refused === undefined ? 'approved' : 'pending');
    expect(await balanceOf(customer)).toEqual(refused === undefined ? ['12.34'] : []);
  });

  it('is never who asked, even with the permission, under any executor', async () => {
    const customer = await shop.customer();
    const both = await app.key('acme', ['read', 'propose', 'credit']);
    const request = await ask(both, grantOf(customer));
    for (const headers of [undefined, { 'x-executor-id': 'somebody-else' }]) {
      expect(reasonOf(await approveBy(both, request, headers))).toBe('action_request_own');
      expect(reasonOf(await both.post(decline, { id: request.id }, headers))).toBe('action_request_own');
    }
    const byOwner = await ask(owner, grantOf(customer));
    expect(byOwner.requestedBy).toBe(`operator:${owner.id}`);
    expect(reasonOf(await approveBy(owner, byOwner))).toBe('action_request_own');
    expect(await balanceOf(customer)).toEqual([]);
  });

  it('needs the recent sign-in of the operation to approve, and none to decline', async () => {
    const { invoice } = await pay();
    const request = await ask(agent, { operation: 'refundInvoice', id: invoice });
    const late = await signInOperator(app, { role: 'finance', tenant: 'acme' });
    offsetMs += 11 * 60_000;
    expect(reasonOf(await approveBy(late, request))).toBe('step_up_required');
    expect((await read(request.id)).status).toBe('pending');
    const declined = readAnswer(await late.post(decline, { id: request.id, input: { reason: 'Too late' } }));
    expect(declined.declineActionRequest).toMatchObject({
      status: 'declined',
      declineReason: 'Too late',
      decidedBy: `operator:${late.id}`,
    });
    expect(await refundedOf(invoice)).toBe('0.00');
    owner = await signInOperator(app, { role: 'owner', tenant: 'acme', email: owner.email });
  });
});

describe('a call of a key that may only ask', () => {
  it('asks once for the same idempotency key, and again for another', async () => {
    const { invoice } = await pay();
    const send = (key: string) => agent.post(refund, { id: invoice }, { 'idempotency-key': key });
    const [first, repeated, other] = [await send('k1'), await send('k1'), await send('k2')];
    expect(reasonOf(first)).toBe('approval_required');
    expect(repeated.text).toBe(first.text);
    expect(readAskedId(other)).not.toBe(readAskedId(first));
    const many = await Promise.all(Array.from({ length: 20 }, () => send('k3')));
    const asked = many.filter((answer) => reasonOf(answer) === 'approval_required');
    expect(asked.length).toBeGreaterThan(0);
    expect(new Set(asked.map(readAskedId)).size).toBe(1);
    const { actionRequests } = await agent.graphql(
      '{ actionRequests(operation: "refundInvoice", status: pending) { totalCount } }',
    );
    expect(actionRequests.totalCount).toBe(3);
  });

  it('is answered with 202 in REST, once for an idempotency key', async () => {
    const { subscription, customer } = await pay();
    const path = `/subscriptions/${subscription.id}`;
    const fields = { tenantAlias: 'acme', customer: customer.id };
    const answer = await agent.rest('DELETE', path, fields, { 'idempotency-key': 'r1' });
    expect(answer.status, answer.text).toBe(202);
    expect(answer.body).toMatchObject({
      operation: 'cancelSubscription',
      status: 'pending',
      permission: 'manage_subscriptions',
    });
    expect(answer.headers['location']).toContain(
      `/api/v1/action-requests/${answer.body.id}?tenantAlias=acme`,
    );
    const repeated = await agent.rest('DELETE', path, fields, { 'idempotency-key': 'r1' });
    expect(repeated).toMatchObject({ status: 202, text: answer.text });
    const found = await agent.rest('GET', `/action-requests/${answer.body.id}`, { tenantAlias: 'acme' });
    expect(found.body).toEqual(answer.body);
    const approver = await app.key('acme', ['read', 'propose', 'manage_subscriptions']);
    const done = await approver.rest('POST', `/action-requests/${answer.body.id}/approve`, {
      previewVersion: answer.body.preview.version,
    });
    expect(done.body, done.text).toMatchObject({ status: 'approved', resultId: subscription.id });
    const { subscription: ended } = await writer.graphql(
      'query ($id: ID!) { subscription(id: $id) { status } }',
      { id: subscription.id },
    );
    expect(ended.status).toBe('cancelled');
  });

  it('asks for an argument that grants more, too', async () => {
    const seller = await app.key('acme', ['read', 'propose', 'manage_subscriptions']);
    const change = `mutation ($id: ID!, $input: ChangeSubscriptionInput!) { changeSubscription(id: $id, input: $input) { id } }`;
    const more = await shop.product({ amount: 7, price: { model: 'per_unit' } });
    const seats = await shop.subscribe(await shop.customer(), more.price);
    const asked = await seller.post(change, { id: seats.id, input: { quantity: 3, billing: 'none' } });
    expect(reasonOf(asked), asked.text).toBe('approval_required');
    const request = await actionRequest(seller, asked);
    // Not a value of the program, but the name of the enum.
    expect(request.input).toEqual({ id: seats.id, input: { quantity: 3, billing: 'none' } });
    const half: Permission[] = ['read', 'propose', 'manage_subscriptions'];
    expect(reasonOf(await approveBy(await app.key('acme', half), request))).toBe('permission_missing');
    const done = readAnswer(await approveBy(owner, request)).approveActionRequest;
    expect(done).toMatchObject({ status: 'approved', failure: null });
  });

  it('is refused as before without `propose`, and where nothing can be asked for', async () => {
    const { invoice, customer } = await pay();
    expect(reasonOf(await (await app.key('acme', ['read', 'credit'])).post(refund, { id: invoice }))).toBe(
      'permission_missing',
    );
    expect(reasonOf(await (await app.key('acme', 'read')).post(refund, { id: invoice }))).toBe(
      'insufficient_scope',
    );
    const rename = `mutation ($id: ID!) { updateCustomer(id: $id, input: { firstName: "X" }) { id } }`;
    expect(reasonOf(await agent.post(rename, { id: customer.id }))).toBe('permission_missing');
    const late = await signInOperator(app, { role: 'support' satisfies OperatorRole, tenant: 'acme' });
    expect(reasonOf(await late.post(refund, { id: invoice }))).toBe('permission_missing');
  });
});

describe('what was seen', () => {
  it('is not done once its amounts have changed, and asks again with the new ones', async () => {
    const { invoice } = await pay();
    const request = await ask(agent, { operation: 'refundInvoice', id: invoice });
    expect(sumPreview(request)).toEqual({ refund: '50.00', credit_note: '50.00' });
    await writer.graphql(refund, { id: invoice, input: { amount: { amount: 20, currency: 'afn' } } });
    const answer = await approveBy(owner, request);
    expect(reasonOf(answer)).toBe('action_request_changed');
    const renewed = await read(request.id);
    expect(renewed.status).toBe('pending');
    expect(sumPreview(renewed)).toEqual({ refund: '30.00', credit_note: '30.00' });
    expect(await refundedOf(invoice)).toBe('20.00');
    expect(reasonOf(await approveBy(owner, request))).toBe('action_request_changed');
    expect(readAnswer(await approveBy(owner, renewed)).approveActionRequest.status).toBe('approved');
    expect(await refundedOf(invoice)).toBe('50.00');
  });

  it('fails with the reason if its record is gone', async () => {
    const customer = await shop.customer();
    const request = await ask(agent, grantOf(customer));
    await writer.graphql('mutation ($id: ID!) { deleteCustomer(id: $id) { id } }', { id: customer.id });
    const done = readAnswer(await approveBy(owner, request)).approveActionRequest;
    expect(done).toMatchObject({
      status: 'failed',
      decidedBy: `operator:${owner.id}`,
      failure: { reason: 'customer_not_found' },
    });
    expect(reasonOf(await approveBy(owner, request))).toBe('action_request_closed');
  });

  it('fails with the reason of the operation if it is done already', async () => {
    const { invoice } = await pay();
    const request = await ask(agent, { operation: 'refundInvoice', id: invoice });
    await writer.graphql(refund, { id: invoice });
    const done = readAnswer(await approveBy(owner, request)).approveActionRequest;
    expect(done).toMatchObject({ status: 'failed', failure: { reason: 'refund_too_large' } });
  });
});

it('is refused for what would change nothing, and asks again if that is so by its approval', async () => {
  const { subscription } = await pay();
  const end = { operation: 'cancelSubscription', id: subscription.id, input: { atPeriodEnd: true } };
  const request = await ask(agent, end);
  await writer.graphql(
    'mutation ($id: ID!) { cancelSubscription(id: $id, input: { atPeriodEnd: true }) { id } }',
    { id: subscription.id },
  );
  expect(reasonOf(await agent.post(propose, { input: end }))).toBe('action_without_effect');
  expect(reasonOf(await approveBy(owner, request))).toBe('action_request_changed');
  const changed = await read(request.id);
  expect(changed).toMatchObject({ status: 'pending', preview: { changes: [] } });
  expect(readAnswer(await approveBy(owner, changed)).approveActionRequest.status).toBe('approved');
});

it('is done once by 50 approvals at the same time', async () => {
  const customer = await shop.customer();
  const { invoice } = await pay();
  const finance = await signInOperator(app, { role: 'finance', tenant: 'acme' });
  const requests = [
    await ask(agent, grantOf(customer)),
    await ask(agent, {
      operation: 'refundInvoice',
      id: invoice,
      input: { amount: { amount: 10, currency: 'afn' } },
    }),
  ];
  for (const request of requests) {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => approveBy(index % 2 ? owner : finance, request)),
    );
    const reasons = new Set(answers.map((answer) => reasonOf(answer) ?? 'approved'));
    expect(reasons).toContain('approved');
    for (const each of reasons)
      expect(['approved', 'request_in_flight', 'action_request_closed']).toContain(each);
    expect((await read(request.id)).status).toBe('approved');
    // Who approved it gets the same outcome again.
    const decided = (await read(request.id)).decidedBy === `operator:${owner.id}` ? owner : finance;
    expect(readAnswer(await approveBy(decided, request)).approveActionRequest.status).toBe('approved');
  }
  expect(await balanceOf(customer)).toEqual(['12.34']);
  expect(await refundedOf(invoice)).toBe('10.00');
});

describe('an end', () => {
  it('comes after seven days, or when it was asked for', async () => {
    const customer = await shop.customer();
    const inMs = (ms: number) => new Date(clock.nowMs() + ms).toISOString();
    const long = await ask(agent, { ...grantOf(customer), expiresAt: inMs(89 * dayMs) });
    const standard = await ask(agent, grantOf(customer));
    expect(Date.parse(standard.expiresAt) - Date.parse(standard.requestedAt)).toBe(7 * dayMs);
    for (const expiresAt of [inMs(-1), inMs(60_000), inMs(91 * dayMs), 'soon']) {
      const answer = await agent.post(propose, { input: { ...grantOf(customer), expiresAt } });
      expect(answer.body.errors[0].extensions.reason, expiresAt).toBe('validation_failed');
      expect(answer.body.errors[0].extensions.issues[0].path).toMatch(/expiresAt/);
    }
    offsetMs += 7 * dayMs;
    owner = await signInOperator(app, { role: 'owner', tenant: 'acme', email: owner.email });
    expect(reasonOf(await approveBy(owner, standard))).toBe('action_request_closed');
    const tenant = await scheduled();
    expect(await expireRequests(tenant, tenant.now())).toBeGreaterThan(0);
    expect((await read(standard.id)).status).toBe('expired');
    expect((await read(long.id)).status).toBe('pending');
    expect(await balanceOf(customer)).toEqual([]);
    expect(readAnswer(await approveBy(owner, long)).approveActionRequest.status).toBe('approved');
  });

  it('comes when it is withdrawn, by who asked or who manages settings', async () => {
    const customer = await shop.customer();
    const other = await app.key('acme', ['read', 'propose']);
    const [own, another] = [await ask(agent, grantOf(customer)), await ask(agent, grantOf(customer))];
    expect(reasonOf(await other.post(withdraw, { id: own.id }))).toBe('permission_missing');
    expect(readAnswer(await agent.post(withdraw, { id: own.id })).withdrawActionRequest.status).toBe(
      'withdrawn',
    );
    expect(readAnswer(await owner.post(withdraw, { id: another.id })).withdrawActionRequest.status).toBe(
      'withdrawn',
    );
    for (const [by, document] of [
      [agent, withdraw],
      [owner, approve],
      [owner, decline],
    ] as const)
      expect(reasonOf(await by.post(document, { id: own.id, version: own.preview.version }))).toBe(
        'action_request_closed',
      );
  });

  it('follows a crash between the act and its record', async () => {
    const customer = await shop.customer();
    const request = await ask(agent, grantOf(customer));
    readAnswer(await approveBy(owner, request));
    await app.backdoor.execute(
      `update action_requests set completed_at = null, result_id = null where id = '${request.id}'`,
    );
    expect(await endInterrupted(await scheduled())).toBe(1);
    const ended = await read(request.id);
    expect(ended).toMatchObject({ status: 'approved', resultId: expect.stringMatching(/^bal_/) });
    expect(ended.completedAt).not.toBeNull();
    expect(await balanceOf(customer)).toEqual(['12.34']);
  });
});

it('forgets what was written about an erased customer, and fails what waits', async () => {
  const customer = await shop.customer({ email: 'secret-ada@example.com' });
  const request = await ask(agent, { ...grantOf(customer), reason: 'Ada of 7 Secret Lane' });
  const erasure = await ask(agent, {
    operation: 'eraseCustomer',
    id: customer.id,
    input: { associatedId: customer.associatedId },
    reason: 'Ada of 7 Secret Lane',
  });
  expect(readAnswer(await approveBy(owner, erasure)).approveActionRequest).toMatchObject({
    status: 'approved',
    input: {},
    reason: '[erased]',
  });
  expect(await read(request.id)).toMatchObject({
    status: 'failed',
    input: {},
    reason: '[erased]',
    failure: { reason: 'customer_not_found' },
  });
  const dump = await app.backdoor.dump('acme');
  for (const text of ['Secret Lane', 'secret-ada', customer.associatedId]) expect(dump).not.toContain(text);
});

describe('hostile input', () => {
  const rows: [string, (customer: { id: string }) => object, string, RegExp][] = [
    ['an unknown operation', () => ({ operation: 'refundInvoices' }), 'validation_failed', /^operation$/],
    [
      'an operation that cannot be asked for',
      () => ({ operation: 'createApiKey', input: {} }),
      'validation_failed',
      /^operation$/,
    ],
    ['a query', () => ({ operation: 'customers' }), 'validation_failed', /^operation$/],
    ['a name of a prototype', () => ({ operation: '__proto__' }), 'validation_failed', /^operation$/],
    ['no arguments', () => ({ operation: 'grantCredit' }), 'validation_failed', /^input/],
    [
      'an id that it does not take',
      (customer) => ({ ...grantOf(customer), id: 'cus_1' }),
      'validation_failed',
      /^id$/,
    ],
    [
      'an unknown field',
      (customer) => ({ operation: 'grantCredit', input: { ...grantOf(customer).input, to: 1 } }),
      'validation_failed',
      /^input/,
    ],
    [
      'an amount of text',
      (customer) => ({ operation: 'grantCredit', input: { ...grantOf(customer).input, amount: 'much' } }),
      'validation_failed',
      /^input/,
    ],
    [
      'an amount with too many decimals',
      (customer) => grantOf(customer, 1.23456),
      'amount_precision',
      /amount/,
    ],
    ['a customer of nobody', () => grantOf({ id: 'cus_0' }), 'customer_not_found', /./],
    [
      'a reason that is too long',
      (customer) => ({ ...grantOf(customer), reason: 'x'.repeat(5001) }),
      'validation_failed',
      /^reason$/,
    ],
    ['itself', () => ({ operation: 'proposeAction', input: {} }), 'validation_failed', /^operation$/],
  ];
  it.each(rows)('%s is refused by name, and asks for nothing', async (_, build, reason, path) => {
    const customer = await shop.customer();
    const before = await app.backdoor.dump('acme');
    const answer = await agent.post(propose, { input: build(customer) });
    const { extensions } = answer.body.errors[0];
    expect(extensions.reason, answer.text).toBe(reason);
    if (reason !== 'customer_not_found') expect(extensions.issues[0].path).toMatch(path);
    expect(await app.backdoor.dump('acme')).toBe(before);
  });

  it('finds nothing of another tenant', async () => {
    const request = await ask(agent, grantOf(await shop.customer()));
    const stranger = await app.key('other', 'write');
    const before = await app.backdoor.dump('acme');
    for (const document of [find, approve, decline, withdraw])
      expect(
        reasonOf(await stranger.post(document, { id: request.id, version: request.preview.version })),
      ).toBe('action_request_not_found');
    const foreign = await stranger.post(propose, { input: request.input });
    expect(foreign.body.errors[0].extensions.reason).toBe('validation_failed');
    const theirs = await stranger.post(propose, {
      input: { operation: request.operation, ...request.input },
    });
    expect(reasonOf(theirs)).toBe('customer_not_found');
    const { actionRequests } = await stranger.graphql(
      `{ actionRequests { nodes { ${requestFields} } totalCount } }`,
    );
    expect(actionRequests).toEqual({ nodes: [], totalCount: 0 });
    expect(await app.backdoor.dump('acme')).toBe(before);
  });
});
