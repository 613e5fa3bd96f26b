import fc from 'fast-check';
import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
} from 'graphql';
import { pick } from '../../../stress/fuzz/requests.ts';
import { writeLiteralOf } from '../../../support/hostile.ts';
import { oddNames, type Draft } from './draft.ts';

const dates = ['2026-01-31', '2026-01-31T10:00:00Z', '2030-06-01T00:00:00.000+02:00'];
const texts = ['Ada', 'afn', 'umbrella', '', 'a "quoted"\n text', '\u2028😀', 'constructor'];
const cursors = new Set(['after', 'before']);

/** The arguments of a field, in brackets: all that it needs, and some that it may have. */
export function writeArguments(draft: Draft, field: GraphQLField<any, any>, isRoot: boolean): string {
  const known = isRoot ? draft.values.ofRoot(field.name) : {};
  // The cursors of another list are refused.
  const given = field.args.filter(
    (arg) => isRequiredArgument(arg) || (draft.oneIn(3) && !(draft.isTame && cursors.has(arg.name))),
  );
  const written = given.map((arg) => `${arg.name}: ${writeArgument(draft, arg, known[arg.name])}`);
  return written.length > 0 ? `(${written.join(', ')})` : '';
}

function writeArgument(draft: Draft, arg: GraphQLArgument, known: unknown): string {
  const { g, oneIn, hasTexts } = draft;
  const isKnown = known !== undefined && (draft.isTame || oneIn(2));
  const value = () => (isKnown ? known : valueFor(draft, arg.type, arg.name));
  const isRequired = isNonNullType(arg.type);
  const named = getNamedType(arg.type);
  if (isInputObjectType(named) && oneIn(2)) return writeObject(draft, arg.type, value());
  const mayBeWritten = hasTexts || /^(Int|Boolean|Order)$/.test(named.name);
  if (mayBeWritten && oneIn(3))
    return writeLiteralOf(arg.type, isRequired ? (value() ?? known ?? '') : value());
  const type = String(getNullableType(arg.type));
  const usual = writeLiteralOf(arg.type, known ?? wellTyped(draft, arg.type));
  const definition = pick(g, [
    `${type}!`,
    ...(mayBeWritten ? [`${type} = ${usual}`, `${type}! = ${usual}`] : []),
    ...(isRequired ? [] : [type, type, type, `${type} = null`]),
  ]);
  return `$${newVariable(draft, definition, value)}`;
}

/** The name of a new variable, whose values are null or left out where they may be, and seldom where they may not. */
export function newVariable(
  { g, oneIn, isTame, newName, variables }: Draft,
  type: string,
  valueOf: () => unknown,
): string {
  const name = oneIn(80) ? pick(g, oddNames) : newName('v');
  const mayBeNull = !type.includes('!') || oneIn(isTame ? 60 : 8);
  const mayBeLeftOut = !type.endsWith('!') || oneIn(isTame ? 60 : 8);
  const value = () => {
    if (oneIn(3) && mayBeLeftOut) return undefined;
    return oneIn(8) && mayBeNull ? null : valueOf();
  };
  variables.set(name, { definition: `$${name}: ${type}`, value });
  return name;
}

/** An object with variables within. */
function writeObject(draft: Draft, given: GraphQLInputType, value: any, isWhole = true): string {
  const type = getNullableType(given);
  const isVariable = !isWhole && draft.oneIn(4);
  if (!isVariable && isListType(type) && Array.isArray(value))
    return `[${value.map((each) => writeObject(draft, type.ofType, each, false)).join(', ')}]`;
  if (isVariable || !isInputObjectType(type) || typeof value !== 'object' || value === null) {
    if (draft.hasTexts && draft.oneIn(2)) return writeLiteralOf(given, value);
    return `$${newVariable(draft, definitionWithin(draft, given), () => value)}`;
  }
  const fields = Object.values(type.getFields()).filter(({ name }) => name in value);
  return `{${fields.map((each) => `${each.name}: ${writeObject(draft, each.type, value[each.name], false)}`).join(', ')}}`;
}

/** The type of a variable within an object, which may be left out there, too. */
function definitionWithin(draft: Draft, given: GraphQLInputType): string {
  const type = String(getNullableType(given));
  if (/^(Int|Boolean)$/.test(type) && draft.oneIn(4)) return `${type} = ${type === 'Int' ? 2 : 'true'}`;
  return isNonNullType(given) || draft.oneIn(2) ? `${type}!` : type;
}

function wellTyped(draft: Draft, type: GraphQLInputType): unknown {
  const named = getNamedType(type);
  return isEnumType(named) ? pick(draft.g, named.getValues()).name : drawScalar(draft, named.name);
}

/** A value for an argument of that type and name: often a good one. */
export function valueFor(draft: Draft, given: GraphQLInputType, name: string): unknown {
  const { g, oneIn, isTame, values } = draft;
  if (!isNonNullType(given) && oneIn(10)) return null;
  const type = getNullableType(given);
  if (!isTame && oneIn(15)) return pick(g, [null, {}, [], '', 5, -1, 1.5, 'WORD', true, 2 ** 31, 1e21, -0]);
  if (isListType(type)) {
    // A single value stands for a list of it.
    if (oneIn(3)) return valueFor(draft, type.ofType, name);
    return Array.from({ length: g(fc.nat, { max: 3 }) }, () => valueFor(draft, type.ofType, name));
  }
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter((each) => isNonNullType(each.type) || oneIn(2));
    return Object.fromEntries(fields.map((each) => [each.name, valueFor(draft, each.type, each.name)]));
  }
  if (name === 'first' || name === 'last') return pick(g, isTame ? [1, 2, 3, 10] : [1, 3, 100, 0, 101]);
  if (cursors.has(name)) return pick(g, [...values.cursors, 'nonsense', '']);
  // What `__type` is asked for.
  if (name === 'name' && oneIn(2)) return pick(g, ['Customer', 'Node', 'Order', '__Type', 'Nothing']);
  return wellTyped(draft, type);
}

function drawScalar({ g, isTame, values }: Draft, type: string): unknown {
  if (type === 'ID') return pick(g, isTame ? values.ids : [...values.ids, 'cus_1', 'nonsense', '', 7]);
  if (type === 'Int') return g(fc.nat, { max: 5 });
  if (type === 'Float') return pick(g, [1, 1.5, 12.25, 0, -1]);
  if (type === 'Boolean') return g(fc.boolean);
  if (type === 'DateTime') return pick(g, isTame ? dates : [...dates, '2026-02-30', '']);
  if (type === 'EmailAddress') return pick(g, ['ada@example.org', 'grace@example.org', 'nobody']);
  if (type === 'JSON') return pick(g, [null, true, 5, '7', 'a', [1], { a: 'b' }]);
  if (type === 'JSONObject') return pick(g, [{}, { a: 'b', c: 1 }, { a: { b: [1, null] } }]);
  return pick(g, [...texts, ...values.ids]);
}
