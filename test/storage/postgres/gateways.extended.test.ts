/** Several gateways on one database: they share the work, and one that dies leaves it to the others. */
import { spawn } from 'node:child_process';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApp, openService } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import { readMigrations } from '../../../src/storage/migrate.ts';
import type { Store } from '../../../src/storage/store.ts';
import { createKey, listKeys, revokeKey } from '../../../src/tenancy/apiKeys.ts';
import { createTenant } from '../../../src/tenancy/tenants.ts';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { stoppedClock } from '../../support/clock.ts';
import { prepareDue } from '../../stress/simulation/due.ts';
import { reckon, watchBillers } from '../../support/sharing.ts';
import { scratchDatabase, type Scratch } from '../../support/engines.ts';
import { addTenant } from '../../support/database.ts';
import { build, program } from '../../support/program.ts';
import { subscriptionRow } from '../../support/rows.ts';
import { openGateway } from '../../support/stores.ts';

const hourMs = 3_600_000;
const log = pino({ level: 'silent' });
// So many that a gateway that begins late on a busy machine still gets its share.
const subscriptions = 1600;
const dueNow = {
  alias: 'acme',
  subscriptions,
  startsAt: new Date(Date.now() - hourMs).toISOString(),
  frequency: 'Monthly' as const,
  methods: ['sandbox_ok'],
};

let scratch: Scratch;
beforeEach(async () => {
  scratch = await scratchDatabase();
});
afterEach(() => scratch.drop());

// Several gateways on two processors may wait for each other for longer than the tests' own limit.
const buildUrl = (name: string) =>
  `${scratch.url.replace(/lock_timeout=\d+/, 'lock_timeout=5000')}&application_name=${name}`;
const readConfigFor = (name: string) =>
  readConfig({ database: buildUrl(name), databaseConnections: '4', logLevel: 'silent' }, {});

describe('work', () => {
  const where = { dueAt: { to: '2026-02-01T00:00:00.000Z' } };
  const selection = { where, orderBy: ['dueAt' as const, 'id' as const], limit: 3 };
  const clock = stoppedClock('2026-02-01T00:00:00.000Z');
  let stores: Store[];

  beforeEach(async () => {
    stores = await Promise.all(['a', 'b'].map((name) => openGateway(buildUrl(name), 4, clock)));
    await addTenant(stores[0]!, 'acme');
    await stores[0]!.transact('acme', async (queries) => {
      for (let index = 0; index < 8; index++) {
        await queries.insert(
          'subscriptions',
          subscriptionRow(`s${index}`, `2026-01-0${index + 1}T00:00:00.000Z`),
        );
      }
    });
  });
  afterEach(() => Promise.all(stores.map((store) => store.close())));

  const claim = async (store: Store) =>
    (await store.claim('acme', 'subscriptions', selection, new Set())).map(({ id }) => id);

  it('is claimed by one gateway, oldest first, and by another after the claim expires', async () => {
    const [a, b] = stores as [Store, Store];
    expect(await claim(a)).toEqual(['s0', 's1', 's2']);
    expect(await claim(b)).toEqual(['s3', 's4', 's5']);
    expect(await claim(a)).toEqual(['s6', 's7']);
    expect(await claim(b)).toEqual([]);
    clock.advance(59_999);
    expect(await claim(b)).toEqual([]);
    clock.advance(1);
    expect(await claim(b)).toEqual(['s0', 's1', 's2']);
  });

  it('that others are claiming is skipped without waiting', async () => {
    await scratch.backdoor.execute(
      "BEGIN; SELECT 1 FROM subscriptions WHERE id IN ('s0', 's2') FOR NO KEY UPDATE",
    );
    expect(await claim(stores[1]!)).toEqual(['s1', 's3', 's4']);
    await scratch.backdoor.execute('ROLLBACK');
    expect(await claim(stores[0]!)).toEqual(['s0', 's2', 's5']);
  });

  it('is claimed once by concurrent gateways', async () => {
    const claimed = await Promise.all(Array.from({ length: 12 }, (_, index) => claim(stores[index % 2]!)));
    expect(claimed.flat().toSorted()).toEqual(['s0', 's1', 's2', 's3', 's4', 's5', 's6', 's7']);
  });

  it('can be claimed while a new row refers to it', async () => {
    await scratch.backdoor.execute("BEGIN; SELECT 1 FROM subscriptions WHERE id = 's0' FOR KEY SHARE");
    expect(await claim(stores[0]!)).toEqual(['s0', 's1', 's2']);
    await scratch.backdoor.execute('ROLLBACK');
  });
});

it('two gateways and a billing run bill each subscription once, and share the work', async () => {
  await watchBillers(scratch.backdoor);
  const run = await openService(readConfigFor('run'), true);
  await prepareDue(run, dueNow);
  const gateways = await Promise.all(['one', 'two'].map((name) => createApp(readConfigFor(name), { log })));
  await runDueWork(run, log);
  await expect
    .poll(async () => (await reckon(scratch.backdoor, subscriptions)).wrong, { interval: 200 })
    .toEqual({});
  await Promise.all([...gateways.map((gateway) => gateway.close()), run.store.close()]);
  const { billers, wrong } = await reckon(scratch.backdoor, subscriptions);
  expect(wrong).toEqual({});
  expect(Object.keys(billers)).toEqual(['one', 'run', 'two']);
  for (const count of Object.values(billers)) expect(count).toBeGreaterThanOrEqual(50);
});

it('a killed gateway leaves no locks and no duplicates', async () => {
  build();
  await watchBillers(scratch.backdoor);
  // The others' time is two minutes ahead, so that what the dead one held is theirs at once.
  const clock = stoppedClock(new Date(Date.now() + 120_000).toISOString());
  const heir = await openService(readConfigFor('heir'), true, { clock });
  await prepareDue(heir, dueNow);

  const { PATH } = process.env;
  const victim = spawn(process.execPath, [program, 'bill', '--database', buildUrl('victim')], {
    env: { PATH },
  });
  const died = new Promise((resolve) => victim.on('exit', (_, signal) => resolve(signal)));
  const billed = async () =>
    Number((await scratch.backdoor.all('SELECT count(*) FROM billers'))[0]!['count']);
  await expect.poll(billed, { interval: 5 }).toBeGreaterThan(60);
  victim.kill('SIGKILL');
  expect(await died).toBe('SIGKILL');
  expect(await billed()).toBeLessThan(subscriptions);

  await runDueWork(heir, log);
  const { billers, wrong } = await reckon(scratch.backdoor, subscriptions);
  expect(wrong).toEqual({});
  expect(Object.keys(billers)).toEqual(['heir', 'victim']);
  await heir.store.close();
});

it('an API key revoked at one gateway is refused by all within a second', async () => {
  const gateways = await Promise.all(
    ['one', 'two', 'three'].map((name) => createApp(readConfigFor(name), { log, scheduler: false })),
  );
  const { service } = gateways[0]!;
  await createTenant(service, { alias: 'acme' });
  const { apiKey } = await createKey(service, { tenant: 'acme' });
  const statuses = () =>
    Promise.all(
      gateways.map(async ({ server }) => {
        const { statusCode } = await server.inject({
          url: '/api/v1/customers',
          headers: { 'api-key': apiKey },
        });
        return statusCode;
      }),
    );
  expect(await statuses()).toEqual([200, 200, 200]);
  await revokeKey(service, (await listKeys(service, 'acme'))[0]!.id);
  await expect.poll(statuses, { interval: 150 }).toEqual([401, 401, 401]);
  await Promise.all(gateways.map((gateway) => gateway.close()));
});

it('ten gateways that start on an empty database create its tables once', async () => {
  const empty = await scratchDatabase('postgres', true);
  const stores = await Promise.all(Array.from({ length: 10 }, () => openGateway(empty.url, 2)));
  const done = await empty.backdoor.all('SELECT tag FROM migrations ORDER BY position');
  expect(done.map(({ tag }) => tag)).toEqual(readMigrations('drizzle/postgres').map(({ tag }) => tag));
  await addTenant(stores[9]!, 'acme');
  expect(await stores[0]!.fresh.select('tenants', { where: {} })).toHaveLength(1);
  await Promise.all(stores.map((store) => store.close()));
  await empty.drop();
});
