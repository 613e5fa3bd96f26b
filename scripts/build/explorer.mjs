import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';

/** Bundles GraphiQL into dist/explorer, as one script and one style sheet, so that it works without internet access. */
export async function buildExplorer() {
  await build({
    absWorkingDir: fileURLToPath(new URL('../..', import.meta.url)),
    entryPoints: ['src/http/explorer/explorer.js', 'src/http/explorer/explorer.css'],
    outdir: 'dist/explorer',
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'linked',
    logLevel: 'warning',
  });
}
