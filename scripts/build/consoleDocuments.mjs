// Lists the GraphQL documents of src/console by the SHA-256 of their text, by which the server knows them.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../setup.mjs';

const sources = path.join(root, 'src/console');

/**
 * Writes the manifest of all operations of the console, as it sends them, into a folder. Each module that declares one is
 * executed with a `graphql` function that records what it makes, because documents are composed of fragments of other modules.
 */
export async function writeConsoleDocuments(folder) {
  const { build } = await import('esbuild');
  const recorder = path.join(folder, 'recorder.mjs');
  await build({
    stdin: { contents: listImports(), resolveDir: sources },
    outfile: recorder,
    bundle: true,
    platform: 'browser',
    format: 'esm',
    target: 'node20',
    jsx: 'automatic',
    // Vite's list of the screens is not needed: all are imported here.
    define: { 'process.env.NODE_ENV': '"production"', 'import.meta.glob': 'Object' },
    loader: { '.css': 'empty' },
    // Modules ask for the browser's platform when they load, and Node 20 has none.
    banner: { js: "globalThis.navigator ??= { platform: '' };" },
    plugins: [{ name: 'record', setup: recordDocuments }],
    logLevel: 'error',
  });
  const { documents, writeDocument } = await import(pathToFileURL(recorder).href);
  rmSync(recorder);
  const texts = documents.filter(declaresOperation).map(writeDocument).toSorted();
  const entries = texts.map((text) => [`sha256:${createHash('sha256').update(text).digest('hex')}`, text]);
  writeFileSync(path.join(folder, 'documents.json'), `${JSON.stringify(Object.fromEntries(entries))}\n`);
}

const declaresOperation = ({ definitions }) => definitions.some(({ kind }) => kind === 'OperationDefinition');

function listImports() {
  const declaring = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .filter((name) => /\bgraphql\(/.test(readFileSync(path.join(sources, name), 'utf8')));
  return [
    ...declaring.map((name) => `import './${name.replaceAll('\\', '/')}';`),
    "export { documents } from './data/graphql.ts';",
    "export { writeDocument } from './data/documents.ts';",
  ].join('\n');
}

function recordDocuments({ onLoad }) {
  onLoad({ filter: /console[\\/]data[\\/]graphql\.ts$/ }, () => ({
    contents: `
      import { parseDocument } from './data/parseDocument.ts';
      export const documents = [];
      export const graphql = (...parts) => {
        const document = parseDocument(...parts);
        documents.push(document);
        return document;
      };`,
    resolveDir: sources,
  }));
}
