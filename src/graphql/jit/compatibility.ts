import {
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  OperationTypeNode,
  TypeInfo,
  TypeNameMetaFieldDef,
  visit,
  visitWithTypeInfo,
  type ASTNode,
  type ASTVisitor,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { readsParent } from '../bindResolvers.ts';

/**
 * Whether graphql-jit executes an operation as graphql-js does. The document holds this operation alone. `@skip` and
 * `@include` have been applied, because graphql-jit confuses them where fields or fragments repeat. Fields of input objects
 * are removed with their omitted variables before compilation, because graphql-jit makes null of them.
 */
export function isJitCompatible(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): boolean {
  if (operation.operation === OperationTypeNode.SUBSCRIPTION) return false;
  const info = new TypeInfo(schema);
  let isFound = false;
  const refuse = (isUnlike: boolean) => {
    isFound ||= isUnlike;
  };
  visit(
    document,
    visitWithTypeInfo(info, {
      ...inText(refuse),
      ...inVariables(refuse, info, operation),
      ...inMutation(refuse, info, schema, operation),
      Directive: () => refuse(true),
    }),
  );
  return !isFound;
}

type Refuse = (isUnlike: boolean) => void;

/**
 * graphql-jit writes text into the generated code, where a client's text could run as code. The generated objects inherit
 * `__proto__` and `constructor`.
 */
function inText(refuse: Refuse): ASTVisitor {
  return {
    StringValue: () => refuse(true),
    Name: ({ value }) => refuse(value in Object.prototype),
  };
}

/**
 * In a list graphql-jit makes null of an omitted variable. Where null is not allowed, it ends a mutation before its other
 * fields are executed.
 */
function inVariables(
  refuse: Refuse,
  info: TypeInfo,
  { variableDefinitions = [] }: OperationDefinitionNode,
): ASTVisitor {
  const given = new Set(
    variableDefinitions
      .filter(({ type }) => type.kind === Kind.NON_NULL_TYPE)
      .map(({ variable }) => variable.name.value),
  );
  return {
    // Fields inside a scalar's object have no types.
    ObjectField: () => refuse(!info.getInputType()),
    Variable: ({ name }, _, parent) => {
      const { kind } = parent as ASTNode;
      const isOfField = kind === Kind.ARGUMENT || kind === Kind.OBJECT_FIELD;
      const mayBeLeftOut = isOfField && !isNonNullType(info.getInputType());
      refuse(kind !== Kind.VARIABLE_DEFINITION && !mayBeLeftOut && !given.has(name.value));
    },
  };
}

/**
 * graphql-jit may reorder errors. Queries can be executed again; mutations cannot, so only root fields may fail, or a single
 * root field and at most one field nested in it.
 */
function inMutation(
  refuse: Refuse,
  info: TypeInfo,
  schema: GraphQLSchema,
  { operation, selectionSet: { selections } }: OperationDefinitionNode,
): ASTVisitor {
  if (operation !== OperationTypeNode.MUTATION) return {};
  const mostWithin = selections.length === 1 && selections[0]!.kind === Kind.FIELD ? 1 : 0;
  let within = 0;
  // Fields of a fragment may be selected several times, as those of a list are executed several times.
  let lists = 0;
  const isList = () => isListType(getNullableType(info.getType()));
  return {
    FragmentDefinition: { enter: () => void lists++, leave: () => void lists-- },
    Field: {
      enter: () => {
        if (info.getParentType() !== schema.getMutationType() && mayFail(info)) {
          within += 1;
          refuse(lists > 0 || within > mostWithin);
        }
        if (isList()) lists += 1;
      },
      leave: () => {
        if (isList()) lists -= 1;
      },
    },
  };
}

function mayFail(info: TypeInfo): boolean {
  const field = info.getFieldDef();
  return field !== TypeNameMetaFieldDef && field?.resolve !== undefined && !field.extensions[readsParent];
}

/** Whether a value has a list where its type is an input object, which graphql-jit would accept. */
export function hasListForObject(given: GraphQLInputType, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const type = getNullableType(given);
  if (isListType(type)) {
    const items: unknown[] = Array.isArray(value) ? value : [value];
    return items.some((each) => hasListForObject(type.ofType, each));
  }
  if (!isInputObjectType(type)) return false;
  if (Array.isArray(value)) return true;
  const fields = type.getFields();
  for (const name in fields) {
    if (hasListForObject(fields[name]!.type, (value as Record<string, unknown>)[name])) return true;
  }
  return false;
}
