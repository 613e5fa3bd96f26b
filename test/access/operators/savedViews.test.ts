/** The saved views of an operator: those of one list are replaced as a whole, within their limits, and nobody else sees them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replaceViews } from '../../../src/access/operators/savedViews.ts';
import { BillingError } from '../../../src/lib/errors.ts';
import { startApp, type Answer, type Client, type TestApp } from '../../support/app.ts';
import { postConsole, signInOperator, type TestOperator } from '../../support/operators.ts';

const open = { name: 'Open', query: 'status=open&columns=number,total' };
const many = (count: number) => Array.from({ length: count }, (_, nth) => ({ name: `v${nth}`, query: '' }));

it('replaces the views of one list, and keeps those of others', () => {
  const before = [
    { list: 'invoices', name: 'Old', query: '' },
    { list: 'payments', ...open },
  ];
  expect(replaceViews(before, 'invoices', [{ name: '  Open ', query: open.query }])).toEqual([
    { list: 'payments', ...open },
    { list: 'invoices', ...open },
  ]);
  expect(replaceViews(before, 'invoices', [])).toEqual([{ list: 'payments', ...open }]);
});

it.each<[list: string, views: { name: string; query: string }[], path: string]>([
  ['', [], 'list'],
  ['__proto__', [], 'list'],
  ['Invoices', [], 'list'],
  ['a'.repeat(41), [], 'list'],
  ['invoices', many(31), 'views'],
  ['invoices', [{ ...open, name: '  ' }], 'views.0.name'],
  ['invoices', [open, { ...open, name: 'x'.repeat(61) }], 'views.1.name'],
  ['invoices', [{ ...open, query: 'x'.repeat(2001) }], 'views.0.query'],
  ['invoices', [open, { ...open, name: ' Open' }], 'views.1.name'],
])('%s with %j is refused at %s', (list, views, path) => {
  let refused: unknown;
  try {
    replaceViews([], list, views);
  } catch (error) {
    refused = error;
  }
  expect(refused).toBeInstanceOf(BillingError);
  expect(refused).toMatchObject({ reason: 'validation_failed', issues: [{ path }] });
});

const save = `mutation ($list: String!, $views: [SavedViewInput!]!) {
  saveViews(input: { list: $list, views: $views }) { id memberships { tenant { alias } views { list name query } } } }`;
const own = '{ operator { memberships { tenant { alias } views { list name query } } } }';
const getReason = ({ body }: Answer) => body.errors?.[0]?.extensions.reason;
const getPaths = ({ body }: Answer) => body.errors[0].extensions.issues?.map(({ path }: any) => path);
const views = [open];

describe('over GraphQL', () => {
  let app: TestApp;
  let client: Client;
  let owner: TestOperator;

  beforeAll(async () => {
    app = await startApp({ rateLimitPerSecond: '100000' });
    client = await app.tenant({ alias: 'acme' });
    await app.tenant({ alias: 'other' });
    owner = await signInOperator(app, { role: 'owner', tenant: 'acme' });
  });
  afterAll(() => app.close());

  const read = async (operator: TestOperator, alias = 'acme') =>
    (await operator.post(own)).body.data.operator.memberships.find((each: any) => each.tenant.alias === alias)
      .views;

  it.each<[name: string, variables: object, paths: string[]]>([
    ['a list of another form', { list: 'Invoices', views }, ['list']],
    ['a list in two lines', { list: 'invoices\n', views }, ['list']],
    ['the prototype', { list: '__proto__', views }, ['list']],
    ['no name', { list: 'invoices', views: [{ ...open, name: ' \u00a0 ' }] }, ['views.0.name']],
    [
      'a long name',
      { list: 'invoices', views: [open, { name: 'x'.repeat(61), query: '' }] },
      ['views.1.name'],
    ],
    [
      'a long query',
      { list: 'invoices', views: [{ name: 'x', query: 'x'.repeat(2001) }] },
      ['views.0.query'],
    ],
    ['31 views', { list: 'invoices', views: many(31) }, ['views']],
    ['a name twice', { list: 'invoices', views: [open, open] }, ['views.1.name']],
    ['NUL', { list: 'invoices', views: [{ name: 'a\u0000', query: '' }] }, ['variables.views.0.name']],
    [
      'half a character',
      { list: 'invoices', views: [{ name: 'a', query: '\ud800' }] },
      ['variables.views.0.query'],
    ],
    ['a number', { list: 'invoices', views: [{ name: 3, query: '' }] }, ['views.0.name']],
    ['null', { list: 'invoices', views: [null] }, ['views.0']],
    ['no views', { list: 'invoices', views: null }, ['views']],
  ])('%s is refused', async (_, variables, paths) => {
    const answer = await owner.post(save, variables);
    expect([getReason(answer), getPaths(answer)]).toEqual(['validation_failed', paths]);
  });

  it('keeps any text as it is, and 300 views in all', async () => {
    const names = [`<img src=x onerror=alert(1)>`, `'; drop table operators; --`, '=1+1', 'Größe ✓ 大', '🙂'];
    const kept = names.map((name) => ({ name, query: `search=${encodeURIComponent(name)}&constructor=1` }));
    await owner.post(save, { list: 'payments', views: kept });
    expect(await read(owner)).toEqual(kept.map((view) => ({ list: 'payments', ...view })));
    for (let nth = 0; nth < 9; nth += 1) {
      const list = `list-${'abcdefghi'[nth]}`;
      expect(getReason(await owner.post(save, { list, views: many(30) }))).toBeUndefined();
    }
    const tooMany = await owner.post(save, { list: 'invoices', views: many(26) });
    expect([getReason(tooMany), getPaths(tooMany)]).toEqual(['validation_failed', ['views']]);
    expect(await read(owner)).toHaveLength(275);
    for (let nth = 0; nth < 9; nth += 1)
      await owner.post(save, { list: `list-${'abcdefghi'[nth]}`, views: [] });
    await owner.post(save, { list: 'payments', views: [] });
    expect(await read(owner)).toEqual([]);
  });

  it.each(['viewer', 'support', 'finance', 'admin', 'owner'] as const)(
    'is for every role, each with views of their own: %s',
    async (role) => {
      const operator = await signInOperator(app, { role, tenant: 'acme' });
      expect(getReason(await operator.post(save, { list: 'invoices', views }))).toBeUndefined();
      expect(await read(operator)).toEqual([{ list: 'invoices', ...open }]);
      expect(await read(owner)).toEqual([]);
    },
  );

  it('is for signed-in operators with a role in the tenant alone', async () => {
    const variables = { list: 'invoices', views };
    const { createApiKey } = (
      await owner.post('mutation { createApiKey(input: { kind: publishable, name: "Page" }) { apiKey } }')
    ).body.data;
    const by = async (headers: Record<string, string>) =>
      getReason(await postConsole(app, save, variables, { 'content-type': 'application/json', ...headers }));
    expect({
      secret: getReason(await client.post(save, variables)),
      publishable: await by({ 'api-key': createApiKey.apiKey }),
      nobody: await by({ 'perennial-console': '1', 'perennial-tenant': 'acme' }),
      elsewhere: getReason(await owner.post(save, variables, { 'perennial-tenant': 'other' })),
      nowhere: getReason(await owner.post(save, variables, { 'perennial-tenant': undefined })),
      unknown: getReason(await owner.post(save, variables, { 'perennial-tenant': 'nobody' })),
    }).toEqual({
      secret: 'sign_in_required',
      publishable: 'closed_to_browsers',
      nobody: 'sign_in_required',
      elsewhere: 'tenant_mismatch',
      nowhere: 'tenant_missing',
      unknown: 'tenant_mismatch',
    });
  });

  it('keeps the views of two tenants apart, and those that are saved at the same time', async () => {
    const both = await signInOperator(app, { role: 'viewer', tenant: 'acme', email: 'both@example.com' });
    await signInOperator(app, { role: 'viewer', tenant: 'other', email: 'both@example.com' });
    const letters = 'abcdefghijklmnopqrstuvwxy'.split('');
    await Promise.all(
      letters.flatMap((letter) =>
        ['acme', 'other'].map((alias) =>
          both.post(
            save,
            { list: `list-${letter}`, views: [{ name: alias, query: letter }] },
            { 'perennial-tenant': alias },
          ),
        ),
      ),
    );
    for (const alias of ['acme', 'other']) {
      const found: any[] = await read(both, alias);
      expect(new Set(found.map(({ name, query }) => `${name} ${query}`))).toEqual(
        new Set(letters.map((letter) => `${alias} ${letter}`)),
      );
    }
  });
});
