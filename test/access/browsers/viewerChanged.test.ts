/** What a page hears of its customer, over each transport, and what ends it. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openService } from '../../../src/app/app.ts';
import { schema } from '../../../src/app/schema.ts';
import { revokeCustomerSession } from '../../../src/access/customers/sessions.ts';
import { updateCustomer } from '../../../src/billing/customers/customers.ts';
import { readConfig } from '../../../src/config/config.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import type { Service } from '../../../src/tenancy/service.ts';
import { createKey } from '../../../src/tenancy/apiKeys.ts';
import { transact } from '../../../src/tenancy/tenants.ts';
import type { UnitOfWork } from '../../../src/tenancy/unitOfWork.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { listen } from '../../support/follow.ts';
import { fillTenant, type World } from '../../support/world.ts';
import { page } from './browserApp.ts';
import { openFields } from './openFields.ts';
import { describeOpenField, walkSchema } from './schemaWalk.ts';
import { listenBySocket, transports, type Listen, type Listening } from './viewerListener.ts';

let offsetMs = 0;
/** It rises, for a lower quantity waits for the end of the period. */
let seats = 10;
const clock: Clock = { nowMs: () => Date.now() + offsetMs };
const hourMs = 3_600_000;
/** A second, and half of one for a machine under load. */
const ending = { timeout: 1500, interval: 20 };

let app: TestApp;
let url: string;
let client: Client;
let world: World;
let other: Client;
let otherWorld: World;
const open: Listening[] = [];

const whole = `subscription { viewerChanged {
  kind objectId viewer { customer { id firstName } }
  subscription { id quantity } invoice { id status total { decimal } } paymentMethod { id }
} }`;
const short = 'subscription { viewerChanged { kind objectId } }';

interface Begun {
  token: string;
  session: { id: string };
}
const begin = async (customerId = world.customer, of = client, expiresInSeconds = 3600): Promise<Begun> =>
  (
    await of.graphql(
      'mutation ($input: CreateCustomerSessionInput!) { createCustomerSession(input: $input) { token session { id } } }',
      { input: { customerId, expiresInSeconds } },
    )
  ).createCustomerSession;
const listenAs = (
  listenBy: Listen,
  token: string,
  wanted: { query?: string; origin?: string | null; parameters?: unknown } = {},
) => {
  const listening = listenBy(url, token, { query: whole, ...wanted });
  open.push(listening);
  return listening;
};
const start = async (listenBy: Listen, token: string, wanted: { query?: string } = {}) => {
  const listening = listenAs(listenBy, token, wanted);
  await expect.poll(() => listening.events.length, { timeout: 5000 }).toBe(1);
  expect(listening.events[0]).toMatchObject({ kind: 'started', objectId: null });
  return listening;
};
const rename = (id: string, firstName: string, of = client) =>
  of.graphql(
    'mutation ($id: ID!, $input: UpdateCustomerInput!) { updateCustomer(id: $id, input: $input) { id } }',
    { id, input: { firstName } },
  );
const kinds = ({ events }: Listening) => events.map(({ kind }) => kind);
const setTenant = (input: object) =>
  client.graphql('mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { alias } }', {
    input,
  });

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000' }, { clock, timing: { checkMs: 400 } });
  client = await app.tenant({ alias: 'acme' });
  other = await app.tenant({ alias: 'other' });
  world = await fillTenant(client, 'acme');
  otherWorld = await fillTenant(other, 'other');
  await setTenant({ allowedOrigins: [page] });
  url = await listen(app);
});
afterAll(() => app.close());
afterEach(() => {
  for (const { stop } of open.splice(0)) stop();
});

describe.each(transports)('%s', (_, listenBy) => {
  it('tells what changes of the customer, and nothing of others', async () => {
    const { token } = await begin();
    const listening = await start(listenBy, token);
    const strangers = await start(listenBy, (await begin(world.spareCustomer)).token);
    await rename(world.spareCustomer, 'Spare');
    await rename(otherWorld.customer, 'Else', other);
    const { viewer } = listening.events[0];
    expect(viewer.customer.id).toBe(world.customer);
    await rename(world.customer, 'Renée');
    await expect
      .poll(() => listening.events.at(-1))
      .toMatchObject({
        kind: 'customer',
        objectId: world.customer,
        viewer: { customer: { id: world.customer, firstName: 'Renée' } },
        subscription: null,
        invoice: null,
        paymentMethod: null,
      });
    seats += 1;
    const quantity = seats;
    await client.graphql(
      'mutation ($id: ID!, $quantity: Int!) { changeSubscription(id: $id, input: { quantity: $quantity }) { id } }',
      { id: world.seatSubscription, quantity },
    );
    await expect
      .poll(() => listening.events)
      .toContainEqual(
        expect.objectContaining({
          kind: 'subscription',
          objectId: world.seatSubscription,
          subscription: { id: world.seatSubscription, quantity },
        }),
      );
    await expect.poll(() => strangers.events.at(-1)?.viewer.customer.firstName).toBe('Spare');
    expect(strangers.events.every(({ viewer: seen }) => seen.customer.id === world.spareCustomer)).toBe(true);
    expect(JSON.stringify(strangers.events)).not.toContain(world.customer);
    expect(JSON.stringify(listening.events)).not.toContain(world.spareCustomer);
    await rename(world.spareCustomer, 'Spare again');
    expect(listening.errors).toEqual([]);
  });

  it('serves no other subscription, and no other credential', async () => {
    const { token } = await begin();
    for (const { name, way, document } of walkSchema(schema, 'customer')) {
      if (!way[0]!.startsWith('Subscription.')) continue;
      const listening = listenAs(listenBy, token, { query: document });
      const isOpen = way.every((field) =>
        openFields.live.includes(describeOpenField(schema, field, 'customer')),
      );
      await expect.poll(() => listening.events.length + listening.errors.length).toBe(1);
      const reason = listening.errors[0]?.extensions.reason;
      expect(reason, `${name} ${document}`).toBe(isOpen ? undefined : 'closed_to_browsers');
      listening.stop();
    }
    const { apiKey } = await createKey(app.service, { tenant: 'acme', kind: 'publishable', scope: 'read' });
    const listening = listenAs(listenBy, apiKey, { query: short });
    await expect.poll(() => listening.code).toBeGreaterThan(0);
    expect(listening.reason ?? listening.errors[0].extensions.reason).toBe('closed_to_browsers');
  });

  it.each([
    ['a page of an origin that the tenant does not allow', 'https://evil.example', 'origin_not_allowed'],
    ['a page without an address', 'null', 'origin_not_allowed'],
    ['a page in clear text', page.replace('https', 'http'), 'origin_not_allowed'],
    ['a page of a longer name', `${page}.evil.example`, 'origin_not_allowed'],
  ])('is refused to %s', async (__, origin, reason) => {
    const { token } = await begin();
    const listening = listenAs(listenBy, token, { origin });
    await expect.poll(() => listening.code).toBeGreaterThan(0);
    expect(listening.events).toEqual([]);
    expect(listening.reason ?? listening.errors[0].extensions.reason).toBe(reason);
    expect([403, 4401]).toContain(listening.code);
    expect(listening.headers?.get('access-control-allow-origin') ?? null).toBeNull();
  });

  it('is served to a program without an origin', async () => {
    const listening = listenAs(listenBy, (await begin()).token, { origin: null });
    await expect.poll(() => kinds(listening)).toEqual(['started']);
  });

  it.each([
    [
      'is revoked',
      ({ session: { id } }: Begun) =>
        client.graphql('mutation ($id: ID!) { revokeCustomerSession(id: $id) { id } }', { id }),
    ],
    ['expires', async () => void (offsetMs += hourMs)],
  ])('ends when the session %s', async (__, end) => {
    const begun = await begin();
    const listening = await start(listenBy, begun.token, { query: short });
    await end(begun);
    await expect.poll(() => listening.code, ending).toBeGreaterThan(0);
    expect(listening.reason ?? listening.errors[0].extensions.reason).toBe('api_key_invalid');
    const { length } = listening.events;
    await rename(world.customer, 'Nobody hears');
    expect(listening.events).toHaveLength(length);
    const again = listenAs(listenBy, begun.token);
    await expect.poll(() => again.code).toBeGreaterThan(0);
    expect(again.events).toEqual([]);
    if (again.headers) expect(again.headers.get('access-control-allow-origin')).toBe(page);
  });
});

it('ends when the customer is deleted', async () => {
  const { createCustomer: customer } = await client.graphql(
    'mutation { createCustomer(input: { email: "a@b.example", firstName: "A", lastName: "B", associatedId: "gone" }) { id } }',
  );
  const { token } = await begin(customer.id);
  const all = await Promise.all(transports.map(([, listenBy]) => start(listenBy, token, { query: short })));
  await client.graphql(
    'mutation ($id: ID!) { deleteCustomer(id: $id, input: { associatedId: "gone" }) { id } }',
    {
      id: customer.id,
    },
  );
  for (const listening of all) await expect.poll(() => listening.code, ending).toBeGreaterThan(0);
});

describe('what is told', () => {
  it('is no change of fields that customers do not see, and no draft', async () => {
    const listening = await start(listenBySocket, (await begin()).token);
    await client.graphql(
      'mutation ($id: ID!) { updateCustomer(id: $id, input: { metadata: { score: "bad" }, taxExempt: true }) { id } }',
      { id: world.customer },
    );
    const { createInvoice: draft } = await client.graphql(
      `mutation ($id: ID!) { createInvoice(
        input: { customerId: $id, items: [{ amount: { decimal: "1", currency: "afn" }, description: "x" }], collect: send_invoice, draft: true }
      ) { id } }`,
      { id: world.customer },
    );
    await rename(world.customer, 'Last');
    await expect.poll(() => listening.events.length).toBeGreaterThan(1);
    expect(kinds(listening)).toEqual(['started', 'customer']);
    expect(JSON.stringify(listening.events)).not.toContain(draft.id);
    await client.graphql('mutation ($id: ID!) { finalizeInvoice(id: $id) { id } }', { id: draft.id });
    await expect
      .poll(() => listening.events.at(-1))
      .toMatchObject({
        kind: 'invoice',
        invoice: { id: draft.id, status: 'open', total: { decimal: '1.00' } },
      });
  });

  it('is no part of the portal that is off, from the moment on at which it is', async () => {
    const { token } = await begin();
    const listening = await start(listenBySocket, token);
    const details = await start(listenBySocket, token, { query: short });
    await setTenant({ portal: { invoices: false } });
    await expect.poll(() => listening.code, ending).toBe(4401);
    expect([listening.reason, details.code]).toEqual(['action_not_allowed', undefined]);
    const again = listenAs(listenBySocket, token);
    await expect
      .poll(() => again.errors[0]?.extensions)
      .toMatchObject({
        reason: 'action_not_allowed',
        issues: [{ path: 'portal.invoices' }],
      });
    await setTenant({ portal: { invoices: true } });
  });

  it('is nothing to a secret key', async () => {
    const listening = listenAs(listenBySocket, '', {
      origin: null,
      parameters: { 'api-key': client.apiKey },
    });
    await expect
      .poll(() => listening.errors[0]?.extensions)
      .toMatchObject({
        reason: 'validation_failed',
        issues: [{ path: 'authorization' }],
      });
  });
});

describe('a connection', () => {
  it.each([
    ['a secret key in a page', () => ({ 'api-key': client.apiKey }), 'secret_key_in_browser'],
    ['a secret key as a bearer', () => ({ authorization: `Bearer ${client.apiKey}` }), 'api_key_missing'],
    ['a token as an API key of nobody', () => ({ 'api-key': 'prn_cs_acme_x' }), 'api_key_invalid'],
    ['a list', () => ({ authorization: ['Bearer x'] }), 'api_key_missing'],
    ['an object', () => ({ authorization: { toString: 'x' } }), 'api_key_missing'],
    ['nothing', () => ({}), 'api_key_missing'],
    [
      'a key of the prototype',
      () => JSON.parse('{"__proto__":{"authorization":"Bearer x"}}'),
      'api_key_missing',
    ],
    ['the header of the console', () => ({ 'perennial-console': '1' }), 'csrf_refused'],
  ])('is refused for hostile parameters: %s', async (_, parameters, reason) => {
    const listening = listenAs(listenBySocket, (await begin()).token, { parameters: parameters() });
    await expect.poll(() => listening.code).toBeGreaterThan(0);
    expect([listening.code, listening.reason]).toEqual([4401, reason]);
    expect(listening.events).toEqual([]);
  });

  it('has limits by session and by address, which let fifty at once through', async () => {
    const sessions = await Promise.all(Array.from({ length: 11 }, () => begin()));
    const fifty = sessions
      .slice(0, 5)
      .flatMap(({ token }) =>
        Array.from({ length: 10 }, () => listenAs(listenBySocket, token, { query: short })),
      );
    await expect.poll(() => fifty.filter(({ events }) => events.length === 1).length).toBe(50);
    const eleventh = listenAs(listenBySocket, sessions[0]!.token);
    await expect.poll(() => eleventh.code).toBe(4429);
    await rename(world.customer, 'Everywhere');
    await expect.poll(() => fifty.filter(({ events }) => events.length === 2).length).toBe(50);
    const hundred = sessions
      .slice(5, 10)
      .flatMap(({ token }) =>
        Array.from({ length: 10 }, () => listenAs(listenBySocket, token, { query: short })),
      );
    await expect.poll(() => hundred.filter(({ events }) => events.length === 1).length).toBe(50);
    const next = listenAs(listenBySocket, sessions[10]!.token);
    await expect.poll(() => next.code).toBe(4429);
    fifty[0]!.stop();
    // The server notices the end of a connection a moment later.
    const served = () => {
      const retried = listenAs(listenBySocket, sessions[10]!.token, { query: short });
      return expect.poll(() => retried.code ?? retried.events.length).toBe(1);
    };
    await expect
      .poll(
        async () =>
          served().then(
            () => true,
            () => false,
          ),
        { timeout: 5000 },
      )
      .toBe(true);
  });

  it('is preceded by a preflight at both paths of event streams', async () => {
    for (const path of ['/graphql', '/graphql/stream']) {
      const preflight = { origin: page, 'access-control-request-method': 'POST' };
      const answer = await fetch(url + path, { method: 'OPTIONS', headers: preflight });
      expect([answer.status, answer.headers.get('access-control-allow-headers')]).toEqual([
        204,
        expect.stringContaining('authorization'),
      ]);
      expect((await fetch(url + path, { method: 'OPTIONS' })).status).toBe(405);
    }
  });
});

describe('another server on the database', () => {
  let beside: Service;
  const write = <T>(rule: (unit: UnitOfWork) => Promise<T>) =>
    transact(beside, 'acme', { traceId: 'f'.repeat(32), executorId: 'beside' }, rule);
  beforeAll(async () => {
    const config = readConfig({ database: app.database, databaseConnections: '4', logLevel: 'silent' }, {});
    beside = await openService(config, false, { clock });
  });
  afterAll(() => beside.store.close());

  it('has its changes told, and ends sessions', async () => {
    const begun = await begin();
    const listening = await start(listenBySocket, begun.token);
    await write((unit) => updateCustomer(unit, world.customer, undefined, { firstName: 'Beside' }));
    await expect
      .poll(() => listening.events.at(-1)?.viewer.customer.firstName, { timeout: 3000 })
      .toBe('Beside');
    await write((unit) => revokeCustomerSession(unit, begun.session.id, new Date().toISOString()));
    await expect.poll(() => listening.code, ending).toBe(4401);
  });
});
