/** The evidence of checked VAT ids, who checks them without being told, and what they are asked about again. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../../src/app/app.ts';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { checkDueVatIds } from '../../../src/billing/tax/vatIdChecks.ts';
import { readConfig } from '../../../src/config/config.ts';
import { createVies } from '../../../src/providers/vies.ts';
import { openScheduledTenant } from '../../../src/tenancy/openTenant.ts';
import { findTenant } from '../../../src/tenancy/tenants.ts';
import { startApp, testSecretKey, type TestApp } from '../../support/app.ts';
import { openBooks, type Books } from '../../support/books.ts';
import { engine } from '../../support/engines.ts';
import { findFaults } from '../../support/faults.ts';
import { billText, readInvoices, taxDocuments } from '../../support/taxes.ts';
import { createFrenchVatId, startVies, type Behaviour, type FakeVies } from '../../support/vies.ts';

const settings = { rateLimitPerSecond: '100000' };
const quick = { timeoutMs: 1_500, firstPauseMs: 0, cachedForMs: 0 };
let vies: FakeVies;
let app: TestApp;
beforeAll(async () => {
  vies = await startVies();
  app = await startApp({ ...settings, viesUrl: vies.url }, { vies: quick });
});
afterAll(async () => {
  await app.close();
  vies.close();
});

type Policy = 'draft' | 'rate' | 'accept';
const update = 'mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { vatIdCheck } }';
const seller = {
  legalName: 'Perennial GmbH',
  address: { country: 'DE' },
  taxIds: [{ type: 'eu_vat', value: 'DE136695976' }],
};

async function openSelling(vatIdCheck: Policy): Promise<Books> {
  const books = await openBooks(app, '2026-06-01');
  await books.client.graphql(update, { input: { seller, vatIdCheck } });
  return books;
}

const change = ({ client }: Books, id: string, input: object) =>
  client.graphql(
    'mutation ($id: ID!, $input: UpdateCustomerInput!) { updateCustomer(id: $id, input: $input) { id } }',
    { id, input },
  );
const check = ({ client }: Books, id: string) =>
  client.graphql('mutation ($id: ID!) { checkVatId(id: $id) { vatIdCheck { status } } }', { id });

async function french(books: Books, behaviour: Behaviour) {
  const customer = await books.shop.customer();
  const vatId = createFrenchVatId();
  vies.set(vatId, behaviour);
  await change(books, customer.id, {
    address: { country: 'FR' },
    taxIds: [{ type: 'eu_vat', value: vatId }],
  });
  return { ...customer, vatId };
}

const answerFields = 'vatId status checkedAt consultation requester name address';
const readEvidence = async ({ client }: Books, id: string): Promise<any[]> =>
  (
    await client.graphql(
      `query ($id: ID!) { customer(id: $id) { vatIdEvidence(first: 100) { nodes { ${answerFields} } } } }`,
      { id },
    )
  ).customer.vatIdEvidence.nodes;
const readCheck = async ({ client }: Books, id: string) =>
  (await client.graphql('query ($id: ID!) { customer(id: $id) { vatIdCheck { status } } }', { id })).customer
    .vatIdCheck;
const listBy = async ({ client }: Books, status: string): Promise<string[]> =>
  (
    await client.graphql(
      'query ($status: VatIdCheckStatus) { customers(vatIdStatus: $status, first: 100, order: ASC) { totalCount nodes { id } } }',
      { status },
    )
  ).customers.nodes.map(({ id }: any) => id);
const bills = async (books: Books, customer: { id: string }) =>
  (await readInvoices(books, customer)).map(billText);
const [taxed, reversed] = ['120: cycle 100 +20', '100: cycle 100 +0'];
const work = () => runDueWork(app.service, pino({ level: 'silent' }));
const listEvents = async ({ alias }: Books, resourceId: string) =>
  (
    await app.service.store.committed.select('traces', {
      where: { tenantAlias: alias, resourceId },
      orderBy: ['eventId'],
    })
  )
    .map(({ payload }) => String(payload['action']))
    .filter((action) => action.startsWith('vat_id_'));

describe('the setting of a new tenant', () => {
  it('is to keep a draft on a server with VIES, and nothing for a test tenant or without VIES', async () => {
    const without = await startApp();
    const read = async (on: TestApp, alias: string, test: boolean) =>
      (await (await on.tenant({ alias, test })).graphql('{ tenant { vatIdCheck } }')).tenant.vatIdCheck;
    expect(await read(app, 'live', false)).toBe('draft');
    expect(await read(app, 'try', true)).toBeNull();
    expect(await read(without, 'live', false)).toBeNull();
    await without.close();
  });
});

it.each<[Behaviour, string]>([
  ['valid', reversed],
  ['silent', reversed],
  ['failing', reversed],
  ['invalid', taxed],
])('accept: a bill while VIES is %s', async (behaviour, expected) => {
  const books = await openSelling('accept');
  const customer = await french(books, behaviour);
  await books.subscribe(customer, await books.plan(100));
  expect(await bills(books, customer)).toEqual([expected]);
  vies.set(customer.vatId, 'invalid');
  await books.advance('2026-10-01');
  expect((await bills(books, customer)).at(-1)).toBe(taxed);
  expect(await findFaults(app, books.alias)).toEqual([]);
});

describe('the evidence', () => {
  it.each<[Behaviour, object | undefined]>([
    ['valid', { status: 'valid', name: 'ACME SAS', address: '1 RUE DE LA PAIX 75002 PARIS' }],
    ['private', { status: 'valid', name: null, address: null }],
    ['invalid', { status: 'invalid', name: null, address: null }],
    ['malformed', { status: 'invalid', consultation: null, name: null, address: null }],
    ['hostile', { consultation: 'WAPI -1', name: `a <b> ${'x'.repeat(294)}`, address: null }],
    ['silent', undefined],
    ['garbage', undefined],
  ])('of an answer of a register that is %s', async (behaviour, expected) => {
    const books = await openSelling('rate');
    const { id, vatId } = await french(books, behaviour);
    await check(books, id);
    const evidence = await readEvidence(books, id);
    if (!expected) return expect(evidence).toEqual([]);
    expect(evidence).toEqual([
      {
        vatId,
        status: 'valid',
        checkedAt: '2026-06-01T00:00:00.000Z',
        consultation: `WAPI-${vatId.slice(2)}`,
        requester: 'DE136695976',
        ...expected,
      },
    ]);
    expect(await findFaults(app, books.alias)).toEqual([]);
  });

  it('has every answer, about earlier ids, too, and is removed with the data of its customer', async () => {
    const books = await openSelling('rate');
    const { id, vatId } = await french(books, 'valid');
    await check(books, id);
    const next = createFrenchVatId();
    vies.set(next, 'invalid');
    await change(books, id, { taxIds: [{ type: 'eu_vat', value: next }] });
    await Promise.all(Array.from({ length: 50 }, () => check(books, id)));
    const evidence = await readEvidence(books, id);
    expect(evidence.at(-1)).toMatchObject({ vatId, status: 'valid' });
    expect(evidence.length).toBeGreaterThan(1);
    expect(evidence.slice(0, -1).every((each) => each.vatId === next && each.status === 'invalid')).toBe(
      true,
    );
    expect(await findFaults(app, books.alias)).toEqual([]);
    await books.client.graphql('mutation ($id: ID!) { eraseCustomer(id: $id) { id } }', { id });
    expect(await readEvidence(books, id)).toEqual([]);
    expect(await listBy(books, 'invalid')).toEqual([]);
    expect(await app.backdoor.dump(books.alias)).not.toMatch(/ACME SAS|RUE DE LA PAIX|WAPI-/);
  });

  it('is for the keys of its tenant alone', async () => {
    const [books, other] = [await openSelling('rate'), await openSelling('rate')];
    const { id } = await french(books, 'valid');
    await check(books, id);
    const text = 'query ($id: ID!) { customer(id: $id) { vatIdEvidence { nodes { name } } } }';
    const { body } = await other.client.post(text, { id });
    expect(body.errors[0].extensions.reason).toBe('customer_not_found');
  });
});

it('lists customers by the status of their ids', async () => {
  const books = await openSelling('rate');
  const [known, unknown, waiting] = [
    await french(books, 'valid'),
    await french(books, 'invalid'),
    await french(books, 'silent'),
  ];
  const all = [known, unknown, waiting].map(({ id }) => id);
  expect(await listBy(books, 'unavailable')).toEqual(all);
  await work();
  expect(await listBy(books, 'valid')).toEqual([known.id]);
  expect(await listBy(books, 'invalid')).toEqual([unknown.id]);
  expect(await listBy(books, 'unavailable')).toEqual([waiting.id]);
  await change(books, unknown.id, { taxIds: [] });
  await change(books, known.id, { address: { country: 'DE' } });
  expect(await listBy(books, 'invalid')).toEqual([]);
  expect(await findFaults(app, books.alias)).toEqual([]);
});

describe('an id that was confirmed', () => {
  it('is asked about again each quarter for an active customer, and an answer decides the next bill', async () => {
    const books = await openSelling('rate');
    const yearly = await books.plan(1000, { recurring: { frequency: 'Yearly' } });
    const [customer, gone] = [await french(books, 'valid'), await french(books, 'valid')];
    const subscription = await books.subscribe(customer, yearly);
    await books.run('cancelSubscription(id: $id)', await books.subscribe(gone, yearly));
    await books.advance('2026-08-15');
    await work();
    expect(vies.about(customer.vatId)).toHaveLength(1);
    vies.set(customer.vatId, 'invalid');
    await books.advance('2026-09-01');
    await work();
    await work();
    expect(vies.about(customer.vatId)).toHaveLength(2);
    expect(vies.about(gone.vatId)).toHaveLength(1);
    expect(await listBy(books, 'invalid')).toEqual([customer.id]);
    expect((await readEvidence(books, customer.id)).map(({ status }) => status)).toEqual([
      'invalid',
      'valid',
    ]);
    expect(await listEvents(books, customer.id)).toEqual(['vat_id_invalid']);
    const { forecast } = await books.client.graphql(taxDocuments.forecast, {
      id: subscription,
      until: '2027-06-02T00:00:00Z',
    });
    expect(forecast.map(billText)).toEqual(['1200: cycle 1000 +200']);
    expect(await bills(books, customer)).toEqual(['1000: cycle 1000 +0']);
    vies.set(customer.vatId, 'valid');
    await check(books, customer.id);
    expect(await listEvents(books, customer.id)).toEqual(['vat_id_invalid', 'vat_id_valid']);
    expect(await findFaults(app, books.alias)).toEqual([]);
  });

  it('stays so while VIES is down, and is asked about again after hours', async () => {
    const books = await openSelling('draft');
    const customer = await french(books, 'valid');
    await books.subscribe(customer, await books.plan(1000, { recurring: { frequency: 'Yearly' } }));
    vies.set(customer.vatId, 'state_unavailable');
    await books.advance('2026-09-01');
    await work();
    expect(await readCheck(books, customer.id)).toEqual({ status: 'valid' });
    const where = { tenantAlias: books.alias, id: customer.id };
    const [row] = await app.service.store.committed.select('customers', { where });
    expect(row!.vatIdCheckDueAt).toBe('2026-09-01T06:00:00.000Z');
    expect(await listEvents(books, customer.id)).toEqual([]);
  });

  it('is one of ten in a minute, spread over ten days, and never before ids without an answer', async () => {
    const books = await openSelling('rate');
    const price = await books.plan(1000, { recurring: { frequency: 'Yearly' } });
    const customers: { id: string; vatId: string }[] = [];
    for (let count = 0; count < 24; count += 1) {
      const customer = await french(books, 'valid');
      await books.subscribe(customer, price);
      customers.push(customer);
    }
    const rows = await app.service.store.committed.select('customers', {
      where: { tenantAlias: books.alias },
    });
    const days = rows.map(({ vatIdCheckDueAt }) => vatIdCheckDueAt!.slice(0, 10)).toSorted();
    expect(new Set(days).size).toBeGreaterThan(4);
    expect(days[0]! >= '2026-08-20' && days.at(-1)! <= '2026-08-30').toBe(true);
    await books.advance('2026-09-01');
    const fresh = await french(books, 'valid');
    const countAsked = () => customers.filter(({ vatId }) => vies.about(vatId).length > 1).length;
    const open = async () => openScheduledTenant(app.service, (await findTenant(app.service, books.alias))!);
    for (const [unknown, asked] of [
      [1, 10],
      [0, 20],
      [0, 24],
    ]) {
      const tenant = await open();
      expect(await checkDueVatIds(tenant, tenant.now())).toBe(unknown);
      expect(countAsked()).toBe(asked);
    }
    expect(vies.about(fresh.vatId)).toHaveLength(1);
  });

  it('is one of 60 in a minute of all tenants of a server', () => {
    let ms = 0;
    const register = createVies({ url: vies.url, clock: { nowMs: () => ms } });
    const taken = Array.from({ length: 8 }, () => register.takeRepeats(10));
    expect(taken).toEqual([10, 10, 10, 10, 10, 10, 0, 0]);
    ms = 60_000;
    expect(register.takeRepeats(10)).toBe(10);
  });
});

// SQLite has one server.
it.runIf(engine === 'postgres')('is asked about by one of two servers', async () => {
  const config = readConfig(
    {
      ...settings,
      viesUrl: vies.url,
      database: app.database,
      databaseConnections: '4',
      logLevel: 'silent',
      secretKey: testSecretKey,
    },
    {},
  );
  const other = await createApp(config, { scheduler: false, vies: quick });
  const books = await openSelling('rate');
  const customers = [];
  for (let count = 0; count < 50; count += 1) customers.push(await french(books, 'valid'));
  await Promise.all(
    [app, other].map(async ({ service }) => {
      const tenant = openScheduledTenant(service, (await findTenant(service, books.alias))!);
      await checkDueVatIds(tenant, tenant.now());
    }),
  );
  expect(customers.map(({ vatId }) => vies.about(vatId).length)).toEqual(customers.map(() => 1));
  expect(await listBy(books, 'valid')).toEqual(customers.map(({ id }) => id));
  expect(await findFaults(app, books.alias)).toEqual([]);
  await other.close();
});
