/** The commands that manage operators, after the first start has created one. */
import { expect, it, onTestFinished } from 'vitest';
import { createFirstLink } from '../../src/operators/administration.ts';
import { startApp } from '../support/app.ts';
import { perennial } from '../support/cli.ts';
import { scratchDatabase } from '../support/engines.ts';

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
  expect((await operator('create', 'ada@example.com', '--role', 'owner')).code).toBe(0);
  expect((await operator('remove', 'admin@localhost')).out).toBe('Removed operator admin@localhost.\n');
  const { out } = await operator('list');
  expect(out).toContain('ada@example.com');
  expect(out).not.toContain('admin@localhost');
});
