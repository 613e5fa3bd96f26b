/** Reads and writes catalogue files: YAML, JSON, and modules of JavaScript and TypeScript. */
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { isMap, parseDocument, stringify } from 'yaml';
import { checkFile } from './io.ts';

const mostBytes = 1024 * 1024;
/** Aliases of YAML: a few hundred could otherwise stand for billions of values. */
const mostAliases = 100;

const modules = new Set(['.ts', '.mts', '.mjs', '.js', '.cjs']);

/** Returns what a file contains. Throws an Error that names the line of a mistake in its form. */
export async function readCatalogFile(file: string): Promise<unknown> {
  checkFile(file);
  const stats = statSync(file);
  // A device has no end.
  if (!stats.isFile()) throw new Error(`${file} is not a file.`);
  if (stats.size > mostBytes) throw new Error(`${file} is larger than 1 MiB.`);
  const value = modules.has(path.extname(file)) ? await loadModule(file) : parseText(file);
  if (Buffer.byteLength(JSON.stringify(value) ?? '') > mostBytes)
    throw new Error(`${file} has more than 1 MiB of values.`);
  // What JSON does not have, such as functions, is not in a file.
  return JSON.parse(JSON.stringify(value) ?? 'null');
}

function parseText(file: string): unknown {
  const document = parseDocument(readFileSync(file, 'utf8'), {
    version: '1.2',
    merge: false,
    stringKeys: true,
  });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw new Error(`${file}: ${problem.message.split('\n')[0]}`);
  if (document.contents !== null && !isMap(document.contents))
    throw new Error(`${file} must be a map of sections.`);
  try {
    return document.toJS({ maxAliasCount: mostAliases }) ?? {};
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`, { cause: error });
  }
}

/** Loads a module, whose default export is the catalogue, or a function that returns it. Node removes the types of TypeScript. */
async function loadModule(file: string): Promise<unknown> {
  const absolute = path.resolve(file);
  let loaded: any;
  try {
    // Unlike `import`, this also works in the executable.
    loaded = createRequire(absolute)(absolute);
  } catch (error) {
    const isTypeScript = /\.m?ts$/.test(file) && error instanceof SyntaxError;
    const hint = isTypeScript ? ' TypeScript needs Node 22.18 or newer, or the executable.' : '';
    throw new Error(`${file} cannot be loaded: ${(error as Error).message.split('\n')[0]}.${hint}`, {
      cause: error,
    });
  }
  const value = loaded?.default ?? loaded;
  return typeof value === 'function' ? value() : value;
}

/** Writes a catalogue in the form of the file's name; the file is replaced at once. */
export function writeCatalogFile(file: string, catalog: unknown): void {
  const next = `${file}.new`;
  writeFileSync(next, formatCatalog(file, catalog));
  renameSync(next, file);
}

function formatCatalog(file: string, catalog: unknown): string {
  const extension = path.extname(file);
  const json = JSON.stringify(catalog, null, 2);
  if (extension === '.json') return `${json}\n`;
  if (modules.has(extension))
    return extension === '.cjs'
      ? `module.exports = ${json};\n`
      : `import { defineCatalog } from '@perennial/sdk';\n\nexport default defineCatalog(${json});\n`;
  return stringify(catalog, { aliasDuplicateObjects: false, lineWidth: 120 });
}
