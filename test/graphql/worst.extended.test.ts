/**
 * The worst that one request of a key can ask for, of each kind: it never keeps the event loop for long. `npm run bench
 * -- --only worst-requests` measures how long others wait.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { engine } from '../support/engines.ts';
import { listen } from '../support/follow.ts';
import { isLong, sampled } from '../support/sample.ts';
import { startWatcher } from '../support/watcher.ts';
import { fillTenant } from '../support/world.ts';
import type { TableName } from '../../src/storage/model/rowTypes.ts';
import { multiply } from '../support/bulk.ts';
import { watchTurns } from '../support/turns.ts';
import { kinds, worstRequests } from '../support/worstRequests.ts';

/** Processor time, which load makes two or three times as long, where it may make a wait ten times as long. */
const longestTurnMs = 600;
const many = isLong ? 20_000 : 5000;

let app: TestApp;
let client: Client;
let requests: ReturnType<typeof worstRequests>;
let watcher: ReturnType<typeof startWatcher>;

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
  client = await app.tenant({ alias: 'acme', test: true });
  const world = await fillTenant(client, 'acme');
  const asJson = (text: string) => (engine === 'postgres' ? `(${text})::json` : text);
  const copy = (table: TableName, id: string, count: number, others: Record<string, string>) =>
    multiply(app, 'acme', table, count, others, `id = '${id}'`);
  await copy('customers', world.customer, 300, {
    id: `'cus_heavy' || i`,
    associatedId: `'heavy' || i`,
    metadata: asJson(`'{"note":"' || '${'x'.repeat(16_000)}' || '"}'`),
  });
  // As earlier releases took it.
  await copy('customers', world.customer, 1, {
    id: `'cus_large'`,
    associatedId: `'large'`,
    metadata: asJson(`'${JSON.stringify({ a: Array.from({ length: 349_000 }, () => ({})) })}'`),
  });
  await copy('products', world.spareProduct, many, {
    id: `'prod_many' || i`,
    groupId: 'case when i < 2000 then t.group_id end',
  });
  await copy('prices', world.sparePrice, many, {
    id: `'price_many' || i`,
    productId: `'prod_many' || i`,
  });
  await copy('subscriptions', world.subscription, 3000, {
    id: `'sub_many' || i`,
    paymentIntentId: `'int_many' || i`,
    groupId: 'null',
    customerId: `'cus_heavy' || (i % 300 + 1)`,
    productId: `'prod_many' || i`,
    priceId: `'price_many' || i`,
  });
  await multiply(app, 'acme', 'traces', 5000, { eventId: `'evt_many' || i` });
  requests = worstRequests(world, 'cus_large');
  watcher = startWatcher(await listen(app));
});
afterAll(async () => {
  await watcher?.stop();
  await app.close();
});

describe.each(sampled(kinds, 12))('%s', (kind) => {
  it('does not hold the event loop for long', async () => {
    const { request, reason } = requests.find((each) => each.kind === kind)!;
    const headers = { 'api-key': client.apiKey, 'content-type': 'application/json' };
    // The third time a document is compiled.
    for (let turn = 0; turn < 3; turn++) {
      const turns = watchTurns();
      const { status, text, bytes, waitedMs } = await watcher.send({
        ...request,
        headers: { ...headers, ...request.headers },
      });
      const longestMs = turns.stop();
      if (process.env['TELL_WAITS'])
        console.log(`${kind}: ${Math.round(waitedMs)} ms, CPU ${Math.round(longestMs)} ms, ${status}`);
      expect(status, text).toBeGreaterThanOrEqual(200);
      expect(status, text).toBeLessThan(500);
      expect(bytes).toBeLessThan(4_200_000);
      if (reason) expect(text).toContain(`"reason":"${reason}"`);
      else expect(text).toMatch(/^\{"(data|errors)":.*"path":|^\{"data":\{/s);
      expect(longestMs).toBeLessThan(longestTurnMs);
    }
  });
});
