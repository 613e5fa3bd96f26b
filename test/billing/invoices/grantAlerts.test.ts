/** Alerts of credit grants: an event tells once when less than an amount is left, and again after that much was left in between. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks } from '../../support/books.ts';
import { findFaults } from '../../support/faults.ts';
import { ask } from '../../support/oneOff.ts';
import { openUsageShop } from '../usage/shop.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '1000000' });
});
afterAll(() => app.close());

const afn = (amount: number, currency = 'afn') => ({ amount, currency });
const fields = 'id alertBelow { decimal currency } alertBelowCredits alertedBelowAt';

async function open() {
  const books = await openBooks(app, '2026-01-01');
  const { client } = books;
  const customer = await books.shop.customer();
  /** Returns the result, or the reason and the path of the error. */
  const run = async (document: string, variables: object): Promise<any> => {
    const { body } = await client.post(document, variables as any);
    const error = body.errors?.[0]?.extensions;
    return error ? `${error.reason} ${error.issues?.[0]?.path}` : Object.values(body.data)[0];
  };
  return {
    ...books,
    customer,
    grant: (input: object) =>
      run(`mutation ($input: CreateCreditGrantInput!) { createCreditGrant(input: $input) { ${fields} } }`, {
        input: {
          customerId: customer.id,
          name: 'Credit',
          amount: afn(10),
          category: 'promotional',
          ...input,
        },
      }),
    update: (id: string, input: object) =>
      run(
        `mutation ($id: ID!, $input: UpdateCreditGrantInput!) { updateCreditGrant(id: $id, input: $input) { ${fields} } }`,
        { id, input },
      ),
    find: (id: string) => run(`query ($id: ID!) { creditGrant(id: $id) { ${fields} } }`, { id }),
    bill: async (amount: number): Promise<any> =>
      ask(books, 'createInvoice', {
        customerId: customer.id,
        items: [{ amount: afn(amount), description: 'Work' }],
        collect: 'send_invoice',
      }),
    expectSound: async () => expect(await findFaults(app, books.alias)).toEqual([]),
  };
}
type Shop = Awaited<ReturnType<typeof open>>;

/** The events of low credit in order: `4 below 5`. */
async function listTold({ client }: Pick<Shop, 'client'>, type = 'credit_low'): Promise<string[]> {
  const { traces } = await client.graphql(
    '{ traces(activityType: CustomerEvent, order: ASC, first: 100) { nodes { event { type details } } } }',
  );
  return traces.nodes
    .filter(({ event }: any) => event.type === `CustomerEvent.${type}`)
    .map(({ event: { details: d } }: any) => `${d.amount ?? d.credits} below ${d.alertBelow}`);
}

describe('the alert of a grant', () => {
  it.each<[string, number[], string[]]>([
    ['at the amount', [5], []],
    ['just below it', [5.01], ['4.99 below 5']],
    ['once', [5, 1, 1, 1], ['4 below 5']],
    ['of all at once', [30], ['0 below 5']],
  ])('tells %s', async (_, bills, told) => {
    const shop = await open();
    const { id } = await shop.grant({ alertBelow: afn(5) });
    for (const amount of bills) await shop.bill(amount);
    expect(await listTold(shop)).toEqual(told);
    expect((await shop.find(id)).alertedBelowAt).toBe(told.length > 0 ? '2026-01-01T00:00:00.000Z' : null);
    await shop.expectSound();
  });

  it('tells again after that much came back, and not of another grant', async () => {
    const shop = await open();
    const { id } = await shop.grant({ alertBelow: afn(5), priority: 1 });
    await shop.bill(4);
    const unpaid = await shop.bill(20);
    expect(await listTold(shop)).toEqual(['0 below 5']);
    await ask(shop, 'voidInvoice', { id: unpaid.id });
    expect(await shop.find(id)).toMatchObject({ alertedBelowAt: null });
    await shop.bill(1.01);
    await shop.grant({ amount: afn(100) });
    await shop.bill(50);
    expect(await listTold(shop)).toEqual(['0 below 5', '4.99 below 5']);
    await shop.expectSound();
  });

  it('is set later: told at once if less is left, and not of a grant that has ended', async () => {
    const shop = await open();
    const { id } = await shop.grant({});
    await shop.bill(6);
    expect(await shop.update(id, { alertBelow: afn(4) })).toMatchObject({
      alertBelow: { decimal: '4.00', currency: 'afn' },
      alertedBelowAt: null,
    });
    expect(await listTold(shop)).toEqual([]);
    await shop.update(id, { alertBelow: afn(5) });
    await shop.update(id, { alertBelow: afn(5) });
    await shop.update(id, {});
    expect(await listTold(shop)).toEqual(['4 below 5']);
    expect(await listTold(shop, 'credit_changed')).toEqual(['4 below 4', '4 below 5']);
    expect(await shop.update(id, { alertBelow: null })).toMatchObject({
      alertBelow: null,
      alertedBelowAt: null,
    });
    await shop.bill(1);
    expect(await listTold(shop)).toHaveLength(1);
    const voided = await shop.grant({});
    await shop.client.graphql('mutation ($id: ID!) { voidCreditGrant(id: $id) { id } }', { id: voided.id });
    await shop.update(voided.id, { alertBelow: afn(5) });
    expect(await listTold(shop)).toHaveLength(1);
    await shop.expectSound();
  });

  it('is told of what a rollover keeps, and not of what expires', async () => {
    const shop = await open();
    const expiresAt = '2026-02-01';
    const rollover = { percent: '40', expiresAfter: { frequency: 'Monthly', period: 2 } };
    await shop.grant({ alertBelow: afn(5), expiresAt, rollover });
    await shop.grant({ alertBelow: afn(5), expiresAt });
    await shop.advance('2026-02-02');
    expect(await listTold(shop)).toEqual(['4 below 5']);
    await shop.expectSound();
    await shop.advance('2026-05-02');
    expect(await listTold(shop)).toEqual(['4 below 5']);
    await shop.expectSound();
  });

  it('is in credits for credits of a type', async () => {
    const usage = await openUsageShop(app);
    const meterId = await usage.meter({ groupBy: [] });
    const { createCreditType: type } = await usage.client.graphql(
      'mutation ($id: ID!) { createCreditType(input: { name: "Coins", rates: [{ meterId: $id, credits: "1" }] }) { id } }',
      { id: meterId },
    );
    const plan = await usage.plan(0, { price: { details: afn(1), meterId } });
    await usage.order(plan);
    const credits = { creditTypeId: type.id, amount: '100', currency: 'afn' };
    const document = `mutation ($input: CreateCreditGrantInput!) { createCreditGrant(input: $input) { ${fields} } }`;
    const input = { customerId: usage.customer.id, name: 'Coins', category: 'promotional', credits };
    const { createCreditGrant } = await usage.client.graphql(document, {
      input: { ...input, alertBelowCredits: '20.000001' },
    });
    expect(createCreditGrant).toMatchObject({ alertBelow: null, alertBelowCredits: '20.000001' });
    await usage.use(['2026-01-01', 80]);
    await usage.advance('2026-02-01T00:00:01.000Z');
    expect(await listTold(usage)).toEqual(['20 below 20.000001']);
    expect(await findFaults(app, usage.alias)).toEqual([]);
  });

  it('is told once by 20 bills at the same time', async () => {
    const shop = await open();
    await shop.grant({ alertBelow: afn(5) });
    await Promise.all(Array.from({ length: 20 }, () => shop.bill(0.5)));
    expect(await listTold(shop)).toEqual(['4.5 below 5']);
    await shop.expectSound();
  });
});

describe('the input', () => {
  it.each<[string, object, string]>([
    ['0', { alertBelow: afn(0) }, 'validation_failed alertBelow'],
    ['a negative amount', { alertBelow: afn(-1) }, 'validation_failed alertBelow.amount'],
    ['more than the amount', { alertBelow: afn(10.01) }, 'validation_failed alertBelow'],
    [
      'too many decimals',
      { alertBelow: { decimal: '1.001', currency: 'afn' } },
      'amount_precision alertBelow.decimal',
    ],
    ['another currency', { alertBelow: afn(1, 'usd') }, 'currency_mismatch alertBelow.currency'],
    ['no currency', { alertBelow: afn(1, 'nil') }, 'currency_unsupported alertBelow.currency'],
    ['no amount', { alertBelow: { currency: 'afn' } }, 'validation_failed alertBelow'],
    [
      'a huge amount',
      { alertBelow: { decimal: `1${'0'.repeat(300)}`, currency: 'afn' } },
      'validation_failed input.alertBelow.decimal',
    ],
    ['credits of money', { alertBelowCredits: '5' }, 'validation_failed alertBelowCredits'],
  ])('refuses %s', async (_, input, expected) => {
    const shop = await open();
    const { id } = await shop.grant({});
    expect(await shop.update(id, input)).toBe(expected);
    expect(await shop.grant(input)).toBe(expected);
    expect(await shop.find(id)).toMatchObject({ alertBelow: null, alertBelowCredits: null });
  });

  it.each<[string, object, string]>([
    ['money', { alertBelow: afn(1) }, 'validation_failed alertBelow'],
    ['0', { alertBelowCredits: '0' }, 'validation_failed alertBelowCredits'],
    ['13 decimals', { alertBelowCredits: '0.0000000000001' }, 'validation_failed'],
    ['7 decimals', { alertBelowCredits: '0.0000001' }, 'validation_failed alertBelowCredits'],
    ['NaN', { alertBelowCredits: 'NaN' }, 'validation_failed'],
    ['more than there are', { alertBelowCredits: '101' }, 'validation_failed alertBelowCredits'],
  ])('refuses %s of credits of a type', async (_, input, expected) => {
    const shop = await open();
    const { createMeter } = await shop.client.graphql(
      'mutation { createMeter(input: { name: "Calls", event: "call", aggregation: count }) { id } }',
    );
    const { createCreditType: type } = await shop.client.graphql(
      'mutation ($id: ID!) { createCreditType(input: { name: "Coins", rates: [{ meterId: $id, credits: "1" }] }) { id } }',
      { id: createMeter.id },
    );
    const credits = { creditTypeId: type.id, amount: '100', currency: 'afn' };
    const { id } = await shop.grant({ amount: null, credits });
    expect(await shop.update(id, input)).toMatch(new RegExp(`^${expected}`));
    expect(await shop.grant({ amount: null, credits, ...input })).toMatch(new RegExp(`^${expected}`));
  });

  it('knows no grants of another tenant', async () => {
    const [shop, other] = [await open(), await open()];
    const { id } = await shop.grant({});
    expect(await other.update(id, { alertBelow: afn(5) })).toMatch(/^credit_grant_not_found/);
    expect(await other.update('__proto__', { alertBelow: afn(5) })).toMatch(/^credit_grant_not_found/);
  });

  it('is taken by REST', async () => {
    const shop = await open();
    const rest = (method: string, path: string, body: object) =>
      shop.client.rest(method as any, path, { tenantAlias: shop.alias, ...body });
    const grant = { customerId: shop.customer.id, name: 'Credit', amount: afn(10), category: 'promotional' };
    const created = await rest('POST', '/credit-grants', { ...grant, alertBelow: afn(5) });
    expect(created).toMatchObject({ status: 201, body: { alertBelow: afn(5), alertedBelowAt: null } });
    const { id } = created.body;
    await shop.bill(7);
    const changed = await rest('PATCH', `/credit-grants/${id}`, { alertBelow: afn(2) });
    expect(changed).toMatchObject({ status: 200, body: { alertBelow: afn(2), alertedBelowAt: null } });
    const refused = await rest('PATCH', `/credit-grants/${id}`, {
      alertBelow: { decimal: '1e300', currency: 'afn' },
    });
    expect(refused.status).toBe(400);
    const removed = await rest('PATCH', `/credit-grants/${id}`, { alertBelow: null });
    expect(removed).toMatchObject({ status: 200, body: { alertBelow: null } });
  });
});
