/** Generators of typed clients, run on the schema: what they write is type-checked, and sends a request to a server. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse, validate } from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { schema } from '../../src/app/schema.ts';
import { listDocuments } from '../guides/documents.ts';
import { emptyFolder, readBlocks, runIn } from '../guides/guide.ts';
import { root } from '../sourceFiles.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { listen } from '../support/follow.ts';
import { createShop } from '../support/shop.ts';

let app: TestApp;
let client: Client;
let customer: { id: string };
let folder: ReturnType<typeof emptyFolder>;
let env: Record<string, string>;

beforeAll(async () => {
  app = await startApp();
  client = await app.tenant({ alias: 'acme' });
  customer = await createShop(client, 'acme').customer();
  folder = emptyFolder();
  env = { BILLING_URL: await listen(app), API_KEY: client.apiKey, CUSTOMER: customer.id };
  const compilerOptions = {
    target: 'es2023',
    lib: ['es2023', 'dom'],
    module: 'esnext',
    moduleResolution: 'bundler',
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    noEmit: true,
    types: ['node'],
  };
  write(
    'tsconfig.json',
    JSON.stringify({ compilerOptions, include: ['*/**/*.ts'], exclude: ['node_modules'] }),
  );
});
afterAll(async () => {
  folder.remove();
  await app.close();
});

function write(file: string, text: string) {
  const place = path.join(folder.path, file);
  mkdirSync(path.dirname(place), { recursive: true });
  writeFileSync(place, text);
}

/** Type-checks what is in the folder, runs one of its programs, and returns what it prints. */
async function checkAndRun(file: string): Promise<unknown> {
  await runIn(folder.path, 'npx tsc -p .', env);
  const command = `npx esbuild ${file} --bundle --platform=node --format=esm --outfile=program.mjs --log-level=error && node program.mjs`;
  return JSON.parse(await runIn(folder.path, command, env));
}

const documents = listDocuments();

it('every document of the guides is valid', () => {
  expect(documents.length).toBeGreaterThan(100);
  expect(
    documents.flatMap((text) => validate(schema, parse(text)).map(({ message }) => `${message}\n${text}`)),
  ).toEqual([]);
});

it('GraphQL Code Generator types the documents of the guides, configured as the guide says', async () => {
  const config = readBlocks('apollo-client.md').find(({ text }) => text.startsWith('// codegen.ts'))!.text;
  const generated = "'src/gql/': { preset: 'client' }";
  const others = ['typescript', 'typescript-operations'].map(
    (plugin) => `'src/${plugin}.ts': { plugins: ['${plugin}'] }`,
  );
  expect(config).toContain(generated);
  write('codegen.ts', config.replace(generated, [generated, ...others].join()));
  const calls = documents.map((text, index) => `export const document${index} = graphql(\`${text}\`);`);
  write('src/documents.ts', ["import { graphql } from './gql';", ...calls].join('\n'));
  write('src/use.ts', useOfCodegen);
  await runIn(folder.path, 'npx graphql-codegen --config codegen.ts', env);
  expect(await checkAndRun('src/use.ts')).toEqual({ id: customer.id, year: expect.any(Number) });
});

const useOfCodegen = `
import { print } from 'graphql';
import type { ResultOf, TypedDocumentNode } from '@graphql-typed-document-node/core';
import { graphql } from './gql';
import * as documents from './documents';
import type { MoneyInput } from './typescript';
import type { CreateCustomerInput } from './typescript-operations';

const shown = graphql(\`query Shown($id: ID!) { customer(id: $id) { id createdAt balance { amount decimal currency } } }\`);

async function run<Result, Variables>(document: TypedDocumentNode<Result, Variables>, variables: Variables) {
  const response = await fetch(process.env['BILLING_URL'] + '/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'api-key': process.env['API_KEY']! },
    body: JSON.stringify({ query: print(document), variables }),
  });
  return ((await response.json()) as { data: Result }).data;
}

const { customer } = await run(shown, { id: process.env['CUSTOMER']! });
const year: number = new Date(customer!.createdAt).getUTCFullYear();
const money: MoneyInput = { amount: 5, currency: 'usd' };
// @ts-expect-error The id is required.
void run(shown, {});
// @ts-expect-error A number has no length.
void (customer?.balance[0]?.amount.length);
// @ts-expect-error The address is required.
const input: CreateCustomerInput = { firstName: 'Ada', lastName: 'Lovelace' };
console.log(JSON.stringify({ id: customer!.id, year }));
export type All = ResultOf<(typeof documents)[keyof typeof documents]>;
export { input, money };
`;

it('genql generates a client that is typed and works', async () => {
  const scalars = ['CountryCode', 'Currency', 'Date', 'DateTime', 'Decimal', 'EmailAddress', 'URL'];
  const mapped = scalars.map((name) => `-S ${name}:string`).join(' ');
  const command = `npx genql --schema ${path.join(root, 'schema.graphql')} --output generated/client ${mapped}`;
  await runIn(folder.path, command, env);
  write('generated/use.ts', useOfGenql);
  expect(await checkAndRun('generated/use.ts')).toEqual({
    customer: { id: customer.id },
    node: { __typename: 'Customer', id: customer.id, associatedId: expect.any(String) },
    kept: 0,
  });
});

const useOfGenql = `
import { createClient, type InvoiceLineKind } from './client';

const client = createClient({
  url: process.env['BILLING_URL'] + '/graphql',
  headers: { 'api-key': process.env['API_KEY']! },
});
const id = process.env['CUSTOMER']!;
const { customer, node, invoices } = await client.query({
  customer: { __args: { id }, id: true },
  node: { __args: { id }, __typename: true, id: true, on_Customer: { associatedId: true } },
  invoices: { __args: { first: 5, customerId: id }, nodes: { total: { currency: true }, lines: { kind: true } } },
});
const kinds: InvoiceLineKind[] = invoices!.nodes.flatMap(({ lines }) => lines.map(({ kind }) => kind));
const currencies: string[] = invoices!.nodes.map(({ total }) => total.currency);
// @ts-expect-error The field was not selected.
void customer?.email;
console.log(JSON.stringify({ customer, node, kept: kinds.length + currencies.length }));
`;
