import path from 'node:path';
import { build } from 'esbuild';
import { recordBundle } from './contents.mjs';
import { root } from '../setup.mjs';

const marks = path.join(root, 'src/http/explorer/marks.js');

/** Bundles GraphiQL into dist/explorer, as one script and one style sheet, so that it works without internet access. */
export async function buildExplorer() {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/http/explorer/explorer.js', 'src/http/explorer/explorer.css'],
    outdir: 'dist/explorer',
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    // Two hooks of React Aria, 50 MB that are not installed (`overrides` of package.json): they only mark focus and hovering.
    alias: { '@react-aria/focus': marks, '@react-aria/interactions': marks },
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'linked',
    metafile: true,
    logLevel: 'warning',
  });
  recordBundle('explorer', metafile);
}
