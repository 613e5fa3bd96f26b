import { readFileSync } from 'node:fs';
import type { KnipConfig } from 'knip';

/** What `npm start` does without: used by files of the root, listed by a package of their own. */
const { devDependencies: tools } = JSON.parse(
  readFileSync(new URL('test/tools/package.json', import.meta.url), 'utf8'),
);
const toolNames = Object.keys(tools);

/** Finds files, exports and packages that nothing uses. Files that are run by name are entries. */
const config: KnipConfig = {
  // Resolvers register themselves when src/app/resolvers.ts loads their module.
  ignoreIssues: { 'src/**/*.graphql.ts': ['exports'], 'src/graphql/{errorReasons,node}.ts': ['exports'] },
  workspaces: {
    '.': {
      entry: [
        'src/main.ts',
        'src/storage/sqlite/nativeAddon.ts',
        'src/http/explorer/{explorer.js,explorer.css,marks.js}',
        'src/http/docs/docs.{js,css}',
        'src/console/main.tsx',
        'src/console/screens/*/Screen.tsx',
        'src/storage/*/tables.ts',
        'scripts/**/*.{mjs,cjs}',
        '{bench,bench/peers}/*.mjs',
        'bench/parts/{{console,documents,revenue,tax}/worker,load/client,report/profile,workloads/steady}.mjs',
        '.ci/*.mjs',
        'docs/guides/*.mjs',
        'test/mutation.config.ts',
        'test/stress/{caches,faults,fuzz,simulation,torture}/*.ts',
        'test/documents/official/makeDocuments.ts',
        'test/support/aimed/aimedProcess.ts',
      ],
      // Found by themselves only where package.json has the package.
      drizzle: true,
      vitest: true,
      project: ['{src,scripts,bench,test,docs}/**/*.{ts,tsx,mjs,cjs,js}'],
      // Servers that the benchmark installs apart, each beside its own package.json.
      ignore: ['bench/peers/{vendure,postgraphile}/**', 'bench/peers/{yoga,mercurius-jit}.mjs'],
      // A test finds those that nothing names.
      ignoreDependencies: toolNames,
      ignoreBinaries: [
        'knip',
        'oxlint',
        'prettier',
        'stryker',
        'tsc',
        'vitest',
        'wrk',
        'taskset',
        'strip',
        'mount',
        'umount',
        'mkfs.ext4',
        'strace',
      ],
    },
    'test/tools': { ignoreDependencies: toolNames },
    // Its tools are run by name, over types that a test generates.
    'test/openapi': {
      entry: ['*.ts'],
      ignoreDependencies: ['@redocly/cli', 'openapi-typescript'],
      ignoreUnresolved: ['./perennial.ts'],
    },
  },
};

export default config;
