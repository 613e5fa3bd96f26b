/** Fills every text that the schema takes with scripts, as far as the rules accept them. */
import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isNonNullType,
  type GraphQLInputType,
  type GraphQLSchema,
} from 'graphql';
import type { Answer } from './app.ts';
import { listAllRootFields, withValue, writeDocument, type RootField } from './operations.ts';

/** In every hostile text, so that a test can see where it is shown. */
export const mark = 'onerror=hacked';

let made = 0;

/** Hostile texts, each of another form; the first one that a field accepts is kept. */
const forms: (() => string)[] = [
  () =>
    `<img src=x ${mark}(1)>"'><svg onload=hacked(2)>{{hacked(3)}}\${hacked(4)}\u202Ejavascript:hacked(5) ${(made += 1)}`,
  () => `javascript:hacked(6)//${mark}`,
  () => `data:text/html,<img src=x ${mark}(7)>`,
  () => `https://x.example/'"><img src=x ${mark}(8)>#${(made += 1)}`,
  () => `https://x.example/?'${mark}(10)'#${(made += 1)}`,
  () => `"<img/src=x/${mark}(9)>"@x${(made += 1)}.example`,
];

const textTypes = new Set(['String', 'EmailAddress', 'JSONObject']);

/** Returns the paths of the texts that a root field takes. */
const listTextPaths = ({ field }: RootField): string[] =>
  field.args.filter(({ name }) => name !== 'tenantAlias').flatMap(({ name, type }) => walk(name, type));

function walk(path: string, input: GraphQLInputType): string[] {
  const type = getNamedType(input);
  if (textTypes.has(type.name)) return [path];
  if (!isInputObjectType(type)) return [];
  return Object.values(type.getFields()).flatMap((field) => walk(`${path}.${field.name}`, field.type));
}

/** Returns the type of the value at a path. */
function typeAt({ field }: RootField, path: string): GraphQLInputType {
  const [first, ...rest] = path.split('.');
  return rest.reduce<GraphQLInputType>(
    (type, name) => {
      const inner = getNamedType(type);
      if (!isInputObjectType(inner)) throw new Error(path);
      return inner.getFields()[name]!.type;
    },
    field.args.find(({ name }) => name === first)!.type,
  );
}

/** Adds the fields that an input cannot do without. */
function complete(input: GraphQLInputType, value: any): any {
  const type = getNamedType(input);
  if (Array.isArray(value)) return value.map((each) => complete(input, each));
  if (!isInputObjectType(type) || value === null || typeof value !== 'object') return value;
  const fields = Object.values(type.getFields()).flatMap((field) => {
    const given = value[field.name];
    if (given !== undefined) return [[field.name, complete(field.type, given)]];
    if (!isNonNullType(field.type)) return [];
    const named = getNamedType(field.type);
    if (isEnumType(named)) return [[field.name, named.getValues().at(-1)!.name]];
    return [[field.name, field.name === 'country' ? 'DE' : named.name === 'String' ? 'x' : 1]];
  });
  return Object.fromEntries(fields);
}

/** What became of the texts of an operation. */
export interface Filled {
  accepted: string[];
  /** The last response without an error. */
  answer: Answer | undefined;
}

/**
 * Sends an operation again and again, with a hostile text in one more place each time. Texts that were accepted stay in
 * the later requests, so that the last record has all of them.
 */
export async function fillTexts(
  schema: GraphQLSchema,
  root: RootField,
  call: Record<string, any>,
  post: (query: string, variables: Record<string, any>) => Promise<Answer>,
): Promise<Filled> {
  const document = writeDocument(schema, root, 1);
  const filled: Filled = { accepted: [], answer: undefined };
  let current = call;
  /** The forms that the places have accepted. */
  const places = new Map<string, () => string>();
  for (const path of listTextPaths(root)) {
    for (const form of forms) {
      let variables = current;
      // Names that must be unique are new in each request.
      for (const [place, write] of [...places, [path, form] as const]) {
        const text = write();
        const isJson = getNamedType(typeAt(root, place)).name === 'JSONObject';
        variables = withValue(variables, place, isJson ? { [text.slice(0, 40)]: text } : text);
      }
      variables = Object.fromEntries(
        root.field.args.flatMap(({ name, type }) =>
          variables[name] === undefined ? [] : [[name, complete(type, variables[name])]],
        ),
      );
      const answer = await post(document, variables);
      if (answer.status >= 500) throw new Error(`${root.name} ${path}: ${answer.text}`);
      if (answer.body.errors) continue;
      places.set(path, form);
      current = variables;
      filled.accepted.push(path);
      filled.answer = answer;
      break;
    }
  }
  return filled;
}

/** The mutations that take texts. */
export const listWriters = (schema: GraphQLSchema): RootField[] =>
  listAllRootFields(schema).filter((root) => root.kind === 'mutation' && listTextPaths(root).length > 0);
