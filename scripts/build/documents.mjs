// Builds dist/documents: the program of the thread that renders PDFs, its fonts, and the colour profile. Run as a
// program, it builds nothing else.
import { copyFileSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { bundled } from './bundlePlugins.mjs';
import { recordBundle } from './contents.mjs';
import { root } from '../setup.mjs';

const require = createRequire(import.meta.url);
const folder = path.join(root, 'dist/documents');

/**
 * Fonts under the Open Font License, which their packages hold in many files: see docs/dependencies.md.
 */
const fonts = path.join(root, 'src/documents/fonts');
const colours = path.join(path.dirname(require.resolve('pdfkit')), 'data/sRGB_IEC61966_2_1.icc');
const files = Object.fromEntries(readdirSync(fonts).map((name) => [name, path.join(fonts, name)]));
files['srgb.icc'] = colours;

/**
 * Bundles the thread's program and copies its files; returns the folder. Each file appears whole, because another process
 * may be reading it.
 */
export async function buildDocuments() {
  mkdirSync(folder, { recursive: true });
  const { metafile, outputFiles } = await build({
    ...bundled,
    absWorkingDir: root,
    entryPoints: ['src/documents/pdf/thread.ts'],
    outfile: path.join(folder, 'thread.cjs'),
    write: false,
    footer: {},
    legalComments: 'linked',
    // pdfkit finds its colour profile by this address, which the thread registers.
    define: { 'import.meta.url': '"file:///pdfkit/"' },
  });
  recordBundle('documents', metafile);
  for (const { path: file, contents } of outputFiles)
    replaceFile(file, (draft) => writeFileSync(draft, contents));
  for (const [name, file] of Object.entries(files))
    replaceFile(path.join(folder, name), (draft) => copyFileSync(file, draft));
  return folder;
}

function replaceFile(file, write) {
  const draft = `${file}.${process.pid}.new`;
  write(draft);
  renameSync(draft, file);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await buildDocuments();
