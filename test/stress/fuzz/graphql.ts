import fc from 'fast-check';
import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import { chance, instant, number, pick, textFor, wild, type Choose, type FuzzRequest } from './requests.ts';
import { drawHeaders } from './rest.ts';

const mostDepth = 4;
/** These fields change the tenant itself, or never end. */
const leftOut = new Set(['advanceClock']);
/** The kind of resource of an argument `id`, by a word in the field's name. */
const words = ['customer', 'product', 'price', 'group', 'intent', 'subscription'];

/** A request of a document made from the schema. */
export function drawGraphqlRequest(g: Choose, schema: GraphQLSchema): FuzzRequest {
  const isMutation = chance(g, 2);
  const root = isMutation ? schema.getMutationType()! : schema.getQueryType()!;
  const fields = Object.values(root.getFields()).filter(({ name }) => !leftOut.has(name));
  const chosen = Array.from({ length: 1 + g(fc.nat, { max: 2 }) }, () => pick(g, fields));
  const roots = chosen.map((field, index) => `f${index}: ${fieldText(g, schema, field, 0)}`).join('\n');
  const query = `${isMutation ? 'mutation' : 'query'} { ${roots} }`;
  const variables = chance(g, 10) ? wild(g) : undefined;
  return {
    method: chance(g, 60) ? pick(g, ['GET', 'PUT', 'DELETE']) : 'POST',
    path: '/graphql',
    headers: drawHeaders(g),
    body: JSON.stringify({ query, variables, ...(chance(g, 30) && { operationName: wild(g) }) }),
  };
}

function fieldText(g: Choose, schema: GraphQLSchema, field: GraphQLField<any, any>, depth: number): string {
  const given = field.args.filter((arg) => (isRequiredArgument(arg) ? !chance(g, 20) : chance(g, 3)));
  const args = given.map(({ name, type }) => `${name}: ${literal(g, type, nameIn(field.name, name), 0)}`);
  return `${field.name}${args.length > 0 ? `(${args.join()})` : ''}${selection(g, schema, field.type, depth)}`;
}

function nameIn(field: string, argument: string): string {
  const word = words.findLast((each) => field.toLowerCase().includes(each));
  return argument === 'id' && word ? `${word}Id` : argument;
}

function selection(g: Choose, schema: GraphQLSchema, type: GraphQLOutputType, depth: number): string {
  const named = getNamedType(type);
  if (isLeafType(named)) return chance(g, 100) ? ' { id }' : '';
  if (!isObjectType(named) && !isInterfaceType(named)) return ' { __typename }';
  const fields = Object.values(named.getFields());
  const open = depth < mostDepth ? fields : fields.filter((field) => isLeafType(getNamedType(field.type)));
  const count = 1 + g(fc.nat, { max: 4 });
  const chosen = open.length === 0 ? [] : Array.from({ length: count }, () => pick(g, open));
  // Each under an alias of its own: the same field twice with other arguments would be refused.
  const texts = chosen.map((field, index) => `a${index}: ${fieldText(g, schema, field, depth + 1)}`);
  return ` { ${['__typename', ...texts].join(' ')} }`;
}

function literal(g: Choose, type: GraphQLInputType, name: string, depth: number): string {
  if (chance(g, 25))
    return pick(g, ['null', '5', '""', '{}', '[]', 'WORD', '1e400', '$missing', '"\\uD800"']);
  if (isNonNullType(type)) return literal(g, type.ofType, name, depth);
  if (isListType(type)) {
    const length = g(fc.nat, { max: 2 });
    return `[${Array.from({ length }, () => literal(g, type.ofType, name, depth + 1)).join()}]`;
  }
  if (isEnumType(type)) return pick(g, type.getValues()).name;
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    const given = fields.filter((each) => (isRequiredInputField(each) ? !chance(g, 20) : chance(g, 2)));
    const texts = given.map((each) => `${each.name}: ${literal(g, each.type, each.name, depth + 1)}`);
    return `{ ${texts.join()} }`;
  }
  const scalar = getNamedType(type).name;
  if (scalar === 'Int' || scalar === 'Float') return String(number(g));
  if (scalar === 'Boolean') return String(chance(g, 2));
  if (scalar === 'DateTime') return JSON.stringify(instant(g));
  if (scalar === 'JSONObject')
    return pick(g, ['{}', '{ a: "b" }', '{ a: { b: [1, 2] } }', '{ __proto__: "x" }']);
  return JSON.stringify(textFor(g, scalar === 'EmailAddress' ? 'email' : name));
}
