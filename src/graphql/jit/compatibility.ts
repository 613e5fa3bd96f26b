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
 * Whether graphql-jit does with an operation what graphql-js does; the document holds nothing else. Its `@skip` and
 * `@include` are settled, which graphql-jit confuses where fields or fragments are repeated; and fields of input objects
 * will be left out with their variables, of which graphql-jit makes null.
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
 * Within a list graphql-jit makes null of what is left out, and where null must not be it ends a mutation without its
 * other fields.
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
    // An object of a scalar has no types within.
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
 * The order of errors may be another. A query is asked again then, which a mutation must not be: nothing of it may fail
 * but its root fields, one after the other, or its only one and what one field answers within.
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
  // What a fragment holds may be asked for more than once, as what a list holds.
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

/** Whether a value has a list where its type has an object, for which graphql-jit takes it. */
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
