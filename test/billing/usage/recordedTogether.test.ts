/** Requests with few events that come at the same time are recorded together, and each is answered by what became of its own. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { examine } from '../../../src/maintenance/doctor/doctor.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { stoppedClock } from '../../support/clock.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp(
    { rateLimitPerSecond: '1000000' },
    { clock: stoppedClock('2026-06-10T10:07:00.000Z') },
  );
});
afterAll(async () => {
  expect((await examine(app.service, () => {})).findings).toEqual([]);
  await app.close();
});

const nothing = { accepted: 0, duplicates: 0, conflicts: [], refused: [], unassigned: 0 };

/** Opens a tenant with a customer and a meter. */
async function openTenant(alias: string) {
  const client = await app.tenant({ alias });
  const { body: customer } = await client.rest('POST', '/customers', {
    tenantAlias: alias,
    email: 'ada@example.com',
    firstName: 'Ada',
    lastName: 'Lovelace',
    associatedId: 'ada',
  });
  const { createMeter: meter } = await client.graphql(
    'mutation { createMeter(input: { name: "Calls", event: "call", aggregation: sum, value: "n" }) { id } }',
  );
  const total = async () =>
    (
      await client.graphql(
        `{ usage(meterId: "${meter.id}", from: "2026-06-10", until: "2026-06-11") { value events } }`,
      )
    ).usage;
  return { client, customerId: customer.id as string, total };
}

const record = async (client: Client, events: object[]) =>
  (await client.rest('POST', '/usage', { events })).body;

it('answers each of many requests at once by its own events', async () => {
  const [acme, other] = [await openTenant('acme'), await openTenant('other')];
  const event = (id: string, fields: object = {}) => ({
    id,
    event: 'call',
    customerId: acme.customerId,
    properties: { n: 2 },
    ...fields,
  });
  const sent = await Promise.all(
    Array.from({ length: 30 }, async (_, index) => [
      await Promise.all([
        record(acme.client, [event(`new-${index}`)]),
        record(acme.client, [event(`same-${index}`), event(`twice-${index}`)]),
        record(acme.client, [event(`same-${index}`)]),
        record(acme.client, [event(`none-${index}`, { customerId: 'cus_none' })]),
        record(acme.client, [event(`waits-${index}`, { customerId: null, associatedId: 'later' })]),
        // Nothing is recorded of a form that is wrong.
        record(acme.client, [event(''), event(`half-${index}`)]),
        record(other.client, [event(`new-${index}`, { customerId: other.customerId })]),
        record(other.client, [event(`theirs-${index}`)]),
      ]),
    ]),
  );
  expect(sent).toHaveLength(30);
  for (const [[fresh, two, same, none, waits, half, theirs, foreign]] of sent as any[][]) {
    expect(fresh).toEqual({ ...nothing, accepted: 1 });
    expect([two.accepted + two.duplicates, same.accepted + same.duplicates]).toEqual([2, 1]);
    expect(two.accepted + same.accepted).toBe(2);
    expect(none.refused).toMatchObject([{ index: 0, reason: 'customer_not_found' }]);
    expect(waits).toEqual({ ...nothing, accepted: 1, unassigned: 1 });
    expect([half.accepted, half.refused]).toMatchObject([1, [{ index: 0, path: 'events.0.id' }]]);
    expect(theirs).toEqual({ ...nothing, accepted: 1 });
    expect(foreign.refused).toMatchObject([{ index: 0, reason: 'customer_not_found' }]);
  }
  expect(await acme.total()).toEqual({ value: '240', events: 120 });
  expect(await other.total()).toEqual({ value: '60', events: 30 });
  const again = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      record(acme.client, [event(`new-${index}`, { properties: { n: index % 2 ? 2 : 3 } })]),
    ),
  );
  expect(again.map(({ duplicates, conflicts }) => [duplicates, conflicts])).toEqual(
    again.map((_, index) => (index % 2 ? [1, []] : [0, [{ index: 0, id: `new-${index}` }]])),
  );
  expect(await acme.total()).toEqual({ value: '240', events: 120 });
});
