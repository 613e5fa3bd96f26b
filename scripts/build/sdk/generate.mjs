// Writes what the SDK has of the server: its types and methods from schema.graphql, its reasons and events from the sources.
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { buildSchema, getNamedType, isAbstractType, isCompositeType, isEnumType } from 'graphql';
import { root } from '../../setup.mjs';
import { writeEventNames, writeEvents } from './events.mjs';
import { listMethods, writeResources, writeTable } from './operations.mjs';
import { createSelections, listSelected, writeSelection } from './selections.mjs';
import { writeInputs, writeObject } from './types.mjs';

const heading = '// Written by scripts/build/sdk/generate.mjs.\n\n';

/** Writes the generated modules of the SDK, and returns the methods that it has. */
export async function generateSdk(folder) {
  const schema = buildSchema(readFileSync(path.join(root, 'schema.graphql'), 'utf8'));
  const select = createSelections(schema);
  const methods = listMethods(schema, select);
  const returned = methods.map(({ item }) => item).filter(isCompositeType);
  const objects = [...new Set(returned.flatMap((type) => listSelected(type, select)))].toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  const words = objects.flatMap((type) =>
    isAbstractType(type) ? [] : select(type).map(({ field }) => getNamedType(field.type)),
  );
  const inputs = [
    ...methods.flatMap(({ field }) => field.args.map(({ type }) => type)),
    ...words.filter(isEnumType),
  ];
  const { catalogue, eventTypes, version } = await loadSources();
  const examples = readFileSync(path.join(root, 'src/outgoing/webhooks/eventExamples.json'), 'utf8');

  write('operations.ts', [
    writeTable(methods),
    writeFragments(objects, select),
    `export const version = '${version}';\n`,
  ]);
  write('types.ts', [
    "import type { FollowOptions, List, ListOptions, Reference, RequestOptions } from '../options.ts';\n",
    ...objects.map((type) =>
      isAbstractType(type)
        ? `/** Any record. */\nexport interface ${type.name} {\n  __typename: string;\n  id: string;\n}\n`
        : writeObject(type, select),
    ),
    writeInputs(inputs),
    writeResources(methods),
  ]);
  write('reasons.ts', [
    `/** Why a request was refused: the server's catalogue of errors. */\nexport type Reason = ${Object.keys(
      catalogue,
    )
      .map((reason) => `'${reason}'`)
      .join(' | ')};\n`,
  ]);
  write('events.ts', [writeEvents(schema, eventTypes, JSON.parse(examples))]);
  write('eventNames.ts', [writeEventNames(eventTypes)]);
  return methods.map(({ resource, method, field }) => ({ resource, method, operation: field.name }));

  /** Writes a file at once: another process may be about to read it. */
  function write(name, parts) {
    mkdirSync(folder, { recursive: true });
    const file = path.join(folder, name);
    writeFileSync(`${file}.${process.pid}`, heading + parts.join('\n'));
    renameSync(`${file}.${process.pid}`, file);
  }
}

function writeFragments(objects, select) {
  const rows = objects.map((type) => `  ${type.name}: '${writeSelection(type, select)}',\n`);
  return `export const fragments: Readonly<Record<string, string>> = {\n${rows.join('')}};\n`;
}

/** Loads the tables that the SDK shares with the server. */
async function loadSources() {
  const folder = mkdtempSync(path.join(tmpdir(), 'perennial-sources-'));
  const outfile = path.join(folder, 'sources.mjs');
  try {
    await build({
      stdin: {
        contents: `
          export { catalogue } from './src/lib/errors.ts';
          export { eventTypes } from './src/tenancy/traces/eventTypes.ts';
          export { version } from './src/lib/version.ts';`,
        resolveDir: root,
      },
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
