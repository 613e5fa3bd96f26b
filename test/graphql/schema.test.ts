import { GraphQLSchema, validateSchema } from 'graphql';
import { expect, it } from 'vitest';
import { schema } from '../../src/app/schema.ts';

it('the GraphQL schema is valid', () => {
  expect(validateSchema(new GraphQLSchema({ ...schema.toConfig(), assumeValid: false }))).toEqual([]);
});
