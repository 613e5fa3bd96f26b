// Builds dist/docs: static pages of the guides and references, their style, script and search index, with a brotli and a
// gzip copy of each. Run as a program, it builds nothing else.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { root } from '../setup.mjs';
import { recordBundle } from './contents.mjs';
import { linkReasons, readErrors, renderErrorPages } from './docs/errors.mjs';
import { linkFields, readSchema, renderGraphqlPages } from './docs/graphql.mjs';
import { escapeHtml, renderPage, urlOf } from './docs/layout.mjs';
import { renderMarkdownPages } from './docs/markdown.mjs';
import { readOpenapi, renderRestPages } from './docs/rest.mjs';
import { buildIndex } from './docs/search.mjs';
import { describeContents, describeText } from './docs/texts.mjs';

const folder = path.join(root, 'dist/docs');
const stamp = path.join(root, 'dist/.docs-stamp');
const compressed = /\.(html|css|js|json|svg|mjs|graphql)$/;
/** A page is read seldom and built often. */
const brotliQuality = 9;

/** What the pages are made from. */
const inputs = [
  'docs',
  'src/http/docs',
  'src/console/design/tokens.css',
  'scripts/build/docs',
  'scripts/build/docs.mjs',
  'schema.graphql',
  'openapi.json',
  'CHANGELOG.md',
  'package-lock.json',
];

/** Builds the pages unless they were built from the current sources; returns their folder. */
export async function buildDocs() {
  const hash = hashInputs();
  if (existsSync(stamp) && existsSync(folder) && readFileSync(stamp, 'utf8') === hash) return folder;
  const made = new Map();
  const addAsset = (name, content) => {
    const { name: base, ext } = path.parse(name);
    const digest = createHash('sha256').update(content).digest('hex').slice(0, 12);
    const file = `assets/${base}-${digest}${ext}`;
    made.set(file, content);
    return `/docs/${file}`;
  };
  const sections = renderSections((file) =>
    addAsset(path.basename(file), readFileSync(path.join(root, file))),
  );
  const pages = sections.flatMap((section) => section.pages);
  const assets = {
    'search.json': addAsset('search.json', buildIndex(pages)),
    ...(await bundleAssets(addAsset)),
  };
  for (const page of pages) made.set(`${page.path || 'index'}.html`, renderPage(page, sections, assets));
  const index = assets['search.json'].replace('/docs/', '');
  made.set('contents.json', JSON.stringify(describeContents(sections, index)));
  const texts = pages.filter((page) => page.path !== '');
  write(made, new Map(texts.map((page) => [page.path, JSON.stringify(describeText(page))])));
  writeFileSync(stamp, hash);
  return folder;
}

function renderSections(addAsset) {
  const schema = readSchema();
  const errors = readErrors();
  const written = renderMarkdownPages(addAsset);
  const guides = written[0];
  const listed = written.flatMap((section) => section.pages).find((page) => page.path === 'errors');
  listed.html = linkReasons(listed.html, errors);
  const sections = [
    guides,
    { title: 'REST', pages: renderRestPages(readOpenapi()) },
    { title: 'GraphQL', pages: renderGraphqlPages(schema, errors) },
    ...written.slice(1),
    { title: 'Errors', pages: renderErrorPages(errors, linkFields(schema)) },
  ];
  const start = { title: 'Start', pages: [renderStart(sections, addAsset('schema.graphql'))] };
  return [start, ...sections];
}

/** The first page: what there is. */
function renderStart(sections, schemaUrl) {
  const listed = sections.filter(({ pages }) => pages.some(({ isHidden }) => !isHidden));
  const cards = listed.map(({ title, pages }) => {
    const links = pages
      .filter(({ isHidden }) => !isHidden)
      .map((page) => `<li><a href="${urlOf(page.path)}">${escapeHtml(page.short ?? page.title)}</a></li>`);
    return `<section class="card"><h2 id="${title.toLowerCase()}">${escapeHtml(title)}</h2><ul>${links.join('')}</ul></section>`;
  });
  return {
    path: '',
    title: 'Documentation',
    html: `<p>Guides, references and operations of this server. The documents for programs: <a href="${schemaUrl}">schema.graphql</a> and <a href="/api/v1/openapi.json">openapi.json</a>.</p><div class="cards">${cards.join('')}</div>`,
  };
}

async function bundleAssets(addAsset) {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['src/http/docs/docs.js', 'src/http/docs/docs.css'],
    outdir: 'dist/docs',
    bundle: true,
    minify: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    legalComments: 'inline',
    metafile: true,
    logLevel: 'warning',
  });
  recordBundle('docs', metafile);
  return Object.fromEntries(
    outputFiles.map(({ path: file, contents }) => [
      path.basename(file),
      addAsset(path.basename(file), contents),
    ]),
  );
}

const brotli = (content) =>
  brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } });

/**
 * Writes the files into a new folder, which then takes the place of the old one. No browser reads the texts, so they are only
 * there compressed.
 */
function write(made, texts) {
  const draft = `${folder}.${process.pid}`;
  for (const [name, given] of made) {
    const content = Buffer.from(given);
    const file = path.join(draft, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
    if (!compressed.test(name)) continue;
    writeFileSync(`${file}.br`, brotli(content));
    writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  }
  for (const [page, text] of texts)
    writeFileSync(path.join(draft, `${page}.json.br`), brotli(Buffer.from(text)));
  const old = `${folder}.old.${process.pid}`;
  if (existsSync(folder)) renameSync(folder, old);
  renameSync(draft, folder);
  rmSync(old, { recursive: true, force: true });
}

function hashInputs() {
  const hash = createHash('sha256');
  for (const input of inputs) {
    const at = path.join(root, input);
    const files = existsSync(at) && readdirSafe(at);
    for (const file of files || [])
      hash
        .update(`${path.relative(root, file)}\0`)
        .update(readFileSync(file))
        .update('\0');
  }
  return hash.digest('hex');
}

function readdirSafe(at) {
  try {
    const entries = readdirSync(at, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    return entries.map((entry) => path.join(entry.parentPath, entry.name)).toSorted();
  } catch {
    return [at];
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const begunAt = performance.now();
  await buildDocs();
  console.log(`Built dist/docs (in ${((performance.now() - begunAt) / 1000).toFixed(1)} s)`);
}
