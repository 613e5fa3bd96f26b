// Writes dist/console-types/schema.d.ts: the types of schema.graphql, from which gql.tada infers the types of the
// console's documents. Its own command needs the compiler interface of TypeScript 6.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { minifyIntrospection, outputIntrospectionFile } from '@gql.tada/internal';
import { buildSchema, introspectionFromSchema } from 'graphql';
import { root } from '../setup.mjs';

const schema = buildSchema(readFileSync(path.join(root, 'schema.graphql'), 'utf8'));
const introspection = introspectionFromSchema(schema, { descriptions: false });
const types = outputIntrospectionFile(minifyIntrospection(introspection), {
  fileType: '.d.ts',
  shouldPreprocess: true,
});
const folder = path.join(root, 'dist/console-types');
mkdirSync(folder, { recursive: true });
// Without the declaration of a default schema: the console names its own.
writeFileSync(path.join(folder, 'schema.d.ts'), types.split('import * as gqlTada')[0]);
