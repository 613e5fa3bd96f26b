/** The dispatcher by itself: it begins when something is queued, and ends with the server. */
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { afterEach, expect, it, vi } from 'vitest';
import { createApp, type AppOptions } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import { createDispatcher } from '../../../src/outgoing/webhooks/dispatcher.ts';
import { startApp } from '../../support/app.ts';
import { dayMs } from '../../support/clock.ts';
import { engine, scratchDatabase } from '../../support/engines.ts';
import { customers, createEndpoint, fetchDeliveries, openReceiver, rename, status } from './receiver.ts';

const settings = { webhookAllowPrivate: 'on', rateLimitPerSecond: '1000000' };

afterEach(() => void vi.useRealTimers());

it('delivers as soon as something is queued', async () => {
  // The look that it takes once a second never comes.
  vi.useFakeTimers({ toFake: ['setInterval'] });
  const app = await startApp(settings, { scheduler: true });
  const receiver = await openReceiver();
  const client = await app.tenant({ alias: 'acme', test: true, clock: new Date().toISOString() });
  const { id } = await createEndpoint(client, { url: receiver.url });
  const [ada] = await customers(client, 'ada');
  for (let index = 0; index < 20; index++) await rename(client, ada.id, `name ${index}`);
  await expect.poll(() => receiver.received.length, { interval: 5 }).toBe(21);
  expect(receiver.received.map(({ body }) => body.sequence)).toEqual(
    Array.from({ length: 21 }, (_, index) => index + 1),
  );
  await expect
    .poll(async () => (await fetchDeliveries(client, id)).every((each) => each.status === 'delivered'))
    .toBe(true);
  await app.close();
  await receiver.close();
});

it('aborts hanging calls when the server stops, and repeats them after the next start', async () => {
  const scratch = await scratchDatabase();
  const secretKey = randomBytes(32).toString('base64');
  const config = readConfig({ database: scratch.url, logLevel: 'silent', secretKey, ...settings }, {});
  const receiver = await openReceiver();
  receiver.answer(() => {});
  const first = await startOn(config, { webhooks: { timeoutMs: dayMs } });
  await createEndpoint(first.client, { url: receiver.url });
  await customers(first.client, 'ada');
  await expect.poll(() => receiver.received.length).toBe(1);
  // The call itself would be given up only after a day.
  await first.app.close();
  receiver.answer(status(200));
  // Another process would wait for what the first one claimed; nobody has to here.
  await scratch.backdoor.execute('update webhook_deliveries set claimed_until = null');
  const second = await createApp(config);
  await expect.poll(() => receiver.received.length).toBe(2);
  await second.close();
  expect(receiver.received[1]!.text).toBe(receiver.received[0]!.text);
  await receiver.close();
  await scratch.drop();
});

it('stops although a payload is never rendered, and the delivery is still due', async () => {
  const app = await startApp(settings);
  const client = await app.tenant({ alias: 'acme', test: true, clock: new Date().toISOString() });
  await createEndpoint(client, { url: 'https://shop.example/hooks', query: '{ action }' });
  await customers(client, 'ada');
  const logged: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void logged.push(line) });
  let begun = 0;
  const stuck = createDispatcher({
    ...app.service.dispatcher,
    randomBytes: app.service.randomBytes,
    post: () => Promise.reject(new Error('It has nothing to send.')),
    render: () => {
      begun += 1;
      return new Promise(() => {});
    },
  }).start(app.service, log);
  await expect.poll(() => begun).toBe(1);
  await stuck.stop(50);
  expect(logged.join()).toContain('stopped before webhook deliveries had ended');
  const [delivery] = await app.service.store.fresh.select('webhookDeliveries', { where: {} });
  expect(delivery).toMatchObject({ status: 'pending', attempt: 0, dueAt: expect.any(String) });
  await app.close();
});

async function startOn(config: ReturnType<typeof readConfig>, outside: AppOptions = {}) {
  const app = await createApp(config, outside);
  const { createTenant } = await import('../../../src/tenancy/tenants.ts');
  const { createKey } = await import('../../../src/tenancy/apiKeys.ts');
  await createTenant(app.service, { alias: 'acme', test: true, clock: new Date().toISOString() });
  const { apiKey } = await createKey(app.service, { tenant: 'acme', scope: 'write' });
  const graphql = async (query: string, variables?: object) => {
    const answer = await app.server.inject({
      method: 'POST',
      url: '/graphql',
      headers: { 'api-key': apiKey, 'content-type': 'application/json' },
      payload: JSON.stringify({ query, variables }),
    });
    return answer.json().data;
  };
  return { app, client: { graphql } as never };
}

it.runIf(engine === 'postgres')('shares the work between servers: each event is sent once', async () => {
  const scratch = await scratchDatabase();
  const secretKey = randomBytes(32).toString('base64');
  const config = readConfig({ database: scratch.url, logLevel: 'silent', secretKey, ...settings }, {});
  const receiver = await openReceiver();
  receiver.answer((response) => void setTimeout(() => response.end(), 20));
  const { app, client } = await startOn(config);
  const others = await Promise.all([createApp(config), createApp(config)]);
  await createEndpoint(client, { url: receiver.url });
  await customers(client, ...Array.from({ length: 60 }, (_, index) => `c${index}`));
  await expect.poll(() => receiver.received.length).toBeGreaterThanOrEqual(60);
  await Promise.all([app.close(), ...others.map((other) => other.close())]);
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(ids).toHaveLength(60);
  expect(new Set(ids).size).toBe(60);
  await receiver.close();
  await scratch.drop();
});
