/** What changes in the schema since the last release: nothing goes that was not deprecated in it. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  BreakingChangeType,
  buildSchema,
  findBreakingChanges,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';
import { expect, it } from 'vitest';
import { version } from '../../src/lib/version.ts';
import { root } from '../sourceFiles.ts';
import { allowedBreaks } from './allowedBreaks.ts';

interface Part {
  name: string;
  type: unknown;
  deprecationReason?: string | null | undefined;
  args?: readonly Part[];
}

/** The fields of a type, or its input fields. */
const listFields = (type: GraphQLNamedType | undefined): Part[] =>
  isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)
    ? Object.values<Part>(type.getFields())
    : [];

const isDeprecated = (part: Pick<Part, 'deprecationReason'> | undefined) =>
  typeof part?.deprecationReason === 'string';

/** Whether all that leads to a type was deprecated, or belongs to a type of which this holds. */
function isOnlyUsedByDeprecated(released: GraphQLSchema, name: string, seen: string[] = []): boolean {
  const uses = Object.values(released.getTypeMap()).flatMap((owner) => {
    const isUse = ({ type }: Part) => getNamedType(type as never as GraphQLNamedType).name === name;
    const fields = listFields(owner);
    const parts = [...fields, ...fields.flatMap(({ args = [] }) => args)].filter(isUse);
    const isMember = isUnionType(owner) && owner.getTypes().some((member) => member.name === name);
    return [...parts.map((part) => ({ owner, part })), ...(isMember ? [{ owner, part: undefined }] : [])];
  });
  return (
    uses.length > 0 &&
    uses.every(
      ({ owner, part }) =>
        isDeprecated(part) ||
        (!seen.includes(owner.name) && isOnlyUsedByDeprecated(released, owner.name, [...seen, name])),
    )
  );
}

/** Whether what a change has removed was deprecated in the release. The paths are those of graphql-js's descriptions. */
function wasDeprecated(released: GraphQLSchema, type: BreakingChangeType, description: string): boolean {
  const [first, second] = description.match(/[\w.]+/g)!;
  const [owner, field] = first.split('.');
  const found = () => listFields(released.getType(owner!)).find(({ name }) => name === field);
  if (type === BreakingChangeType.FIELD_REMOVED) return isDeprecated(found());
  if (type === BreakingChangeType.ARG_REMOVED)
    return isDeprecated(found()?.args?.find(({ name }) => description.includes(` arg ${name} was`)));
  if (type === BreakingChangeType.TYPE_REMOVED) return isOnlyUsedByDeprecated(released, first);
  if (type !== BreakingChangeType.VALUE_REMOVED_FROM_ENUM || second !== 'was') return false;
  const enumType = released.getType(/enum type (\w+)\.$/.exec(description)![1]!);
  return isEnumType(enumType) && isDeprecated(enumType.getValue(first) ?? undefined);
}

/** Lists the breaking changes of what was not deprecated in the release. */
const listBreaks = (released: GraphQLSchema, current: GraphQLSchema): string[] =>
  findBreakingChanges(released, current)
    .filter(({ type, description }) => !wasDeprecated(released, type, description))
    .map(({ description }) => description);

const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const current = buildSchema(read('schema.graphql'));
const breaks = listBreaks(buildSchema(read(`test/fixtures/${version}/schema.graphql`)), current);

const old = `
  type Query { kept: Int, gone: Int @deprecated(reason: "Use kept."), found(by: In, old: Int @deprecated): Part }
  input In { kept: Int, gone: Int @deprecated(reason: "Use kept.") }
  enum Word { kept gone @deprecated(reason: "Use kept.") }
  type Part { word: Word, inner: Inner @deprecated, either: Either @deprecated }
  type Inner { leaf: Leaf }
  type Leaf { value: Int }
  type Left { value: Int }
  union Either = Left
`;

it.each([
  ['a deprecated field', 'gone: Int @deprecated(reason: "Use kept."), found', 'found', []],
  ['another field', 'type Query { kept: Int,', 'type Query {', ['Query.kept was removed.']],
  ['a deprecated argument', ', old: Int @deprecated)', ')', []],
  ['another argument', '(by: In, ', '(', ['Query.found arg by was removed.']],
  ['a deprecated input field', ', gone: Int @deprecated(reason: "Use kept.") }', ' }', []],
  ['another input field', 'input In { kept: Int,', 'input In {', ['In.kept was removed.']],
  ['a deprecated value', 'kept gone @deprecated(reason: "Use kept.")', 'kept', []],
  ['another value', 'enum Word { kept', 'enum Word {', ['kept was removed from enum type Word.']],
  ['types that only a deprecated field led to', /inner: Inner @deprecated|type (Inner|Leaf) .*/g, '', []],
  [
    'members of a union that only a deprecated field had',
    /either: Either @deprecated|type Left.*|union.*/g,
    '',
    [],
  ],
  [
    'a type that others lead to',
    /word: Word|enum Word .*/g,
    '',
    ['Word was removed.', 'Part.word was removed.'],
  ],
  [
    'the type of a deprecated field',
    'gone: Int @deprecated(reason: "Use kept."), found',
    'gone: String, found',
    ['Query.gone changed type from Int to String.'],
  ],
  [
    'a new demand',
    'kept: Int, gone: Int @deprecated(reason: "Use kept.") }',
    'new: Int!, kept: Int, gone: Int }',
    ['A required field new on input type In was added.'],
  ],
  ['nothing', '', '', []],
])('of a schema without %s, what was not deprecated is refused', (_, from, to, expected) => {
  const changed = old.replace(from, to);
  expect(changed === old).toBe(from === '');
  expect(listBreaks(buildSchema(old), buildSchema(changed))).toEqual(expected);
});

it('nothing has gone or changed that was not deprecated in the last release, except by a row of the guide', () => {
  const rows = read('docs/operations/upgrade.md').split('\n');
  const isWritten = (row: string) => rows.some((line) => line.startsWith('|') && line.includes(row));
  const allowed = allowedBreaks.filter(({ row }) => isWritten(row));
  expect(breaks.filter((text) => !allowed.some(({ changes }) => changes.test(text)))).toEqual([]);
});

it('the table of exceptions has no row without a change, and ends with the fixture of the next release', () => {
  expect(allowedBreaks.filter(({ changes }) => !breaks.some((text) => changes.test(text)))).toEqual([]);
  expect(version === '0.9.0' || allowedBreaks.length === 0).toBe(true);
});

it('what is deprecated says what to use instead', () => {
  const parts = Object.values(current.getTypeMap()).flatMap((type) => {
    const fields = listFields(type);
    const values = isEnumType(type) ? type.getValues() : [];
    return [...fields, ...fields.flatMap(({ args = [] }) => args), ...values].map(
      ({ name, deprecationReason }) => [`${type.name}.${name}`, deprecationReason] as const,
    );
  });
  expect(parts.length).toBeGreaterThan(1000);
  const isUnexplained = (reason: string | null | undefined) =>
    typeof reason === 'string' && !/^Use `?\w/.test(reason);
  expect(
    parts.filter(([name, reason]) => !name.startsWith('__') && isUnexplained(reason)).map(([name]) => name),
  ).toEqual([]);
});
