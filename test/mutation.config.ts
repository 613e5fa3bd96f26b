import { defineConfig } from 'vitest/config';

/** The tests that `npm run mutate` runs for each change that it makes to pure rules: they need no database. */
export default defineConfig({
  test: { include: ['test/{lib,pricing}/*.test.ts'], isolate: false, pool: 'threads', testTimeout: 60_000 },
});
