import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

it.each(['/livez', '/readyz'])('%s needs no API key', async (url) => {
  const answer = await app.server.inject({ url });
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toEqual({ status: 'ok' });
});

// Where PostgreSQL is out of reach: test/storage/postgres/readiness.test.ts.
it('a server with a closed database is alive but not ready', async () => {
  const broken = await startApp();
  await broken.service.store.close();
  expect((await broken.server.inject({ url: '/livez' })).statusCode).toBe(200);
  const readyz = await broken.server.inject({ url: '/readyz' });
  expect([readyz.statusCode, readyz.json().body.reason]).toEqual([500, 'internal_error']);
  await broken.server.close();
});
