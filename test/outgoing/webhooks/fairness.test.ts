/** Shares of the calls at once: endpoints that hang keep nobody else waiting. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as shares from '../../../src/outgoing/queue/shares.ts';
import { mostAtOnce, mostPerEndpoint } from '../../../src/outgoing/webhooks/dispatcher.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { customers, createEndpoint, openReceiver, type Receiver } from './receiver.ts';

const settings = { webhookAllowPrivate: 'on', rateLimitPerSecond: '1000000' };
/** A call that hangs holds its place for this long. */
const timeoutMs = 120_000;

let app: TestApp;
let hanging: Receiver;
let prompt: Receiver;

beforeEach(async () => {
  app = await startApp(settings, { scheduler: true, webhooks: { timeoutMs } });
  hanging = await openReceiver();
  hanging.answer(() => {});
  prompt = await openReceiver();
});
afterEach(async () => {
  await hanging.close();
  await app.close();
  await prompt.close();
});

const createEndpoints = async (client: Client, url: string, count: number) => {
  const made = [];
  for (let index = 0; index < count; index++) {
    made.push(await createEndpoint(client, { url: `${url}/${index}`, events: ['CustomerEvent'] }));
  }
  return made;
};
const names = (count: number) => Array.from({ length: count }, (_, index) => `c${index}`);
const listPaths = ({ received }: Receiver, from = 0) => new Set(received.slice(from).map(({ path }) => path));

it('two tenants with hundreds of hanging deliveries do not delay a third', async () => {
  for (const alias of ['one', 'two']) {
    const client = await app.tenant({ alias, test: true });
    await createEndpoints(client, hanging.url, 50);
    // Each customer is a chain of its own: 50 endpoints, 300 deliveries that could all be under way.
    await customers(client, ...names(6));
  }
  await expect.poll(() => hanging.received.length).toBeGreaterThanOrEqual(100);
  const before = hanging.received.length;
  const third = await app.tenant({ alias: 'three', test: true });
  await createEndpoints(third, prompt.url, 3);
  await customers(third, ...names(10));
  await expect.poll(() => prompt.received.length).toBe(30);
  // The places of the others were never given back: what the third tenant used was left free.
  expect(hanging.received.length).toBeGreaterThanOrEqual(before);
  expect(hanging.received.length).toBeLessThan(mostAtOnce);
});

it('forty-nine hanging endpoints of a tenant do not delay its fiftieth', async () => {
  const client = await app.tenant({ alias: 'one', test: true });
  await createEndpoints(client, hanging.url, 49);
  await customers(client, ...names(8));
  await expect.poll(() => listPaths(hanging).size).toBe(49);
  await createEndpoints(client, prompt.url, 1);
  await customers(client, 'late', 'later', 'last');
  await expect.poll(() => prompt.received.length).toBe(3);
});

describe('the shares', () => {
  const computeTenantRoom = (total: number, own: number) => shares.computeTenantRoom(total, own, mostAtOnce);
  const computeEndpointShare = (own: number, room: number, endpoints: number) =>
    shares.computeLaneShare(own, room, endpoints, mostPerEndpoint);

  it('leave room for one more tenant when all others use their shares', () => {
    for (const tenants of [1, 2, 3, 10, 50, 200, 255, 400, 600]) {
      const held = Array.from({ length: tenants }, () => 0);
      let total = 0;
      for (let isMoving = true; isMoving;) {
        isMoving = false;
        for (const [tenant, own] of held.entries()) {
          if (computeTenantRoom(total, own) === 0) continue;
          held[tenant] = own + 1;
          total += 1;
          isMoving = true;
        }
      }
      const least = Math.floor(mostAtOnce / (tenants + 1));
      if (tenants <= 500) expect(computeTenantRoom(total, 0), `${tenants}`).toBeGreaterThanOrEqual(1);
      if (tenants <= 500)
        expect(Math.min(...held), `${tenants}`).toBeGreaterThanOrEqual(Math.max(1, least - 1));
      expect(total, `${tenants}`).toBeLessThanOrEqual(2 * mostAtOnce);
    }
  });

  it('give one tenant alone half of all calls, and one endpoint alone four', () => {
    expect(computeTenantRoom(0, 0)).toBe(mostAtOnce / 2);
    expect(computeEndpointShare(0, computeTenantRoom(0, 0), 1)).toBe(4);
    expect(computeEndpointShare(0, computeTenantRoom(0, 0), 50)).toBe(2);
    expect(computeEndpointShare(0, 1, 50)).toBe(1);
  });
});
