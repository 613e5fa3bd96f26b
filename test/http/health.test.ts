import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

it.each(['/livez', '/readyz'])('%s answers without a key', async (url) => {
  const answer = await app.server.inject({ url });
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toEqual({ status: 'ok' });
});

it('is alive but not ready when the database does not answer', async () => {
  const broken = await startApp();
  await broken.service.store.close();
  expect((await broken.server.inject({ url: '/livez' })).statusCode).toBe(200);
  const readyz = await broken.server.inject({ url: '/readyz' });
  expect([readyz.statusCode, readyz.headers['retry-after'], readyz.json().body.reason]).toEqual([
    503,
    '1',
    'unavailable',
  ]);
  await broken.server.close();
});
