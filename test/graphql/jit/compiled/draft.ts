import type { GraphQLCompositeType, GraphQLSchema } from 'graphql';
import { chance, type Choose } from '../../../stress/fuzz/requests.ts';

/** What the arguments of fields may be given: the valid ones of a root field, and what else is known by type. */
export interface Values {
  ofRoot: (field: string) => Record<string, unknown>;
  ids: string[];
  cursors: string[];
}

interface Variable {
  /** As it is defined: `$v1: Int! = 5`. */
  definition: string;
  value: () => unknown;
}

/** A document while it is made. */
export interface Draft {
  g: Choose;
  schema: GraphQLSchema;
  values: Values;
  /** True once in this many times. */
  oneIn: (of: number) => boolean;
  newName: (prefix: string) => string;
  variables: Map<string, Variable>;
  fragments: Map<string, { on: GraphQLCompositeType; text: string }>;
  /** Asks for what there is, as clients do: an answer that is all errors says little of the data. */
  isTame: boolean;
  /** Has texts written into it; clients that ask again have them in variables. */
  hasTexts: boolean;
  /** Reads of what it is answered what is there, without asking for more. */
  isFlat: boolean;
}

// What a function made of a document could take for something of its own.
export const oddNames = [
  '__proto__',
  'constructor',
  'toString',
  'length',
  'idx0',
  '__parent',
  '__context',
  'then',
];

export function beginDraft(g: Choose, schema: GraphQLSchema, values: Values, isMutation: boolean): Draft {
  const oneIn = (of: number) => chance(g, of);
  let names = 0;
  return {
    g,
    schema,
    values,
    oneIn,
    newName: (prefix) => `${prefix}${++names}`,
    variables: new Map(),
    fragments: new Map(),
    isTame: !oneIn(4),
    hasTexts: oneIn(6),
    isFlat: isMutation && oneIn(2),
  };
}
