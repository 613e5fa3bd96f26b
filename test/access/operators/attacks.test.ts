/** Attacks on operators: ids of another tenant in every operation, requests of other sites, stolen and fixed sessions. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../../src/app/schema.ts';
import { isServerOperation } from '../../support/declarations.ts';
import { createKey } from '../../../src/tenancy/apiKeys.ts';
import { removeOperator } from '../../../src/access/operators/administration.ts';
import { startApp, type Answer, type TestApp } from '../../support/app.ts';
import { stoppedClock } from '../../support/clock.ts';
import { engine } from '../../support/engines.ts';
import {
  graphqlRows,
  listAllRootFields,
  listIdArguments,
  operatorRows,
  valueAt,
  withValue,
  writeDocument,
} from '../../support/operations.ts';
import {
  consoleHeaders,
  createOperatorLink,
  postConsole,
  signInOperator,
  type TestOperator,
} from '../../support/operators.ts';
import { sampled, sampledInCore } from '../../support/sample.ts';
import { fillTenant, inject, type World } from '../../support/world.ts';

const clock = stoppedClock('2026-03-01T00:00:00Z');
let app: TestApp;
let victim: World;
let own: World;
let owner: TestOperator;
/** The owner of the other tenant. */
let stranger: TestOperator;
let keyOfVictim: string;

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '100000' }, { clock });
  victim = await fillTenant(await app.tenant({ alias: 'victim', test: true }), 'victim');
  own = await fillTenant(await app.tenant({ alias: 'acme', test: true }), 'acme');
  owner = await signInOperator(app, { tenant: 'acme' });
  stranger = await signInOperator(app, { tenant: 'victim' });
  keyOfVictim = (await createKey(app.service, { tenant: 'victim' })).key.id;
});
afterAll(() => app.close());

const getReason = ({ body }: Answer): string | undefined => body.errors?.[0]?.extensions.reason;
const isEmpty = (value: any) => [value?.nodes ?? value].flat().every((each) => each === null);

/** Ids of the stranger, for operations of the operator's own account. */
async function findForeign(name: string, path: string): Promise<unknown> {
  const row = graphqlRows[name];
  if (row) return valueAt({ ...row.call(victim), ...row.others?.(victim) }, path);
  if (name === 'revokeOperatorSession') {
    const { body } = await stranger.post('{ operator { sessions { id } } }');
    return body.data.operator.sessions[0].id;
  }
  if (path === 'input.challengeId') {
    const { body } = await stranger.post('mutation { startPasskeyRegistration { id: challengeId } }');
    return body.data.startPasskeyRegistration.id;
  }
  if (name === 'revokeApiKey') return keyOfVictim;
  return name === 'removePasskey' ? 'opk_0' : stranger.id;
}

const rows = listAllRootFields(schema).map((root) => ({
  ...root,
  row: graphqlRows[root.name] ?? operatorRows[root.name],
  document: writeDocument(schema, root, 1),
}));
const tested = sampledInCore(sampled(rows, engine === 'postgres' ? 9 : 1), 2);

describe('ids of another tenant', () => {
  it('have a row for each argument that takes ids', () => {
    for (const root of rows) {
      const wanted = listIdArguments(root);
      expect(Object.keys(root.row?.foreign ?? {}), root.name).toEqual(expect.arrayContaining(wanted));
    }
  });

  it('find nothing and change nothing, whatever the operation', async () => {
    const before = await app.backdoor.dump('victim');
    for (const { name, row, document } of tested) {
      for (const [path, outcome] of Object.entries(row?.foreign ?? {})) {
        const foreign = await findForeign(name, path);
        expect(foreign, `${name} ${path}`).toBeTypeOf('string');
        const variables = withValue(row!.call(own), path, foreign);
        const answer = await owner.post(document, variables);
        const label = `${name} ${path}: ${answer.text}`;
        if (outcome === 'refused') expect(answer.body.data[name].refused, label).toHaveLength(1);
        else if (outcome !== 'empty' && outcome !== 'null') expect(getReason(answer), label).toBe(outcome);
        else expect(isEmpty(answer.body.data[name]), label).toBe(true);
        expect(answer.text, label).not.toMatch(/victim (first|last|description|note)/);
      }
    }
    expect(await app.backdoor.dump('victim')).toBe(before);
    expect(getReason(await stranger.post('{ operator { id } }'))).toBeUndefined();
  });

  it('and its alias are refused', async () => {
    const before = await app.backdoor.dump('victim');
    for (const { name, row, document } of tested.filter((each) => !isServerOperation(each.name))) {
      const variables = row!.call(victim);
      const header = await owner.post(document, variables, { 'perennial-tenant': 'victim' });
      expect(getReason(header), name).toBe('tenant_mismatch');
    }
    expect(await app.backdoor.dump('victim')).toBe(before);
  });
});

describe('a request of another site', () => {
  const host = '127.0.0.1:8080';
  const origins = [
    undefined,
    `http://${host}`,
    'https://evil.example',
    'null',
    `http://${host}.evil.example`,
    'http://127.0.0.1',
    `https://${host}`,
  ];
  const sites = [undefined, 'same-origin', 'same-site', 'cross-site', 'none'];
  const marks = ['1', undefined, '0'];
  const types = [
    'application/json',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=a',
  ];
  const rename = 'mutation ($name: String) { updateOperator(input: { name: $name }) { name } }';

  it('changes nothing, whichever headers it has', async () => {
    let name = 'Ada';
    await owner.post(rename, { name });
    for (const origin of origins)
      for (const site of sites)
        for (const header of marks)
          for (const type of types) {
            const wanted = `${origin} ${site} ${header} ${type}`.slice(0, 100);
            const answer = await owner.post(
              rename,
              { name: wanted },
              {
                host,
                origin,
                'sec-fetch-site': site,
                'perennial-console': header,
                'content-type': type,
              },
            );
            const isOwn =
              [undefined, `http://${host}`].includes(origin) &&
              [undefined, 'same-origin'].includes(site) &&
              header === '1' &&
              type === types[0];
            if (isOwn) name = wanted;
            else expect(answer.status, wanted).toBeGreaterThanOrEqual(400);
            expect(answer.body?.data?.updateOperator?.name === wanted, wanted).toBe(isOwn);
          }
    expect((await owner.post('{ operator { name } }')).body.data.operator.name).toBe(name);
  });

  it.each<[method: 'GET' | 'POST' | 'DELETE', path: string]>([
    ['GET', `/graphql?query=${encodeURIComponent('mutation { signOut }')}`],
    ['GET', `/graphql?query=${encodeURIComponent('{ operator { email } }')}`],
    ['GET', `/graphql/stream?query=${encodeURIComponent('subscription { traceRecorded { id } }')}`],
    ['GET', '/api/v1/customers?tenantAlias=acme'],
    ['POST', '/api/v1/customers'],
    ['DELETE', '/api/v1/customers/cus_0'],
  ])('%s %s gets nothing by the cookie', async (method, url) => {
    for (const headers of [{ cookie: owner.cookie }, owner.headers] as Record<string, string>[]) {
      const { 'content-type': _, ...others } = headers;
      const payload = method === 'POST' ? { tenantAlias: 'acme' } : undefined;
      const answer = await inject(app, { method, url, headers: others, ...(payload && { payload }) });
      expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
      expect(answer.text).not.toContain(owner.email);
    }
    expect(getReason(await owner.post('{ operator { id } }'))).toBeUndefined();
  });
});

describe('a session', () => {
  const me = '{ operator { email } }';
  const redeem = 'mutation ($token: String!) { redeemOperatorLink(input: { token: $token }) { id } }';
  const token = ({ cookie }: TestOperator) => cookie.split('=')[1]!;
  const named = (value: string) => `perennial_operator=${value}`;
  const hash = (value: string) => createHash('sha256').update(value);

  const stolen: [name: string, steal: () => Promise<string>][] = [
    [
      'that was signed out',
      async () => {
        const operator = await signInOperator(app, { tenant: 'acme' });
        await operator.post('mutation { signOut }');
        return operator.cookie;
      },
    ],
    [
      'that was revoked from another one',
      async () => {
        const operator = await signInOperator(app, { tenant: 'acme' });
        const other = await signInOperator(app, { email: operator.email });
        await other.post('mutation { revokeOtherOperatorSessions { id } }');
        return operator.cookie;
      },
    ],
    [
      'of an operator who was removed from the server',
      async () => {
        const operator = await signInOperator(app, { role: 'viewer', tenant: 'acme' });
        await removeOperator(app.service, operator.email, false);
        return operator.cookie;
      },
    ],
    [
      'that nobody used for 12 hours',
      async () => {
        const operator = await signInOperator(app, { tenant: 'acme' });
        clock.advance(12 * 3_600_000 + 60_000);
        owner = await signInOperator(app, { tenant: 'acme', email: owner.email });
        return operator.cookie;
      },
    ],
    [
      'whose token was read from the database',
      async () => {
        const [row] = await app.service.store.fresh.select('operatorSessions', { where: {}, limit: 1 });
        return named(row!.tokenHash);
      },
    ],
    [
      'whose id was read from the list',
      async () => {
        const { body } = await owner.post('{ operator { sessions { id } } }');
        return named(body.data.operator.sessions[0].id);
      },
    ],
    ['by the hash of its token', async () => named(hash(token(owner)).digest('base64url'))],
    ['by the hash of its token, in hexadecimal', async () => named(hash(token(owner)).digest('hex'))],
    ['by the beginning of its token', async () => named(token(owner).slice(0, -1))],
    ['by a longer token', async () => named(`${token(owner)}A`)],
    ['by a token in another case', async () => named(token(owner).toLowerCase())],
    ['under the name of a secure cookie', async () => `__Host-perennial=${token(owner)}`],
    ['behind another cookie of the name', async () => `${named('x')}; ${owner.cookie}`],
    [
      'by an unused link',
      async () => {
        const link = await createOperatorLink(app, { email: owner.email });
        return named(link.token);
      },
    ],
    ['by a list in JSON', async () => named(`["${token(owner)}"]`)],
    ['by text for the database', async () => named("' or '1'='1")],
  ];

  it.each(stolen)('%s is refused', async (_, steal) => {
    const cookie = await steal();
    const answer = await postConsole(app, me, {}, { ...consoleHeaders, cookie });
    expect(getReason(answer), answer.text).toBe('sign_in_required');
    expect(getReason(await owner.post(me))).toBeUndefined();
  });

  it('cannot be fixed: a sign-in gives another token, and the one from before stays what it was', async () => {
    const attacker = await signInOperator(app, { tenant: 'victim' });
    const planted = named('A'.repeat(43));
    for (const cookie of [attacker.cookie, planted]) {
      const link = await createOperatorLink(app, { email: owner.email });
      const answer = await postConsole(app, redeem, { token: link.token }, { ...consoleHeaders, cookie });
      const given = String(answer.headers['set-cookie']).split(';')[0]!;
      expect(given).not.toBe(cookie);
      const who = async (each: string) =>
        (await postConsole(app, me, {}, { ...consoleHeaders, cookie: each })).body.data?.operator?.email;
      expect(await who(given)).toBe(owner.email);
      expect(await who(cookie)).not.toBe(owner.email);
    }
  });
});
