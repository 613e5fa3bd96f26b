/** One-off charges: what waits is billed once, by the right invoice, and what is billed at once is paid once. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { apply, createCoupon } from '../discounts/shop.ts';
import { openBooks, type Books } from '../../support/books.ts';
import { findFaults } from '../../support/faults.ts';
import { afn, ask, documents, invoiceText } from '../../support/oneOff.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
});
afterAll(() => app.close());

/** A customer with a monthly subscription of 50 that was paid with the method. */
async function subscribed(method = 'sandbox_ok', price = 50) {
  const books = await openBooks(app, '2026-01-01');
  const customer = await books.shop.customer();
  const id = await books.subscribe(customer, await books.plan(price), method);
  const add = (amount: number, fields: object = {}) =>
    ask(books, 'createInvoiceItem', {
      customerId: customer.id,
      amount: afn(amount),
      description: 'Setup',
      ...fields,
    });
  const bill = (amounts: number[], collect?: string) =>
    ask(books, 'createInvoice', {
      customerId: customer.id,
      items: amounts.map((amount) => ({ amount: afn(amount), description: 'Work' })),
      collect,
    });
  const waiting = async () =>
    (await ask(books, 'customer', { id: customer.id })).invoiceItems.map(({ amount }: any) => amount.amount);
  return { books, customer, id, add, bill, waiting };
}

const expectSound = async ({ alias }: Books) => expect(await findFaults(app, alias)).toEqual([]);

describe('an item', () => {
  it('is billed by the next renewal, as forecast, and then no more', async () => {
    const { books, id, add, waiting } = await subscribed();
    expect(await add(7.5, { quantity: 2 })).toMatchObject({
      kind: 'item',
      quantity: 2,
      invoiceId: null,
      amount: { amount: 15, currency: 'afn' },
    });
    await add(20, { subscriptionId: id });
    expect(await waiting()).toEqual([15, 20]);
    expect(await books.forecast(id, '2026-03-31')).toEqual(['2026-02-01 85', '2026-03-01 50']);
    const { tenant } = await books.client.graphql(
      '{ tenant { forecast(until: "2026-03-31") { date total { amount } } } }',
    );
    expect(tenant.forecast.map(({ total }: any) => total.amount)).toEqual([85, 50]);
    await books.advance('2026-03-31');
    expect(await books.bills(id)).toEqual(['2026-01-01 paid 50', '2026-02-01 paid 85', '2026-03-01 paid 50']);
    const [, second] = await books.invoices(id);
    expect(invoiceText(second)).toBe('paid 85: cycle 50, item 15, item 20');
    expect(await waiting()).toEqual([]);
    await expectSound(books);
  });

  it('of a subscription waits for that one, and of another currency for none of these', async () => {
    const { books, customer, id, add, waiting } = await subscribed();
    const other = await books.subscribe(customer, await books.plan(9));
    await add(3, { subscriptionId: other });
    await add(4, { amount: { decimal: '4.00', currency: 'usd' } });
    await books.advance('2026-02-01');
    expect((await books.bills(id)).at(-1)).toBe('2026-02-01 paid 50');
    expect((await books.bills(other)).at(-1)).toBe('2026-02-01 paid 12');
    expect(await waiting()).toEqual([4]);
    await expectSound(books);
  });

  it('without a subscription is billed by one of two renewals of the same instant', async () => {
    const { books, customer, id, add } = await subscribed();
    const other = await books.subscribe(customer, await books.plan(50));
    await add(3);
    await books.advance('2026-02-01');
    const last = [(await books.bills(id)).at(-1), (await books.bills(other)).at(-1)];
    expect(new Set(last)).toEqual(new Set(['2026-02-01 paid 50', '2026-02-01 paid 53']));
    await expectSound(books);
  });

  it('is not billed with an order of the payer', async () => {
    const { books, customer, add, waiting } = await subscribed();
    await add(3);
    const other = await books.subscribe(customer, await books.plan(9));
    expect(await books.bills(other)).toEqual(['2026-01-01 paid 9']);
    expect(await waiting()).toEqual([3]);
  });

  it('waits again after its renewal was given up, and is billed by an invoice of its own', async () => {
    const { books, id, add, bill, waiting } = await subscribed('sandbox_ok_then_declined');
    await add(3, { subscriptionId: id });
    await add(4);
    await books.advance('2026-02-01');
    expect((await books.bills(id)).at(-1)).toBe('2026-02-01 open 57');
    expect(await waiting()).toEqual([]);
    await books.run('cancelSubscription(id: $id)', id);
    // The item of the subscription is on its final invoice.
    expect((await books.bills(id)).at(-1)).toBe('2026-02-01 draft 3');
    expect(await waiting()).toEqual([4]);
    expect(invoiceText(await bill([5], 'send_invoice'))).toBe('open 9: item 5, item 4');
    await expectSound(books);
  });

  it('that waits for a live subscription is not billed by an invoice of its own', async () => {
    const { id, add, bill, waiting } = await subscribed();
    await add(3, { subscriptionId: id });
    await add(4);
    expect(invoiceText(await bill([5]))).toBe('paid 9: item 5, item 4');
    expect(await waiting()).toEqual([3]);
  });

  it('of a cancelled subscription whose final invoice was voided is billed by the next renewal, as forecast', async () => {
    const { books, customer, id, add, waiting } = await subscribed();
    const other = await books.subscribe(customer, await books.plan(9));
    await add(3, { subscriptionId: id });
    await books.run('cancelSubscription(id: $id, input: { atPeriodEnd: true })', id);
    await books.advance('2026-01-20');
    await add(4, { subscriptionId: id });
    // The renewal of the other subscription falls on the instant at which this one ends.
    const third = await books.subscribe(customer, await books.plan(30));
    const expected = await books.forecast(third, '2026-02-20');
    await books.run('cancelSubscription(id: $id)', id);
    expect(await waiting()).toEqual([]);
    const final = (await books.invoices(id)).at(-1);
    expect(invoiceText(final)).toBe('draft 7: item 3, item 4');
    await ask(books, 'voidInvoice', { id: final.id });
    expect(await waiting()).toEqual([3, 4]);
    expect(await books.forecast(other, '2026-02-01')).toEqual(['2026-02-01 16']);
    const { tenant } = await books.client.graphql(
      '{ tenant { forecast(until: "2026-02-01") { total { amount } charges } } }',
    );
    expect(tenant.forecast).toEqual([{ total: { amount: 16 }, charges: 1 }]);
    await books.advance('2026-02-20');
    expect((await books.bills(other)).at(-1)).toBe('2026-02-01 paid 16');
    expect((await books.bills(third)).slice(1)).toEqual(['2026-02-20 paid 30']);
    expect(expected).toEqual(['2026-02-20 30']);
    expect(await waiting()).toEqual([]);
    await expectSound(books);
  });

  it('of a subscription that ends with its period is forecast for its final invoice', async () => {
    const { books, customer, id, add } = await subscribed();
    await books.advance('2026-01-10');
    const other = await books.subscribe(customer, await books.plan(9));
    await add(3, { subscriptionId: id });
    await books.run('cancelSubscription(id: $id, input: { atPeriodEnd: true })', id);
    expect(await books.forecast(id, '2026-03-01')).toEqual(['2026-02-01 3']);
    expect(await books.forecast(other, '2026-03-01')).toEqual(['2026-02-10 9']);
    const { tenant } = await books.client.graphql(
      '{ tenant { forecast(until: "2026-02-20") { total { amount } charges } } }',
    );
    expect(tenant.forecast.map(({ total }: any) => total.amount)).toEqual([3, 9]);
    await books.advance('2026-02-10');
    expect((await books.bills(id)).at(-1)).toBe('2026-02-01 paid 3');
    expect((await books.bills(other)).at(-1)).toBe('2026-02-10 paid 9');
    await expectSound(books);
  });

  it('can be deleted while it waits, and not once it is billed', async () => {
    const { books, add, waiting } = await subscribed();
    const { id } = await add(3);
    const kept = await add(4);
    await books.perform({
      graphql: [documents.deleteInvoiceItem, { id }],
      traces: ['InvoiceItemEvent deleted'],
    });
    expect(await waiting()).toEqual([4]);
    const gone = { graphql: [documents.deleteInvoiceItem, { id }] as [string, object] };
    await books.perform({ ...gone, reason: 'invoice_item_not_found' } as never);
    await books.advance('2026-02-01');
    await books.perform({
      graphql: [documents.deleteInvoiceItem, { id: kept.id }],
      reason: 'invoice_item_billed',
      paths: ['id'],
    });
    await expectSound(books);
  });

  it('goes with its customer', async () => {
    const { books, customer, add, bill } = await subscribed('manual');
    await add(3);
    const { id } = await bill([5], 'send_invoice');
    await books.client.graphql('mutation ($id: ID!) { deleteCustomer(id: $id) { id } }', { id: customer.id });
    const { invoice } = await books.client.graphql('query ($id: ID!) { invoice(id: $id) { status } }', {
      id,
    });
    expect(invoice.status).toBe('void');
    const left = await app.service.store.committed.select('invoiceItems', {
      where: { tenantAlias: books.alias, removedAt: null },
    });
    expect(left).toEqual([]);
    await expectSound(books);
  });
});

describe('an invoice of one-off charges', () => {
  it('is charged at once, and can be refunded', async () => {
    const { books, bill } = await subscribed();
    const invoice = await bill([20, 15]);
    expect(invoice).toMatchObject({ billingReason: 'one_off', subscriptionId: null, dueAt: null });
    expect(invoiceText(invoice)).toBe('paid 35: item 20, item 15');
    expect(invoice.lines[0]).toMatchObject({ description: 'Work', quantity: 1, unitAmount: '20.00' });
    const refund = (amount?: number) =>
      ask(books, 'refundInvoice', { id: invoice.id, amount: amount === undefined ? undefined : afn(amount) });
    expect(await refund(30)).toMatchObject({ refundable: { amount: 5 } });
    expect(await refund()).toMatchObject({ refunded: { amount: 35 }, refundable: { amount: 0 } });
    await expectSound(books);
  });

  it('is reduced by the discounts of the customer, which a void gives back', async () => {
    const { books, customer, id, add, bill } = await subscribed();
    const coupon = async (input: object) => (await createCoupon(books, input)).id;
    await apply(books, {
      customerId: customer.id,
      couponId: await coupon({ percentOff: '50', duration: 'once' }),
    });
    await apply(books, { subscriptionId: id, couponId: await coupon({ percentOff: '100' }) });
    await add(4);
    const open = await bill([3, 0.01], 'send_invoice');
    expect(invoiceText(open)).toBe('open 3.5: item 1.5, item 0, item 2');
    expect(invoiceText(await bill([8], 'send_invoice'))).toBe('open 8: item 8');
    await ask(books, 'voidInvoice', { id: open.id });
    expect(invoiceText(await bill([10]))).toBe('paid 7: item 5, item 2');
    await expectSound(books);
  });

  it('writes its traces in order', async () => {
    const { books, customer } = await subscribed();
    const items = [{ amount: afn(5), description: 'Work' }];
    await books.perform({
      graphql: [documents.createInvoice, { customerId: customer.id, items }],
      traces: [
        'InvoiceEvent created',
        'PaymentEvent succeeded',
        'InvoiceEvent paid < PaymentEvent succeeded',
      ],
    });
  });

  it('stays open after a decline, and is voided, or paid by a new method at once', async () => {
    const { books, id: subscriptionId, bill } = await subscribed('sandbox_ok_then_declined');
    const [first, second] = [await bill([20]), await bill([30])];
    expect([first.status, second.status]).toEqual(['open', 'open']);
    const again = { graphql: [documents.payInvoice, { id: first.id }] as [string, object] };
    await books.perform({
      ...again,
      reason: 'payment_failed',
      paths: ['id'],
      traces: ['PaymentEvent failed', 'InvoiceEvent payment_failed'],
    } as never);
    expect((await ask(books, 'voidInvoice', { id: second.id })).status).toBe('void');
    await books.client.graphql(
      'mutation ($id: ID!) { setPaymentMethod(id: $id, input: { paymentMethod: "sandbox_ok" }) { id } }',
      { id: subscriptionId },
    );
    expect((await books.invoices()).find(({ id }: any) => id === first.id)).toMatchObject({ status: 'paid' });
    for (const name of ['payInvoice', 'voidInvoice'] as const)
      for (const { id } of [first, second])
        await books.perform({
          graphql: [documents[name], { id }],
          reason: 'invoice_not_open',
          paths: ['id'],
        });
    await expectSound(books);
  });

  it('paid by hand has a due date by the terms, and its items wait again when it is voided', async () => {
    const { books, add, bill, waiting } = await subscribed('manual');
    const [first] = await books.invoices();
    await ask(books, 'recordPayment', { id: first.id });
    await books.client.graphql('mutation { updateTenant(input: { paymentTermsDays: 14 }) { name } }');
    await add(3);
    const [paid, charged] = [await bill([20], 'send_invoice'), await bill([30], 'automatic')];
    expect(paid).toMatchObject({ status: 'open', dueAt: '2026-01-15T00:00:00.000Z', startsOnPayment: false });
    // The latest method is a bank transfer: there is nothing to charge.
    expect(charged).toMatchObject({ status: 'open', dueAt: '2026-01-15T00:00:00.000Z' });
    expect((await ask(books, 'recordPayment', { id: paid.id })).status).toBe('paid');
    await add(4);
    const voided = await bill([5], 'send_invoice');
    expect(invoiceText(voided)).toBe('open 9: item 5, item 4');
    await ask(books, 'voidInvoice', { id: voided.id });
    expect(await waiting()).toEqual([4]);
    await expectSound(books);
  });

  it('can be marked uncollectible, and then be paid or voided', async () => {
    const { books, customer, add, bill, waiting } = await subscribed('sandbox_ok_then_declined');
    await ask(books, 'grantCredit', { customerId: customer.id, amount: afn(4), reason: 'Sorry' });
    await add(3);
    const [first, second, third] = [
      await bill([20]),
      await bill([30], 'send_invoice'),
      await bill([40], 'send_invoice'),
    ];
    expect(invoiceText(first)).toBe('open 19: item 20, item 3, balance -4');
    for (const { id } of [first, second, third]) {
      await books.perform({
        graphql: [documents.markInvoiceUncollectible, { id }],
        traces: ['InvoiceEvent marked_uncollectible'],
      });
      expect((await ask(books, 'markInvoiceUncollectible', { id })).status).toBe('uncollectible');
    }
    await expectSound(books);
    await books.perform({
      graphql: [documents.payInvoice, { id: first.id }],
      reason: 'payment_failed',
      paths: ['id'],
      traces: ['PaymentEvent failed', 'InvoiceEvent payment_failed'],
    } as never);
    expect(await waiting()).toEqual([]);
    expect((await ask(books, 'recordPayment', { id: second.id })).status).toBe('paid');
    for (const name of ['recordPayment', 'voidInvoice'] as const)
      await Promise.allSettled([
        ask(books, name, { id: third.id }),
        ask(books, 'voidInvoice', { id: first.id }),
      ]);
    const statuses = new Map((await books.invoices()).map(({ id, status }: any) => [id, status]));
    expect([first, second, third].map(({ id }) => statuses.get(id))).toEqual(['void', 'paid', 'paid']);
    expect(await waiting()).toEqual([3]);
    expect((await ask(books, 'customer', { id: customer.id })).balance).toEqual([
      { amount: 4, currency: 'afn' },
    ]);
    await expectSound(books);
  });

  it('cannot be marked uncollectible while it is void, paid or a draft', async () => {
    const { books, customer, bill } = await subscribed();
    const [voided, paid] = [await bill([20], 'send_invoice'), await bill([30])];
    await ask(books, 'voidInvoice', { id: voided.id });
    const { createInvoice: draft } = await books.client.graphql(
      `mutation ($id: ID!, $amount: MoneyInput!) {
        createInvoice(input: { customerId: $id, items: [{ amount: $amount, description: "Work" }], draft: true }) { id } }`,
      { id: customer.id, amount: afn(5) },
    );
    for (const { id } of [voided, paid, draft])
      await books.perform({
        graphql: [documents.markInvoiceUncollectible, { id }],
        reason: 'invoice_not_open',
        paths: ['id'],
      });
  });

  it('of a subscription is given up by its last retry, and not by hand', async () => {
    const { books } = await subscribed('manual');
    const [{ id }] = await books.invoices();
    await books.perform({
      graphql: [documents.markInvoiceUncollectible, { id }],
      reason: 'validation_failed',
      paths: ['id'],
    });
  });

  it('without a saved method is declined and stays open', async () => {
    const books = await openBooks(app, '2026-01-01');
    const { id } = await books.shop.customer();
    const items = [{ amount: afn(5), description: 'Work' }];
    const invoice = await ask(books, 'createInvoice', { customerId: id, items });
    expect(invoiceText(invoice)).toBe('open 5: item 5');
    await expectSound(books);
  });

  it('is paid by the balance first; nothing is charged if that suffices', async () => {
    const { books, customer, bill } = await subscribed();
    await ask(books, 'grantCredit', { customerId: customer.id, amount: afn(30), reason: 'Sorry' });
    expect(invoiceText(await bill([20]))).toBe('paid 0: item 20, balance -20');
    const last = await bill([20]);
    expect(invoiceText(last)).toBe('paid 10: item 20, balance -10');
    expect(await ask(books, 'refundInvoice', { id: last.id })).toMatchObject({ refunded: { amount: 20 } });
    expect((await ask(books, 'customer', { id: customer.id })).balance).toEqual([
      { amount: 10, currency: 'afn' },
    ]);
    await expectSound(books);
  });

  it('is made once for one idempotency key, and once each without one', async () => {
    const { books, customer } = await subscribed();
    const items = [{ amount: afn(5), description: 'Work' }];
    const send = (key?: string) =>
      books.client.post(
        documents.createInvoice,
        { customerId: customer.id, items },
        key ? { 'idempotency-key': key } : {},
      );
    const times = <T>(work: () => Promise<T>) => Promise.all(Array.from({ length: 50 }, work));
    const keyed = await times(() => send('one'));
    const numbers = new Set(keyed.flatMap(({ body }) => body.data?.createInvoice?.number ?? []));
    expect(numbers.size).toBe(1);
    const isOneOff = ({ billingReason }: any) => billingReason === 'one_off';
    expect((await books.invoices()).filter(isOneOff)).toHaveLength(1);
    const each = await times(() => send());
    expect(new Set(each.map(({ body }) => body.data.createInvoice.number)).size).toBe(50);
    await expectSound(books);
  });

  it('is paid once by 50 requests at once', async () => {
    const { books, bill } = await subscribed();
    const { id } = await bill([20], 'send_invoice');
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => books.client.post(documents.payInvoice, { id })),
    );
    const said = answers.map(({ body }) => body.data?.payInvoice?.status ?? body.errors[0].extensions.reason);
    expect(said).toContain('paid');
    expect(said.filter((word) => word !== 'paid' && word !== 'invoice_not_open')).toEqual([]);
    await expectSound(books);
  });

  it('of a subscription is not voided this way', async () => {
    const { books, id } = await subscribed();
    const [invoice] = await books.invoices(id);
    await books.perform({
      graphql: [documents.voidInvoice, { id: invoice.id }],
      reason: 'validation_failed',
      paths: ['id'],
    });
  });
});

describe('hostile input', () => {
  const money = (amount: object) => ({ amount: { currency: 'afn', ...amount } });
  const refused: [string, object, string, string[]][] = [
    ['nothing', money({ amount: 0 }), 'validation_failed', ['amount.amount']],
    ['0 as a decimal', money({ decimal: '0.00' }), 'validation_failed', ['amount.decimal']],
    ['less than nothing', money({ amount: -1 }), 'validation_failed', ['amount.amount']],
    ['too many decimals', money({ amount: 0.001 }), 'amount_precision', ['amount.amount']],
    ['too many decimals as text', money({ decimal: '0.001' }), 'amount_precision', ['amount.decimal']],
    ['too much', money({ decimal: '100000000000000000' }), 'validation_failed', ['amount.decimal']],
    ['16 digits', money({ amount: 9_007_199_254_740_991 }), 'amount_precision', ['amount.amount']],
    ['both forms', money({ amount: 1, decimal: '1' }), 'validation_failed', ['amount.decimal']],
    ['neither form', money({}), 'validation_failed', ['amount']],
    [
      'another currency',
      { amount: { amount: 1, currency: 'xxx' } },
      'currency_unsupported',
      ['amount.currency'],
    ],
    ['no text', { description: ' ' }, 'validation_failed', ['description']],
    ['a long text', { description: 'x'.repeat(501) }, 'validation_failed', ['description']],
    ['0 units', { quantity: 0 }, 'validation_failed', ['quantity']],
    ['-1 units', { quantity: -1 }, 'validation_failed', ['quantity']],
    ['half a unit', { quantity: 1.5 }, 'validation_failed', ['quantity']],
    ['10^12 units', { quantity: 1e12 }, 'validation_failed', ['quantity']],
    ['too much in all', { ...money({ amount: 1e12 }), quantity: 1e9 }, 'validation_failed', ['quantity']],
  ];

  it.each(refused)('%s is refused by name, and nothing is written', async (_, fields, reason, paths) => {
    const { books, customer } = await shared;
    const charge = { amount: afn(1), description: 'Work', ...fields };
    const inList = paths.map((path) => `items.0.${path}`);
    await expectRefused('createInvoiceItem', { customerId: customer.id, ...charge }, reason, paths);
    await expectRefused('createInvoice', { customerId: customer.id, items: [charge] }, reason, inList);
    expect(await books.invoices()).toHaveLength(1);
  });

  /** Values that no type accepts have the status 400, others 200. */
  async function expectRefused(
    name: keyof typeof documents,
    variables: object,
    reason: string,
    paths: string[],
  ) {
    const { books } = await shared;
    const { body, text } = await books.client.post(documents[name], variables as never);
    const { reason: word, issues } = body.errors[0].extensions;
    expect([word, issues.map(({ path }: any) => path)], text).toEqual([reason, paths]);
  }

  let shared: ReturnType<typeof subscribed>;
  beforeAll(() => {
    shared = subscribed();
  });

  it('of lists: none, 101, and two currencies', async () => {
    const { customer } = await shared;
    const charge = { amount: afn(1), description: 'Work' };
    const dollars = { amount: { amount: 1, currency: 'usd' }, description: 'Work' };
    const send = (items: object[], reason: string, paths: string[]) =>
      expectRefused('createInvoice', { customerId: customer.id, items }, reason, paths);
    await send([], 'validation_failed', ['items']);
    await send(
      Array.from({ length: 101 }, () => charge),
      'validation_failed',
      ['items'],
    );
    await send([charge, charge, dollars], 'currency_mismatch', ['items.2.amount.currency']);
    const large = { amount: { decimal: '6000000000000000', currency: 'afn' }, description: 'Work' };
    await send([large, large], 'validation_failed', ['items']);
  });

  it('of 1 MiB of text is refused', async () => {
    const { books, customer } = await shared;
    const { status } = await books.client.post(documents.createInvoiceItem, {
      customerId: customer.id,
      amount: afn(1),
      description: 'x'.repeat(1_048_576),
    });
    expect([400, 413]).toContain(status);
  });

  it("of another tenant's ids finds nothing", async () => {
    const { books, customer, id } = await shared;
    const other = await openBooks(app, '2026-01-01');
    const theirs = await other.shop.customer();
    const charge = { amount: afn(1), description: 'Work' };
    const find = (variables: object, reason: string) =>
      books.perform({
        graphql: [documents.createInvoiceItem, { ...charge, ...variables }],
        reason: reason as never,
      });
    await find({ customerId: theirs.id }, 'customer_not_found');
    await find({ customerId: '' }, 'customer_not_found');
    await find(
      { customerId: (await books.shop.customer()).id, subscriptionId: id },
      'subscription_not_found',
    );
    const item = await ask(books, 'createInvoiceItem', { customerId: customer.id, ...charge });
    await other.perform({
      graphql: [documents.deleteInvoiceItem, { id: item.id }],
      reason: 'invoice_item_not_found',
    });
    const { node } = await other.client.graphql('query ($id: ID!) { node(id: $id) { id } }', { id: item.id });
    expect(node).toBeNull();
    const mine = await books.client.graphql(
      'query ($id: ID!) { node(id: $id) { id } invoiceItem(id: $id) { description } }',
      { id: item.id },
    );
    expect(mine).toEqual({ node: { id: item.id }, invoiceItem: { description: 'Work' } });
  });

  it('at most 250 items of a customer wait', async () => {
    const books = await openBooks(app, '2026-01-01');
    const { id: customerId } = await books.shop.customer();
    const charge = { customerId, amount: afn(1), description: '✓ 100 % – 仕事' };
    const made = await Promise.all(
      Array.from({ length: 260 }, () => books.client.post(documents.createInvoiceItem, charge)),
    );
    const refusals = made.flatMap(({ body }) => body.errors ?? []);
    expect(refusals.map(({ extensions }) => extensions.issues[0].path)).toEqual(
      Array.from({ length: 10 }, () => 'customerId'),
    );
    expect((await ask(books, 'customer', { id: customerId })).invoiceItems).toHaveLength(250);
  });
});
