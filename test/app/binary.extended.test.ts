/** The single executable does the main job with nothing but itself: `npm run build:binary` makes it. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engine, scratchDatabase, type Scratch } from '../support/engines.ts';
import { executable, findExecutableProblem } from '../support/program.ts';

const root = path.join(import.meta.dirname, '../..');
/** Another one may be named by PERENNIAL_TEST_BINARY, such as one that is to be shipped. */
const named = process.env['PERENNIAL_TEST_BINARY'];
const built = named ?? executable;
const nobody = 65_534;

const reason = named ? undefined : findExecutableProblem();
if (reason) console.log(`The tests of the executable are skipped: ${reason}`);

describe.skipIf(reason !== undefined)('the executable', () => {
  let folder: string;
  let scratch: Scratch;
  let database: string;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'perennial-binary-'));
    chmodSync(folder, 0o755);
    // By another process: a file that this one has open for writing cannot be run by those it has just started.
    execFileSync('cp', [built, path.join(folder, 'perennial')]);
    scratch = await scratchDatabase();
    database = engine === 'sqlite' ? `sqlite:${ownFolder('data')}/perennial.db` : scratch.url;
  });
  afterAll(async () => {
    await scratch.drop();
    rmSync(folder, { recursive: true });
  });

  /** An empty folder, of an ordinary user. */
  function ownFolder(name: string): string {
    const made = path.join(folder, name);
    mkdirSync(made);
    if (isRoot) chownSync(made, nobody, nobody);
    return made;
  }

  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? { uid: nobody, gid: nobody } : {};
  const options = (cwd: string, env = {}) => ({ cwd, env, encoding: 'utf8' as const, ...user });

  /** Runs a command with an empty environment, in an empty folder, as an ordinary user. */
  function call(...args: string[]) {
    const cwd = mkdtempSync(path.join(tmpdir(), 'perennial-empty-'));
    chmodSync(cwd, 0o555);
    const said = spawnSync(path.join(folder, 'perennial'), args, options(cwd));
    expect(readdirSync(cwd)).toEqual([]);
    rmSync(cwd, { recursive: true });
    return said;
  }

  const answered = (...args: string[]) => {
    const { status, stdout, stderr } = call(...args, '--database', database, '--json');
    expect({ status, stderr }, stdout).toEqual({ status: 0, stderr: '' });
    return JSON.parse(stdout);
  };

  async function serve(...args: string[]) {
    const cwd = ownFolder(`cwd-${process.hrtime.bigint()}`);
    const child = spawn(
      path.join(folder, 'perennial'),
      ['serve', '--port', '0', '--database', database, ...args],
      options(cwd),
    );
    const said = { out: '', err: '' };
    child.stdout.on('data', (chunk: Buffer) => (said.out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (said.err += chunk.toString()));
    const ended = new Promise((resolve) => child.on('exit', (code, signal) => resolve(code ?? signal)));
    await expect.poll(() => said.out + said.err).toMatch(/Server listening at/);
    const url = /http:[^" ]+/.exec(said.out)![0];
    return { url, said, kill: async (signal: NodeJS.Signals) => (child.kill(signal), ended) };
  }

  it('needs no other files, leaves none behind, and prints only its result', () => {
    expect(call('--version')).toMatchObject({ status: 0, stderr: '' });
    // The bundle renames what it would have twice: no type of the schema may be named after that.
    expect(call('schema').stdout).toBe(readFileSync(path.join(root, 'schema.graphql'), 'utf8'));
    expect(call('completion', 'bash').stdout).toContain('complete -o default -F _perennial perennial');
    answered('migrate');
    const unpacking = ownFolder('unpacking');
    const listing = options(ownFolder('listing'), { TMPDIR: unpacking });
    const listed = spawnSync(path.join(folder, 'perennial'), ['migrate'], listing);
    expect(listed).toMatchObject({ status: 0, stderr: '' });
    expect(readdirSync(unpacking)).toEqual([]);
  });

  it('starts in four processes at once with an empty cache', async () => {
    const starts = Array.from({ length: 4 }, async (_, index) => {
      const own = ownFolder(`cold-${index}`);
      const child = spawn(
        path.join(folder, 'perennial'),
        ['tenant', 'create', 'acme', '--json'],
        options(own),
      );
      let text = '';
      child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
      const code = await new Promise((resolve) => child.on('exit', resolve));
      expect(code, text).toBe(0);
      expect(JSON.parse(text).tenant).toMatchObject({ alias: 'acme' });
    });
    await Promise.all(starts);
  });

  it('bills: from an empty folder to a paid subscription, through a kill, without loss', async () => {
    const { apiKey } = answered('tenant', 'create', 'acme', '--test');
    const headers = { 'api-key': apiKey, 'content-type': 'application/json' };
    const first = await serve();
    const post = async (at: string, fields: object): Promise<any> => {
      const body = JSON.stringify({ tenantAlias: 'acme', ...fields });
      const answer = await fetch(`${first.url}/api/v1${at}`, { method: 'POST', headers, body });
      expect(answer.status).toBe(201);
      return answer.json();
    };
    const customer = await post('/customers', {
      email: 'a@example.com',
      firstName: 'A',
      lastName: 'B',
      associatedId: 'u-1',
    });
    const prices = [{ details: { amount: 9, currency: 'usd' } }];
    const { prices: made } = await post('/products', { name: 'Pro', description: '', prices });
    const { intentId } = await post('/subscriptions/intent', {
      customerId: customer.id,
      associatedCustomerId: 'u-1',
      productId: made[0].productId,
      priceId: made[0].id,
      receiptUrl: 'https://example.com',
    });
    const query = `mutation { confirmIntent(id: "${intentId}", input: { paymentMethod: "sandbox_ok" }) { subscriptionId } }`;
    const confirmed = await fetch(`${first.url}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query }),
    });
    const { subscriptionId } = ((await confirmed.json()) as any).data.confirmIntent;
    const page = await (await fetch(`${first.url}/graphql`, { headers: { accept: 'text/html' } })).text();
    const script = /src="([^"]+)"/.exec(page)![1]!;
    expect((await fetch(first.url + script)).headers.get('content-type')).toContain('javascript');
    const asked = await fetch(`${first.url}/api/v1/subscriptions/intent/${intentId}?tenantAlias=acme`, {
      headers,
    });
    const { pathname } = new URL(((await asked.json()) as { paymentUrl: string }).paymentUrl);
    expect((await fetch(first.url + pathname, { redirect: 'manual' })).status).toBeLessThan(400);
    expect(await first.kill('SIGKILL')).toBe('SIGKILL');
    expect(first.said.err).toBe('');

    const second = await serve();
    const found = await fetch(`${second.url}/api/v1/subscriptions/${subscriptionId}?tenantAlias=acme`, {
      headers,
    });
    expect(found.status).toBe(200);
    expect(answered('doctor').findings).toEqual([]);
    expect(await second.kill('SIGTERM')).toBe(0);
    expect(second.said.err).toBe('');
  });

  it('backs up, restores and checks its database', () => {
    const own = ownFolder('files');
    const { tables } = answered('export', '--tenant', 'acme', path.join(own, 'acme.jsonl'));
    expect(tables.subscriptions.rows).toBe(1);
    if (engine === 'postgres') return;
    const backup = path.join(own, 'backup.db');
    answered('backup', backup);
    const restored = ['--database', `sqlite:${own}/restored.db`, '--json'];
    expect(call('restore', backup, ...restored)).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(call('doctor', ...restored).stdout).findings).toEqual([]);
  });
});
