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
 * Returns whether graphql-jit executes an operation exactly as graphql-js does. The document contains only this
 * operation. `@skip` and `@include` have been applied, because graphql-jit confuses them if fields or fragments
 * repeat. Input fields with omitted variables are removed before compilation, because graphql-jit sets them to
 * null.
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
      ...refuseUnsafeText(refuse),
      ...refuseVariablePositions(refuse, info, operation),
      ...refuseFailingFields(refuse, info, schema, operation),
      Directive: () => refuse(true),
    }),
  );
  return !isFound;
}

type Refuse = (isUnlike: boolean) => void;

/**
 * Refuses text and names that are unsafe in generated code: graphql-jit writes strings into the code, where they
 * could be executed, and the generated objects inherit `__proto__` and `constructor`.
 */
function refuseUnsafeText(refuse: Refuse): ASTVisitor {
  return {
    StringValue: () => refuse(true),
    Name: ({ value }) => refuse(value in Object.prototype),
  };
}

/**
 * Refuses optional variables in positions other than arguments and input fields. In a list graphql-jit replaces an
 * omitted variable with null. If null is not allowed, it fails a mutation before its other fields are executed.
 */
function refuseVariablePositions(
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
 * Refuses mutations in which several errors are possible, because graphql-jit may reorder errors. A query can be
 * executed again, but a mutation cannot: only root fields may fail, or a single root field and one field below it.
 */
function refuseFailingFields(
  refuse: Refuse,
  info: TypeInfo,
  schema: GraphQLSchema,
  { operation, selectionSet: { selections } }: OperationDefinitionNode,
): ASTVisitor {
  if (operation !== OperationTypeNode.MUTATION) return {};
  const mostWithin = selections.length === 1 && selections[0]!.kind === Kind.FIELD ? 1 : 0;
  let within = 0;
  // Fields of a fragment may be selected several times, and fields of list items are executed several times.
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

/** Returns whether a value has a list in the place of an input object, which graphql-jit would accept. */
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
