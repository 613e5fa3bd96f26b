/** A few of the changes that `npm run stress -- caches` makes by the thousand. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { isLong } from '../../support/sample.ts';
import { replayChanges } from './replay.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

it('the stores of Graphcache and Apollo Client equal a fresh read after random changes', async () => {
  const { apiKey } = await app.tenant({ alias: 'acme', clock: '2026-01-29T09:00:00.000Z' });
  const url = await app.server.listen({ port: 0, host: '127.0.0.1' });
  const changes = isLong ? 1000 : 100;
  const figures = await replayChanges({ url, apiKey, seed: 1, changes, checkEvery: 50 });
  expect(figures).toMatchObject({ changed: changes, differences: [], complaints: [] });
  expect(figures.comparisons).toBeGreaterThan(changes);
});
