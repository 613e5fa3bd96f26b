/** One word for one thing: the names and the types of the schema. */
import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  type GraphQLType,
} from 'graphql';
import { expect, it } from 'vitest';
import { schema } from '../../src/app/schema.ts';

const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
const enums = types.filter(isEnumType);

/** Every field, input field and argument with the name of its type. */
const members = types.flatMap((type) => {
  if (isInputObjectType(type))
    return Object.values(type.getFields()).map((field) => describeMember(type.name, field));
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return Object.values(type.getFields()).flatMap((field) => [
    describeMember(type.name, field),
    ...field.args.map((argument) => describeMember(`${type.name}.${field.name}`, argument)),
  ]);
});

function describeMember(owner: string, { name, type }: { name: string; type: GraphQLType }) {
  return { place: `${owner}.${name}`, name, type: getNamedType(type).name };
}

/** Values that the interface or a standard (UNCL 5305) fixes. */
const fixed = ['ActivityType', 'Frequency', 'Order', 'TaxCategory'];

it('values of enums are in lower case with underscores', () => {
  expect(enums.length).toBeGreaterThan(40);
  const others = enums.filter((type) =>
    type.getValues().some(({ name }) => !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name)),
  );
  expect(others.map(({ name }) => name).toSorted()).toEqual(fixed);
});

it('no two enums have the same values', () => {
  const sets = enums.map((type) =>
    type
      .getValues()
      .map(({ name }) => name)
      .toSorted()
      .join(' '),
  );
  expect(sets.filter((set, index) => sets.indexOf(set) !== index)).toEqual([]);
});

const unused: Record<string, RegExp> = {
  timeZone: /timezone/i,
  postalCode: /postcode/i,
  isTest: /^test$/,
};

it('one word names one thing', () => {
  expect(members.length).toBeGreaterThan(1000);
  const patterns = Object.entries(unused);
  const wrong = members.flatMap(({ place, name }) =>
    patterns
      .filter(([right, pattern]) => name !== right && !name.startsWith(right) && pattern.test(name))
      .map(([right]) => `${place}: ${right}`),
  );
  expect(wrong).toEqual([]);
});

/** The types of members by their names. */
const scalars: [name: RegExp, type: string][] = [
  [/^currency$/, 'Currency'],
  [/^(country|\w+Country)$/, 'CountryCode'],
  [/^(url|\w+Url)$/, 'URL'],
];

it.each(scalars)('what is named %s is of its scalar', (pattern, scalar) => {
  const named = members.filter(({ name }) => pattern.test(name));
  expect(named.length).toBeGreaterThan(2);
  expect(named.filter(({ type }) => type !== scalar).map(({ place }) => place)).toEqual([]);
});
