import fc from 'fast-check';
import {
  getNamedType,
  isAbstractType,
  isCompositeType,
  isLeafType,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import { pick, type Choose } from '../../../stress/fuzz/requests.ts';
import { writeArguments, newVariable } from './arguments.ts';
import { beginDraft, oddNames, type Values, type Draft } from './draft.ts';

/** A document and what it is asked with. */
export interface Question {
  query: string;
  operationName?: string;
  /** Two, so that what is compiled for one is asked with another. */
  variables: Record<string, unknown>[];
}

/** Where a selection stands. */
interface Scope {
  type: GraphQLCompositeType;
  depth: number;
  /** The fields with objects that are there already, and may be selected again: as written, with their types. */
  repeatable: Map<string, GraphQLCompositeType>;
}

const mostDepth = 3;
const variableSets = 2;
// It bills for years, and takes as long.
const leftOut = new Set(['advanceClock']);

/** A document that asks a root for what chance wants, valid nearly always, and variables that often are not. */
export function drawQuestion(
  g: Choose,
  schema: GraphQLSchema,
  values: Values,
  kind: 'query' | 'mutation',
): Question {
  const draft = beginDraft(g, schema, values, kind === 'mutation');
  const type = kind === 'query' ? schema.getQueryType()! : schema.getMutationType()!;
  const count = draft.oneIn(6) ? 2 + g(fc.nat, { max: 1 }) : 1;
  const bodies = Array.from({ length: count }, () =>
    drawSelections(draft, { type, depth: 0, repeatable: new Map() }),
  );
  const operations = bodies.map((body, index) => {
    const name = count > 1 || draft.oneIn(3) ? ` O${index}` : '';
    return `${kind}${name}${writeDefinitions(draft, body)} ${body}`;
  });
  const fragments = [...findSpreads(draft, bodies.join(' '))].map((name) => draft.fragments.get(name)!.text);
  return {
    query: [...operations, ...fragments].join('\n'),
    // Seldom one that is not there.
    operationName: count > 1 ? `O${g(fc.nat, { max: draft.oneIn(20) ? count : count - 1 })}` : undefined,
    variables: Array.from({ length: variableSets }, () => drawValues(draft)),
  };
}

/** The fragments that a text spreads, and those that these spread. */
function findSpreads(draft: Draft, text: string, found = new Set<string>()): Set<string> {
  for (const [, name] of text.matchAll(/\.\.\.(F\d+)/g)) {
    if (found.has(name!)) continue;
    found.add(name!);
    findSpreads(draft, draft.fragments.get(name!)!.text, found);
  }
  return found;
}

function writeDefinitions(draft: Draft, body: string): string {
  const spread = Array.from(findSpreads(draft, body), (name) => draft.fragments.get(name)!.text);
  const text = [body, ...spread].join(' ');
  const used = [...draft.variables].filter(([name]) => new RegExp(`\\$${name}\\b`).test(text));
  return used.length > 0 ? `(${used.map(([, { definition }]) => definition).join(', ')})` : '';
}

const drawValues = ({ variables }: Draft) =>
  Object.fromEntries(
    [...variables].map(([name, { value }]) => [name, value()]).filter(([, value]) => value !== undefined),
  );

function drawSelections(draft: Draft, scope: Scope): string {
  const count = 1 + draft.g(fc.nat, { max: 2 });
  return `{ ${Array.from({ length: count }, () => drawSelection(draft, scope)).join(' ')} }`;
}

function drawSelection(draft: Draft, scope: Scope): string {
  const { g, oneIn, schema } = draft;
  const { type, repeatable } = scope;
  if (oneIn(8)) return `${aliased(draft, '__typename')}${drawDirectives(draft)}`;
  if (oneIn(5)) {
    const on = oneIn(3) ? type : pick(g, listTypes(schema, type));
    const condition = on === type && oneIn(2) ? '' : ` on ${on.name}`;
    return `...${condition}${drawDirectives(draft)} ${drawSelections(draft, narrowed(scope, on))}`;
  }
  if (oneIn(6)) return `...${findFragment(draft, scope)}${drawDirectives(draft)}`;
  if (repeatable.size === 0 || !oneIn(3)) return drawField(draft, scope);
  const [again, its] = pick(g, [...repeatable]);
  return `${again}${drawDirectives(draft)} ${drawSelections(draft, below(scope, its))}`;
}

function drawField(draft: Draft, scope: Scope): string {
  const { g, oneIn, schema, isFlat } = draft;
  const isRoot = scope.type === schema.getQueryType() || scope.type === schema.getMutationType();
  const fields = listFields(draft, scope.type).filter(
    ({ type, resolve }) =>
      (scope.depth < mostDepth || isLeafType(getNamedType(type))) && (isRoot || !isFlat || !resolve),
  );
  if (fields.length === 0) return aliased(draft, '__typename');
  const field = pick(g, fields);
  const args = writeArguments(draft, field, isRoot);
  // What types differ in under one name is refused, and so are two sets of arguments.
  const isPlain = args === '' && !isAbstractType(scope.type) && oneIn(2);
  const text = `${isPlain ? field.name : `${newAlias(draft)}: ${field.name}`}${args}`;
  const type = getNamedType(field.type);
  if (!isCompositeType(type)) return `${text}${drawDirectives(draft)}`;
  scope.repeatable.set(text, type);
  return `${text}${drawDirectives(draft)} ${drawSelections(draft, below(scope, type))}`;
}

function listFields({ schema, oneIn }: Draft, type: GraphQLCompositeType): GraphQLField<any, any>[] {
  if (!('getFields' in type)) return [];
  if (type === schema.getQueryType() && oneIn(8)) return [SchemaMetaFieldDef, TypeMetaFieldDef];
  return Object.values(type.getFields()).filter(({ name }) => !leftOut.has(name));
}

const below = ({ depth }: Scope, type: GraphQLCompositeType): Scope => ({
  type,
  depth: depth + 1,
  repeatable: new Map(),
});

/** A narrowed object is still the same one: what is selected of it may be selected again within. */
const narrowed = (scope: Scope, type: GraphQLCompositeType): Scope => ({
  type,
  depth: scope.depth + 1,
  repeatable: type === scope.type ? scope.repeatable : new Map(),
});

/** The types that an object may be narrowed to, or taken for. */
function listTypes(schema: GraphQLSchema, type: GraphQLCompositeType): GraphQLCompositeType[] {
  if (isAbstractType(type)) return [type, ...schema.getPossibleTypes(type)];
  return [type, ...(type as GraphQLObjectType).getInterfaces()];
}

/** The name of a fragment that may be spread there, a new one or one that is there already. */
function findFragment(draft: Draft, scope: Scope): string {
  const on = pick(draft.g, listTypes(draft.schema, scope.type));
  const known = [...draft.fragments].filter(([, fragment]) => fragment.on === on);
  if (known.length > 0 && draft.oneIn(2)) return pick(draft.g, known)[0];
  const name = draft.newName('F');
  const text = `fragment ${name} on ${on.name} ${drawSelections(draft, below(scope, on))}`;
  draft.fragments.set(name, { on, text });
  return name;
}

const newAlias = ({ g, oneIn, newName }: Draft) => (oneIn(200) ? pick(g, oddNames) : newName('a'));
const aliased = (draft: Draft, name: string) => (draft.oneIn(2) ? name : `${newAlias(draft)}: ${name}`);

/** Seldom one, more seldom both. */
function drawDirectives(draft: Draft): string {
  if (!draft.oneIn(12)) return '';
  const [one, other] = draft.oneIn(2) ? ['skip', 'include'] : ['include', 'skip'];
  const first = ` @${one}(if: ${drawCondition(draft)})`;
  return draft.oneIn(6) ? `${first} @${other}(if: ${drawCondition(draft)})` : first;
}

function drawCondition(draft: Draft): string {
  const { g, oneIn, variables } = draft;
  if (oneIn(2)) return String(oneIn(2));
  const known = [...variables].filter(([, { definition }]) => definition.includes('Boolean'));
  if (known.length > 0 && oneIn(2)) return `$${pick(g, known)[0]}`;
  const type = pick(g, ['Boolean!', 'Boolean!', 'Boolean! = true', 'Boolean = false', 'Boolean = true']);
  return `$${newVariable(draft, type, () => oneIn(2))}`;
}
