// Builds dist/documents: the program of the thread that renders PDFs, its fonts, and the colour profile. Run as a
// program, it builds nothing else.
import { copyFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { bundled } from './bundlePlugins.mjs';
import { root } from '../setup.mjs';

const require = createRequire(import.meta.url);
const folder = path.join(root, 'dist/documents');

const pdfkit = path.dirname(require.resolve('pdfkit'));
const files = {
  'latin.ttf': require.resolve('@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf'),
  'latin-strong.ttf': require.resolve('@expo-google-fonts/noto-sans/600SemiBold/NotoSans_600SemiBold.ttf'),
  'latin-license.txt': require.resolve('@expo-google-fonts/noto-sans/LICENSE_FONT'),
  'persian.ttf': require.resolve('vazirmatn/fonts/ttf/Vazirmatn-Regular.ttf'),
  'persian-strong.ttf': require.resolve('vazirmatn/fonts/ttf/Vazirmatn-SemiBold.ttf'),
  'persian-license.txt': require.resolve('vazirmatn/OFL.txt'),
  'srgb.icc': path.join(pdfkit, 'data/sRGB_IEC61966_2_1.icc'),
};

/**
 * Bundles the thread's program and copies its files; returns the folder. Each file appears whole, because another process
 * may be reading it.
 */
export async function buildDocuments() {
  mkdirSync(folder, { recursive: true });
  const { outputFiles } = await build({
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
