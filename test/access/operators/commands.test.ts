/** The commands that manage operators, after the first start has created one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createFirstLink } from '../../../src/access/operators/administration.ts';
import { startApp } from '../../support/app.ts';
import { perennial } from '../../support/cli.ts';
import { scratchDatabase } from '../../support/engines.ts';
import { examined, placeExport, placeFixture } from '../../support/fixtures.ts';
import { createOperatorLink, signInOperator } from '../../support/operators.ts';

it('list, link and remove the operator of the first start, whose address is none', async () => {
  const scratch = await scratchDatabase();
  onTestFinished(() => scratch.drop());
  const app = await startApp({ database: scratch.url });
  await app.tenant({ alias: 'acme' });
  expect(await createFirstLink(app.service, 'http://127.0.0.1')).toMatch(/\/console\/sign-in#[\w-]{43}$/);
  await app.close();
  const operator = (...args: string[]) => perennial(scratch.url, ['operator', ...args]);

  expect((await operator('list')).out).toMatch(/admin@localhost +acme:owner/);
  expect((await operator('link', 'Admin@localhost')).out).toMatch(/\/console\/sign-in#[\w-]{43}\n/);
  expect(await operator('link', 'nobody')).toMatchObject({ code: 1, err: 'Operator not found.\n' });
  expect((await operator('create', 'nobody')).err).toMatch(/email/);
  expect((await operator('create', 'admin@elsewhere')).err).toMatch(/email/);
  expect((await operator('create', ' Admin@Localhost', '--role', 'owner')).out).toContain(
    'Updated operator admin@localhost (owner of acme',
  );
  expect((await operator('create', 'ada@example.com', '--role', 'owner')).code).toBe(0);
  expect((await operator('remove', 'admin@localhost')).out).toBe('Removed operator admin@localhost.\n');
  const { out } = await operator('list');
  expect(out).toContain('ada@example.com');
  expect(out).not.toContain('admin@localhost');
});

it.each([
  ['has a credential', "update operators set password_hash = 'hash', totp_secret = 'secret'"],
  ['is not alone', undefined],
])('each start has a link for the first operator until that one %s', async (_, change) => {
  const app = await startApp();
  onTestFinished(() => app.close());
  const link = () => createFirstLink(app.service, 'http://127.0.0.1');
  const first = await link();
  expect(first).toMatch(/\/console\/sign-in#[\w-]{43}$/);
  expect(await link()).toMatch(/\/console\/sign-in#[\w-]{43}$/);
  const { headers } = await signInOperator(app, { email: 'admin@localhost' });
  expect(headers['cookie']).toBeDefined();
  expect(await link()).not.toBe(first);
  if (change) await app.backdoor.execute(change);
  else await createOperatorLink(app, { email: 'ada@example.com', role: 'viewer' });
  expect(await link()).toBeUndefined();
});

/** The roles of an operator by tenant, as `operator list` shows them. */
async function listRoles(database: string, email: string): Promise<string> {
  const { json } = await perennial(database, ['operator', 'list', '--json']);
  const { memberships } = json.operators.find((operator: { email: string }) => operator.email === email);
  return memberships.map((each: { tenant: string; role: string }) => `${each.tenant}:${each.role}`).join(' ');
}

it('give a role in all tenants, also in those that are created and imported later', async () => {
  const scratch = await scratchDatabase();
  onTestFinished(() => scratch.drop());
  const app = await startApp({ database: scratch.url });
  await createFirstLink(app.service, 'http://127.0.0.1');
  const run = async (...args: string[]) => {
    const said = await perennial(scratch.url, args);
    expect(said, said.err).toMatchObject({ code: 0 });
    return said.out;
  };
  expect((await run('operator', 'list')).split('\n')[1]).toMatch(/admin@localhost +new tenants:owner /);
  await run('tenant', 'create', 'acme');
  expect(await run('operator', 'create', 'ada@example.com', '--role', 'viewer')).toMatch(
    /^Created operator ada@example\.com \(viewer of acme, all new tenants\)/,
  );
  await run('operator', 'create', 'grace@example.com', '--tenant', 'acme');
  await run('tenant', 'create', 'other');
  const owner = await signInOperator(app, { email: 'grace@example.com', tenant: 'acme' });
  const { body } = await owner.post(
    'mutation { createTestTenant(input: { alias: "trial" }) { tenant { alias } } }',
  );
  expect(body.errors).toBeUndefined();
  const folder = mkdtempSync(path.join(tmpdir(), 'perennial-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await run('import', placeExport('0.1.0', 'acme-test', folder));

  const all = ['acme', 'acme-test', 'other', 'trial'];
  expect(await listRoles(scratch.url, 'admin@localhost')).toBe(
    all.map((alias) => `${alias}:owner`).join(' '),
  );
  expect(await listRoles(scratch.url, 'ada@example.com')).toBe(
    all.map((alias) => `${alias}:viewer`).join(' '),
  );
  expect(await listRoles(scratch.url, 'grace@example.com')).toBe('acme:owner trial:owner');
  expect(await examined(app)).toMatchObject({ findings: [] });
  await app.close();
});

it('know the first operator of an earlier release', async () => {
  const scratch = await placeFixture('reversals');
  onTestFinished(() => scratch.drop());
  await scratch.backdoor.execute(
    `INSERT INTO operators (id, email, created_at, updated_at)
     VALUES ('opr_01m7a0000000000000000000aa', 'admin@localhost', '2026-11-24T00:00:00.000Z', '2026-11-24T00:00:00.000Z')`,
  );
  expect(await perennial(scratch.url, ['tenant', 'create', 'later'])).toMatchObject({ code: 0 });
  expect(await listRoles(scratch.url, 'admin@localhost')).toBe('later:owner');
});

it('print links with the public URL of the server, whose settings they may not read', async () => {
  const scratch = await scratchDatabase();
  onTestFinished(() => scratch.drop());
  const serve = (env: Record<string, string>) => perennial(scratch.url, ['serve', '--port', '0'], env);
  const link = async (...flags: string[]) => {
    const { json } = await perennial(scratch.url, [
      'operator',
      'link',
      'ada@example.com',
      '--json',
      ...flags,
    ]);
    return json.url.split('#')[0];
  };
  const created = await perennial(scratch.url, ['operator', 'create', 'ada@example.com']);
  expect(created.out).toContain('http://localhost:4000/console/sign-in#');
  for (const publicUrl of ['https://billing.example.com', 'https://pay.example.com/base']) {
    expect(await serve({ PERENNIAL_PUBLIC_URL: publicUrl })).toMatchObject({ code: 0 });
    expect(await link()).toBe(`${publicUrl}/console/sign-in`);
  }
  expect(await link('--public-url', 'https://other.example.com')).toBe(
    'https://other.example.com/console/sign-in',
  );
});
