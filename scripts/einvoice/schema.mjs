// Validates documents against XSDs, by libxml2.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** UBL has two folders beside each other; the files of others lie together or in folders below. */
function listSchemas(main) {
  const folder = path.dirname(main);
  const top = path.basename(folder) === 'maindoc' ? path.dirname(folder) : findTop(folder);
  return readdirSync(top, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.xsd'))
    .map((file) => path.join(top, file));
}

/** The schemas of UN/CEFACT lie in `data/standard`, with their code lists in folders beside `data`. */
const findTop = (folder) =>
  folder.endsWith(path.join('data', 'standard')) ? path.resolve(folder, '../..') : folder;

/** Reads a schema under its bare name, with the bare names of those that it imports: the validator has one folder. */
const readFlat = (file) => ({
  fileName: path.basename(file),
  contents: readFileSync(file, 'utf8').replaceAll(
    /schemaLocation="([^"]*)"/g,
    (_, location) => `schemaLocation="${location.split('/').at(-1)}"`,
  ),
});

/**
 * Returns what breaks the schema, by the name of the document. `documents`: names and texts; `roots`: the schema of each root
 * element, or '' for the file itself.
 */
export async function validateBySchema({ path: file, roots }, documents) {
  const { validateXML, memoryPages } = await import('xmllint-wasm');
  const schemas = listSchemas(file).map(readFlat);
  const broken = new Map(documents.map(({ name }) => [name, []]));
  for (const [root, schemaName] of Object.entries(roots)) {
    const main = schemaName === '' ? path.basename(file) : schemaName;
    const ofRoot = documents.filter(({ xml }) => new RegExp(`<(\\w+:)?${root}[\\s>]`).test(xml));
    if (ofRoot.length === 0) continue;
    const { errors, rawOutput } = await validateXML({
      xml: ofRoot.map(({ name, xml }) => ({ fileName: `${name}.xml`, contents: xml })),
      schema: schemas.filter(({ fileName }) => fileName === main),
      preload: schemas.filter(({ fileName }) => fileName !== main),
      maxMemoryPages: memoryPages.GiB,
    });
    for (const { loc, message } of errors) {
      // The last line about each document has no position.
      if (!loc && message.endsWith('fails to validate')) continue;
      const findings = broken.get(loc?.fileName?.replace(/\.xml$/, ''));
      if (!findings) throw new Error(`${main}: ${message}\n${rawOutput.slice(0, 2000)}`);
      findings.push({ rule: 'XSD', isFatal: true, text: message });
    }
  }
  return broken;
}
