/** The worst that one request of a key can ask for, of each kind: while it is served, others are as well. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { engine } from '../support/engines.ts';
import { listen } from '../support/follow.ts';
import { startWatcher } from '../support/watcher.ts';
import { fillTenant } from '../support/world.ts';
import { kinds, multiply, worstRequests } from '../support/worstRequests.ts';

/** On a quiet machine hardly anybody waits for a quarter of a second; tests run beside others. */
const patienceMs = 3000;

let app: TestApp;
let client: Client;
let requests: ReturnType<typeof worstRequests>;
let watcher: ReturnType<typeof startWatcher>;

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
  client = await app.tenant({ alias: 'acme', test: true });
  const world = await fillTenant(client, 'acme');
  const { backdoor } = app;
  const customer = `r.id = '${world.customer}'`;
  const metadata = `'{"note":"' || '${'x'.repeat(16_000)}' || '"}'`;
  await multiply(backdoor, 'customers', customer, 300, {
    id: `'cus_heavy' || n`,
    associated_id: `'heavy' || n`,
    metadata: engine === 'postgres' ? `(${metadata})::json` : metadata,
  });
  // As earlier releases took it.
  const earlier = `'${JSON.stringify({ a: Array.from({ length: 349_000 }, () => ({})) })}'`;
  await multiply(backdoor, 'customers', customer, 1, {
    id: `'cus_large'`,
    associated_id: `'large'`,
    metadata: engine === 'postgres' ? `${earlier}::json` : earlier,
  });
  await multiply(backdoor, 'products', `r.id = '${world.spareProduct}'`, 20_000, {
    id: `'prod_many' || n`,
    group_id: 'case when n < 2000 then r.group_id end',
  });
  await multiply(backdoor, 'prices', `r.id = '${world.sparePrice}'`, 20_000, {
    id: `'price_many' || n`,
    product_id: `'prod_many' || n`,
  });
  await multiply(backdoor, 'subscriptions', `r.id = '${world.subscription}'`, 3000, {
    id: `'sub_many' || n`,
    payment_intent_id: `'int_many' || n`,
    group_id: 'null',
    customer_id: `'cus_heavy' || (n % 300 + 1)`,
    product_id: `'prod_many' || n`,
    price_id: `'price_many' || n`,
  });
  requests = worstRequests(world, 'cus_large');
  watcher = startWatcher(await listen(app));
});
afterAll(async () => {
  await watcher?.stop();
  await app.close();
});

describe.each(kinds)('%s', (kind) => {
  it('keeps nobody waiting', async () => {
    const { request, reason } = requests.find((each) => each.kind === kind)!;
    const headers = { 'api-key': client.apiKey, 'content-type': 'application/json' };
    // The third time a document is compiled.
    for (let turn = 0; turn < 4; turn++) {
      const { status, text, bytes, waitedMs } = await watcher.send({ ...request, headers });
      if (process.env['TELL_WAITS']) console.log(`${kind}: ${Math.round(waitedMs)} ms, ${status}`);
      expect(status, text).toBeGreaterThanOrEqual(200);
      expect(status, text).toBeLessThan(500);
      expect(bytes).toBeLessThan(4_200_000);
      if (reason) expect(text).toContain(`"reason":"${reason}"`);
      else expect(text).toMatch(/^\{"(data|errors)":.*"path":|^\{"data":\{/s);
      expect(waitedMs).toBeLessThan(patienceMs);
    }
  });
});
