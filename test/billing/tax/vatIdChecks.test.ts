/** VAT ids that VIES has to confirm before reverse charge, against a server with its interface. */
import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runDueWork, startScheduler } from '../../../src/app/scheduler.ts';
import { createVies } from '../../../src/providers/vies.ts';
import { Queries } from '../../../src/storage/query/queries.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { stoppedClock } from '../../support/clock.ts';
import { openBooks, type Books } from '../../support/books.ts';
import { findFaults } from '../../support/faults.ts';
import { afn } from '../../support/oneOff.ts';
import { billText, readInvoices, taxDocuments } from '../../support/taxes.ts';
import { createFrenchVatId, startVies, type Behaviour, type FakeVies } from '../../support/vies.ts';

let vies: FakeVies;
let app: TestApp;
beforeAll(async () => {
  vies = await startVies();
  app = await startApp(
    { rateLimitPerSecond: '100000', viesUrl: vies.url },
    { vies: { timeoutMs: 1_500, firstPauseMs: 0, cachedForMs: 0 } },
  );
});
afterAll(async () => {
  await app.close();
  vies.close();
});

const setTenant = ({ client }: Pick<Books, 'client'>, input: object) =>
  client.post('mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { vatIdCheck } }', {
    input,
  });

type Mode = 'draft' | 'rate';
const seller = {
  legalName: 'Perennial GmbH',
  address: { country: 'DE' },
  taxIds: [{ type: 'eu_vat', value: 'DE136695976' }],
};

async function openChecking(mode: Mode | null, on = app) {
  const books = await openBooks(on, '2026-06-01');
  const { body } = await setTenant(books, { seller, vatIdCheck: mode });
  expect(body.errors).toBeUndefined();
  return books;
}

/** A clock that a test sets, in milliseconds. */
function createClock() {
  let ms = 0;
  return { nowMs: () => ms, set: (to: number) => (ms = to) };
}

const checked = 'id vatIdCheck { value status checkedAt consultation }';
const update = async ({ client }: Books, id: string, input: object) =>
  (
    await client.graphql(
      `mutation ($id: ID!, $input: UpdateCustomerInput!) { updateCustomer(id: $id, input: $input) { ${checked} } }`,
      { id, input },
    )
  ).updateCustomer;
const check = async ({ client }: Books, id: string) =>
  (await client.graphql(`mutation ($id: ID!) { checkVatId(id: $id) { ${checked} } }`, { id })).checkVatId;
const read = async ({ client }: Books, id: string) =>
  (await client.graphql(`query ($id: ID!) { customer(id: $id) { ${checked} } }`, { id })).customer;

/** A French company with a VAT id of its own, for which VIES behaves as given. */
async function french(books: Books, behaviour: Behaviour) {
  const customer = await books.shop.customer();
  const vatId = createFrenchVatId();
  vies.set(vatId, behaviour);
  await update(books, customer.id, {
    address: { country: 'FR' },
    taxIds: [{ type: 'eu_vat', value: vatId }],
  });
  return { ...customer, vatId };
}

const bills = async (books: Books, customer: { id: string }) =>
  (await readInvoices(books, customer)).map((invoice) => `${invoice.status} ${billText(invoice)}`);

const expectSound = async ({ alias }: Books) => expect(await findFaults(app, alias)).toEqual([]);
const [taxed, reversed] = ['120: cycle 100 +20', '100: cycle 100 +0'];

describe('a question', () => {
  const table: [Behaviour, 'valid' | 'invalid' | 'unavailable'][] = [
    ['valid', 'valid'],
    ['invalid', 'invalid'],
    ['malformed', 'invalid'],
    ['state_unavailable', 'unavailable'],
    ['busy', 'unavailable'],
    ['failing', 'unavailable'],
    ['garbage', 'unavailable'],
    ['huge', 'unavailable'],
    ['other_id', 'unavailable'],
    ['user_error', 'unavailable'],
    ['redirect', 'unavailable'],
    ['reset', 'unavailable'],
    ['silent', 'unavailable'],
  ];
  it.each(table)('to a register that is %s', async (behaviour, status) => {
    const books = await openChecking('rate');
    const { id, vatId } = await french(books, behaviour);
    expect(await check(books, id)).toEqual({
      id,
      vatIdCheck: {
        value: vatId,
        status,
        checkedAt: '2026-06-01T00:00:00.000Z',
        consultation: behaviour === 'valid' || behaviour === 'invalid' ? `WAPI-${vatId.slice(2)}` : null,
      },
    });
    expect(vies.about(vatId)).toEqual([
      {
        countryCode: 'FR',
        vatNumber: vatId.slice(2),
        requesterMemberStateCode: 'DE',
        requesterNumber: '136695976',
      },
    ]);
  });

  it('is repeated without a seller whom VIES does not know', async () => {
    const books = await openChecking('rate');
    vies.refuseRequester('DE113298780');
    const unknown = { ...seller, taxIds: [{ type: 'eu_vat', value: 'DE113298780' }] };
    await setTenant(books, { seller: unknown });
    const { id, vatId } = await french(books, 'valid');
    expect((await check(books, id)).vatIdCheck).toMatchObject({ status: 'valid', consultation: null });
    expect(vies.about(vatId).map(({ requesterNumber }) => requesterNumber)).toEqual(['113298780', undefined]);
  });

  it('is one for 50 at once, and its answer is used again for a minute', async () => {
    const clock = createClock();
    const register = createVies({ url: vies.url, clock });
    const [vatId, busy] = [createFrenchVatId(), createFrenchVatId()];
    await Promise.all(Array.from({ length: 50 }, () => register.ask(vatId)));
    await register.ask(vatId);
    expect(vies.about(vatId)).toHaveLength(1);
    clock.set(61_000);
    await register.ask(vatId);
    expect(vies.about(vatId)).toHaveLength(2);
    vies.set(busy, 'busy');
    const askTwice = async () => [await register.ask(busy), await register.ask(busy)];
    const unavailable = { status: 'unavailable', consultation: null, name: null, address: null };
    expect(await askTwice()).toEqual([unavailable, unavailable]);
    expect(vies.about(busy)).toHaveLength(1);
    // The pauses double: 5 seconds, then 10.
    for (const [ms, asked] of [
      [4999, 1],
      [5000, 2],
      [14_999, 2],
      [15_000, 3],
    ] as const) {
      clock.set(61_000 + ms);
      await askTwice();
      expect(vies.about(busy), String(ms)).toHaveLength(asked);
    }
    expect((await register.ask('IT00000010215')).status).toBe('valid');
  });

  it('on request is asked at once, during the pause of its member state too, 60 times a minute by a tenant', async () => {
    const paused = await startApp(
      { rateLimitPerSecond: '100000', viesUrl: vies.url },
      { clock: stoppedClock('2026-06-01T00:00:00Z'), vies: { timeoutMs: 300 } },
    );
    try {
      const [books, other] = [await openChecking('rate', paused), await openChecking('rate', paused)];
      const customers = [await french(books, 'state_unavailable'), await french(other, 'valid')] as const;
      const [{ id, vatId }, neighbour] = customers;
      expect((await check(books, id)).vatIdCheck.status).toBe('unavailable');
      for (const answer of ['state_unavailable', 'valid', 'invalid'] as const) {
        vies.set(vatId, answer);
        const expected = answer === 'state_unavailable' ? 'unavailable' : answer;
        expect((await check(books, id)).vatIdCheck.status).toBe(expected);
      }
      for (let asked = 4; asked < 60; asked++) await check(books, id);
      expect(vies.about(vatId)).toHaveLength(60);
      const refused = await books.client.post('mutation ($id: ID!) { checkVatId(id: $id) { id } }', {
        id,
      });
      expect(refused.body.errors[0].extensions).toMatchObject({ reason: 'rate_limited' });
      expect(vies.about(vatId)).toHaveLength(60);
      expect((await check(other, neighbour.id)).vatIdCheck.status).toBe('valid');
    } finally {
      await paused.close();
    }
  });

  it('on request does not make the pause longer, and shares the call of an equal question', async () => {
    const clock = createClock();
    const register = createVies({ url: vies.url, clock });
    const busy = createFrenchVatId();
    vies.set(busy, 'busy');
    await Promise.all(Array.from({ length: 50 }, () => register.askNow('acme', busy)));
    expect(vies.about(busy)).toHaveLength(1);
    for (let nth = 0; nth < 5; nth++) await register.askNow('acme', busy);
    expect(vies.about(busy)).toHaveLength(6);
    clock.set(4999);
    await register.ask(busy);
    expect(vies.about(busy)).toHaveLength(6);
    clock.set(5000);
    await register.ask(busy);
    expect(vies.about(busy)).toHaveLength(7);
    vies.set(busy, 'valid');
    expect((await register.askNow('acme', busy)).status).toBe('valid');
    expect((await register.ask(createFrenchVatId())).status).toBe('valid');
  });

  it('may be asked by 50 requests at once, and each tenant has the answer only for its own customer', async () => {
    const [books, other] = [await openChecking('rate'), await openChecking('rate')];
    const { id, vatId } = await french(books, 'valid');
    const twin = await other.shop.customer();
    await update(other, twin.id, { address: { country: 'FR' }, taxIds: [{ type: 'eu_vat', value: vatId }] });
    const answers = await Promise.all(Array.from({ length: 50 }, () => check(books, id)));
    expect(new Set(answers.map(({ vatIdCheck }) => vatIdCheck.status))).toEqual(new Set(['valid']));
    expect((await read(other, twin.id)).vatIdCheck).toBeNull();
  });

  it('is not asked where no tax depends on it', async () => {
    const off = await openChecking(null);
    const { id, vatId } = await french(off, 'valid');
    expect((await check(off, id)).vatIdCheck).toBeNull();
    const books = await openChecking('draft');
    for (const details of [
      { address: { country: 'DE' }, taxIds: [{ type: 'eu_vat', value: 'DE113298780' }] },
      { address: { country: 'FR' }, taxIds: [{ type: 'eu_vat', value: 'DE113298780' }] },
      { address: { country: 'US' }, taxIds: [{ type: 'us_ein', value: '12-3456789' }] },
      { address: { country: 'FR' }, taxExempt: true, taxIds: [{ type: 'eu_vat', value: 'FR00300076965' }] },
      { address: { country: 'FR' } },
    ]) {
      const customer = await books.shop.customer();
      await update(books, customer.id, details);
      expect((await check(books, customer.id)).vatIdCheck).toBeNull();
      await books.subscribe(customer, await books.plan(100));
      expect((await bills(books, customer))[0]).toMatch(/^paid/);
    }
    await runDueWork(app.service, pino({ level: 'silent' }));
    for (const each of [vatId, 'DE113298780', 'FR00300076965']) expect(vies.about(each)).toEqual([]);
  });

  it('is asked soon after an id is saved, and again while VIES does not answer', async () => {
    const books = await openChecking('rate');
    const log = pino({ level: 'silent' });
    const { id, vatId } = await french(books, 'state_unavailable');
    await runDueWork(app.service, log);
    const { vatIdCheck } = await read(books, id);
    expect(vatIdCheck).toMatchObject({ value: vatId, status: 'unavailable' });
    vies.set(vatId, 'valid');
    await runDueWork(app.service, log);
    expect((await read(books, id)).vatIdCheck).toEqual(vatIdCheck);
    await books.advance('2026-06-02');
    await runDueWork(app.service, log);
    expect((await read(books, id)).vatIdCheck).toMatchObject({
      status: 'valid',
      checkedAt: '2026-06-02T00:00:00.000Z',
    });
    await runDueWork(app.service, log);
    expect(vies.about(vatId)).toHaveLength(2);
  });
});

it('the scheduler looks for ids once a minute, and not at all for tenants without the setting', async () => {
  const clock = stoppedClock('2026-06-01T00:00:00Z');
  const own = await startApp({ viesUrl: vies.url }, { clock });
  const select = vi.spyOn(Queries.prototype, 'select');
  const countReads = (table: string, column = 'alias') =>
    select.mock.calls.flatMap(([name, { where }]) =>
      name === table && (table === 'tenants' || Object.hasOwn(where ?? {}, column)) ? [where] : [],
    );
  const waitForRounds = async (count: number) => {
    const most = countReads('tenants').length + count;
    while (countReads('tenants').length <= most) await setTimeout(20);
  };
  try {
    const [books] = [await openChecking('rate', own), await openChecking(null, own)];
    const { id, vatId } = await french(books, 'valid');
    select.mockClear();
    const scheduler = startScheduler(own.service, pino({ level: 'silent' }), 60_000);
    await expect.poll(async () => (await read(books, id)).vatIdCheck?.status).toBe('valid');
    const looks = () => countReads('customers', 'vatIdCheckDueAt');
    await waitForRounds(2);
    // One look finds the id, and the next one nothing; each is a query for a status.
    expect(looks()).toHaveLength(6);
    clock.advance(60_000);
    await waitForRounds(2);
    await scheduler.stop();
    expect(looks()).toHaveLength(9);
    for (const where of looks()) expect(where).toMatchObject({ tenantAlias: books.alias });
    expect(vies.about(vatId)).toHaveLength(1);
  } finally {
    select.mockRestore();
    await own.close();
  }
});

describe.each<Mode>(['rate', 'draft'])('with the setting %s', (mode) => {
  const table: [string, Behaviour, string][] = [
    ['a confirmed id is charged in reverse', 'valid', `paid ${reversed}`],
    ['an unknown id is taxed', 'invalid', `paid ${taxed}`],
    // The payer pays at once.
    ['an id without an answer is taxed', 'silent', `paid ${taxed}`],
  ];
  it.each(table)('the first bill: %s', async (_, behaviour, expected) => {
    const books = await openChecking(mode);
    const customer = await french(books, behaviour);
    await books.subscribe(customer, await books.plan(100));
    expect(await bills(books, customer)).toEqual([expected]);
    expect(vies.about(customer.vatId)).toHaveLength(1);
    await expectSound(books);
  });

  it('the next bill follows the answer about the present id', async () => {
    const books = await openChecking(mode);
    const customer = await french(books, 'valid');
    const subscription = await books.subscribe(customer, await books.plan(100));
    const vatId = createFrenchVatId();
    vies.set(vatId, 'invalid');
    const { vatIdCheck } = await update(books, customer.id, { taxIds: [{ type: 'eu_vat', value: vatId }] });
    expect(vatIdCheck).toBeNull();
    const forecast = async () =>
      (
        await books.client.graphql(taxDocuments.forecast, { id: subscription, until: '2026-07-02T00:00:00Z' })
      ).forecast.map(billText);
    expect(await forecast()).toEqual([taxed]);
    await books.advance('2026-07-01');
    vies.set(vatId, 'valid');
    await books.advance('2026-08-01');
    expect(await bills(books, customer)).toEqual([`paid ${reversed}`, `paid ${taxed}`, `paid ${reversed}`]);
    await expectSound(books);
  });

  it('a failure does not undo a known answer, which is asked for again after 90 days', async () => {
    const books = await openChecking(mode);
    const customer = await french(books, 'valid');
    await books.subscribe(customer, await books.plan(100));
    vies.set(customer.vatId, 'silent');
    await books.advance('2026-08-15');
    expect(vies.about(customer.vatId)).toHaveLength(1);
    await books.advance('2026-09-01');
    expect(vies.about(customer.vatId)).toHaveLength(2);
    expect(await bills(books, customer)).toEqual(Array.from({ length: 4 }, () => `paid ${reversed}`));
    vies.set(customer.vatId, 'invalid');
    await books.advance('2026-10-01');
    expect((await bills(books, customer)).at(-1)).toBe(`paid ${taxed}`);
    await expectSound(books);
  });
});

const createInvoice = async ({ client }: Books, customerId: string, more = {}) =>
  (
    await client.graphql(
      `mutation ($customerId: ID!, $items: [OneOffChargeInput!]!, $draft: Boolean) {
        createInvoice(input: { customerId: $customerId, items: $items, collect: send_invoice, draft: $draft }) {
          id status finalizeAt documentNumber tax { amount }
        }
      }`,
      { customerId, items: [{ amount: afn(100), description: 'Work' }], ...more },
    )
  ).createInvoice;

describe('a bill while VIES does not answer', () => {
  it('takes the rate, with the setting rate', async () => {
    const books = await openChecking('rate');
    const customer = await french(books, 'silent');
    await books.subscribe(customer, await books.plan(100));
    await books.advance('2026-07-01');
    expect(await createInvoice(books, customer.id)).toMatchObject({ status: 'open', tax: { amount: 20 } });
    vies.set(customer.vatId, 'valid');
    await books.advance('2026-08-01');
    expect(await bills(books, customer)).toEqual([
      `paid ${taxed}`,
      `paid ${taxed}`,
      'open 120: item 100 +20',
      `paid ${reversed}`,
    ]);
    await expectSound(books);
  });

  it.each<[Behaviour, string, number]>([
    ['valid', reversed, 0],
    ['invalid', taxed, 20],
  ])('stays a draft, with the setting draft, until VIES says %s', async (answer, expected, tax) => {
    const books = await openChecking('draft');
    const customer = await french(books, 'state_unavailable');
    const subscription = await books.subscribe(customer, await books.plan(100));
    await books.advance('2026-07-01T12:00:00Z');
    expect((await bills(books, customer)).at(-1)).toBe(`draft ${taxed}`);
    expect(await books.subscription(subscription)).toMatchObject({ status: 'active', pastDueSince: null });
    const oneOff = await createInvoice(books, customer.id);
    expect(oneOff).toMatchObject({ status: 'draft', documentNumber: null });
    expect(oneOff.finalizeAt > '2026-07-01T12:00:00.000Z').toBe(true);
    vies.set(customer.vatId, answer);
    await books.advance('2026-07-02');
    const amounts = tax === 0 ? '100: item 100 +0' : '120: item 100 +20';
    expect(await bills(books, customer)).toEqual([`paid ${taxed}`, `paid ${expected}`, `open ${amounts}`]);
    await books.advance('2026-08-01');
    expect((await bills(books, customer)).at(-1)).toBe(`paid ${expected}`);
    await expectSound(books);
  });

  it('is finalized as soon as a check on request has an answer, also after finalizeInvoice', async () => {
    const books = await openChecking('draft');
    const customer = await french(books, 'silent');
    const { id } = await createInvoice(books, customer.id, { draft: true });
    const finalize = 'mutation ($id: ID!) { finalizeInvoice(id: $id) { status finalizeAt } }';
    const { finalizeInvoice } = await books.client.graphql(finalize, { id });
    expect(finalizeInvoice).toMatchObject({ status: 'draft' });
    expect(finalizeInvoice.finalizeAt).not.toBeNull();
    vies.set(customer.vatId, 'valid');
    expect((await check(books, customer.id)).vatIdCheck.status).toBe('valid');
    await runDueWork(app.service, pino({ level: 'silent' }));
    expect(await bills(books, customer)).toEqual(['open 100: item 100 +0']);
    await expectSound(books);
  });

  it('does not delay the bills of other customers', async () => {
    const books = await openChecking('draft');
    const plan = await books.plan(100);
    const customers = await Promise.all(
      (['silent', 'valid', 'invalid', 'silent', 'garbage', 'valid'] as const).map((each) =>
        french(books, each),
      ),
    );
    for (const customer of customers) await books.subscribe(customer, plan);
    await books.advance('2026-07-01');
    const last = await Promise.all(customers.map(async (each) => (await bills(books, each)).at(-1)));
    expect(last).toEqual([
      `draft ${taxed}`,
      `paid ${reversed}`,
      `paid ${taxed}`,
      `draft ${taxed}`,
      `draft ${taxed}`,
      `paid ${reversed}`,
    ]);
    for (const { vatId } of customers) vies.set(vatId, 'valid');
    await books.advance('2026-07-03');
    expect((await bills(books, customers[0])).at(-1)).toBe(`paid ${reversed}`);
    await expectSound(books);
  });
});

describe('the setting', () => {
  it('needs a server with the address of VIES', async () => {
    const plain = await startApp();
    try {
      const books = await openBooks(plain, '2026-06-01');
      const { body } = await setTenant(books, { vatIdCheck: 'draft' });
      expect(body.errors[0].extensions).toMatchObject({
        reason: 'validation_failed',
        issues: [{ path: 'vatIdCheck' }],
      });
    } finally {
      await plain.close();
    }
  });

  it('can be turned off: then the form of the id is enough, as before', async () => {
    const books = await openChecking('draft');
    const customer = await french(books, 'silent');
    await books.subscribe(customer, await books.plan(100));
    await books.advance('2026-07-01');
    await setTenant(books, { vatIdCheck: null });
    await books.advance('2026-07-03');
    expect(await bills(books, customer)).toEqual([`paid ${taxed}`, `paid ${reversed}`]);
    await expectSound(books);
  });

  it('is part of the erasure of a customer', async () => {
    const books = await openChecking('rate');
    const { id } = await french(books, 'valid');
    await check(books, id);
    await books.client.graphql('mutation ($id: ID!) { eraseCustomer(id: $id) { id } }', { id });
    expect((await read(books, id)).vatIdCheck).toBeNull();
    const dump = await app.backdoor.dump(books.alias);
    expect(dump).not.toContain('WAPI-');
  });
});
