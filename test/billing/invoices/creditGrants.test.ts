/** Credit grants: what they pay on real bills, with the tax, before it, and as previews say; and what comes back. */
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks } from '../../support/books.ts';
import { findFaults } from '../../support/faults.ts';
import { afn, ask, invoiceText } from '../../support/oneOff.ts';
import { openTaxed, parties } from '../../support/taxes.ts';
import { openUsageShop } from '../usage/shop.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '1000000' });
});
afterAll(() => app.close());

const fields = `id name category costBasis priority effect status effectiveAt expiresAt voidedAt amount { decimal currency }
  remaining { amount } rollover { percent maximum { decimal } expiresAfter { frequency period } until }
  appliesTo { priceIds meterIds }
  uses(order: ASC) { nodes { kind amount { amount } invoice { id } line { kind amount { amount } } } }`;

type Client = Awaited<ReturnType<typeof openBooks>>['client'];

/** Credit grants of a customer. */
const open = (client: Client, customer: { id: string }) => {
  const grant = async (amount: number, input: object = {}) => {
    const document = `mutation ($input: CreateCreditGrantInput!) { createCreditGrant(input: $input) { ${fields} } }`;
    const given = {
      customerId: customer.id,
      name: 'Credit',
      amount: afn(amount),
      category: 'promotional',
      ...input,
    };
    return (await client.graphql(document, { input: given })).createCreditGrant;
  };
  return {
    grant,
    find: async (id: string) =>
      (await client.graphql(`query ($id: ID!) { creditGrant(id: $id) { ${fields} } }`, { id })).creditGrant,
    /** What has happened to a grant: `use 5 of cycle, return 5 of cycle`, and its remainder. */
    history: async (id: string): Promise<string> => {
      const document = `query ($id: ID!) { creditGrant(id: $id) { ${fields} } }`;
      const { uses, remaining } = (await client.graphql(document, { id })).creditGrant;
      const texts = uses.nodes.map(
        ({ kind, amount, line }: any) => `${kind} ${amount.amount}${line ? ` of ${line.kind}` : ''}`,
      );
      return [...texts, `left ${remaining.amount}`].join(', ');
    },
    revoke: async (id: string) =>
      (await client.graphql(`mutation ($id: ID!) { voidCreditGrant(id: $id) { ${fields} } }`, { id }))
        .voidCreditGrant,
    balances: async (): Promise<string[]> => {
      const document =
        'query ($id: ID!) { customer(id: $id) { balance { amount } creditBalances { category amount { amount currency } } } }';
      const { balance, creditBalances } = (await client.graphql(document, { id: customer.id })).customer;
      return [
        ...creditBalances.map(
          ({ category, amount }: any) => `${category} ${amount.amount} ${amount.currency}`,
        ),
        ...balance.map(({ amount }: any) => `balance ${amount}`),
      ];
    },
  };
};

async function openShop(price = 10) {
  const books = await openBooks(app, '2026-01-01');
  const customer = await books.shop.customer();
  const plan = await books.plan(price);
  const id = await books.subscribe(customer, plan);
  const work = async (amount: number, more: object = {}) =>
    ask(books, 'createInvoice', {
      customerId: customer.id,
      items: [{ amount: afn(amount), description: 'Work' }],
      ...more,
    });
  return { ...books, ...open(books.client, customer), books, customer, plan, id, work };
}

type Shop = Awaited<ReturnType<typeof openShop>>;
const expectSound = async ({ alias }: { alias: string }) => expect(await findFaults(app, alias)).toEqual([]);

const setTenant = ({ client }: Pick<Shop, 'client'>, input: object) =>
  client.graphql('mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { creditVouchers } }', {
    input,
  });

describe('a grant', () => {
  it('has its terms, and pays renewals as forecasts say', async () => {
    const shop = await openShop();
    const input = {
      name: 'Welcome',
      priority: 7,
      expiresAt: '2026-06-01',
      rollover: { maximum: afn(2), expiresAfter: { frequency: 'Monthly', period: 2 } },
      appliesTo: { priceIds: [shop.plan.id] },
    };
    const given = await shop.grant(15, input);
    expect(given).toMatchObject({
      name: 'Welcome',
      category: 'promotional',
      costBasis: '0',
      priority: 7,
      effect: 'before_tax',
      status: 'active',
      effectiveAt: '2026-01-01T00:00:00.000Z',
      expiresAt: '2026-06-01T00:00:00.000Z',
      voidedAt: null,
      amount: { decimal: '15.00', currency: 'afn' },
      remaining: { amount: 15 },
      rollover: {
        percent: null,
        maximum: { decimal: '2.00' },
        expiresAfter: { frequency: 'Monthly', period: 2 },
        until: '2026-08-01T00:00:00.000Z',
      },
      appliesTo: { priceIds: [shop.plan.id], meterIds: [] },
      uses: { nodes: [] },
    });
    expect(await shop.balances()).toEqual(['promotional 15 afn']);
    expect(await shop.forecast(shop.id, '2026-03-15')).toEqual(['2026-02-01 0', '2026-03-01 5']);
    const { tenant } = await shop.client.graphql(
      '{ tenant { forecast(until: "2026-03-15") { total { amount } } } }',
    );
    expect(tenant.forecast.map(({ total }: any) => total.amount)).toEqual([0, 5]);
    await shop.advance('2026-03-15');
    expect(await shop.bills(shop.id)).toEqual([
      '2026-01-01 paid 10',
      '2026-02-01 paid 0',
      '2026-03-01 paid 5',
    ]);
    expect(await shop.history(given.id)).toBe('use 10 of cycle, use 5 of cycle, left 0');
    expect(await shop.find(given.id)).toMatchObject({ status: 'used_up' });
    expect(await shop.balances()).toEqual([]);
    await expectSound(shop);
  });

  it('that is paid pays totals beside the balance, by priority', async () => {
    const shop = await openShop();
    await ask(shop.books, 'grantCredit', { customerId: shop.customer.id, amount: afn(4), reason: 'Sorry' });
    const last = await shop.grant(100, { category: 'paid', costBasis: '0.8', priority: 90 });
    const first = await shop.grant(5, { category: 'paid', priority: 10 });
    expect(last).toMatchObject({ effect: 'total', costBasis: '0.8' });
    expect(await shop.balances()).toEqual(['paid 105 afn', 'balance 109']);
    expect(invoiceText(await shop.work(20))).toBe('paid 0: item 20, balance -20');
    expect(await shop.history(first.id)).toBe('use 5 of balance, left 0');
    expect(await shop.history(last.id)).toBe('use 11 of balance, left 89');
    expect(await shop.balances()).toEqual(['paid 89 afn', 'balance 89']);
    await expectSound(shop);
  });

  it('tells once each that it is used to 50, 80 and 100 percent', async () => {
    const shop = await openShop();
    const { id } = await shop.grant(10);
    const told = async () => {
      const { traces } = await shop.client.graphql(
        '{ traces(activityType: CustomerEvent, order: ASC, first: 100) { nodes { event { type details } } } }',
      );
      return traces.nodes
        .filter(({ event }: any) => event.type === 'CustomerEvent.credit_used')
        .map(
          ({ event: { details } }: any) => `${details.creditId === id} ${details.percent} ${details.amount}`,
        );
    };
    await shop.work(4.99, { collect: 'send_invoice' });
    expect(await told()).toEqual([]);
    const invoice = await shop.work(0.01, { collect: 'send_invoice' });
    expect(await told()).toEqual(['true 50 5']);
    expect(invoice.status).toBe('paid');
    const unpaid = await shop.work(7, { collect: 'send_invoice' });
    expect(await told()).toEqual(['true 50 5', 'true 80 0', 'true 100 0']);
    await ask(shop.books, 'voidInvoice', { id: unpaid.id });
    await shop.work(7, { collect: 'send_invoice' });
    expect(await told()).toHaveLength(3);
    await expectSound(shop);
  });

  it('begins and ends at its instants, and keeps what rolls over', async () => {
    const shop = await openShop();
    const later = await shop.grant(3, { effectiveAt: '2026-02-01T00:00:00.001Z' });
    const kept = await shop.grant(30, {
      category: 'paid',
      expiresAt: '2026-02-01',
      rollover: { percent: '10', expiresAfter: { frequency: 'Daily', period: 40 } },
    });
    expect(later.status).toBe('pending');
    expect(await shop.balances()).toEqual(['paid 30 afn', 'balance 30']);
    expect(await shop.forecast(shop.id, '2026-03-15')).toEqual(['2026-02-01 7', '2026-03-01 7']);
    await shop.advance('2026-03-14');
    expect(await shop.bills(shop.id)).toEqual([
      '2026-01-01 paid 10',
      '2026-02-01 paid 7',
      '2026-03-01 paid 7',
    ]);
    expect(await shop.history(kept.id)).toBe('expire 27, use 3 of balance, left 0');
    expect(await shop.find(kept.id)).toMatchObject({
      status: 'expired',
      expiresAt: '2026-03-13T00:00:00.000Z',
    });
    await expectSound(shop);
  });

  it('that is voided pays nothing more, and takes nothing back', async () => {
    const shop = await openShop();
    const grant = await shop.grant(30);
    const invoice = await shop.work(10, { collect: 'send_invoice' });
    const second = await shop.work(30, { collect: 'send_invoice' });
    expect([invoice, second].map(invoiceText)).toEqual(['paid 0: item 0', 'open 10: item 10']);
    const voided = await shop.revoke(grant.id);
    expect(voided).toMatchObject({ status: 'voided', voidedAt: '2026-01-01T00:00:00.000Z' });
    expect(await shop.revoke(grant.id)).toEqual(voided);
    await ask(shop.books, 'voidInvoice', { id: second.id });
    expect(await shop.history(grant.id)).toBe(
      'use 10 of item, use 20 of item, return 20 of item, void 20, left 0',
    );
    expect(invoiceText(await shop.work(10, { collect: 'send_invoice' }))).toBe('open 10: item 10');
    await expectSound(shop);
  });

  it('that a payment in progress has reserved is not voided', async () => {
    const shop = await openShop();
    const grant = await shop.grant(6, { category: 'paid' });
    const { intentId } = await shop.shop.intent(shop.customer, await shop.books.plan(20));
    await shop.shop.confirm(intentId, 'sandbox_requires_action');
    const { body } = await shop.client.post('mutation ($id: ID!) { voidCreditGrant(id: $id) { id } }', {
      id: grant.id,
    });
    expect(body.errors[0].extensions.reason).toBe('credit_grant_in_use');
    await shop.client.graphql('mutation ($id: ID!) { resumeIntent(id: $id) { status } }', { id: intentId });
    expect(await shop.history(grant.id)).toBe('use 6 of balance, left 0');
    expect(await shop.revoke(grant.id)).toMatchObject({ status: 'voided' });
    await expectSound(shop);
  });

  it('comes back with a voided invoice and a refund of all, before tax and after it', async () => {
    const shop = await openShop();
    const before = await shop.grant(4);
    const after = await shop.grant(5, { category: 'paid' });
    const first = await shop.work(20, { collect: 'send_invoice' });
    expect(invoiceText(first)).toBe('open 11: item 16, balance -5');
    await ask(shop.books, 'voidInvoice', { id: first.id });
    expect(await shop.balances()).toEqual(['paid 5 afn', 'promotional 4 afn', 'balance 5']);
    const second = await shop.work(20);
    expect(invoiceText(second)).toBe('paid 11: item 16, balance -5');
    await ask(shop.books, 'refundInvoice', { id: second.id, amount: afn(12) });
    expect(await shop.balances()).toEqual(['paid 1 afn', 'balance 1']);
    await ask(shop.books, 'refundInvoice', { id: second.id });
    expect(await shop.balances()).toEqual(['paid 5 afn', 'promotional 4 afn', 'balance 5']);
    expect(await shop.history(before.id)).toBe(
      'use 4 of item, return 4 of item, use 4 of item, return 4 of item, left 4',
    );
    expect(await shop.history(after.id)).toBe(
      'use 5 of balance, return 5 of balance, use 5 of balance, return 1 of balance, return 4 of balance, left 5',
    );
    await expectSound(shop);
  });

  it('pays a draft when it is finalized', async () => {
    const shop = await openShop();
    await setTenant(shop, { invoiceGraceHours: 24 });
    const grant = await shop.grant(4, { appliesTo: { priceIds: [shop.plan.id] } });
    const paid = await shop.grant(5, { category: 'paid' });
    await shop.advance('2026-02-01');
    expect(await shop.history(grant.id)).toBe('left 4');
    expect(await shop.bills(shop.id)).toEqual(['2026-01-01 paid 10', '2026-02-01 draft 10']);
    await shop.advance('2026-02-03');
    expect(await shop.bills(shop.id)).toEqual(['2026-01-01 paid 10', '2026-02-01 paid 1']);
    expect(await shop.history(grant.id)).toBe('use 4 of cycle, left 0');
    expect(await shop.history(paid.id)).toBe('use 5 of balance, left 0');
    await expectSound(shop);
  });
});

describe('credit that is sold', () => {
  const document = `mutation ($input: TopUpCreditInput!) { topUpCredit(input: $input) {
    id status total { amount } lines { kind amount { amount } } soldCredit { ${fields} }
  } }`;
  const sell = async ({ client, customer }: Pick<Shop, 'client' | 'customer'>, more: object = {}) =>
    (
      await client.graphql(document, {
        input: { customerId: customer.id, name: 'Package', amount: afn(100), costBasis: '0.8', ...more },
      })
    ).topUpCredit;

  it('is granted when its invoice is paid, and not by the balance', async () => {
    const shop = await openShop();
    await shop.grant(30, { category: 'paid' });
    const promotional = await shop.grant(5);
    const invoice = await sell(shop, { priority: 3, expiresAt: '2026-12-01' });
    expect(invoiceText(invoice)).toBe('paid 80: item 80');
    expect(invoice.soldCredit).toMatchObject({
      name: 'Package',
      category: 'paid',
      costBasis: '0.8',
      priority: 3,
      effect: 'total',
      expiresAt: '2026-12-01T00:00:00.000Z',
      remaining: { amount: 100 },
    });
    expect(await shop.balances()).toEqual(['paid 130 afn', 'promotional 5 afn', 'balance 130']);
    expect(await shop.history(promotional.id)).toBe('left 5');
    await expectSound(shop);
  });

  it('is granted after a transfer, and not before', async () => {
    const shop = await openShop();
    const { id, soldCredit, status } = await sell(shop, { collect: 'send_invoice' });
    expect([soldCredit, status]).toEqual([null, 'open']);
    expect(await shop.balances()).toEqual([]);
    await ask(shop.books, 'recordPayment', { id });
    expect(await shop.balances()).toEqual(['paid 100 afn', 'balance 100']);
    await expectSound(shop);
  });

  it('is not granted if the charge is declined or the invoice is voided', async () => {
    const shop = await openShop();
    const customer = await shop.shop.customer();
    const declined = await sell({ ...shop, customer });
    expect(declined).toMatchObject({ status: 'open', soldCredit: null });
    await ask(shop.books, 'voidInvoice', { id: declined.id });
    expect(await open(shop.client, customer).balances()).toEqual([]);
    await expectSound(shop);
  });

  it('is refunded as a whole while it is unused, and then void', async () => {
    const shop = await openShop();
    const { id, soldCredit } = await sell(shop);
    const refund =
      'mutation ($id: ID!, $amount: MoneyInput) { refundInvoice(id: $id, input: { amount: $amount }) { status } }';
    await shop.perform({
      graphql: [refund, { id, amount: afn(10) }],
      reason: 'refund_too_large',
      paths: ['amount'],
    });
    const { id: work } = await shop.work(1, { collect: 'send_invoice' });
    await shop.perform({ graphql: [refund, { id }], reason: 'refund_too_large', paths: ['amount'] });
    await ask(shop.books, 'refundInvoice', { id: work });
    await ask(shop.books, 'refundInvoice', { id });
    expect(await shop.history(soldCredit.id)).toBe('use 1 of balance, return 1 of balance, void 100, left 0');
    expect(await shop.balances()).toEqual([]);
    await expectSound(shop);
  });

  test.each([
    ['multi_purpose', 'paid 80: item 80', 'O'],
    ['single_purpose', 'paid 95.2: item 80', 'S'],
  ])('bears the tax that its kind of voucher demands: %s', async (creditVouchers, text, category) => {
    const taxed = await openTaxed(app, '2026-01-01', 'DE');
    const customer = await taxed.shop.customer();
    await taxed.subscribe(customer, await taxed.plan(0));
    await taxed.move(customer, parties['german']!);
    await setTenant(taxed, { creditVouchers });
    const invoice = await sell({ client: taxed.client, customer });
    expect(invoiceText(invoice)).toBe(text);
    const { invoices } = await taxed.client.graphql(
      'query ($id: ID!) { invoices(customerId: $id, first: 1) { nodes { taxes { category } } } }',
      { id: customer.id },
    );
    expect(invoices.nodes[0].taxes).toEqual([{ category }]);
    await expectSound(taxed);
  });
});

describe('usage', () => {
  async function openMetered(grantInput: (ids: { meterId: string; priceId: string }) => object) {
    const shop = await openUsageShop(app);
    const meterId = await shop.meter();
    const plan = await shop.plan(20, { name: 'Plan' });
    const price = { details: { decimal: '0.05', currency: 'afn' }, meterId };
    const usage = await shop.plan(0, { name: 'Calls', price });
    const id = await shop.order(plan, { addOns: [{ priceId: usage.id }] });
    const credits = open(shop.client, shop.customer);
    const grant = await credits.grant(30, grantInput({ meterId, priceId: usage.id }));
    return { ...shop, ...credits, id, grantId: grant.id };
  }

  test.each<[string, (ids: { meterId: string; priceId: string }) => object, number[]]>([
    ['of a meter', ({ meterId }) => ({ appliesTo: { meterIds: [meterId] } }), [20, 20]],
    ['of a price', ({ priceId }) => ({ appliesTo: { priceIds: [priceId] } }), [20, 20]],
    ['of any charge', () => ({}), [0, 15]],
    ['that is paid', () => ({ category: 'paid' }), [15]],
  ])('is lowered by a grant %s, in previews and bills alike', async (what, input, amounts) => {
    const shop = await openMetered(input);
    await shop.advance('2026-01-20');
    await shop.use(['2026-01-05', 500]);
    const announced = await shop.currentUsage(shop.id);
    // At the rate of 19 of 31 days the usage costs 40.79.
    expect(await shop.forecast(shop.id, '2026-02-01')).toEqual(['2026-02-01 30.79']);
    await shop.advance('2026-02-01');
    expect(await shop.lastBill(shop.id)).toEqual({ status: 'paid', ...announced });
    expect(announced.total).toBe(what === 'of a meter' || what === 'of a price' ? 20 : 15);
    expect(amounts[0]).toBe(Number(announced.lines[0]!.split(' ')[1]) - (what === 'that is paid' ? 5 : 0));
    await expectSound(shop);
  });

  it('that is late in a draft is lowered as well, once', async () => {
    const shop = await openMetered(({ meterId }) => ({ appliesTo: { meterIds: [meterId] } }));
    await shop.client.graphql('mutation { updateTenant(input: { invoiceGraceHours: 24 }) { alias } }');
    await shop.advance('2026-01-20');
    await shop.use(['2026-01-05', 500]);
    await shop.advance('2026-02-01');
    await shop.use(['2026-01-06', 200]);
    await shop.advance('2026-02-03');
    expect((await shop.lastBill(shop.id)).lines).toEqual([
      'cycle 20 2026-02-01/2026-03-01 Plan, every month',
      'usage 5 2026-01-01/2026-02-01 Calls, usage',
    ]);
    expect(await shop.history(shop.grantId)).toBe('use 30 of usage, left 0');
    await expectSound(shop);
  });

  it('of the end is lowered in the final invoice, as its preview says', async () => {
    const shop = await openMetered(({ meterId }) => ({ appliesTo: { meterIds: [meterId] } }));
    await shop.advance('2026-01-15');
    await shop.use(['2026-01-05', 1000]);
    await shop.run('cancelSubscription(id: $id, input: { atPeriodEnd: false })', shop.id);
    await shop.advance('2026-01-16');
    expect((await shop.lastBill(shop.id)).lines).toEqual([
      expect.stringMatching(/^usage 20 2026-01-01\/2026-01-15/),
    ]);
    expect(await shop.history(shop.grantId)).toBe('use 30 of usage, left 0');
    await expectSound(shop);
  });
});

describe('with tax', () => {
  const rows: [what: string, vouchers: string, category: string, bill: string, left: number][] = [
    ['paid credit pays the total', 'multi_purpose', 'paid', 'paid 0: item 14.29, balance -17.72', 82.28],
    ['a single-purpose voucher lowers the amount', 'single_purpose', 'paid', 'paid 0: item 0', 85.71],
    ['promotional credit lowers the amount', 'multi_purpose', 'promotional', 'paid 0: item 0', 85.71],
  ];
  test.each(rows)('of 24 %% on 14.29, %s', async (_, creditVouchers, category, bill, remaining) => {
    const taxed = await openTaxed(app, '2026-01-01', 'DE');
    await taxed.addRate('24', 'special');
    const customer = await taxed.shop.customer();
    await taxed.move(customer, parties['german']!);
    const { updateTenant } = await setTenant(taxed, { creditVouchers });
    expect(updateTenant.creditVouchers).toBe(creditVouchers);
    const credits = open(taxed.client, customer);
    const grant = await credits.grant(100, { category });
    const items = [{ amount: afn(14.29), description: 'Work', taxRateId: 'txr_special' }];
    const invoice = await ask(taxed, 'createInvoice', { customerId: customer.id, items });
    expect(invoiceText(invoice)).toBe(bill);
    expect((await credits.find(grant.id)).remaining.amount).toBe(remaining);
    await expectSound(taxed);
  });
});

describe('requests', () => {
  it('in parallel use each unit once, and of five of 500 one is covered by 600', async () => {
    const shop = await openShop();
    const grant = await shop.grant(600);
    const bills = await Promise.all(
      Array.from({ length: 5 }, () => shop.work(500, { collect: 'send_invoice' })),
    );
    expect(bills.map(({ total }) => total.amount).toSorted((a, b) => a - b)).toEqual([0, 400, 500, 500, 500]);
    expect(await shop.history(grant.id)).toBe('use 500 of item, use 100 of item, left 0');
    const many = await shop.grant(30, { category: 'paid' });
    await Promise.all(Array.from({ length: 50 }, () => shop.work(1, { collect: 'send_invoice' })));
    expect((await shop.find(many.id)).remaining.amount).toBe(0);
    const usedUp = await shop.invoices();
    expect(usedUp.filter(({ total }) => total.amount === 1)).toHaveLength(20);
    await expectSound(shop);
  });

  const end = { expiresAt: '2026-06-01' };
  const month = { frequency: 'Monthly', period: 1 };
  const rolling = (rollover: object) => ({ ...end, rollover: { expiresAfter: month, ...rollover } });
  const refused: [string, object, string, string[]][] = [
    ['of nothing', { amount: afn(0) }, 'validation_failed', ['amount.amount']],
    ['of a tenth of a cent', { amount: afn(0.001) }, 'amount_precision', ['amount.amount']],
    [
      'of an unknown currency',
      { amount: { amount: 1, currency: 'xyz' } },
      'currency_unsupported',
      ['amount.currency'],
    ],
    ['without a name', { name: '' }, 'validation_failed', ['name']],
    ['above the highest priority', { priority: 101 }, 'validation_failed', ['priority']],
    ['below the lowest priority', { priority: -1 }, 'validation_failed', ['priority']],
    ['that has expired', { expiresAt: '2025-12-31' }, 'validation_failed', ['expiresAt']],
    [
      'that begins when it ends',
      { effectiveAt: '2026-02-01', expiresAt: '2026-02-01' },
      'validation_failed',
      ['effectiveAt'],
    ],
    ['given at a cost', { costBasis: '0.5' }, 'validation_failed', ['costBasis']],
    ['at a cost below 0', { category: 'paid', costBasis: '-1' }, 'validation_failed', ['costBasis']],
    [
      'that rolls over without an end',
      { rollover: { percent: '50', expiresAfter: month } },
      'validation_failed',
      ['rollover'],
    ],
    ['that rolls over nothing', rolling({ percent: '0' }), 'validation_failed', ['rollover.percent']],
    [
      'that rolls over more than all',
      rolling({ percent: '100.1' }),
      'validation_failed',
      ['rollover.percent'],
    ],
    ['that rolls over twice', rolling({ percent: '5', maximum: afn(1) }), 'validation_failed', ['rollover']],
    ['that rolls over in no way', rolling({}), 'validation_failed', ['rollover']],
    [
      'that rolls over in another currency',
      rolling({ maximum: { amount: 1, currency: 'usd' } }),
      'currency_mismatch',
      ['rollover.maximum.currency'],
    ],
    [
      'that rolls over for four years',
      rolling({ percent: '5', expiresAfter: { frequency: 'Yearly', period: 4 } }),
      'validation_failed',
      ['rollover.expiresAfter.period'],
    ],
    ['for nothing', { appliesTo: { priceIds: [], meterIds: [] } }, 'validation_failed', ['appliesTo']],
    [
      'for an unknown price',
      { appliesTo: { priceIds: ['price_1'] } },
      'price_not_found',
      ['appliesTo.priceIds.0'],
    ],
    [
      'for an unknown meter',
      { appliesTo: { meterIds: ['__proto__'] } },
      'meter_not_found',
      ['appliesTo.meterIds.0'],
    ],
    [
      'that pays totals of some prices',
      { category: 'paid', appliesTo: { priceIds: ['price_1'] } },
      'validation_failed',
      ['appliesTo'],
    ],
    ['for nobody', { customerId: 'cus_1' }, 'customer_not_found', []],
  ];
  let shared: Promise<Shop>;
  beforeAll(() => {
    shared = openShop();
  });
  test.each(refused)('a grant %s is refused', async (_, given, reason, paths) => {
    const { perform, customer, balances } = await shared;
    const document = 'mutation ($input: CreateCreditGrantInput!) { createCreditGrant(input: $input) { id } }';
    const input = {
      customerId: customer.id,
      name: 'Credit',
      amount: afn(1),
      category: 'promotional',
      ...given,
    };
    await perform({ graphql: [document, { input }], reason: reason as never, paths });
    expect(await balances()).toEqual([]);
  });
});
