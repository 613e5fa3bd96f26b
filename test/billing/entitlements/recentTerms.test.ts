/** What operators set is read once a second: a change holds at once on its own server, and within a second on another. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openService } from '../../../src/app/app.ts';
import { checkEntitlement } from '../../../src/billing/entitlements/entitlements.ts';
import { attachFeature } from '../../../src/billing/entitlements/productEntitlements.ts';
import { readConfig } from '../../../src/config/config.ts';
import type { Service } from '../../../src/tenancy/service.ts';
import { openScheduledTenant } from '../../../src/tenancy/openTenant.ts';
import { findTenant } from '../../../src/tenancy/tenants.ts';
import { createTerms } from '../../../src/tenancy/terms.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { openLimit } from './shop.ts';

let app: TestApp;
let beside: Service;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000' });
  const config = readConfig({ database: app.database, databaseConnections: '4', logLevel: 'silent' }, {});
  beside = await openService(config, false, {});
});
afterAll(async () => {
  await beside.store.close();
  await app.close();
});

it('a limit that another server changes holds within a second, what a customer has at once', async () => {
  const { client, customer, feature, alias, plan, attach, override } = await openLimit(app, '100');
  const other = async () => openScheduledTenant(beside, (await findTenant(beside, alias))!);
  const read = async () => {
    const { limit } = await checkEntitlement(await other(), { customerId: customer.id }, { feature });
    return limit;
  };
  expect(await read()).toBe('100');
  // By the server that is asked: at once.
  await (
    await other()
  ).write((unit) => attachFeature(unit, { productId: plan.productId, feature, value: '120' }));
  expect(await read()).toBe('120');
  await attach(plan, feature, '150');
  const { checkEntitlement: own } = await client.graphql(
    'query ($customerId: ID!, $feature: String!) { checkEntitlement(customerId: $customerId, feature: $feature) { limit } }',
    { customerId: customer.id, feature },
  );
  expect(own.limit).toBe('150');
  await expect.poll(read, { timeout: 5000, interval: 20 }).toBe('150');
  await override(feature, '7');
  expect(await read()).toBe('7');
});

it('keeps terms for a second, apart by tenant, and none that were being loaded when they changed', async () => {
  let nowMs = 0;
  let loads = 0;
  const terms = createTerms(() => nowMs);
  const read = (alias: string, key: string) =>
    terms.read(alias, key, () => `${alias} ${key} ${(loads += 1)}`);
  expect([read('a', 'x'), read('a', 'x'), read('a', 'y'), read('b', 'x')]).toEqual([
    'a x 1',
    'a x 1',
    'a y 2',
    'b x 3',
  ]);
  nowMs = 999.9;
  expect(read('a', 'x')).toBe('a x 1');
  nowMs = 1000;
  expect(read('a', 'x')).toBe('a x 4');
  terms.forget('a');
  expect([read('a', 'x'), read('b', 'x')]).toEqual(['a x 5', 'b x 6']);
  // What begins to load before a change is not kept after it.
  let finish!: (value: string) => void;
  const late = terms.read('a', 'z', () => new Promise<string>((resolve) => (finish = resolve)));
  terms.forget('a');
  finish('before the change');
  expect(await late).toBe('before the change');
  expect(await terms.read('a', 'z', async () => 'after it')).toBe('after it');
  // What is not there is looked for each time.
  expect([terms.read('a', 'none', () => undefined), read('a', 'none')]).toEqual([undefined, 'a none 7']);
});

it('forgets rather than grows', () => {
  let loads = 0;
  const terms = createTerms(() => 0);
  const read = (alias: string, key: string) => terms.read(alias, key, () => (loads += 1));
  for (let index = 0; index < 1500; index++) void read('a', `key ${index}`);
  for (let index = 0; index < 1500; index++) void read(`tenant ${index}`, 'x');
  expect(loads).toBe(3000);
  expect([read('a', 'key 0'), read('tenant 1499', 'x')]).toEqual([3001, 3000]);
});
