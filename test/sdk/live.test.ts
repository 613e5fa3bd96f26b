/** Live events of the SDK: they are resumed without gaps when a connection is lost. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { countWaiting, listen } from '../support/follow.ts';
import { importSdk } from '../support/sdk.ts';
import { startCuttingProxy, type CuttingProxy } from './cuttingProxy.ts';

const { NotFoundError, Perennial } = await importSdk();

let app: TestApp;
let client: Client;
let url: string;
let proxy: CuttingProxy;
let perennial: any;
beforeAll(async () => {
  app = await startApp();
  client = await app.tenant({ alias: 'acme', test: true });
  url = await listen(app);
  proxy = await startCuttingProxy(url, () => 'pass');
  perennial = new Perennial({ url: proxy.url, key: client.apiKey });
});
afterAll(async () => {
  await proxy.close();
  await app.close();
});

let numbers = 0;
const createCustomer = async (): Promise<string> => {
  const associatedId = `own-${(numbers += 1)}`;
  const input = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace', associatedId };
  const direct = new Perennial({ url, key: client.apiKey });
  return (await direct.customers.create(input)).id;
};

it('traces follow each other, also over a connection that was lost', async () => {
  const stop = new AbortController();
  const seen: string[] = [];
  const following = (async () => {
    const events = perennial.traces.follow(
      { filter: { activityType: 'CustomerEvent' } },
      { signal: stop.signal },
    );
    for await (const { payload } of events) seen.push(payload.resourceId);
  })();
  await expect.poll(() => countWaiting(url)).toBe(1);
  const ids = [await createCustomer()];
  await expect.poll(() => seen).toEqual(ids);
  proxy.cutStreams();
  for (let count = 0; count < 3; count += 1) ids.push(await createCustomer());
  await expect.poll(() => seen).toEqual(ids);
  stop.abort();
  await following;
});

it('entitlements begin with what there is, and the customer must exist', async () => {
  const meter = await perennial.meters.create({ name: 'Calls', event: 'call', aggregation: 'count' });
  await perennial.features.create({ key: 'calls', name: 'Calls', kind: 'limit', meterId: meter.id });
  const customerId = await createCustomer();
  await perennial.entitlementOverrides.create({ customerId, feature: 'calls', value: 5 });
  for await (const { feature, remaining } of perennial.entitlements.follow({ customerId })) {
    expect(feature.id).toBeTypeOf('string');
    expect(remaining).toBe('5');
    break;
  }
  const unknown = perennial.entitlements.follow({ customerId: 'cus_0' })[Symbol.asyncIterator]().next();
  await expect(unknown).rejects.toBeInstanceOf(NotFoundError);
});

it('a page follows its own customer with the token of a session', async () => {
  const customerId = await createCustomer();
  const { token } = await perennial.customerSessions.create({ customerId });
  const page = new Perennial({ url: proxy.url, key: token });
  for await (const { kind, viewer } of page.viewer.follow({ select: 'kind viewer { customer { id } }' })) {
    expect({ kind, viewer }).toEqual({ kind: 'started', viewer: { customer: { id: customerId } } });
    break;
  }
});
