/** The operators of a tenant: invitations, roles and removal, by operators of two tenants. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startApp, type Answer, type TestApp } from '../../support/app.ts';
import { postConsole, signInOperator, type TestOperator } from '../../support/operators.ts';

const invite = `mutation ($input: InviteOperatorInput!) {
  inviteOperator(input: $input) { url expiresAt operator { id: operatorId email name role } } }`;
const changeRole = `mutation ($id: ID!, $input: ChangeOperatorRoleInput!) {
  changeOperatorRole(id: $id, input: $input) { id: operatorId role } }`;
const remove = 'mutation ($operatorId: ID!) { removeOperator(id: $operatorId) { id: operatorId } }';
const redeem =
  'mutation ($token: String!) { redeemOperatorLink(input: { token: $token }) { id memberships { role } } }';
const list = '{ operators(first: 100) { totalCount nodes { id: operatorId email role lastSeenAt } } }';
const getReason = ({ body }: Answer) => body.errors?.[0]?.extensions.reason;

let app: TestApp;
let owner: TestOperator;
let alias: string;
let tenants = 0;

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
});
afterAll(() => app.close());
beforeEach(async () => {
  alias = `acme-${(tenants += 1)}`;
  await app.tenant({ alias });
  owner = await signInOperator(app, { role: 'owner', tenant: alias });
});

const send = (operator: TestOperator, email: string, role = 'support', headers = {}) =>
  operator.post(invite, { input: { email, role } }, headers);

describe('an invitation', () => {
  it('gives a new operator a link that signs in once, and a repeat of the request the same link', async () => {
    const key = { 'idempotency-key': 'invite-1' };
    const first = await send(owner, ' Ada.New@Example.com ', 'support', key);
    const { url, operator } = first.body.data.inviteOperator;
    expect(operator).toMatchObject({ email: 'ada.new@example.com', role: 'support' });
    expect((await send(owner, ' Ada.New@Example.com ', 'support', key)).text).toBe(first.text);
    const token = url.split('#')[1];
    const { body } = await postConsole(app, redeem, { token });
    expect(body.data.redeemOperatorLink).toEqual({ id: operator.id, memberships: [{ role: 'support' }] });
    expect(getReason(await postConsole(app, redeem, { token }))).toBe('sign_in_failed');
  });

  it.each(['viewer', 'support', 'admin'] as const)(
    'is not repeated to %s with the same key',
    async (role) => {
      const email = `invited-${role}@${alias}.example`;
      const key = { 'idempotency-key': `stolen-${role}` };
      const { url } = (await send(owner, email, 'support', key)).body.data.inviteOperator;
      const other = await signInOperator(app, { role, tenant: alias });
      const answer = await send(other, email, 'support', key);
      if (role !== 'admin') expect(getReason(answer)).toBe('permission_missing');
      expect(answer.headers['idempotent-replayed']).toBeUndefined();
      expect(answer.text).not.toContain(url);
    },
  );

  it('is not repeated to its sender, who has another role since', async () => {
    const email = `invited@${alias}.example`;
    const key = { 'idempotency-key': 'before-the-change' };
    const sender = await signInOperator(app, { role: 'admin', tenant: alias });
    const { url } = (await send(sender, email, 'support', key)).body.data.inviteOperator;
    await owner.post(changeRole, { id: sender.id, input: { role: 'support' } });
    const answer = await send(sender, email, 'support', key);
    expect(getReason(answer)).toBe('idempotency_key_reused');
    expect(answer.text).not.toContain(url);
  });

  it('gives no link to an operator whose address is confirmed', async () => {
    const other = `other-${alias}`;
    await app.tenant({ alias: other });
    const known = await signInOperator(app, { tenant: other, email: `known@${alias}.example` });
    const { body } = await send(owner, known.email);
    expect(body.data.inviteOperator).toMatchObject({
      url: null,
      expiresAt: null,
      operator: { id: known.id },
    });
    expect(getReason(await send(owner, known.email))).toBe('operator_exists');
  });

  it('refuses an operator whom another tenant has invited, but nobody confirmed', async () => {
    const other = `other-${alias}`;
    await app.tenant({ alias: other });
    const stranger = await signInOperator(app, { tenant: other });
    const email = `mallory@${alias}.example`;
    const answers = await Promise.all([send(stranger, email), send(owner, email)]);
    expect(new Set(answers.map(getReason))).toEqual(new Set(['operator_unconfirmed', undefined]));
  });

  it('happens once in 50 requests at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(owner, `many@${alias}.example`)));
    expect(answers.filter(({ body }) => body.data?.inviteOperator)).toHaveLength(1);
    const { body } = await owner.post(list);
    expect(body.data.operators.nodes).toHaveLength(2);
  });

  it.each(['', 'x', 'a@b', `${'a'.repeat(300)}@example.com`, "' or 1=1 --", 'a\u0000@example.com'])(
    'refuses the address %j',
    async (email) => {
      const { body } = await send(owner, email);
      expect(body.errors[0].extensions).toMatchObject({ reason: 'validation_failed', status: 400 });
    },
  );
});

describe('a role', () => {
  it.each([
    ['admin', 'owner', 'role_too_high'],
    ['admin', 'admin', undefined],
    ['admin', 'viewer', undefined],
    ['owner', 'owner', undefined],
    ['finance', 'viewer', 'permission_missing'],
  ] as const)('%s invites %s', async (own, given, reason) => {
    const operator = await signInOperator(app, { role: own, tenant: alias });
    expect(getReason(await send(operator, `new-${own}-${given}@${alias}.example`, given))).toBe(reason);
  });

  it('is not changed above the own role, nor that of a higher operator', async () => {
    const admin = await signInOperator(app, { role: 'admin', tenant: alias });
    const viewer = await signInOperator(app, { role: 'viewer', tenant: alias });
    const change = (operatorId: string, role: string) =>
      admin.post(changeRole, { id: operatorId, input: { role } });
    expect(getReason(await change(admin.id, 'owner'))).toBe('role_too_high');
    expect(getReason(await change(viewer.id, 'owner'))).toBe('role_too_high');
    expect(getReason(await change(owner.id, 'viewer'))).toBe('role_too_high');
    expect(getReason(await admin.post(remove, { operatorId: owner.id }))).toBe('role_too_high');
    expect((await change(viewer.id, 'support')).body.data.changeOperatorRole.role).toBe('support');
  });

  it('takes effect with the next request, also on a request under way in another tenant', async () => {
    const support = await signInOperator(app, { role: 'admin', tenant: alias });
    await owner.post(changeRole, { id: support.id, input: { role: 'viewer' } });
    expect(getReason(await send(support, 'x@example.com'))).toBe('permission_missing');
    await owner.post(remove, { operatorId: support.id });
    expect(getReason(await support.post('{ customers { nodes { id } } }'))).toBe('tenant_mismatch');
  });
});

describe('the last owner', () => {
  it('stays, also if two owners remove each other at the same time', async () => {
    expect(getReason(await owner.post(remove, { operatorId: owner.id }))).toBe('last_owner');
    const change = { id: owner.id, input: { role: 'admin' } };
    expect(getReason(await owner.post(changeRole, change))).toBe('last_owner');
    const second = await signInOperator(app, { role: 'owner', tenant: alias });
    await Promise.all([
      owner.post(remove, { operatorId: second.id }),
      second.post(remove, { operatorId: owner.id }),
    ]);
    const left = await app.service.store.fresh.select('operatorMemberships', {
      where: { tenantAlias: alias, role: 'owner' },
    });
    expect(left).toHaveLength(1);
  });
});

it("another tenant's operators are neither listed nor changed", async () => {
  const other = `other-${alias}`;
  await app.tenant({ alias: other });
  const stranger = await signInOperator(app, { tenant: other });
  const { body } = await stranger.post(list);
  expect(body.data.operators).toMatchObject({ totalCount: 1, nodes: [{ id: stranger.id }] });
  const change = { id: owner.id, input: { role: 'viewer' } };
  expect(getReason(await stranger.post(changeRole, change))).toBe('operator_not_found');
  expect(getReason(await stranger.post(remove, { operatorId: owner.id }))).toBe('operator_not_found');
});

it('traces name the operator, and show no secrets', async () => {
  const { body } = await send(owner, `traced@${alias}.example`, 'viewer');
  const { id } = body.data.inviteOperator.operator;
  const traces = await owner.post(
    '{ traces(activityType: OperatorEvent, first: 1) { nodes { executorId payload } } }',
  );
  expect(traces.body.data.traces.nodes).toEqual([
    {
      executorId: `operator:${owner.id}`,
      payload: expect.objectContaining({ action: 'created', resourceId: id }),
    },
  ]);
});
