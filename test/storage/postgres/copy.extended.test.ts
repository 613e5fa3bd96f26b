/** `perennial copy`, from a file to a server and back: what it copies, how it goes on, and what it proves. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { copyRows } from '../../../src/maintenance/databaseCopy/copy.ts';
import { openStore } from '../../../src/storage/open.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { perennial } from '../../support/cli.ts';
import { prepareDue } from '../../stress/simulation/due.ts';
import { isLong } from '../../support/sample.ts';
import { scratchDatabase, type Engine, type Scratch } from '../../support/engines.ts';
import { fillTenant } from '../../support/world.ts';

const copy = (from: string, to: string, ...more: string[]) =>
  perennial(undefined, ['copy', '--from', from, '--to', to, ...more]);

const asJson = async (from: string, to: string, ...more: string[]) => {
  const said = await copy(from, to, '--json', ...more);
  expect(said, said.err).toMatchObject({ code: 0, err: '', json: { equal: true } });
  return said.json;
};
const subscriptions = isLong ? 600 : 150;
/** Where a copy is interrupted: within a table that takes several batches, or else after one batch. */
const cut = isLong ? { table: 'traces', rows: 1000 } : { table: 'customers', rows: subscriptions };
const rowsIn = (json: any) => json.tables.reduce((sum: number, { rows }: any) => sum + rows[0], 0);

const kinds: [from: Engine, to: Engine][] = [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
];

describe.each(kinds)('from %s to %s', (fromEngine, toEngine) => {
  let source: Scratch;
  let target: Scratch;
  let app: TestApp;
  let acme: Client;
  let world: Awaited<ReturnType<typeof fillTenant>>;

  beforeAll(async () => {
    source = await scratchDatabase(fromEngine);
    app = await startApp({ database: source.url });
    acme = await app.tenant({ alias: 'acme' });
    world = await fillTenant(acme, 'acme');
    await fillTenant(await app.tenant({ alias: 'globex', test: true, timezone: 'Asia/Kabul' }), 'globex');
    const odd = { name: 'İstanbul ß 𝄞 "\\', metadata: { z: 1, a: { y: [1, null, 'é'] }, ключ: '\n' } };
    await acme.rest('POST', '/groups', { tenantAlias: 'acme', ...odd });
    await acme.rest('POST', '/products', {
      tenantAlias: 'acme',
      name: 'Dear',
      description: '',
      prices: [{ details: { amount: 90071992547409.93, currency: 'usd' } }],
    });
  });
  afterAll(async () => {
    await app.close();
    await source.drop();
  });
  beforeEach(async () => {
    target = await scratchDatabase(toEngine, true);
  });
  afterEach(() => target.drop());

  // The other way little differs: the long run tries it whole.
  const isWhole = isLong || fromEngine === 'sqlite';

  it('catches up with what was added, changed and removed, also while it changes', async () => {
    await asJson(source.url, target.url);
    const own = { tenantAlias: 'acme' };
    await acme.rest('PATCH', `/customers/${world.customer}`, { ...own, firstName: 'Changed' });
    await acme.rest('DELETE', `/groups/${world.group}`, own);
    const made = async (associatedId: string) => {
      const person = { email: 'a@example.org', firstName: 'A', lastName: 'B', associatedId };
      const answer = await acme.rest('POST', '/customers', { ...own, ...person });
      expect(answer.status, answer.text).toBe(201);
      return answer.body.id as string;
    };
    const gone = await made('comes-back');
    await asJson(source.url, target.url);
    await acme.graphql('mutation ($id: ID!) { deleteCustomer(id: $id) { id } }', { id: gone });
    // Under the same name of their own, which must not clash with the one that is still in the target.
    await made('comes-back');
    let isCopying = true;
    const busy = (async () => {
      for (let count = 0; isCopying; count++) {
        await made(`busy-${Date.now()}-${count}`);
        await pause(5);
      }
    })();
    const during = await asJson(source.url, target.url).finally(() => {
      isCopying = false;
    });
    await busy;
    expect(during.copied.removed).toBeGreaterThan(0);
    const after = await asJson(source.url, target.url);
    expect(after.copied.added).toBeGreaterThan(0);
    expect((await asJson(source.url, target.url, '--check')).copied).toBeUndefined();
  });

  it('gives a place in a group to the earlier of two subscriptions once the later one has left it', async () => {
    const [one] = await source.backdoor.all(
      "select min(id) as id from subscriptions where tenant_alias = 'acme' and cancelled_at is null",
    );
    const earlier = String(one!['id']);
    const group = (await acme.rest('POST', '/groups', { tenantAlias: 'acme', name: 'Other' })).body.id;
    const later = `${earlier}z`;
    const columns = (await source.backdoor.all('select * from subscriptions limit 1')).flatMap(Object.keys);
    const copied = columns.filter((column) => !['id', 'group_id', 'product_id'].includes(column)).join();
    await source.backdoor.execute(
      `insert into subscriptions (id, group_id, product_id, ${copied})
       select '${later}', '${group}', '${world.spareProduct}', ${copied} from subscriptions where id = '${earlier}'`,
    );
    await asJson(source.url, target.url);
    await source.backdoor.execute(
      `update subscriptions set cancelled_at = '2026-01-01T00:00:00.000Z' where id = '${later}'`,
    );
    await source.backdoor.execute(`update subscriptions set group_id = '${group}' where id = '${earlier}'`);
    expect((await asJson(source.url, target.url)).copied).toMatchObject({ changed: 2 });
    expect((await asJson(source.url, target.url, '--check')).copied).toBeUndefined();
  });

  it.runIf(isWhole)('reports differences and repairs them', async () => {
    await asJson(source.url, target.url);
    const [price] = await source.backdoor.all("select min(id) as id from prices where tenant_alias = 'acme'");
    const id = String(price!['id']);
    await target.backdoor.execute(`update prices set amount_minor = amount_minor + 1 where id = '${id}'`);
    await target.backdoor.execute(`delete from payment_methods where tenant_alias = 'globex'`);
    const checked = await copy(source.url, target.url, '--check');
    expect(checked.code).toBe(1);
    expect(checked.err).toBe('The two databases differ.\n');
    expect(checked.out).toContain(`  prices: acme ${id} differs in amountMinor\n`);
    expect(checked.out).toMatch(/ {2}paymentMethods: globex pm_\w+ is missing\n/);
    expect(checked.out).toMatch(/prices +\d+ +\d+ +DIFFERENT\n/);
    expect(checked.out).toMatch(/customers +[\d,]+ +[\d,]+ +equal [0-9a-f]{12}\n/);
    expect(checked.out).toMatch(/acme +afn +prices.amountMinor +\d+ +DIFFERENT: \d+\n/);
    const mended = await asJson(source.url, target.url);
    expect(mended.copied.changed).toBe(1);
  });

  it.runIf(isWhole)('shows its progress on a terminal', async () => {
    const said = await copy(source.url, target.url);
    expect(said.code).toBe(0);
    expect(said.out).toMatch(/^Copied in [\d.]+ s: [\d,]+ rows added, 0 changed, 0 removed\.\nTABLE/);
    expect(said.out).toMatch(/The databases are equal: \d+ tables and \d+ sums of money match\.\n$/);
    const args = ['copy', '--check', '--from', source.url, '--to', target.url];
    const shown = await perennial(undefined, args, {}, true);
    expect(shown.out).toMatch(/^\rComparing serverSettings/);
  });

  it.runIf(isWhole)('refuses to change a database that is not a copy', async () => {
    const other = await startApp({ database: target.url });
    await other.tenant({ alias: 'elsewhere' });
    await other.close();
    const before = await target.backdoor.dump();
    const said = await copy(source.url, target.url);
    expect(said).toMatchObject({ code: 1, out: '' });
    expect(said.err).toContain('The target is no copy of the source, which has no tenant elsewhere');
    expect(await target.backdoor.dump()).toBe(before);
  });

  describe('more than one batch of most tables', () => {
    beforeAll(async () => {
      await prepareDue(app.service, {
        alias: 'many',
        subscriptions,
        startsAt: '2026-01-31T00:00:00.000Z',
        frequency: 'Monthly',
        methods: ['sandbox_ok'],
      });
    });

    it('copies everything while the source is served, and nothing the second time', async () => {
      const first = await asJson(source.url, target.url);
      expect(first.copied).toEqual({ added: rowsIn(first), changed: 0, removed: 0 });
      expect(rowsIn(first)).toBeGreaterThan(4 * subscriptions);
      expect(first.money).toContainEqual({
        tenant: 'many',
        currency: 'usd',
        column: 'subscriptions.amountMinor',
        minorUnits: Array.from({ length: 2 }, () => String(5000 * subscriptions)),
      });
      expect((await asJson(source.url, target.url)).copied).toEqual({ added: 0, changed: 0, removed: 0 });
      const copied = await startApp({ database: target.url });
      const others = copied.client(acme.apiKey);
      for (const path of ['/customers', '/products', '/groups', '/traces/timeframe']) {
        const since = path === '/traces/timeframe' && { startDate: '2020-01-01' };
        const fields = { tenantAlias: 'acme', limit: '100', ...since };
        const one = await acme.rest('GET', path, fields);
        expect([one.status, (await others.rest('GET', path, fields)).text]).toEqual([200, one.text]);
      }
      await copied.close();
    });

    it.runIf(isWhole)('continues after an interruption', async () => {
      const open = (database: string, own: boolean) =>
        openStore({ database, databaseConnections: 4 }, 'drizzle', own, systemClock);
      const [from, to] = [await open(source.url, false), await open(target.url, true)];
      const copying = from.snapshot((queries) =>
        copyRows(queries, to, ({ table, rows }) => {
          if (table === cut.table && rows >= cut.rows) throw new Error('cut');
        }),
      );
      await expect(copying).rejects.toThrow('cut');
      await Promise.all([from.close(), to.close()]);
      const rest = await asJson(source.url, target.url);
      expect(rest.copied.added).toBeGreaterThan(100);
      expect(rest.copied.added).toBeLessThan(rowsIn(rest) - cut.rows + 1);
    });
  });
});

it.each([
  ['sqlite:/tmp/none.db', 'sqlite:/tmp/none.db', /^--from and --to are the same database\.\n$/],
  [
    'sqlite:/tmp/there-is-none.db',
    'sqlite:/tmp/other.db',
    /^There is no database \/tmp\/there-is-none\.db\. Set --from to /,
  ],
  ['mysql://db', 'sqlite:/tmp/other.db', /^--from is invalid: "mysql:\/\/db" must be sqlite:/],
  ['sqlite:/tmp/x.db', 'file.db', /^--to is invalid: "file\.db" must be sqlite:/],
])('refuses %s to %s', async (from, to, message) => {
  const said = await copy(from, to);
  expect(said).toMatchObject({ code: 1, out: '' });
  expect(said.err).toMatch(message);
});
