import {
  execute,
  GraphQLError,
  Kind,
  NoSchemaIntrospectionCustomRule,
  OperationTypeNode,
  parse,
  specifiedRules,
  validate,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { BillingError } from '../lib/errors.ts';
import { leftAfter } from '../lib/readBudget.ts';
import type { Context } from './context.ts';
import type { RefuseCostly } from './rules/cost.ts';
import { formatFailure, readable } from './errors.ts';
import { documentRules, findTextProblem, tokenLimit, validationOptions } from './rules/validationRules.ts';

/** Documents that are kept, and run later on a root of their own. */
interface Documents {
  /** What is wrong with a document; undefined where it can be run. */
  problemOf(text: string): string | undefined;
  /** The answer to a document, its errors as clients see them. */
  run(text: string, root: unknown, context: Context): Promise<{ data: unknown; errors?: unknown }>;
}

const mostKnown = 500;

/**
 * Documents on the root of a schema: one query each, without variables, held to the same limits as any other. A
 * document is read and checked once.
 */
export function createDocuments(
  schema: GraphQLSchema,
  refuseCostly: RefuseCostly,
  maxResponseBytes: number,
): Documents {
  const known = new Map<string, DocumentNode | string>();

  const read = (text: string): DocumentNode | string => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const made = readDocument(schema, refuseCostly, text);
    if (known.size === mostKnown) known.clear();
    known.set(text, made);
    return made;
  };

  return {
    problemOf: (text) => {
      const document = read(text);
      return typeof document === 'string' ? document : undefined;
    },
    run: async (text, rootValue, contextValue) => {
      const document = read(text);
      // It was good when it was saved, but the schema may be another since.
      if (typeof document === 'string') return { data: null, errors: [{ message: document }] };
      const { data, errors } = await execute({ schema, document, rootValue, contextValue });
      if (leftAfter(data, maxResponseBytes) < 0) {
        const error = new BillingError('result_too_large');
        return { data: null, errors: [formatFailure({ message: error.message }, error)] };
      }
      return errors
        ? { data, errors: errors.map((error) => formatFailure(error.toJSON(), error)) }
        : { data };
    },
  };
}

/** The document, or what is wrong with it. */
function readDocument(
  schema: GraphQLSchema,
  refuseCostly: RefuseCostly,
  text: string,
): DocumentNode | string {
  const problem = findTextProblem(text);
  if (problem) return problem;
  try {
    const document = parse(text, { maxTokens: tokenLimit });
    const rules = [...specifiedRules, ...documentRules, NoSchemaIntrospectionCustomRule];
    const [error] = validate(schema, document, rules, validationOptions);
    if (error) throw error;
    const operations = document.definitions.filter(
      (definition): definition is OperationDefinitionNode => definition.kind === Kind.OPERATION_DEFINITION,
    );
    const [operation] = operations;
    if (operations.length !== 1 || operation?.operation !== OperationTypeNode.QUERY)
      return 'must hold one query';
    if (operation.variableDefinitions?.length) return 'must not have variables';
    refuseCostly(document, operation, {});
    return document;
  } catch (error) {
    if (error instanceof GraphQLError) return readable(error.message);
    throw error;
  }
}
