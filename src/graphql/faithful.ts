import {
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  OperationTypeNode,
  typeFromAST,
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

/**
 * Whether graphql-jit does with an operation what graphql-js does; the document holds nothing else, and its `@skip`
 * and `@include` are settled, which graphql-jit confuses where fields or fragments are repeated.
 */
export function isFaithful(
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
      ...inVariables(refuse, schema, info, operation),
      Directive: () => refuse(true),
      Field: () => {
        // The order of errors may be another. A query is asked again then, which a mutation must not be: nothing but
        // its root fields, one after the other, may fail.
        const isOfRoot = info.getParentType() === schema.getMutationType();
        refuse(operation.operation === OperationTypeNode.MUTATION && !isOfRoot && hasResolver(info));
      },
    }),
  );
  return !isFound;
}

function hasResolver(info: TypeInfo): boolean {
  const field = info.getFieldDef();
  return field !== TypeNameMetaFieldDef && field?.resolve !== undefined;
}

type Refuse = (isUnlike: boolean) => void;

/**
 * graphql-jit writes text into the code that it makes, and some texts of a client then run as code. What it makes has
 * objects that know `__proto__` and `constructor` already.
 */
function inText(refuse: Refuse): ASTVisitor {
  return {
    StringValue: () => refuse(true),
    Name: ({ value }) => refuse(value in Object.prototype),
  };
}

/**
 * Within a list or an object graphql-jit makes null of what is left out; where null must not be it ends a mutation
 * without its other fields; and it takes an empty list for an object.
 */
function inVariables(
  refuse: Refuse,
  schema: GraphQLSchema,
  info: TypeInfo,
  { variableDefinitions = [] }: OperationDefinitionNode,
): ASTVisitor {
  const given = new Set(
    variableDefinitions
      .filter(({ type }) => type.kind === Kind.NON_NULL_TYPE)
      .map(({ variable }) => variable.name.value),
  );
  return {
    VariableDefinition: ({ type }) =>
      refuse(takesEmptyList(typeFromAST(schema, type as never) as GraphQLInputType)),
    // An object of a scalar has no types within.
    ObjectField: () => refuse(!info.getInputType()),
    Variable: ({ name }, _, parent) => {
      const { kind } = parent as ASTNode;
      const mayBeLeftOut = kind === Kind.ARGUMENT && !isNonNullType(info.getInputType());
      refuse(kind !== Kind.VARIABLE_DEFINITION && !mayBeLeftOut && !given.has(name.value));
    },
  };
}

/** Whether within a type there is an object that needs none of its fields. */
function takesEmptyList(given: GraphQLInputType, known = new Set<GraphQLInputType>()): boolean {
  const type = getNullableType(given);
  if (isListType(type)) return takesEmptyList(type.ofType, known);
  if (!isInputObjectType(type) || known.has(type)) return false;
  known.add(type);
  const types = Object.values(type.getFields()).map((field) => field.type);
  return !types.some(isNonNullType) || types.some((each) => takesEmptyList(each, known));
}
