/** The command line: in process as a table of calls, and once as the real program beside a second one. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { version } from '../../src/lib/version.ts';
import { perennial as runOn } from '../support/cli.ts';
import { placeSqlite } from '../support/engines.ts';
import { build, call, program, serve } from '../support/program.ts';
import { listRequests, serveInProcess } from '../support/served.ts';

const root = path.join(import.meta.dirname, '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'perennial-cli-'));
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
let database: string;
/** Chooses a database that the first command has to make, with its folder. */
const useNewDatabase = () => {
  database = `sqlite:${folder}/${++count}/data/test.db`;
};
beforeEach(() => {
  useNewDatabase();
  const file = database.replace('sqlite:', '');
  mkdirSync(path.dirname(file), { recursive: true });
  placeSqlite(file);
});

/** Runs a command on the test's database. */
const perennial = (args: string[], env?: Record<string, string>) => runOn(database, args, env);

const serving = (args: string[], isTerminal = true, env = {}) =>
  serveInProcess(database, args, isTerminal, env);

const answered = async (...args: string[]) => {
  const said = await perennial([...args, '--json']);
  expect(said, said.err).toMatchObject({ code: 0, err: '' });
  expect(said.out).not.toMatch(/cursorSecret|secretHash/);
  return said.json;
};

describe('wrong arguments and settings are reported in one line', () => {
  const rows: [args: string, code: number, err: RegExp, env?: Record<string, string>][] = [
    ['frob', 2, /^unknown command 'frob'$/],
    ['tenant frob', 2, /^unknown command 'frob'$/],
    ['serve --prot 1', 2, /^unknown option '--prot' \(Did you mean --port\?\)$/],
    ['serve now', 2, /^too many arguments for 'serve'/],
    ['serve --demo everything', 2, /--demo \[contents\].*'everything' is invalid.*history, catalog/],
    ['tenant create', 2, /^missing required argument 'alias'$/],
    ['key create', 2, /^required option '--tenant <alias>' not specified$/],
    ['key create --tenant acme --scope admin', 2, /'admin' is invalid/],
    [
      'key create --tenant acme --publishable --scope read',
      2,
      /'--publishable' cannot be used with option '--scope/,
    ],
    ['key create --tenant acme --expires soon', 2, /--expires <iso>.*'soon' is invalid.*ISO 8601/],
    ['key rotate abc --overlap 1w', 2, /--overlap <duration>.*'1w' is invalid.*30m, 24h, 7d/],
    ['serve --port 65536', 1, /^--port is invalid: "65536" must be a whole number from 0 to 65535\.$/],
    ['serve', 1, /^PERENNIAL_PORT is invalid: "" must be a whole number/, { PERENNIAL_PORT: '' }],
    ['tenant list', 1, /^PERENNIAL_PORT is invalid: "x"/, { PERENNIAL_PORT: 'x' }],
    ['tenant list', 1, /^PERENNIAL_FOO is not a setting\.$/, { PERENNIAL_FOO: '1' }],
    ['serve --log-level loud', 1, /^--log-level is invalid: "loud" must be one of fatal,/],
    ['serve --public-url ftp://x', 1, /^--public-url is invalid: "ftp:\/\/x" must be an http/],
    ['serve --rate-limit 0', 1, /^--rate-limit is invalid: "0"/],
    ['serve --explorer maybe', 1, /^--explorer is invalid: "maybe" must be one of on, off\.$/],
    ['migrate --database mysql://x', 1, /^--database is invalid: "mysql:\/\/x" must be sqlite:/],
    ['migrate --database sqlite::memory:', 1, /^--database is invalid/],
    ['migrate --database sqlite:/', 1, /^Cannot open sqlite:\/: unable to open database file\.$/],
    ['tenant create Acme', 1, /^alias: must have 1–63/],
    ['tenant create acme --timezone Mars/Base', 1, /^timezone: must be an IANA time zone$/],
    ['tenant create acme --country XX', 1, /^country: must be a country code of ISO 3166-1/],
    ['tenant create acme --currency euro', 1, /^currency: must be a currency code of ISO 4217/],
    ['tenant create acme --clock 2026-01-31', 1, /^clock: is for test tenants only$/],
    ['key create --tenant acme', 1, /^tenant: there is no tenant acme$/],
    ['key list --tenant acme', 1, /^tenant: there is no tenant acme$/],
    ['import none.jsonl', 1, /^There is no file none\.jsonl\.$/],
    ['import /', 1, /^\/ is a folder\.$/],
    ['import stripe none.json --tenant acme', 1, /^There is no file none\.json\.$/],
    ['import stripe / --tenant acme', 1, /^\/ is a folder\.$/],
    ['import stripe /dev/null --tenant acme', 1, /^\/dev\/null: The file is empty\. Expected a CSV file /],
    ['key revoke abc', 1, /^id: there is no key abc$/],
    ['key rotate abc', 1, /^id: there is no key abc$/],
  ];
  it.each(rows)('%s → %i %s', async (args, code, err, env) => {
    const said = await perennial(args.split(' '), env);
    expect(said).toMatchObject({ code, out: '' });
    expect(said.err.trimEnd()).toMatch(err);
    expect(said.err.trimEnd()).not.toContain('\n');
  });
});

it('shows help with examples for every command', async () => {
  const commands = [
    'serve',
    'tenant create',
    'tenant advance',
    'tenant list',
    'key create',
    'key list',
    'key revoke',
  ];
  const care = [
    'backup',
    'restore',
    'doctor',
    'export',
    'export-usage',
    'import',
    'import stripe',
    'completion',
    'bill',
    'reindex',
    'health',
  ];
  for (const command of ['', ...commands, ...care, 'key rotate', 'migrate', 'schema', 'openapi']) {
    const said = await perennial([...command.split(' '), '--help'].filter(Boolean));
    expect(said).toMatchObject({ code: 0, err: '' });
    expect(said.out).toMatch(/Examples:\n {2}\$ (\w+=\w+ )*perennial /);
  }
  expect(await perennial(['--version'])).toMatchObject({ code: 0, out: `${version}\n` });
  expect(version).toBe(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).version);
});

it('completes commands and options in each shell', async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const script = path.join(folder, `completion.${shell}`);
    writeFileSync(script, (await perennial(['completion', shell])).out);
    if (spawnSync(shell, ['--version']).error) continue;
    expect(spawnSync(shell, ['-n', script], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  }
  const complete = (...words: string[]) => {
    const asking = `. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _perennial; echo "\${COMPREPLY[*]}"`;
    const args = ['-c', asking, 'bash', path.join(folder, 'completion.bash'), 'perennial', ...words];
    return execFileSync('bash', args, { encoding: 'utf8' }).trim();
  };
  expect(complete('ke')).toBe('key');
  expect(complete('key', 'ro')).toBe('rotate');
  expect(complete('key', 'rotate', '--ov')).toBe('--overlap');
  expect(complete('import', 'stripe', '--ten')).toBe('--tenant');
  expect(complete('export', '--tenant', 'acme', 'some')).toBe('');
});

it('creates and lists tenants', async () => {
  useNewDatabase();
  const live = await answered('tenant', 'create', 'acme', '--name', 'Acme Inc.', '--timezone', 'Asia/Kabul');
  expect(live.apiKey).toMatch(/^prn_acme_/);
  expect(live.tenant).toMatchObject({
    alias: 'acme',
    name: 'Acme Inc.',
    timezone: 'Asia/Kabul',
    test: false,
    clockAt: null,
  });
  const clock = '2026-01-31T00:00:00.000Z';
  const test = await answered('tenant', 'create', 'acme-test', '--test', '--clock', '2026-01-31T00:00:00Z');
  expect(test.tenant).toMatchObject({ name: 'acme-test', timezone: 'UTC', test: true, clockAt: clock });
  expect(await answered('tenant', 'list')).toEqual({ tenants: [live.tenant, test.tenant] });
  expect(await perennial(['tenant', 'create', 'acme'])).toMatchObject({
    code: 1,
    err: 'alias: acme is taken\n',
  });
  expect((await perennial(['tenant', 'list'])).out).toMatch(
    /^ALIAS .*\nacme .*live.*\nacme-test .*test.*\n$/,
  );
});

it('creates a tenant with the country of its seller and the currency of its forms', async () => {
  const made = await answered(
    'tenant',
    'create',
    'settled',
    '--name',
    'Settled GmbH',
    '--country',
    'de',
    '--currency',
    'EUR',
    '--timezone',
    'Europe/Berlin',
  );
  expect(made.tenant).toMatchObject({
    timezone: 'Europe/Berlin',
    defaultCurrency: 'eur',
    seller: { legalName: 'Settled GmbH', address: { country: 'DE' } },
  });
});

it('advances the clock of a test tenant', async () => {
  await answered('tenant', 'create', 'acme-test', '--test', '--clock', '2026-01-31T00:00:00Z');
  const clock = '2027-01-31T00:00:00.000Z';
  expect(await answered('tenant', 'advance', 'acme-test', '2027-01-31')).toEqual({
    alias: 'acme-test',
    clock,
  });
  const rows: [string, string, RegExp][] = [
    ['acme-test', '2026-01-31', /^to: is before the clock, 2027-01-31/],
    ['acme-test', 'soon', /^to: /],
    ['none', '2027-01-31', /^alias: there is no tenant none$/],
  ];
  for (const [alias, to, err] of rows) {
    const said = await perennial(['tenant', 'advance', alias, to]);
    expect(said).toMatchObject({ code: 1, out: '' });
    expect(said.err.trimEnd()).toMatch(err);
  }
  await answered('tenant', 'create', 'live');
  expect((await perennial(['tenant', 'advance', 'live', '2100-01-01'])).err).toMatch(
    /^to: is for test tenants only/,
  );
});

it('issues, lists, rotates and revokes keys', async () => {
  const first = await answered('tenant', 'create', 'acme');
  await answered('tenant', 'create', 'other');
  const read = await answered(
    'key',
    'create',
    '--tenant',
    'acme',
    '--scope',
    'read',
    '--expires',
    '2099-01-01',
  );
  expect(read.key).toMatchObject({ scope: 'read', expiresAt: '2099-01-01T00:00:00.000Z', revokedAt: null });
  expect(read.apiKey).toContain(`prn_acme_${read.key.id}_`);
  const { keys } = await answered('key', 'list', '--tenant', 'acme');
  expect(keys).toMatchObject([{ scope: 'write', tenantAlias: 'acme' }, { id: read.key.id }]);
  expect(first.apiKey).toContain(keys[0].id);
  expect((await answered('key', 'list')).keys).toHaveLength(3);

  const rotated = await answered('key', 'rotate', keys[0].id, '--overlap', '30m');
  expect(rotated.key).toMatchObject({ scope: 'write', expiresAt: null });
  const [ending] = (await answered('key', 'list', '--tenant', 'acme')).keys;
  const leftMs = Date.parse(ending.expiresAt) - Date.now();
  expect(leftMs).toBeGreaterThan(29 * 60_000);
  expect(leftMs).toBeLessThanOrEqual(30 * 60_000);

  const page = await answered('key', 'create', '--tenant', 'acme', '--publishable');
  expect(page.key).toMatchObject({ kind: 'publishable', scope: 'read' });
  expect(page.apiKey).toContain(`prn_pk_acme_${page.key.id}_`);
  expect((await answered('key', 'rotate', page.key.id)).apiKey).toMatch(/^prn_pk_acme_/);

  const { key } = await answered('key', 'revoke', rotated.key.id);
  expect(Date.parse(key.revokedAt)).toBeLessThanOrEqual(Date.now());
  expect((await answered('key', 'revoke', rotated.key.id)).key).toEqual(key);
  expect(await perennial(['key', 'rotate', rotated.key.id])).toMatchObject({
    code: 1,
    err: 'id: the key is revoked\n',
  });
});

it('migrates once, and prints the documents', async () => {
  useNewDatabase();
  const steps = readdirSync(path.join(root, 'drizzle/sqlite')).filter((name) => /^\d.*\.sql$/.test(name));
  expect(await answered('migrate')).toEqual({ migrations: steps.map((name) => name.replace('.sql', '')) });
  expect(await answered('migrate')).toEqual({ migrations: [] });
  expect((await perennial(['schema'])).out).toMatch(/\ntype Customer implements Node \{\n/);
  const document = JSON.parse((await perennial(['openapi', '--public-url', 'https://a.example/'])).out);
  expect(document).toMatchObject({ openapi: '3.1.0', info: { version } });
  expect(JSON.stringify(document)).toContain('https://a.example/api/v1');
});

it('on any free port prints and sends links with the real one', async () => {
  const own = { PERENNIAL_DATABASE: `sqlite:${folder}/ports.db` };
  const server = serving(['--demo', 'catalog'], true, own);
  await server.until(/Open the console with this link/);
  const [origin] = /http:\/\/localhost:[1-9]\d+/.exec(server.said.out)!;
  expect(server.said.out).not.toMatch(/(?:localhost|127\.0\.0\.1):0\b/);
  expect(server.said.out).toMatch(new RegExp(`http://localhost:${new URL(origin).port}/console/sign-in#`));
  const ask = async (query: string) => {
    const headers = { 'content-type': 'application/json', 'api-key': /prn_\w+/.exec(server.said.out)![0] };
    const answer = await fetch(`${origin}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query }),
    });
    return ((await answer.json()) as any).data;
  };
  const { customers, products } = await ask(
    '{ customers(first: 1) { nodes { id } } products(first: 1) { nodes { id prices { id } } } }',
  );
  const [{ id: productId, prices }] = products.nodes;
  const order = `customerId: "${customers.nodes[0].id}", productId: "${productId}", priceId: "${prices[0].id}"`;
  const { createSubscriptionIntent: intent } = await ask(
    `mutation { createSubscriptionIntent(input: { ${order}, receiptUrl: "https://shop.example/" }) { id paymentUrl } }`,
  );
  await ask(
    `mutation { confirmIntent(id: "${intent.id}", input: { paymentMethod: "sandbox_ok" }) { status } }`,
  );
  const { invoices } = await ask('{ invoices(first: 1) { nodes { hostedUrl pdfUrl } } }');
  const { url: link } = (await perennial(['operator', 'link', 'admin@localhost', '--json'], own)).json;
  // `localhost` and 127.0.0.1 have no session in common.
  const links = [intent.paymentUrl, ...Object.values<string>(invoices.nodes[0]), link];
  expect(links.map((each) => new URL(each).origin)).toEqual(links.map(() => origin));
  expect(await server.stop()).toBe(0);
});

it('warns at the start of live tenants that cannot charge', async () => {
  const own = { PERENNIAL_DATABASE: `sqlite:${folder}/unpaid.db` };
  await perennial(['tenant', 'create', 'shop'], own);
  await perennial(['tenant', 'create', 'trial', '--test'], own);
  const server = serving([], false, own);
  await server.until(/The live tenant shop has no payment provider: it accepts bank transfers only/);
  expect(server.said.out).not.toContain('The live tenant trial');
  expect(await server.stop()).toBe(0);
});

it('warns at the start of files of the database that other users can open', async () => {
  const file = `${folder}/exposed.db`;
  const own = { PERENNIAL_DATABASE: `sqlite:${file}` };
  await perennial(['tenant', 'create', 'shop'], own);
  writeFileSync(`${file}.key`, Buffer.alloc(32).toString('base64'));
  for (const [mode, keyMode, exposed] of [
    [0o600, 0o600, undefined],
    // SQLite gives its log the mode of the database.
    [0o640, 0o600, `${file} ${file}-wal ${file}-shm`],
    [0o600, 0o604, `${file}.key`],
  ] as const) {
    chmodSync(file, mode);
    chmodSync(`${file}.key`, keyMode);
    const server = serving([], false, own);
    await server.until(/The live tenant shop/);
    expect(/Other users .*: chmod 600 ([^"]+)/.exec(server.said.out)?.[1]).toBe(exposed);
    expect(await server.stop()).toBe(0);
  }
});

it('serves a demo whose two requests work as pasted, once', async () => {
  useNewDatabase();
  const first = serving(['--demo', 'catalog']);
  await first.until(/-d '.*'/);
  expect(first.said.out).toMatch(
    /^Perennial is serving.*\n\n(?: {2}Console .*\n)? {2}GraphQL {2}http:\/\/localhost:\d+\/graphql/,
  );
  const [rest, graphql] = listRequests(first.said.out);
  const customers = await (await fetch(...rest!)).json();
  expect(customers).toMatchObject({ data: [{ firstName: 'Grace' }, { firstName: 'Ada' }], nextCursor: null });
  const { data } = (await (await fetch(...graphql!)).json()) as any;
  expect(data.products.nodes).toMatchObject([
    { name: 'Basic', prices: [{ details: { amount: 9, currency: 'usd' } }, { details: { amount: 90 } }] },
    {
      name: 'Pro',
      prices: [{ recurring: { frequency: 'Monthly' } }, { recurring: { frequency: 'Yearly' } }],
    },
  ]);
  expect(await perennial(['serve', '--port', '0'])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/test\.db is in use by another server; a database file has one\.\n$/),
  });
  const port = /:(\d+)\/graphql/.exec(first.said.out)![1]!;
  expect(
    await perennial(['serve', '--port', port, '--database', `sqlite:${folder}/second.db`]),
  ).toMatchObject({
    code: 1,
    err: `Port ${port} on 127.0.0.1 is in use; choose another with --port.\n`,
  });
  expect(await first.stop()).toBe(0);

  const second = serving(['--demo', 'catalog']);
  await second.until(/The demo tenant already exists.*perennial key create --tenant demo\n/);
  expect(second.said.out).not.toContain('prn_');
  expect(await second.stop()).toBe(0);
});

it('logs JSON lines if the output is not a terminal', async () => {
  const server = serving([], false);
  await server.until(/Server listening at http/);
  expect(await server.stop()).toBe(0);
  const lines = server.said.out.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
    expect.stringMatching(/^Server/),
    // A log is no place for the link of the first operator.
    expect.stringMatching(/perennial operator create/),
    'stopping',
  ]);
});

it.each([
  [true, {}, /^\[\d\d:\d\d:\d\d\] .\[32mINFO.\[39m: .*GET \/livez .\[32m200.\[/m],
  [true, { NO_COLOR: '1' }, /^\[\d\d:\d\d:\d\d\] INFO: GET \/livez 200 \d/m],
  [true, { PERENNIAL_LOG_FORMAT: 'json' }, /^\{.*"route":"\/livez","status":200/m],
  [false, { PERENNIAL_LOG_FORMAT: 'text' }, /^\[\d\d:\d\d:\d\d\] INFO: GET \/livez 200 \d/m],
])('formats the log for a terminal (%s) with %j', async (isTerminal, env, expected) => {
  const server = serving([], isTerminal, env);
  await server.until(/http:\/\/(?:localhost|127\.0\.0\.1):\d+/);
  await fetch(`${/http:\/\/(?:localhost|127\.0\.0\.1):\d+/.exec(server.said.out)![0]}/livez`);
  await server.until(expected);
  expect(await server.stop()).toBe(0);
});

it('a running server refuses a key that another process revoked, and exits with code 0', async () => {
  build();
  const own = { PERENNIAL_DATABASE: database };
  const server = await serve(own);

  const { apiKey } = await call(['tenant', 'create', 'acme'], own);
  const status = async () =>
    (await fetch(`${server.url}/api/v1/customers`, { headers: { 'api-key': apiKey } })).status;
  expect(await status()).toBe(200);
  // The bundle renames what it would have twice: no type of the schema may be named after that.
  expect(execFileSync(process.execPath, [program, 'schema'], { encoding: 'utf8' })).toBe(
    readFileSync(path.join(root, 'schema.graphql'), 'utf8'),
  );
  const { keys } = await call(['key', 'list'], own);
  await call(['key', 'revoke', keys[0].id], own);
  // For how long the server remembers a key is told by test/rest/idempotencyScope.test.ts.
  await expect.poll(status).toBe(401);

  const { port } = new URL(server.url);
  const health = ['health', '--port', port];
  expect(await perennial(health)).toMatchObject({
    code: 0,
    out: `http://127.0.0.1:${port}/readyz is ready.\n`,
  });
  server.process.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  expect(await perennial(health)).toMatchObject({
    code: 1,
    err: `http://127.0.0.1:${port}/readyz does not respond.\n`,
  });
  expect(server.out()).not.toContain(apiKey);
});

describe('the documents', () => {
  it('describe every dependency', () => {
    const listed = ['package.json', 'test/tools/package.json'].map((file) =>
      JSON.parse(readFileSync(path.join(root, file), 'utf8')),
    );
    const names = listed.flatMap(({ dependencies, devDependencies }) =>
      Object.keys({ ...dependencies, ...devDependencies }),
    );
    const page = readFileSync(path.join(root, 'docs/dependencies.md'), 'utf8');
    const documented = [...page.matchAll(/^\| `([^`]+)` /gm)].map(([, name]) => name);
    expect(new Set(documented)).toEqual(new Set(names));
  });
});
