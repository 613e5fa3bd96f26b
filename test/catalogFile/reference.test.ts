/** The reference of catalogue files and the types of the SDK are written from the schema of the file. */
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { catalogFile } from '../../src/catalogFile/schema.ts';
import { root } from '../sourceFiles.ts';

interface Json {
  type?: string | string[];
  description?: string;
  properties?: Record<string, Json>;
  required?: string[];
  items?: Json;
  anyOf?: Json[];
  enum?: string[];
  const?: unknown;
  maxItems?: number;
}

const whole = z.toJSONSchema(catalogFile, { unrepresentable: 'any', io: 'input' }) as Json;
const at = (...parts: string[]) => path.join(root, ...parts);
const pretty = async (text: string, file: string) =>
  format(text, { ...(await resolveConfig(file)), filepath: file });

const typeNames: Record<string, string> = {
  string: 'string',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
  object: 'Record<string, unknown>',
};

const unwrap = (schema: Json): Json => {
  const others = schema.anyOf?.filter(({ type }) => type !== 'null');
  return others?.length === 1 ? others[0]! : schema;
};

function writeType(schema: Json): string {
  if (schema.anyOf) return schema.anyOf.map((each) => writeType(each)).join(' | ');
  if (schema.enum) return schema.enum.map((word) => `'${word}'`).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type === 'array') return `(${writeType(schema.items!)})[]`;
  if (schema.properties) return writeObject(schema);
  const names = [schema.type ?? []].flat().map((type) => typeNames[type] ?? 'unknown');
  return names.join(' | ') || 'unknown';
}

function writeObject({ properties = {}, required = [] }: Json): string {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const said = schema.description ?? unwrap(schema).description;
    const description = said ? `/** ${said} */\n` : '';
    return `${description}${name}${required.includes(name) ? '' : '?'}: ${writeType(schema)};`;
  });
  return `{\n${fields.join('\n')}\n}`;
}

function writeRows(schema: Json, prefix: string): string[] {
  const { properties = {}, required = [] } = unwrap(schema);
  return Object.entries(properties).flatMap(([name, wrapped]) => {
    const field = unwrap(wrapped);
    const inner = field.type === 'array' ? unwrap(field.items!) : field;
    const place = `${prefix}${name}${field.type === 'array' && inner.properties ? '[]' : ''}`;
    const type = inner.properties
      ? field.type === 'array'
        ? 'list'
        : 'map'
      : writeType(wrapped).replaceAll('|', '\\|');
    const own = `| \`${place}\` | ${type === 'unknown' ? 'any' : type} | ${required.includes(name) ? 'yes' : ''} | ${wrapped.description ?? field.description ?? ''} |`;
    return [own, ...writeRows(inner, `${place}.`)];
  });
}

it('docs/catalog-file.md lists every field', async () => {
  const sections = Object.entries(whole.properties!).flatMap(([name, wrapped]) => {
    const schema = unwrap(wrapped);
    const entry = schema.type === 'array' ? schema.items! : schema;
    if (!entry.properties) return [];
    const rows = writeRows(entry, '');
    expect(rows.length).toBeGreaterThan(0);
    return [
      `## \`${name}\`\n\n${wrapped.description ?? ''}${schema.maxItems ? ` At most ${schema.maxItems}.` : ''}\n\n| Field | Type | Required | |\n| - | - | - | - |\n${rows.join('\n')}\n`,
    ];
  });
  const text = `# The fields of a catalogue file

A file is a map of sections, in YAML, JSON, or a module that exports it ([guide](guides/catalog.md)). \`version\` is 1 and may be left out. A
section that is absent is left alone; of one that is present, records with a lookup key that are absent are retired. A field that is
absent has its default. Where a field is an input of the API, its limits are those of the API ([limits](limits.md)).

${sections.join('\n')}`;
  await expect(await pretty(text, at('docs', 'catalog-file.md'))).toMatchFileSnapshot(
    at('docs', 'catalog-file.md'),
  );
});

it('the SDK has the type of every field', async () => {
  const file = at('packages', 'sdk', 'src', 'catalog.ts');
  const text = `/** Catalogue files. The types are written from the schema of the file, by test/catalogFile/reference.test.ts. */

/** A catalogue file: what \`perennial catalog\` compares with a tenant, and \`catalog.plan\` and \`catalog.apply\` take. */
export interface CatalogFile ${writeObject(whole)}

/** Returns the file as it is; gives editors its types. */
export const defineCatalog = (catalog: CatalogFile): CatalogFile => catalog;
`;
  await expect(await pretty(text, file)).toMatchFileSnapshot(file);
});
