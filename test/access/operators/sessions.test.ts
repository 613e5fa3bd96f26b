/** Sessions of operators: links that sign in once, cookies, tenants, and the protection against other sites. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type Answer, type TestApp } from '../../support/app.ts';
import { stoppedClock } from '../../support/clock.ts';
import {
  createOperatorLink,
  postConsole,
  signInOperator,
  type TestOperator,
} from '../../support/operators.ts';

const redeem = 'mutation ($token: String!) { redeemOperatorLink(input: { token: $token }) { id email } }';
const getReason = ({ body }: Answer) => body.errors?.[0]?.extensions.reason;

const clock = stoppedClock('2026-03-01T00:00:00Z');
let app: TestApp;
let owner: TestOperator;

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' }, { clock });
  await app.tenant({ alias: 'acme' });
  await app.tenant({ alias: 'other' });
  owner = await signInOperator(app, { role: 'owner', tenant: 'acme' });
});
afterAll(() => app.close());

describe('a link', () => {
  it('signs in once, however many browsers open it at the same time', async () => {
    const { id, token } = await createOperatorLink(app, { email: 'parallel@example.com' });
    const attempts = Array.from({ length: 20 }, () => postConsole(app, redeem, { token }));
    const answers = await Promise.all(attempts);
    const successes = answers.filter(({ body }) => body.data?.redeemOperatorLink);
    expect(successes.map(({ body }) => body.data.redeemOperatorLink.id)).toEqual([id]);
    expect(new Set(answers.filter((answer) => !successes.includes(answer)).map(getReason))).toEqual(
      new Set(['sign_in_failed']),
    );
    expect(answers.filter(({ headers }) => headers['set-cookie'])).toHaveLength(1);
  });
});

describe('a session', () => {
  it('shows the operator', async () => {
    const { body } = await owner.post(
      '{ operator { id email memberships { role permissions tenant { alias } } sessions { id isCurrent } } me { executorId } }',
    );
    expect(body).toMatchObject({
      data: {
        operator: { id: owner.id, memberships: [{ role: 'owner', tenant: { alias: 'acme' } }] },
        me: { executorId: `operator:${owner.id}` },
      },
    });
  });

  it.each<[name: string, query: string, headers: Record<string, string | undefined>, reason: string]>([
    [
      'without a tenant',
      '{ customers { nodes { id } } }',
      { 'perennial-tenant': undefined },
      'tenant_missing',
    ],
    ['another tenant', '{ customers { nodes { id } } }', { 'perennial-tenant': 'other' }, 'tenant_mismatch'],
    ['no such tenant', '{ customers { nodes { id } } }', { 'perennial-tenant': 'nobody' }, 'tenant_mismatch'],
    [
      'a hostile tenant',
      '{ customers { nodes { id } } }',
      { 'perennial-tenant': "' or 1=1" },
      'tenant_mismatch',
    ],
    [
      'an unknown cookie',
      '{ operator { id } }',
      { cookie: `perennial_operator=${'a'.repeat(43)}` },
      'sign_in_required',
    ],
    ['a malformed cookie', '{ operator { id } }', { cookie: 'perennial_operator=%00' }, 'sign_in_required'],
    ['no cookie', '{ customers { nodes { id } } }', { cookie: undefined }, 'sign_in_required'],
  ])('%s', async (_, query, headers, reason) => {
    expect(getReason(await owner.post(query, {}, headers))).toBe(reason);
  });
});

describe('the protection against other sites', () => {
  it.each<[name: string, headers: Record<string, string | undefined>, reason: string | undefined]>([
    ['the headers of the console', {}, undefined],
    ['the own origin', { origin: 'http://127.0.0.1:8080', host: '127.0.0.1:8080' }, undefined],
    ['the same site', { 'sec-fetch-site': 'same-origin' }, undefined],
    ['no header of the console', { 'perennial-console': undefined }, 'csrf_refused'],
    ['another value', { 'perennial-console': 'true' }, 'csrf_refused'],
    ['another origin', { origin: 'https://evil.example' }, 'csrf_refused'],
    ['another port', { origin: 'http://127.0.0.1:9', host: '127.0.0.1:8080' }, 'csrf_refused'],
    ['an opaque origin', { origin: 'null' }, 'csrf_refused'],
    ['another site', { 'sec-fetch-site': 'cross-site' }, 'csrf_refused'],
    ['another host of the site', { 'sec-fetch-site': 'same-site' }, 'csrf_refused'],
    ['a navigation', { 'sec-fetch-site': 'none' }, 'csrf_refused'],
    ['an API key as well', { 'api-key': 'prn_acme_x_y' }, 'csrf_refused'],
  ])('%s', async (_, headers, reason) => {
    expect(getReason(await owner.post('{ operator { id } }', {}, headers))).toBe(reason);
  });
});

it('does not end the session of another operator, and can end its own elsewhere', async () => {
  const revoke = 'mutation ($id: ID!) { revokeOperatorSession(id: $id) { sessions { id } } }';
  const stranger = await signInOperator(app, { tenant: 'acme' });
  const elsewhere = await signInOperator(app, { email: stranger.email });
  const { body } = await elsewhere.post('{ operator { sessions { id isCurrent } } }');
  const sessions: { id: string; isCurrent: boolean }[] = body.data.operator.sessions;
  const { id } = sessions.find(({ isCurrent }) => !isCurrent)!;
  expect(getReason(await owner.post(revoke, { id }))).toBe('operator_session_not_found');
  expect(getReason(await stranger.post('{ operator { id } }'))).toBeUndefined();
  expect((await elsewhere.post(revoke, { id })).body.data.revokeOperatorSession.sessions).toHaveLength(1);
  expect(getReason(await stranger.post('{ operator { id } }'))).toBe('sign_in_required');
});

describe('time', () => {
  const [minuteMs, hourMs] = [60_000, 3_600_000];
  it('ends a link after 30 minutes, and a session after 12 hours without a request or 7 days', async () => {
    const { token } = await createOperatorLink(app, { email: 'late@example.com' });
    clock.advance(30 * minuteMs);
    expect(getReason(await postConsole(app, redeem, { token }))).toBe('sign_in_failed');
    const idle = await signInOperator(app, { tenant: 'acme' });
    const busy = await signInOperator(app, { tenant: 'acme' });
    for (let halfDay = 0; halfDay < 14; halfDay++) {
      clock.advance(12 * hourMs - 1);
      expect(getReason(await busy.post('{ operator { id } }')), `half day ${halfDay}`).toBeUndefined();
    }
    expect(getReason(await idle.post('{ operator { id } }'))).toBe('sign_in_required');
    clock.advance(minuteMs);
    expect(getReason(await busy.post('{ operator { id } }'))).toBe('sign_in_required');
  });
});

it('signs out', async () => {
  const operator = await signInOperator(app, { tenant: 'acme' });
  const answer = await operator.post('mutation { signOut }');
  expect(answer.body).toEqual({ data: { signOut: true } });
  expect(answer.headers['set-cookie']).toMatch(
    /^perennial_operator=; Path=\/; Max-Age=0; HttpOnly; SameSite=Strict$/,
  );
  expect(getReason(await operator.post('{ operator { id } }'))).toBe('sign_in_required');
});
