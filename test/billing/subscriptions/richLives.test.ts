/** Random lives with everything at once: previews and forecasts are what is then billed, and the books are sound. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { isLong } from '../../support/sample.ts';
import { live } from './richLife.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000' });
});
afterAll(() => app.close());

const seeds = Array.from({ length: isLong ? 1000 : 12 }, (_, index) => index + 1);

it.each(seeds)('life %i', async (seed) => {
  const counts = await live(app, seed, 14);
  expect(counts.size).toBeGreaterThan(0);
});
