import {
  getNamedType,
  getOperationAST,
  isInputObjectType,
  separateOperations,
  typeFromAST,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { Compiled } from './execute.ts';
import { hasListForObject, isJitCompatible } from './compatibility.ts';
import {
  findSpecializingVariables,
  buildSpecializationKey,
  resolveConditions,
  dropOmittedFields,
} from './specialize.ts';

type Variables = Readonly<Record<string, unknown>>;

// Compilation takes as long as a few dozen executions.
const executionsBeforeCompiling = 2;
// Further specializations are executed by graphql-js.
const mostForms = 8;

/** Returns the compiled function for variables, or undefined if graphql-jit would differ from graphql-js. */
export type FindCompiled = (variables: Variables) => Compiled | undefined;

/** Compiles an operation lazily, once for each specialization that its variables select. */
export function compileOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): FindCompiled {
  const deciding = findSpecializingVariables(document, operation);
  const objects = listInputObjects(schema, operation);
  const forms = new Map<string, Compiled | undefined>();

  const compile = (variables: Variables): Compiled | undefined => {
    const resolved = resolveConditions(document, deciding, variables);
    const alone = separateOperations(resolved)[operation.name?.value ?? '']!;
    if (!isJitCompatible(schema, alone, getOperationAST(alone)!)) return undefined;
    const compiled = compileQuery(schema, dropOmittedFields(alone, deciding, variables));
    return isCompiledQuery(compiled) ? compiled : undefined;
  };
  return (variables) => {
    if (objects.some(({ name, type }) => hasListForObject(type, variables[name]))) return undefined;
    const form = buildSpecializationKey(deciding, variables);
    if (form === undefined) return undefined;
    if (!forms.has(form) && forms.size < mostForms) forms.set(form, compile(variables));
    return forms.get(form);
  };
}

/** Lists the variables that contain input objects. */
function listInputObjects(schema: GraphQLSchema, { variableDefinitions = [] }: OperationDefinitionNode) {
  return variableDefinitions
    .map(({ variable, type }) => ({
      name: variable.name.value,
      type: typeFromAST(schema, type as never) as GraphQLInputType,
    }))
    .filter(({ type }) => isInputObjectType(getNamedType(type)));
}

/** Like `compileOperation`, but only from the third execution on. */
export function compileRepeatedOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): FindCompiled {
  let executions = 0;
  let findCompiled: FindCompiled | undefined;
  return (variables) => {
    executions += 1;
    if (executions <= executionsBeforeCompiling) return undefined;
    findCompiled ??= compileOperation(schema, document, operation);
    return findCompiled(variables);
  };
}
