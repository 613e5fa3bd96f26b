// Writes the types of the schema: what methods return by default, their inputs, and words.
import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
} from 'graphql';

const texts = ['String', 'ID', 'CountryCode', 'Currency', 'Date', 'DateTime', 'EmailAddress', 'URL'];

const scalars = {
  ...Object.fromEntries(texts.map((name) => [name, 'string'])),
  Int: 'number',
  Float: 'number',
  Boolean: 'boolean',
  Decimal: 'string',
  JSON: 'unknown',
  JSONObject: 'Record<string, unknown>',
};

/** What inputs take besides. */
const scalarsOfInputs = { ...scalars, DateTime: 'string | Date', Decimal: 'string | number' };

/** Writes a type of the schema; `name` says how its named type is written. */
function writeType(type, name) {
  if (!isNonNullType(type)) return `${writeNonNull(type, name)} | null`;
  return writeNonNull(type.ofType, name);
}

function writeNonNull(type, name) {
  if (!isListType(type)) return name(type);
  const item = writeType(type.ofType, name);
  return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
}

/** Writes the type of an argument or of a field of an input. */
export const writeInputType = (type) =>
  writeType(type, (named) => (isScalarType(named) ? scalarsOfInputs[named.name] : named.name));

/** Writes the type of an output whole, by name. */
export const writeOutputType = (type) =>
  writeType(type, (named) => (isScalarType(named) ? scalars[named.name] : named.name));

/** Writes a comment of the first sentence of a description. */
export function writeComment(description, indent = '') {
  const [first] = /^.*?[.:;](?=\s|$)/s.exec(description ?? '') ?? [description ?? ''];
  const text = first.replaceAll('\n', ' ').replace(/[:;]$/, '.').replaceAll('*/', '* /');
  return text === '' ? '' : `${indent}/** ${text} */\n`;
}

/** A shorter comment of a field says little more than its name, and the package is to stay small. */
const leastLength = 80;

const writeFieldComment = ({ description }) => {
  const comment = writeComment(description, '  ');
  return comment.length > leastLength + '  /**  */\n'.length ? comment : '';
};

const isOptional = ({ type, defaultValue }) => !isNonNullType(type) || defaultValue !== undefined;

/** Writes the properties of arguments, or of an input. */
export const writeInputFields = (fields) =>
  fields
    .filter(({ deprecationReason }) => !deprecationReason)
    .map((field) => {
      const mark = isOptional(field) ? '?' : '';
      return `${writeFieldComment(field)}  ${field.name}${mark}: ${writeInputType(field.type)};\n`;
    })
    .join('');

/** Writes the interface of what a method returns of an object type. */
export function writeObject(type, select) {
  const fields = select(type).map(({ field, kind }) => {
    const written =
      kind === 'reference' ? writeType(field.type, () => 'Reference') : writeOutputType(field.type);
    return `${writeFieldComment(field)}  ${field.name}: ${written};\n`;
  });
  return `${writeComment(type.description)}export interface ${type.name} {\n${fields.join('')}}\n`;
}

/** Writes the inputs and the words that the given types need, and those that they need themselves. */
export function writeInputs(types) {
  const needed = new Set();
  const add = (type) => {
    const named = getNamedType(type);
    if (isScalarType(named) || needed.has(named)) return;
    needed.add(named);
    if (isInputObjectType(named)) for (const field of Object.values(named.getFields())) add(field.type);
  };
  types.forEach(add);
  return [...needed]
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((type) => {
      const comment = writeComment(type.description);
      if (isEnumType(type)) {
        const words = type.getValues().map(({ name }) => `'${name}'`);
        return `${comment}export type ${type.name} = ${words.join(' | ')};\n`;
      }
      return `${comment}export interface ${type.name} {\n${writeInputFields(Object.values(type.getFields()))}}\n`;
    })
    .join('\n');
}

/** Returns the items of a page's nodes, or of a list. */
export function getItemType(type) {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return getNullableType(nullable.ofType);
  const { nodes } = nullable.getFields();
  return getNamedType(nodes.type);
}

/** Groups values by a text; Node 20 has no `Object.groupBy`. */
export function groupBy(values, getKey) {
  const groups = {};
  for (const value of values) (groups[getKey(value)] ??= []).push(value);
  return groups;
}
