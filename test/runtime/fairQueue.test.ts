/** The crowd of one tenant does not keep another waiting. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFairQueue } from '../../src/runtime/fairQueue.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';

const workMs = 1;
/** A request that keeps the processor busy. */
const work = () => {
  const until = performance.now() + workMs;
  while (performance.now() < until);
};

describe('turns', () => {
  it('start requests at once on an idle server', () => {
    const { wait } = createFairQueue();
    expect([wait('a'), wait('b'), wait('a')]).toEqual([undefined, undefined, undefined]);
  });

  it('alternate between tenants and keep the order within each', async () => {
    const { wait } = createFairQueue();
    const began: string[] = [];
    const ask = async (tenant: string, name: string) => {
      await wait(tenant);
      began.push(name);
      work();
    };
    const crowd: Promise<void>[] = [];
    for (let index = 0; index < 200; index++) {
      crowd.push(ask('a', `a${index}`));
      // One comes after the other, but all within one round of the event loop.
      await new Promise<void>((resolve) => process.nextTick(resolve));
    }
    const others = ['b', 'c'].flatMap((tenant) => [0, 1].map((index) => ask(tenant, `${tenant}${index}`)));
    await Promise.all(others);
    expect(began.filter((name) => name.startsWith('a')).length).toBeLessThan(12);
    await Promise.all(crowd);
    expect(began).toHaveLength(204);
    const ofCrowd = began.filter((name) => name.startsWith('a'));
    expect(ofCrowd).toEqual(Array.from({ length: 200 }, (_, index) => `a${index}`));
    expect(began.indexOf('b0')).toBeLessThan(began.indexOf('b1'));
  });

  it('end, and begin again', async () => {
    const { wait } = createFairQueue();
    for (let round = 0; round < 3; round++) {
      await Promise.all(
        Array.from({ length: 20 }, async () => {
          await wait('a');
          work();
        }),
      );
      await new Promise(setImmediate);
      await new Promise(setImmediate);
      expect(wait('a')).toBeUndefined();
      await new Promise(setImmediate);
    }
  });
});

describe('a flood of one tenant', () => {
  let app: TestApp;
  let a: Client;
  let b: Client;
  beforeAll(async () => {
    app = await startApp({ rateLimitPerSecond: '1000000' });
    [a, b] = [await app.tenant({ alias: 'a' }), await app.tenant({ alias: 'b' })];
    for (let index = 0; index < 50; index++)
      await a.rest('POST', '/groups', { tenantAlias: 'a', name: 'Plans' });
  });
  afterAll(() => app.close());

  it('does not delay requests of another', async () => {
    const heavy = '{ groups(first: 100) { nodes { id name metadata products { id prices { id } } } } }';
    let answered = 0;
    let over = false;
    const flood = Array.from({ length: 64 }, async () => {
      while (!over) {
        await a.post(heavy);
        answered += 1;
      }
    });
    const overtakenBy: number[] = [];
    for (let turn = 0; turn < 20; turn++) {
      const before = answered;
      expect((await b.rest('GET', '/groups')).status).toBe(200);
      overtakenBy.push(answered - before);
    }
    over = true;
    await Promise.all(flood);
    const middle = overtakenBy.toSorted((one, two) => one - two)[10]!;
    // In a single queue all 64 would come first.
    expect(middle).toBeLessThan(32);
  });
});
