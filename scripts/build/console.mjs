// Builds src/console into dist/console, with a brotli and a gzip copy of each file. Run as a program, it builds nothing
// else; with --watch it builds again when a source changes.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { root } from '../setup.mjs';
import { writeConsoleDocuments } from './consoleDocuments.mjs';
import { recordModules } from './contents.mjs';

const sources = path.join(root, 'src/console');
const folder = path.join(root, 'dist/console');
const builders = [import.meta.filename, path.join(import.meta.dirname, 'consoleDocuments.mjs')];
const stamp = path.join(root, 'dist/.console-stamp');

/** Builds the console unless it was built from the current sources; returns its folder. */
export async function buildConsole() {
  const hash = hashConsole();
  if (existsSync(stamp) && existsSync(folder) && readFileSync(stamp, 'utf8') === hash) return folder;
  const made = path.join(root, `dist/console.${process.pid}`);
  await runVite(made);
  await writeConsoleDocuments(made);
  const files = readdirSync(path.join(made, 'assets')).flatMap((name) =>
    compress(path.join(made, 'assets', name)).map((each) => path.basename(each)),
  );
  replaceFolder(made, files);
  writeFileSync(stamp, hash);
  return folder;
}

/** As in production, regardless of NODE_ENV: tests build too. */
async function runVite(outDir) {
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = 'production';
  try {
    // Vite takes a second to load, also where nothing has to be built.
    const { build } = await import('vite');
    await build({
      configFile: false,
      root: sources,
      base: '/console/',
      publicDir: false,
      logLevel: 'warn',
      plugins: [recordPackages],
      oxc: { jsx: { runtime: 'automatic' } },
      build: {
        outDir,
        emptyOutDir: true,
        target: ['chrome120', 'edge120', 'firefox121', 'safari17.4'],
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        reportCompressedSize: false,
        license: { fileName: 'assets/licenses.md' },
        rolldownOptions: { onLog: skipDirectives, output: { chunkFileNames: nameChunk } },
      },
    });
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
}

/** A plugin of Vite that keeps which packages have code in the console. */
const recordPackages = {
  name: 'contents',
  generateBundle: (_, output) =>
    recordModules(
      'console',
      Object.values(output).flatMap(({ modules = {} }) =>
        Object.keys(modules).filter((file) => modules[file].renderedLength > 0),
      ),
    ),
};

/** A screen's chunk is named after its folder. */
function nameChunk({ facadeModuleId }) {
  const screen = /screens\/(\w+)\/Screen\.tsx$/.exec(facadeModuleId ?? '')?.[1];
  return `assets/${screen ?? '[name]'}-[hash].js`;
}

/** Packages for servers that render React mark their modules with "use client", which means nothing here. */
function skipDirectives(level, log, handle) {
  if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
}

/** Writes the compressed copies of a file that are smaller than it; returns the names of all. */
function compress(file) {
  const content = readFileSync(file);
  const copies = {
    br: brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }),
    gz: gzipSync(content, { level: 9 }),
  };
  const smaller = Object.entries(copies).filter(([, copy]) => copy.length < content.length);
  for (const [extension, copy] of smaller) writeFileSync(`${file}.${extension}`, copy);
  return [file, ...smaller.map(([extension]) => `${file}.${extension}`)];
}

/**
 * Replaces the previous build while servers may be reading it: first the new assets, which have other names, then the
 * documents that they send and the page that refers to them, and at last the removal of the old assets.
 */
function replaceFolder(made, files) {
  const assets = path.join(folder, 'assets');
  mkdirSync(assets, { recursive: true });
  for (const name of files) renameSync(path.join(made, 'assets', name), path.join(assets, name));
  for (const name of ['documents.json', 'index.html'])
    renameSync(path.join(made, name), path.join(folder, name));
  for (const name of readdirSync(assets)) if (!files.includes(name)) rmSync(path.join(assets, name));
  rmSync(made, { recursive: true });
}

function hashConsole() {
  const hash = createHash('sha256');
  const files = readdirSync(sources, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .toSorted();
  for (const file of [...files, path.join(root, 'package-lock.json'), ...builders]) {
    hash
      .update(`${path.relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  }
  return hash.digest('hex');
}

async function rebuild() {
  try {
    await buildConsole();
    console.log('Built dist/console');
  } catch (error) {
    console.error(error);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await buildConsole();
  if (process.argv.includes('--watch')) {
    let timer;
    watch(sources, { recursive: true }, () => {
      clearTimeout(timer);
      timer = setTimeout(() => void rebuild(), 100);
    });
  }
}
