import {
  GraphQLObjectType,
  isInterfaceType,
  isObjectType,
  printSchema,
  printType,
  type GraphQLSchema,
} from 'graphql';
import { makeOnce } from '../lib/makeOnce.ts';

/** The schema as text, whole and in parts. */
export interface SchemaText {
  /** Returns a type, or a field with its arguments (`Query.invoice`); undefined for what there is not. */
  describe: (name: string) => string | undefined;
  /** Returns the whole schema. */
  print(): string;
}

/** The longest description of a type; above it, fields are listed without their descriptions. */
const longestTypeTextCharacters = 20_000;

/** Prints parts of a schema. */
export function createSchemaText(schema: GraphQLSchema): SchemaText {
  return {
    describe: (name) => {
      const [typeName, fieldName] = name.split('.') as [string, string?];
      const type = schema.getType(typeName);
      if (!type) return undefined;
      if (fieldName === undefined) return shorten(printType(type), type);
      if (!isObjectType(type) && !isInterfaceType(type)) return undefined;
      const field = type.toConfig().fields[fieldName];
      return field && printType(new GraphQLObjectType({ name: typeName, fields: { [fieldName]: field } }));
    },
    print: makeOnce(() => printSchema(schema)),
  };
}

/** Lists the fields of a type whose text is too long, such as Mutation. */
function shorten(text: string, type: object): string {
  if (text.length <= longestTypeTextCharacters || !isObjectType(type)) return text;
  const fields = Object.values(type.getFields()).map(
    ({ name, args, type: result }) =>
      `  ${name}${args.length > 0 ? `(${args.map((each) => `${each.name}: ${String(each.type)}`).join(', ')})` : ''}: ${String(result)}`,
  );
  return [
    `# Ask for ${type.name} with a dot and a field to read its description.`,
    `type ${type.name} {`,
    ...fields,
    '}',
  ].join('\n');
}
