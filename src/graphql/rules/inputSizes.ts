import {
  coerceInputValue,
  getNamedType,
  getNullableType,
  GraphQLError,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  Kind,
  typeFromAST,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type ASTVisitor,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  type ObjectFieldNode,
  type OperationDefinitionNode,
  type ValidationContext,
  type ValueNode,
} from 'graphql';
import { maxIssues, refuse, type Issue } from '../../lib/errors.ts';
import { shortenMessage } from '../errors.ts';
import { readIssueCode } from '../issueCodes.ts';
import { UncheckedValue } from '../scalars.ts';

/** The maximum length of a list in an input. */
export const mostItems = 100;

/** The maximum number of list items in one request. */
const mostItemsInAll = 1000;

/** The maximum length of a text in a variable; an operation can use the variable in 100 fields. */
const mostCharacters = 65_536;

const lengthKey = 'mostCharacters';

/** Declares another maximum length of the text in a field of an input. Its mutation declares the cost. */
export const declareLength = (characters: number) => ({ [lengthKey]: characters });

const itemsKey = 'mostItems';

/** Declares another maximum length of the list in a field of an input. */
export const declareItems = (items: number) => ({ [itemsKey]: items });

const uncheckedKey = 'isCheckedByRule';

/** Declares that a field with a wrong value does not refuse the request: its rule refuses what has the field. */
export const checkedByRule = { [uncheckedKey]: true };

const describeLimit = (items: number) => `must have at most ${items} items`;

const readItems = (field: GraphQLInputField | undefined): number =>
  (field?.extensions[itemsKey] as number | undefined) ?? mostItems;

/** An input of an operation: the name and type of a variable. */
interface Input {
  name: string;
  type: GraphQLInputType;
  /** The field of an input object that receives the whole value, with the limits of that field. */
  field?: GraphQLInputField;
}

/** Lists the variables of an operation whose types are more than a scalar. */
export function listInputs(schema: GraphQLSchema, operation: OperationDefinitionNode): readonly Input[] {
  const fields = findReceivers(schema, operation);
  return (operation.variableDefinitions ?? []).flatMap(({ variable: { name }, type: node }) => {
    const type = typeFromAST(schema, node as never) as GraphQLInputType;
    return isMoreThanScalar(type) ? [{ name: name.value, type, field: fields.get(name.value) }] : [];
  });
}

/** Finds the field that receives each variable; of several fields, the one with the lowest limit. */
function findReceivers(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
): Map<string, GraphQLInputField> {
  const found = new Map<string, GraphQLInputField>();
  const info = new TypeInfo(schema);
  const enter = ({ name, value }: ObjectFieldNode) => {
    const type = getNamedType(info.getParentInputType());
    if (value.kind !== Kind.VARIABLE || !isInputObjectType(type)) return;
    const field = type.getFields()[name.value];
    const known = found.get(value.name.value);
    if (field && !(known && readItems(known) <= readItems(field))) found.set(value.name.value, field);
  };
  visit(operation, visitWithTypeInfo(info, { [Kind.OBJECT_FIELD]: enter }));
  return found;
}

/** Returns whether the type is a list, an input object or an enum. */
function isMoreThanScalar(type: GraphQLInputType): boolean {
  const named = getNamedType(type);
  return isInputObjectType(named) || isEnumType(named) || isListType(getNullableType(type));
}

/**
 * Refuses values that do not match their types, before they are used. Lengths are checked first, so that a list of
 * any length takes no more time than one of 100 items. Messages suggest no names of the schema. Error:
 * `validation_failed`, naming up to 50 fields.
 */
export function refuseWrongInputs(inputs: readonly Input[], values: Readonly<Record<string, unknown>>): void {
  const tally: Tally = { items: 0, issues: [] };
  for (const name in values) {
    if (typeof values[name] === 'string') measureText(values[name], name, tally);
  }
  for (const { name, type, field } of inputs) measure(type, values[name], name, tally, field);
  if (tally.items > mostItemsInAll) {
    tally.issues.push({
      path: inputs[0]!.name,
      message: `lists must have at most ${mostItemsInAll} items together`,
    });
  }
  if (tally.issues.length > 0) refuse('validation_failed', ...tally.issues);
  const issues: Issue[] = [];
  for (const { name, type } of inputs) {
    const value = values[name];
    if (value !== undefined && !fits(type, value)) issues.push(...findIssues(name, type, value));
  }
  if (issues.length > 0) refuse('validation_failed', ...issues);
}

/**
 * Whether a value surely matches its type; marks the values that a rule refuses itself. graphql-js coerces each value to a new one and notes its path, which takes
 * three times as long; it is asked only for the messages about a value that does not match.
 */
export function fits(given: GraphQLInputType, value: unknown): boolean {
  if (value === null || value === undefined) return !isNonNullType(given);
  const type = isNonNullType(given) ? given.ofType : given;
  if (isInputObjectType(type)) return fitsObject(type, value);
  if (isListType(type)) return Array.isArray(value) && value.every((item) => fits(type.ofType, item));
  try {
    return type.parseValue(value) !== undefined;
  } catch {
    return false;
  }
}

function fitsObject(type: GraphQLInputObjectType, value: unknown): boolean {
  // Which of the fields is given decides for a type with `@oneOf`.
  if (typeof value !== 'object' || Array.isArray(value) || type.isOneOf) return false;
  const given = value as Record<string, unknown>;
  const fields = type.getFields();
  for (const name in given) if (!Object.hasOwn(fields, name)) return false;
  for (const name in fields) {
    const field = fields[name]!;
    const isFitting =
      given[name] === undefined ? !isRequiredInputField(field) : fits(field.type, given[name]);
    if (isFitting) continue;
    if (given[name] === undefined || !field.extensions[uncheckedKey]) return false;
    given[name] = new UncheckedValue(given[name]);
  }
  return true;
}

interface Tally {
  items: number;
  issues: Issue[];
}

/** Records lists and texts that are too long, and unknown fields of input objects. */
function measure(
  given: GraphQLInputType,
  value: unknown,
  path: string,
  tally: Tally,
  field?: GraphQLInputField,
): void {
  const limit = field?.extensions[lengthKey] as number | undefined;
  if (typeof value === 'string') return measureText(value, path, tally, limit);
  if (typeof value !== 'object' || value === null || tally.issues.length >= maxIssues) return;
  const type = getNullableType(given);
  if (isListType(type)) {
    if (!Array.isArray(value)) return measure(type.ofType, value, path, tally);
    const most = readItems(field);
    if (value.length > most) {
      tally.issues.push({ path, message: describeLimit(most), code: 'too_many', limit: most });
      return;
    }
    tally.items += value.length;
    for (const [index, item] of value.entries()) measure(type.ofType, item, `${path}.${index}`, tally);
  } else if (isInputObjectType(type) && !Array.isArray(value)) {
    const fields = type.getFields();
    for (const name of Object.keys(value)) {
      const known = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (known)
        measure(known.type, (value as Record<string, unknown>)[name], `${path}.${name}`, tally, known);
      else
        tally.issues.push({
          path,
          message: shortenMessage(`Field "${name}" is not defined by type "${type.name}".`),
        });
      if (tally.issues.length >= maxIssues) return;
    }
  }
}

function measureText(text: string, path: string, { issues }: Tally, limit = mostCharacters): void {
  if (text.length > limit && issues.length < maxIssues) {
    issues.push({ path, message: `must be at most ${limit} characters`, code: 'too_long', limit });
  }
}

const enough = Symbol('enough');

/** Returns the type errors of a value, at most 50. */
export function findIssues(name: string, type: GraphQLInputType, value: unknown): Issue[] {
  const issues: Issue[] = [];
  try {
    coerceInputValue(
      value,
      type,
      (path, given, error) => {
        const at = [name, ...path].join('.');
        if (given === null) issues.push({ path: at, message: 'must not be null', code: 'required' });
        else issues.push({ path: at, message: shortenMessage(error.message), ...readIssueCode(error) });
        if (issues.length === maxIssues) throw enough;
      },
      true,
    );
  } catch (error) {
    if (error !== enough) throw error;
  }
  return issues;
}

/** Limits the length of lists in a document like that of lists in variables. */
export function ListLengthRule(context: ValidationContext): ASTVisitor {
  const declared = new Map<ValueNode, number>();
  return {
    [Kind.OBJECT_FIELD]: ({ name, value }) => {
      const type = getNamedType(context.getParentInputType());
      if (isInputObjectType(type)) declared.set(value, readItems(type.getFields()[name.value]));
    },
    [Kind.LIST]: (node) => {
      const most = declared.get(node) ?? mostItems;
      if (node.values.length <= most) return;
      if (!isListType(getNullableType(context.getParentInputType()))) return;
      context.reportError(new GraphQLError(`A list ${describeLimit(most)}.`, { nodes: node }));
    },
  };
}
