/** An input that is accepted at first sight has no problem that graphql-js would name. */
import fc from 'fast-check';
import { buildSchema, type GraphQLInputType, type GraphQLObjectType } from 'graphql';
import { expect, it } from 'vitest';
import { findIssues, fits } from '../../src/graphql/rules/inputSizes.ts';
import { sampledRunsInCore } from '../support/sample.ts';

const schema = buildSchema(`
  enum Colour { red green }
  input Leaf { name: String! colour: Colour count: Int = 3 big: Float }
  input Tree { id: ID! leaf: Leaf leaves: [Leaf!] colours: [[Colour]!] isOn: Boolean! = true }
  input Either @oneOf { a: Int b: Leaf }
  type Query { ask(tree: Tree, trees: [Tree!]!, leaf: Leaf!, colour: Colour, text: String!, either: Either): Int }
`);
const fields = (schema.getType('Query') as GraphQLObjectType).getFields();
const types = fields['ask']!.args.map(({ type }): GraphQLInputType => type);

const scalar = fc.constantFrom<unknown>(null, undefined, 'red', 'x', '', 1, 1.5, -0, 2 ** 40, true, {}, []);
const leaf = fc.record(
  { name: scalar, colour: scalar, count: scalar, big: scalar, surplus: scalar },
  { requiredKeys: [] },
);
const tree = fc.record(
  {
    id: scalar,
    leaf: fc.oneof(leaf, scalar),
    leaves: fc.oneof(fc.array(fc.oneof(leaf, scalar)), leaf),
    colours: fc.oneof(fc.array(fc.array(scalar)), scalar),
    isOn: scalar,
    a: scalar,
  },
  { requiredKeys: [] },
);
const value = fc.oneof(scalar, leaf, tree, fc.array(tree));

it('accepts only what graphql-js accepts', () => {
  fc.assert(
    fc.property(fc.constantFrom(...types), value, (type, given) => {
      if (fits(type, given)) expect(findIssues('input', type, given)).toEqual([]);
    }),
    { numRuns: sampledRunsInCore(5000, 5) },
  );
});

it.each<[what: string, argument: string, given: unknown]>([
  ['an object', 'leaf', { name: 'a', colour: 'red', big: 1.5 }],
  ['objects in lists', 'trees', [{ id: 1, leaves: [{ name: 'a' }], colours: [['red', null], []] }]],
  ['null where it may be', 'tree', null],
])('accepts %s at once', (_, argument, given) => {
  const { type } = fields['ask']!.args.find(({ name }) => name === argument)!;
  expect(fits(type, given)).toBe(true);
});
