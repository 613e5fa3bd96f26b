/** `perennial catalog`: files in all forms, on a database and by a server's address, and what it refuses. */
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { perennial } from '../support/cli.ts';

let app: TestApp;
let client: Client;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'perennial-catalog-'));
  app = await startApp();
  client = await app.tenant({ alias: 'acme', test: true });
  await app.tenant({ alias: 'live' });
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

const place = (name: string, text?: string): string => {
  const file = path.join(folder, name);
  if (text !== undefined) writeFileSync(file, text);
  return file;
};
const run = (...args: string[]) => perennial(app.database, ['catalog', ...args]);

const yaml = (amount: number) => `
version: 1
features:
  - { key: sso, name: Single sign-on, kind: boolean }
products:
  - lookupKey: pro
    name: Pro
    prices:
      - lookupKey: pro_monthly
        details: { amount: ${amount}, currency: usd }
    entitlements:
      - { feature: sso, value: true }
`;

it('shows what changes, applies it, and then changes nothing', async () => {
  const file = place('a.yaml', yaml(20));
  const shown = await run('diff', file, '--tenant', 'acme');
  expect(shown).toMatchObject({ code: 0, err: '' });
  expect(shown.out).toMatch(/create +product +pro\n/);
  expect((await run('diff', file, '--tenant', 'acme', '--check')).code).toBe(1);
  expect((await run('apply', file, '--tenant', 'acme')).out).toMatch(/Applied\.\n$/);
  expect((await run('apply', file, '--tenant', 'acme')).out).toBe('Nothing changes.\n');
  expect((await run('diff', file, '--tenant', 'acme', '--check')).code).toBe(0);
  const dearer = place('b.yaml', yaml(25));
  const { json } = await run('diff', dearer, '--tenant', 'acme', '--json');
  expect(json).toEqual({
    hash: expect.stringMatching(/^[0-9a-f]{32}$/),
    unmanaged: 0,
    changes: [
      {
        action: 'replace',
        resource: 'price',
        key: 'pro_monthly',
        path: 'products.0.prices.0',
        recordId: expect.stringMatching(/^price_/),
        changes: {
          details: [
            { amount: 20, currency: 'usd' },
            { amount: 25, currency: 'usd' },
          ],
        },
        subscribers: 0,
      },
    ],
  });
  const { price } = await client.graphql('{ price(id: "pro_monthly") { details { amount } } }');
  expect(price.details.amount).toBe(20);
});

it.each(['c.yaml', 'c.yml', 'c.json', 'c.ts', 'c.mjs'])('pulls %s', async (name) => {
  const file = place(name);
  expect((await run('pull', file, '--tenant', 'acme')).out).toBe(`Wrote the catalogue of acme to ${file}.\n`);
  expect(readFileSync(file, 'utf8')).toContain('pro_monthly');
  // Modules import the SDK, which the test of the package installs.
  if (/ts|mjs/.test(name)) return;
  expect((await run('diff', file, '--tenant', 'acme')).out).toBe('Nothing changes.\n');
});

it.each([
  ['d.mjs', (text: string) => `export default ${text};`],
  ['e.mjs', (text: string) => `export default () => (${text});`],
  ['d.cjs', (text: string) => `module.exports = ${text};`],
])('loads the module %s', async (name, write) => {
  const pulled = place('pulled.json');
  await run('pull', pulled, '--tenant', 'acme');
  const file = place(name, write(readFileSync(pulled, 'utf8')));
  expect(await run('diff', file, '--tenant', 'acme')).toMatchObject({ code: 0, out: 'Nothing changes.\n' });
});

it('asks a server by its address with a key', async () => {
  const url = await app.server.listen({ host: '127.0.0.1', port: 0 });
  const { json } = await perennial(app.database, [
    'key',
    'create',
    '--tenant',
    'acme',
    '--scope',
    'write',
    '--json',
  ]);
  const env = { PERENNIAL_URL: url, PERENNIAL_API_KEY: json.apiKey ?? json.key };
  const remote = (...args: string[]) => perennial(undefined, ['catalog', ...args], env);
  const file = place('f.yaml', yaml(30));
  expect((await remote('apply', file, '--tenant', 'acme')).out).toMatch(
    /replace +price +pro_monthly.*\nApplied\.\n$/s,
  );
  expect((await remote('diff', file, '--tenant', 'acme')).out).toBe('Nothing changes.\n');
  await remote('pull', place('g.yaml'), '--tenant', 'acme');
  expect((await run('diff', place('g.yaml'), '--tenant', 'acme')).out).toBe('Nothing changes.\n');
  expect((await remote('diff', file, '--tenant', 'live')).code).toBe(1);
  const bad = place('h.yaml', 'products:\n  - { lookupKey: a, name: 5 }\n');
  expect(await remote('apply', bad, '--tenant', 'acme')).toMatchObject({
    code: 1,
    err: expect.stringContaining('products.0.name: '),
  });
});

it('promotes from test to live after showing the plan', async () => {
  const planned = await run('promote', '--tenant', 'acme', '--to', 'live');
  expect(planned.out).toMatch(/create +product +pro[\s\S]*Nothing was changed: add --yes/);
  expect((await run('promote', '--tenant', 'acme', '--to', 'live', '--yes')).out).toMatch(/Applied\.\n$/);
  expect((await run('promote', '--tenant', 'acme', '--to', 'live')).out).toBe('Nothing changes.\n');
  expect((await run('promote', '--tenant', 'acme', '--to', 'acme')).code).toBe(1);
  await client.graphql('mutation { createProduct(input: { name: "By hand", description: "" }) { id } }');
  expect((await run('promote', '--tenant', 'acme', '--to', 'live', '--yes')).err).toMatch(
    /without a lookup key cannot be promoted: prod_/,
  );
});

describe('refuses', () => {
  const bomb = `a: &a [x, x, x, x, x, x, x, x, x]
b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]
c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]
d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c]
e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d]
products: [*e, *e, *e, *e, *e, *e, *e, *e, *e]
`;
  it.each<[string, string, string | RegExp]>([
    ['bomb.yaml', bomb, /alias/i],
    ['twice.yaml', 'products: []\nproducts: []\n', /unique/],
    ['cut.yaml', 'products: [', /./],
    ['list.yaml', '- a\n', 'must be a map of sections'],
    ['text.yaml', 'hello', 'must be a map of sections'],
    ['tag.yaml', 'products: !!js/function "a"\n', /tag/i],
    ['merge.yaml', 'a: &a { name: A }\nproducts:\n  - { <<: *a, lookupKey: a }\n', /</],
    ['two.yaml', 'a: 1\n---\nb: 2\n', /document/],
    ['unknown.yaml', 'plans: []\n', 'plans: is not a known field'],
    ['cut.json', '{"products": [', /./],
    ['number.json', '5', 'must be a map of sections'],
    ['throws.mjs', 'throw new Error("no");', 'cannot be loaded: no'],
    ['syntax.mjs', 'export default {', 'cannot be loaded'],
    ['huge.yaml', `a: ${'x'.repeat(1024 * 1024)}`, 'larger than 1 MiB'],
    [
      'grows.mjs',
      'export default { products: Array(50000).fill({ lookupKey: "a", name: "A".repeat(100) }) };',
      'more than 1 MiB of values',
    ],
    ['cycle.mjs', 'const a = {}; a.a = a; export default a;', /circular/i],
    ['nothing.mjs', 'export const a = 1;', /./],
  ])('%s', async (name, text, expected) => {
    const file = place(name, text);
    const before = await run('pull', place('before.json'), '--tenant', 'acme');
    expect(before.code).toBe(0);
    const answer = await run('apply', file, '--tenant', 'acme');
    expect(answer.code).toBe(1);
    expect(answer.err).toMatch(expected);
    expect(answer.err.trim().split('\n')).toHaveLength(1);
    await run('pull', place('after.json'), '--tenant', 'acme');
    expect(readFileSync(place('after.json'), 'utf8')).toBe(readFileSync(place('before.json'), 'utf8'));
  });

  it('what is not a file, and a tenant that is not there', async () => {
    symlinkSync('/dev/zero', place('zero.yaml'));
    expect((await run('diff', place('none.yaml'), '--tenant', 'acme')).err).toMatch('There is no file');
    expect((await run('diff', folder, '--tenant', 'acme')).err).toMatch('is a folder');
    expect((await run('diff', place('zero.yaml'), '--tenant', 'acme')).code).toBe(1);
    expect((await run('diff', place('a.yaml'), '--tenant', 'nobody')).err).toMatch(
      'There is no tenant nobody.',
    );
    expect((await run('diff', place('a.yaml'))).code).toBe(2);
  });
});
