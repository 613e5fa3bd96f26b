import type { Command } from 'commander';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { schema } from '../app/schema.ts';
import { buildOpenapi } from '../rest/openapi.ts';
import { version } from '../lib/version.ts';
import { parseConfig, addSettings, type Flags, type Io } from './io.ts';

/** Adds `schema` and `openapi`. */
export function addDocumentCommands(program: Command, io: Io): void {
  program
    .command('schema')
    .description('print the GraphQL schema')
    .addHelpText('after', '\nExamples:\n  $ perennial schema > schema.graphql')
    .action(() => io.out(`${printSchema(lexicographicSortSchema(schema))}\n`));
  const document = program
    .command('openapi')
    .description('print the OpenAPI document of the REST interface')
    .addHelpText(
      'after',
      '\nExamples:\n  $ perennial openapi --public-url https://billing.example.com > openapi.json',
    );
  addSettings(document, ['publicUrl']).action((flags: Flags) => {
    const { publicUrl } = parseConfig(flags, io);
    io.out(`${JSON.stringify(buildOpenapi(schema, { version, publicUrl }), null, 2)}\n`);
  });
}
