/** Payload queries that release 0.9 stored find everything that they select. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  type BreakingChange,
  BreakingChangeType,
  buildSchema,
  findBreakingChanges,
  getNamedType,
  GraphQLSchema,
  isLeafType,
  isObjectType,
  type GraphQLObjectType,
} from 'graphql';
import { expect, it } from 'vitest';
import { createEventSchema } from '../../../src/app/schema.ts';
import { root } from '../../sourceFiles.ts';

const released = buildSchema(readFileSync(path.join(root, 'test/fixtures/0.9.0/schema.graphql'), 'utf8'));
const before = new GraphQLSchema({ query: released.getType('Event') as GraphQLObjectType });
const now = createEventSchema(null);

/** Whether a field has another scalar or enum, whose text in JSON stays. */
function isOtherLeaf({ type, description }: BreakingChange): boolean {
  const [typeName, fieldName] = description.split(' ')[0]!.split('.') as [string, string];
  const owner = now.getType(typeName);
  if (type !== BreakingChangeType.FIELD_CHANGED_KIND || !isObjectType(owner)) return false;
  return isLeafType(getNamedType(owner.getFields()[fieldName]!.type));
}

it('no type, field or enum value of the events of release 0.9 is missing', () => {
  expect(Object.keys(before.getTypeMap()).length).toBeGreaterThan(40);
  expect(findBreakingChanges(before, now).filter((change) => !isOtherLeaf(change))).toEqual([]);
});
