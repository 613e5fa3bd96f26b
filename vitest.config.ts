import { createRequire } from 'node:module';
import { defineConfig } from 'vitest/config';

const require = createRequire(import.meta.url);

export default defineConfig({
  // Without the alias graphql is loaded twice, as module and as CommonJS, and refuses its own types.
  resolve: { alias: [{ find: /^graphql$/, replacement: require.resolve('graphql') }] },
  test: {
    include: ['test/**/*.test.ts'],
    isolate: false,
    pool: 'threads',
    server: { deps: { inline: ['type-graphql', 'graphql-scalars', '@apollo/server'] } },
  },
});
