/** Test tenants: created, used and deleted by operators, without a trace in others. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { examine } from '../../../src/maintenance/doctor/doctor.ts';
import { startApp, type Answer, type TestApp } from '../../support/app.ts';
import { signInOperator, type TestOperator } from '../../support/operators.ts';
import { fillTenant } from '../../support/world.ts';

const create = `mutation ($input: CreateTestTenantInput!) {
  createTestTenant(input: $input) { role tenant { alias name isTest timeZone } } }`;
const remove = 'mutation ($alias: ID!) { deleteTestTenant(id: $alias) { tenant { alias } } }';
const listMine = '{ operator { memberships { role tenant { alias } } } }';

let app: TestApp;
let owner: TestOperator;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
  await app.tenant({ alias: 'acme', test: false });
  await app.tenant({ alias: 'other', test: true });
  owner = await signInOperator(app, { tenant: 'acme' });
});
afterAll(() => app.close());

const listIssues = ({ body }: Answer) =>
  body.errors?.map(({ extensions }: any) => [extensions.reason, extensions.issues?.[0]?.path]);
const within = (alias: string | undefined) => ({ 'perennial-tenant': alias });

describe('a test tenant', () => {
  it('belongs to the operator who creates it, and has a clock', async () => {
    const input = { alias: 'acme-try', name: 'Try', timeZone: 'Asia/Kabul', clock: '2026-01-31T00:00:00Z' };
    const { body } = await owner.post(create, { input });
    expect(body.data.createTestTenant).toEqual({
      role: 'owner',
      tenant: { alias: 'acme-try', name: 'Try', isTest: true, timeZone: 'Asia/Kabul' },
    });
    const inside = await owner.post(
      '{ tenant { isTest clock ownsClock } traces(order: ASC) { nodes { activityType executorId } } }',
      {},
      within('acme-try'),
    );
    expect(inside.body.data).toMatchObject({
      tenant: { isTest: true, clock: '2026-01-31T00:00:00.000Z', ownsClock: true },
      traces: { nodes: [{ executorId: `operator:${owner.id}` }, { executorId: `operator:${owner.id}` }] },
    });
  });

  it.each<[name: string, input: object, path: string]>([
    ['an alias that is taken', { alias: 'other' }, 'alias'],
    ['another form', { alias: 'A b' }, 'alias'],
    ['a script', { alias: '<img src=x onerror=alert(1)>' }, 'alias'],
    ['text for the database', { alias: "x'; drop table tenants; --" }, 'alias'],
    ['an unknown time zone', { alias: 'zone', timeZone: 'Mars/Olympus' }, 'timeZone'],
    ['an empty name', { alias: 'empty', name: ' ' }, 'name'],
  ])('is refused with %s', async (_, input, path) => {
    expect(listIssues(await owner.post(create, { input }))).toEqual([['validation_failed', path]]);
  });

  it('is refused as the twenty-first of an operator', async () => {
    const busy = await signInOperator(app, { tenant: 'acme' });
    for (let count = 1; count <= 20; count++) {
      const answer = await busy.post(create, { input: { alias: `busy-${count}` } });
      expect(answer.body.errors, answer.text).toBeUndefined();
    }
    const input = { alias: 'busy-21' };
    expect(listIssues(await busy.post(create, { input }))).toEqual([['validation_failed', 'alias']]);
  });
});

describe('its deletion', () => {
  it('removes all of its records and its keys, and nothing of other tenants', async () => {
    const client = await app.tenant({ alias: 'full', test: true });
    await fillTenant(client, 'full');
    const admin = await signInOperator(app, { role: 'admin', tenant: 'full' });
    await signInOperator(app, { role: 'owner', tenant: 'acme', email: admin.email });
    const before = await app.backdoor.dump('acme');
    const answer = await admin.post(remove, { alias: 'full' }, within('acme'));
    expect(answer.body.data, answer.text).toEqual({ deleteTestTenant: { tenant: { alias: 'full' } } });
    expect(await app.backdoor.dump('full')).not.toContain('full');
    expect((await app.backdoor.dump('acme')).replaceAll(/\s/g, '')).toBe(before.replaceAll(/\s/g, ''));
    const { body } = await client.post('{ customers { nodes { id } } }');
    expect(body.errors[0].extensions.reason).toBe('api_key_invalid');
    expect((await admin.post(listMine, {}, within(undefined))).body.data.operator.memberships).toEqual([
      { role: 'owner', tenant: { alias: 'acme' } },
    ]);
    const { findings } = await examine(app.service, () => undefined);
    expect(findings.filter(({ tenant }) => tenant === 'full')).toEqual([]);
    const again = await owner.post(create, { input: { alias: 'full' } });
    expect(again.body.errors, again.text).toBeUndefined();
    const customers = await owner.post('{ customers { totalCount } }', {}, within('full'));
    expect(customers.body.data.customers.totalCount).toBe(0);
  });

  it.each<[name: string, alias: string, document: string, within: string]>([
    ['its deletion and creation', 'deleted-limits', remove, 'acme'],
    [
      'its reset',
      'reset-limits',
      'mutation ($alias: String!) { resetTenant(input: { confirmation: $alias }) { alias } }',
      'reset-limits',
    ],
  ])('leaves no feature in memory after %s', async (_, alias, document, tenant) => {
    const ask = async (query: string, variables: object = {}, by = alias) => {
      const { body, text } = await owner.post(query, variables, within(by));
      return body.data ? [Object.values(body.data)[0], body.errors?.[0]?.extensions.reason] : [text];
    };
    const createTenant = () => owner.post(create, { input: { alias } });
    await createTenant();
    const check = async () => {
      const fields = 'firstName: "A", lastName: "B", email: "a@example.com", associatedId: "a"';
      const [customer] = await ask(`mutation { createCustomer(input: { ${fields} }) { id } }`);
      const query = 'query ($id: ID!) { checkEntitlement(customerId: $id, feature: "sso") { because } }';
      return ask(query, { id: (customer as { id: string }).id });
    };
    await ask('mutation { createFeature(input: { key: "sso", name: "SSO", kind: boolean }) { id } }');
    expect(await check()).toEqual([{ because: 'no_subscription' }, undefined]);
    await ask(document, { alias }, tenant);
    await createTenant();
    expect(await check()).toEqual([null, 'feature_not_found']);
  });

  it('happens once when two owners ask for it', async () => {
    await owner.post(create, { input: { alias: 'twice' } });
    const second = await signInOperator(app, { tenant: 'twice' });
    await signInOperator(app, { tenant: 'acme', email: second.email });
    const answers = await Promise.all(
      [owner, second].map((each) => each.post(remove, { alias: 'twice' }, within('acme'))),
    );
    for (const answer of answers) expect(answer.status, answer.text).toBeLessThan(500);
    expect((await owner.post(listMine, {}, within(undefined))).text).not.toContain('"twice"');
  });

  it.each<[name: string, alias: string, tenant: string, issue: [string, string | undefined]]>([
    ['of a live tenant', 'acme', 'acme-try', ['validation_failed', 'id']],
    ['of the tenant of the request', 'acme-try', 'acme-try', ['validation_failed', 'id']],
    ['of a tenant of others', 'other', 'acme', ['tenant_mismatch', undefined]],
    ['of no tenant', 'nobody', 'acme', ['tenant_mismatch', undefined]],
    ['of a hostile name', "' or 1=1 --", 'acme', ['tenant_mismatch', undefined]],
    ['of a name that no database keeps', 'a\0b', 'acme', ['validation_failed', 'variables.alias']],
  ])('is refused %s', async (_, alias, tenant, issue) => {
    expect(listIssues(await owner.post(remove, { alias }, within(tenant)))).toEqual([issue]);
  });

  it('is refused to those who may not manage it', async () => {
    const support = await signInOperator(app, { role: 'support', tenant: 'other' });
    await signInOperator(app, { role: 'owner', tenant: 'acme', email: support.email });
    expect(listIssues(await support.post(remove, { alias: 'other' }, within('acme')))).toEqual([
      ['permission_missing', 'permission'],
    ]);
  });
});
