/** A follower that comes back after many thousand events: nobody else waits for it, and it ends with its connection. */
import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Queries } from '../../../src/storage/query/queries.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { multiply } from '../../support/bulk.ts';
import { follow, startFollowing, listen, traceRecorded } from '../../support/follow.ts';
import { isLong } from '../../support/sample.ts';

const many = isLong ? 165_000 : 55_000;

let app: TestApp;
let url: string;
let client: Client;
let other: Client;
let first: string;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000' });
  url = await listen(app);
  [client, other] = [await app.tenant({ alias: 'acme' }), await app.tenant({ alias: 'other' })];
  await client.graphql('mutation { createGroup(input: { name: "Plans" }) { id } }');
  const rows = await app.backdoor.all(
    `select event_id from traces where tenant_alias = 'acme' order by 1 desc`,
  );
  first = String(rows[0]!['event_id']);
  // Event ids that come after the first one, in their order.
  await multiply(app, 'acme', 'traces', many, {
    eventId: `'${first}' || substr(cast(1000000 + i as text), 2)`,
    executorId: `case i when ${many - 1} then 'ada' else 'bob' end`,
    activityType: `case when i < ${many - 2} then 'PriceEvent' else 'GroupEvent' end`,
    resourceId: `'grp-' || i`,
  });
});
afterAll(() => app.close());

/** How often the traces of a tenant are read from now on. */
function countReads() {
  // oxlint-disable-next-line typescript/unbound-method -- it is called with its own `this`
  const select = Queries.prototype.select;
  const counted = { reads: 0, stop: () => (Queries.prototype.select = select) };
  Queries.prototype.select = function (this: Queries, name, selection) {
    if (name === 'traces') counted.reads += 1;
    return select.call(this, name, selection as never) as never;
  };
  return counted;
}

describe('a replay', () => {
  const idAt = (index: number) => `${first}${String(1_000_000 + index).slice(1)}`;
  const finds: [string, object, number[]][] = [
    ['of one executor', { executorId: 'ada' }, [many - 1]],
    ['of one kind of event', { activityType: 'GroupEvent' }, [many - 2, many - 1, many]],
    ['of one object', { resourceId: `grp-${many - 7}` }, [many - 7]],
    [
      'of all three',
      { executorId: 'ada', activityType: 'GroupEvent', resourceId: `grp-${many - 1}` },
      [many - 1],
    ],
    ['of two', { executorId: 'bob', activityType: 'GroupEvent' }, [many - 2, many]],
  ];
  it.each(finds)('%s finds the last of thousands, in order', async (_, filter, expected) => {
    const following = await follow(url, client, { after: first, filter });
    await expect.poll(() => following.events.length).toBe(expected.length);
    expect(following.events.map(({ eventId }) => eventId)).toEqual(expected.map(idAt));
    await following.stop();
  });

  it('with one condition uses an index and does not scan later traces', async () => {
    const counted = countReads();
    const following = await follow(url, client, {
      after: first,
      filter: { resourceId: `grp-${many - 5000}` },
    });
    await expect.poll(() => following.events.length).toBe(1);
    counted.stop();
    expect(counted.reads).toBeLessThan(10);
    await following.stop();
  });

  it('yields to other requests', async () => {
    const counted = countReads();
    let isFound = false;
    const filter = { executorId: 'ada', activityType: 'GroupEvent' };
    const found = (async () => {
      const following = await follow(url, client, { after: first, filter });
      await expect.poll(() => following.events.length, { interval: 1 }).toBe(1);
      isFound = true;
      await following.stop();
    })();
    // Requests that come while it is under way are answered between its reads.
    const between: number[] = [];
    while (!isFound) {
      expect((await other.rest('GET', '/groups')).status).toBe(200);
      between.push(counted.reads);
    }
    await found;
    counted.stop();
    expect(counted.reads).toBeGreaterThan(many / 1000);
    const gaps = between.map((reads, index) => reads - (between[index - 1] ?? 0));
    expect(Math.max(...gaps)).toBeLessThan(counted.reads / 3);
  });

  const closings: [string, (started: () => Promise<void>) => Promise<void>][] = [
    [
      'a WebSocket',
      async (started) => {
        const { following } = startFollowing(url, client, {
          after: first,
          filter: { executorId: 'nobody', activityType: 'GroupEvent' },
        });
        await started();
        await following.stop();
      },
    ],
    [
      'an event stream',
      async (started) => {
        const variables = { after: first, filter: { executorId: 'nobody', activityType: 'GroupEvent' } };
        const streaming = request(`${url}/graphql/stream`, {
          method: 'POST',
          headers: { 'api-key': client.apiKey, 'content-type': 'application/json' },
        });
        streaming.on('error', () => {});
        const answered = once(streaming, 'response');
        streaming.end(JSON.stringify({ query: traceRecorded, variables }));
        expect((await answered)[0].statusCode).toBe(200);
        await started();
        streaming.destroy();
      },
    ],
  ];
  it.each(closings)('ends when %s is closed', async (_, openAndClose) => {
    const counted = countReads();
    await openAndClose(async () => {
      await expect.poll(() => counted.reads).toBeGreaterThan(3);
    });
    let before = -1;
    // What was under way comes to its end; a follower that still is there looks again every second.
    await expect
      .poll(
        async () => {
          before = counted.reads;
          await new Promise((resolve) => setTimeout(resolve, 1500));
          return counted.reads - before;
        },
        { interval: 10 },
      )
      .toBe(0);
    counted.stop();
  });
});
