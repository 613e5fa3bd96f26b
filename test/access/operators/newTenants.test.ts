/** Tenants that an owner of the server creates in the console; nobody else does. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFirstLink } from '../../../src/access/operators/administration.ts';
import { startApp, type Answer, type TestApp } from '../../support/app.ts';
import { stoppedClock } from '../../support/clock.ts';
import { signInOperator, type TestOperator } from '../../support/operators.ts';

const create = `mutation ($input: CreateTenantInput!) {
  createTenant(input: $input) { role tenant { alias name isTest timeZone } } }`;
const clock = stoppedClock('2026-03-01T00:00:00Z');

let app: TestApp;
let owner: TestOperator;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' }, { clock });
  await createFirstLink(app.service, 'http://127.0.0.1');
  owner = await signInOperator(app, { email: 'admin@localhost' });
});
afterAll(() => app.close());

const listIssues = ({ body }: Answer) =>
  body.errors?.map(({ extensions }: any) => [extensions.reason, extensions.issues?.[0]?.path]);
const base = { name: 'Acme GmbH', isTest: false };

describe('the first tenant of a server', () => {
  it('is made by its first operator, who owns it, with what the form asks for', async () => {
    const { body: before } = await owner.post('{ operator { canCreateTenants memberships { role } } }');
    expect(before.data.operator).toEqual({ canCreateTenants: true, memberships: [] });
    const input = { ...base, alias: 'acme', country: 'de', currency: 'EUR', timeZone: 'Europe/Berlin' };
    const { body } = await owner.post(create, { input });
    expect(body.data?.createTenant, JSON.stringify(body)).toEqual({
      role: 'owner',
      tenant: { alias: 'acme', name: 'Acme GmbH', isTest: false, timeZone: 'Europe/Berlin' },
    });
    const inside = await owner.post(
      '{ tenant { defaultCurrency seller { legalName address { country } } } traces { nodes { executorId } } }',
      {},
      { 'perennial-tenant': 'acme' },
    );
    expect(inside.body.data.tenant).toEqual({
      defaultCurrency: 'eur',
      seller: { legalName: 'Acme GmbH', address: { country: 'DE' } },
    });
    const executors = inside.body.data.traces.nodes.map((node: any) => node.executorId);
    expect(new Set(executors)).toEqual(new Set([`operator:${owner.id}`]));
    const more = await owner.post(create, { input: { ...base, alias: 'acme-try', isTest: true } });
    expect(more.body.data.createTenant.tenant).toMatchObject({ isTest: true, timeZone: 'UTC' });
  });

  it('is one, of 50 requests at the same time with its alias', async () => {
    const input = { ...base, alias: 'race' };
    const answers = await Promise.all(Array.from({ length: 50 }, () => owner.post(create, { input })));
    const made = answers.filter(({ body }) => body.data?.createTenant);
    expect(made).toHaveLength(1);
    const others = answers.filter((answer) => !made.includes(answer)).map(listIssues);
    expect(new Set(others.map(String))).toEqual(new Set(['validation_failed,alias']));
  });

  it.each<[name: string, input: object, path: string]>([
    ['an alias that is taken', { alias: 'acme' }, 'alias'],
    ['a reserved alias', { alias: 'pk' }, 'alias'],
    ['a script', { alias: '<img src=x onerror=alert(1)>' }, 'alias'],
    ['text for the database', { alias: "x'; drop table tenants; --" }, 'alias'],
    ['an empty name', { name: ' ' }, 'name'],
    ['a long name', { name: 'x'.repeat(201) }, 'name'],
    ['an unknown time zone', { timeZone: 'Mars/Olympus' }, 'timeZone'],
    ['an unknown currency', { currency: 'zzz' }, 'currency'],
    ['a property of objects as currency', { currency: '__proto__' }, 'currency'],
    ['an unknown country', { country: 'ZZ' }, 'country'],
    ['a name that no document shows', { name: 'A\u202eB', country: 'DE' }, 'name'],
  ])('is refused with %s', async (_, input, path) => {
    expect(listIssues(await owner.post(create, { input: { ...base, alias: 'bad', ...input } }))).toEqual([
      ['validation_failed', path],
    ]);
  });
});

describe('creating tenants', () => {
  it.each(['owner', 'admin', 'finance', 'support', 'viewer'] as const)(
    'is not for the %s of one tenant',
    async (role) => {
      const other = await signInOperator(app, { role, tenant: 'acme-try' });
      for (const tenant of [undefined, 'acme-try']) {
        const answer = await other.post(
          create,
          { input: { ...base, alias: `by-${role}` } },
          { 'perennial-tenant': tenant },
        );
        expect(listIssues(answer)).toEqual([['permission_missing', 'permission']]);
      }
    },
  );

  it('needs a recent sign-in', async () => {
    clock.advance(10 * 60 * 1000);
    expect(listIssues(await owner.post(create, { input: { ...base, alias: 'late' } }))).toEqual([
      ['step_up_required', undefined],
    ]);
  });
});
