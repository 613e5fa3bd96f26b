import { GraphQLSchema, validateSchema } from 'graphql';
import { expect, it } from 'vitest';
import { schema } from '../../src/app/schema.ts';

it('is valid, which a start takes for granted', () => {
  expect(validateSchema(new GraphQLSchema({ ...schema.toConfig(), assumeValid: false }))).toEqual([]);
});
