/** Credit types: one pool of credits for the usage of several meters, as previewed, billed and returned. */
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { Reason } from '../../../src/lib/errors.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { findFaults } from '../../support/faults.ts';
import { afn, ask, invoiceText } from '../../support/oneOff.ts';
import { openUsageShop } from '../usage/shop.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '1000000' });
});
afterAll(() => app.close());

const grantFields = `id category costBasis effect status currency creditTypeId creditType { name } amount { amount } credits
  remaining { amount } remainingCredits
  uses(order: ASC) { nodes { kind amount { amount } credits line { kind amount { amount } } } }`;

/** The usage so far, as `[event, at, units]`. */
type Used = [event: string, at: string, units: string | number];

/**
 * A shop whose images cost 1 each, or 10 credits, and whose 1,000 tokens cost 0.5, or 1 credit. Its customer has both, from
 * 2026-01-01 on.
 */
async function openShop(order: object = {}, tokenTerms: object = {}) {
  const shop = await openUsageShop(app);
  const images = await shop.meter({ name: 'Images', event: 'image' });
  const tokens = await shop.meter({ name: 'Tokens', event: 'token' });
  const plan = await shop.plan(0, { name: 'Images', price: { details: afn(1), meterId: images } });
  const unit = { details: { decimal: '0.0005', currency: 'afn' }, meterId: tokens, ...tokenTerms };
  const more = await shop.plan(0, { name: 'Tokens', price: unit });
  const id = await shop.order(plan, { addOns: [{ priceId: more.id }], ...order });
  const { client, customer } = shop;
  const { createCreditType: type } = await client.graphql(
    'mutation ($input: CreateCreditTypeInput!) { createCreditType(input: $input) { id name rates { meterId units credits } } }',
    {
      input: {
        name: 'AI credits',
        rates: [
          { meterId: images, credits: '10' },
          { meterId: tokens, units: '1000', credits: '1' },
        ],
      },
    },
  );
  const grant = async (amount: string, input: object = {}) => {
    const given = {
      customerId: customer.id,
      name: 'Credits',
      category: 'promotional',
      credits: { creditTypeId: type.id, amount, currency: 'afn' },
      ...input,
    };
    const document = `mutation ($input: CreateCreditGrantInput!) { createCreditGrant(input: $input) { ${grantFields} } }`;
    return (await client.graphql(document, { input: given })).createCreditGrant;
  };
  const record = async (...used: Used[]) => {
    const events = used.map(([event, at, units], index) => ({
      id: `${event}-${at}-${units}-${index}`,
      event,
      customerId: customer.id,
      at,
      properties: { units },
    }));
    const document =
      'mutation ($events: [UsageEventInput!]!) { recordUsage(input: { events: $events }) { accepted } }';
    const { recordUsage } = await client.graphql(document, { events });
    if (recordUsage.accepted !== used.length) throw new Error(JSON.stringify(recordUsage));
  };
  const find = async (grantId: string) =>
    (await client.graphql(`{ creditGrant(id: "${grantId}") { ${grantFields} } }`)).creditGrant;
  /** What has happened to a grant: `use 10 of usage, left 90`. */
  const history = async (grantId: string): Promise<string> => {
    const { uses, remainingCredits } = await find(grantId);
    const texts = uses.nodes.map(
      ({ kind, credits, line }: any) => `${kind} ${credits}${line ? ` of ${line.kind}` : ''}`,
    );
    return [...texts, `left ${remainingCredits}`].join(', ');
  };
  const expectSound = async () => expect(await findFaults(app, shop.alias)).toEqual([]);
  return { ...shop, images, tokens, id, type, grant, record, find, history, expectSound };
}

describe('credits of a type', () => {
  it('are one pool for images and tokens, billed as announced', async () => {
    const shop = await openShop();
    expect(shop.type).toMatchObject({
      name: 'AI credits',
      rates: [
        { meterId: shop.images, units: '1', credits: '10' },
        { meterId: shop.tokens, units: '1000', credits: '1' },
      ],
    });
    const given = await shop.grant('100');
    expect(given).toMatchObject({
      category: 'promotional',
      effect: 'before_tax',
      status: 'active',
      currency: 'afn',
      creditTypeId: shop.type.id,
      creditType: { name: 'AI credits' },
      amount: null,
      remaining: null,
      credits: '100',
      remainingCredits: '100',
      uses: { nodes: [] },
    });
    // Six images are 60 credits, and the other 40 pay 40,000 of the 60,000 tokens.
    await shop.record(['image', '2026-01-01', 6], ['token', '2026-01-01', 60_000]);
    const announced = await shop.currentUsage(shop.id);
    expect(announced.total).toBe(10);
    await shop.advance('2026-02-01');
    expect(await shop.lastBill(shop.id)).toMatchObject(announced);
    expect(await shop.history(given.id)).toBe('use 60 of usage, use 40 of usage, left 0');
    expect(await shop.find(given.id)).toMatchObject({ status: 'used_up' });
    const { invoices } = await shop.client.graphql(
      `{ invoices(subscriptionId: "${shop.id}", first: 1) { nodes { lines { kind creditGrants { grantId units credits amount { amount } } } } } }`,
    );
    const uses = invoices.nodes[0].lines.flatMap(({ creditGrants }: any) => creditGrants);
    expect(uses).toEqual([
      { grantId: given.id, units: '6', credits: '60', amount: { amount: 6 } },
      { grantId: given.id, units: '40000', credits: '40', amount: { amount: 20 } },
    ]);
    await shop.expectSound();
  });

  it('are burnt by priority, then the sooner expiry, then age, among grants of money', async () => {
    const shop = await openShop();
    const old = await shop.grant('10');
    const last = await shop.grant('1000', { priority: 90 });
    const soon = await shop.grant('20', { expiresAt: '2026-03-01' });
    const { createCreditGrant: money } = await shop.client.graphql(
      'mutation ($input: CreateCreditGrantInput!) { createCreditGrant(input: $input) { id } }',
      {
        input: {
          customerId: shop.customer.id,
          name: 'Money',
          amount: afn(2),
          category: 'promotional',
          priority: 10,
        },
      },
    );
    await shop.record(['image', '2026-01-01', 8]);
    await shop.advance('2026-02-01');
    expect(await shop.lastBill(shop.id)).toMatchObject({ total: 0 });
    // Money pays 2 images, then 2 are covered until March, 1 by the oldest, and 3 by the last.
    const left = await Promise.all([money.id, soon.id, old.id, last.id].map(shop.find));
    expect(left.map(({ remaining, remainingCredits }: any) => remaining?.amount ?? remainingCredits)).toEqual(
      [0, '0', '0', '970'],
    );
    await shop.expectSound();
  });

  it('that were sold bear the tax at their sale, and lower usage before tax', async () => {
    const shop = await openShop();
    const { topUpCredit: invoice } = await shop.client.graphql(
      `mutation ($input: TopUpCreditInput!) {
        topUpCredit(input: $input) { status total { amount } lines { kind amount { amount } } }
      }`,
      {
        input: {
          customerId: shop.customer.id,
          name: '500 credits',
          credits: { creditTypeId: shop.type.id, amount: '500', currency: 'afn' },
          costBasis: '0.08',
        },
      },
    );
    expect(invoiceText(invoice)).toBe('paid 40: item 40');
    const { creditGrants } = (
      await shop.client.graphql(
        `{ customer(id: "${shop.customer.id}") {
        balance { amount }
        creditBalances { category currency creditTypeId amount { amount } credits }
        creditGrants(first: 5) { nodes { id credits costBasis effect category } }
      } }`,
      )
    ).customer;
    expect(creditGrants.nodes).toMatchObject([
      { credits: '500', costBasis: '0.08', effect: 'before_tax', category: 'paid' },
    ]);
    const { creditBalances, balance } = (
      await shop.client.graphql(
        `{ customer(id: "${shop.customer.id}") { balance { amount } creditBalances { category currency creditTypeId amount { amount } credits } } }`,
      )
    ).customer;
    expect(balance).toEqual([]);
    expect(creditBalances).toEqual([
      { category: 'paid', currency: 'afn', creditTypeId: shop.type.id, amount: null, credits: '500' },
    ]);
    await shop.record(['image', '2026-01-01', 7]);
    await shop.advance('2026-02-01');
    expect(await shop.lastBill(shop.id)).toMatchObject({ total: 0 });
    expect(await shop.history(creditGrants.nodes[0].id)).toBe('use 70 of usage, left 430');
    await shop.expectSound();
  });

  it('lower a draft when it is finalized, and come back when it is refunded', async () => {
    const shop = await openShop({ billingThreshold: afn(5) });
    await shop.client.graphql('mutation { updateTenant(input: { invoiceGraceHours: 24 }) { alias } }');
    const given = await shop.grant('40');
    await shop.record(['image', '2026-01-01', 6]);
    await shop.advance('2026-01-02');
    await shop.advance('2026-01-05');
    expect(await shop.history(given.id)).toBe('use 40 of usage, left 0');
    expect(await shop.lastBill(shop.id)).toMatchObject({ total: 2, status: 'paid' });
    const { invoices } = await shop.client.graphql(
      `{ invoices(subscriptionId: "${shop.id}", first: 1) { nodes { id } } }`,
    );
    await ask(shop, 'refundInvoice', { id: invoices.nodes[0].id });
    expect(await shop.history(given.id)).toBe('use 40 of usage, return 40 of usage, left 40');
    await shop.expectSound();
  });

  it('cover late usage, what a threshold has left, and the final bill, each unit once', async () => {
    const shop = await openShop({ billingThreshold: afn(5) });
    const given = await shop.grant('1000');
    await shop.record(['image', '2026-01-01', 6]);
    await shop.advance('2026-01-02');
    expect(await shop.history(given.id)).toBe('use 60 of usage, left 940');
    await shop.record(['image', '2026-01-02', 2]);
    await shop.advance('2026-02-01');
    expect(await shop.history(given.id)).toBe('use 60 of usage, use 20 of usage, left 920');
    await shop.record(['image', '2026-01-20', 3]);
    await shop.advance('2026-03-01');
    expect(await shop.history(given.id)).toBe('use 60 of usage, use 20 of usage, use 30 of usage, left 890');
    await shop.record(['token', '2026-03-01', 5000]);
    await shop.run('cancelSubscription(id: $id, input: {})', shop.id);
    await shop.advance('2026-03-02');
    expect((await shop.find(given.id)).remainingCredits).toBe('885');
    await shop.expectSound();
  });

  it('follow new rates, expire, roll over and are voided', async () => {
    const shop = await openShop();
    const kept = await shop.grant('100', {
      expiresAt: '2026-02-01',
      rollover: { percent: '50', expiresAfter: { frequency: 'Monthly', period: 3 } },
    });
    const voided = await shop.grant('7');
    const { updateCreditType } = await shop.client.graphql(
      'mutation ($id: ID!, $input: UpdateCreditTypeInput!) { updateCreditType(id: $id, input: $input) { name rates { credits } } }',
      { id: shop.type.id, input: { rates: [{ meterId: shop.images, credits: '20' }] } },
    );
    expect(updateCreditType).toEqual({ name: 'AI credits', rates: [{ credits: '20' }] });
    await shop.client.graphql(`mutation { voidCreditGrant(id: "${voided.id}") { id } }`);
    await shop.record(['image', '2026-01-01', 1], ['token', '2026-01-01', 2000]);
    await shop.advance('2026-02-01');
    expect(await shop.lastBill(shop.id)).toMatchObject({ total: 1 });
    expect(await shop.history(kept.id)).toBe('expire 50, use 20 of usage, left 30');
    expect(await shop.history(voided.id)).toBe('void 7, left 0');
    await shop.expectSound();
  });

  it('are filtered by their type', async () => {
    const shop = await openShop();
    const { id } = await shop.grant('1');
    const list = async (filter: string) =>
      (await shop.client.graphql(`{ creditGrants(${filter}) { nodes { id } } }`)).creditGrants.nodes;
    expect(await list(`creditTypeId: "${shop.type.id}"`)).toEqual([{ id }]);
    expect(await list('creditTypeId: "cty_other"')).toEqual([]);
  });
});

describe('refused', () => {
  test.each<[string, object, Reason, string]>([
    ['money and credits', { amount: afn(1) }, 'validation_failed', 'amount'],
    ['neither', { credits: null }, 'validation_failed', 'amount'],
    ['no credits', { amountOf: '0' }, 'validation_failed', 'credits.amount'],
    ['a negative number', { amountOf: '-1' }, 'validation_failed', 'credits.amount'],
    ['7 decimals', { amountOf: '0.1234567' }, 'validation_failed', 'credits.amount'],
    ['too many', { amountOf: '1000000000001' }, 'validation_failed', 'credits.amount'],
    ['another type', { typeOf: 'cty_0' }, 'credit_type_not_found', 'credits.creditTypeId'],
    ['an unknown currency', { currencyOf: 'xxz' }, 'currency_unsupported', 'credits.currency'],
    ['paid credits without a price', { category: 'paid' }, 'validation_failed', 'costBasis'],
    [
      'a rollover in money',
      {
        expiresAt: '2026-05-01',
        rollover: { maximum: afn(1), expiresAfter: { frequency: 'Daily', period: 1 } },
      },
      'validation_failed',
      'rollover.maximum',
    ],
  ])('%s', async (_name, { amountOf, typeOf, currencyOf, ...input }: any, reason, path) => {
    const shop = await (opened ??= openShop());
    const { id } = shop.type;
    const credits = { creditTypeId: typeOf ?? id, amount: amountOf ?? '5', currency: currencyOf ?? 'afn' };
    await shop.perform({
      graphql: [
        'mutation ($input: CreateCreditGrantInput!) { createCreditGrant(input: $input) { id } }',
        { input: { customerId: shop.customer.id, name: 'C', category: 'promotional', credits, ...input } },
      ],
      reason,
      paths: [path],
    });
  });

  test.each<[string, object[], Reason, string]>([
    ['no rate', [], 'validation_failed', 'rates'],
    ['a rate of 0', [{ credits: '0' }], 'validation_failed', 'rates.0.credits'],
    ['no units', [{ units: '0', credits: '1' }], 'validation_failed', 'rates.0.units'],
    ['a meter twice', [{ credits: '1' }, { credits: '2' }], 'validation_failed', 'rates.1.meterId'],
    ['an unknown meter', [{ meterId: 'mtr_0', credits: '1' }], 'meter_not_found', 'rates.0.meterId'],
    ['too many rates', Array.from({ length: 51 }, () => ({ credits: '1' })), 'validation_failed', 'rates'],
  ])('a type with %s', async (_name, rates, reason, path) => {
    const shop = await (opened ??= openShop());
    const input = { name: 'T', rates: rates.map((rate) => ({ meterId: shop.images, ...rate })) };
    await shop.perform({
      graphql: [
        'mutation ($input: CreateCreditTypeInput!) { createCreditType(input: $input) { id } }',
        { input },
      ],
      reason,
      paths: [path],
    });
  });
});

let opened: ReturnType<typeof openShop> | undefined;
