/** Payments by Mollie: the payer pays on Mollie's page, later charges use the mandate, and webhooks report outcomes. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runDueWork } from '../../src/app/scheduler.ts';
import { openBooks, type Books } from '../support/books.ts';
import { apiKey, type FakeMollie } from '../support/fakeMollie.ts';
import { secretKey, startFakeStripe, webhookSecret, type FakeStripe } from '../support/fakeStripe.ts';
import { startMollieApp, type MollieApp } from '../support/mollieApp.ts';
import { createShop } from '../support/shop.ts';
import { expectRestError, inject } from '../support/world.ts';
import { payPath } from '../support/payLinks.ts';

const silent = pino({ level: 'silent' });
const payments = 'POST /v2/payments';

let running: MollieApp;
let mollie: FakeMollie;
beforeAll(async () => {
  running = await startMollieApp();
  mollie = running.mollie;
});
afterAll(() => running.close());

const open = () => openBooks(running.app, '2026-01-31');
const confirmDocument = `mutation ($id: ID!, $method: String!) {
  confirmIntent(id: $id, input: { paymentMethod: $method }) { id status actionUrl subscriptionId }
}`;
const intentDocument = 'query ($id: ID!) { intent(id: $id) { status subscriptionId } }';
const fetchIntent = async ({ client }: Books, id: string) =>
  (await client.graphql(intentDocument, { id })).intent;

/** An intent whose payer is on Mollie's page. */
async function waiting(books: Books, method = 'mollie', amount = 50) {
  const price = await books.plan(amount, { currency: 'eur' });
  const { intentId: id } = await books.shop.intent(await books.shop.customer(), price);
  const { confirmIntent } = await books.client.graphql(confirmDocument, { id, method });
  return { id, confirmed: confirmIntent, payment: mollie.find(`${id}_1`) };
}

/** A subscription whose first payment was made on Mollie's page; `later` is what its next charges come to. */
async function subscribe(books: Books, later = 'paid', method: 'creditcard' | 'ideal' = 'creditcard') {
  const { id, payment } = await waiting(books);
  mollie.finish(payment.id, { method, later });
  await running.deliver(payment.id);
  return (await fetchIntent(books, id)).subscriptionId as string;
}

const listMethods = async ({ alias }: Books) =>
  (await running.app.service.store.committed.select('paymentMethods', { where: { tenantAlias: alias } })).map(
    ({ provider, reference }) => `${provider} ${reference.replace(/\d+/g, '1')}`,
  );
const listReasons = (answer: any) =>
  answer.body.errors.map(({ extensions }: any) => [extensions.reason, extensions.issues?.[0]?.message]);

describe('the country of a method', () => {
  it.each([
    ['creditcard', 'FR', 'FR'],
    ['creditcard', 'nowhere', null],
    ['creditcard', undefined, null],
    ['ideal', undefined, 'NL'],
  ] as const)('%s of %s: %s', async (method, cardCountry, country) => {
    const books = await open();
    const { payment } = await waiting(books);
    mollie.finish(payment.id, { method, cardCountry });
    await running.deliver(payment.id);
    const where = { tenantAlias: books.alias };
    const [kept] = await running.app.service.store.committed.select('paymentMethods', { where });
    expect(kept!.country).toBe(country);
    const [customer] = await running.app.service.store.committed.select('customers', { where });
    expect(customer!.locationEvidence?.map((piece) => piece.country) ?? null).toEqual(country && [country]);
  });
});

describe('a first payment', () => {
  it('sends the payer to the page of Mollie, and starts the subscription when it is paid', async () => {
    const books = await open();
    const { id, confirmed, payment } = await waiting(books);
    expect(confirmed).toMatchObject({
      status: 'requires_action',
      actionUrl: `https://pay.mollie.example/${payment.id}`,
      subscriptionId: null,
    });
    expect(payment).toMatchObject({
      amount: { value: '50.00', currency: 'EUR' },
      sequenceType: 'first',
      redirectUrl: `https://billing.example${await payPath(running.app, id)}/return`,
      webhookUrl: 'https://billing.example/callbacks/mollie',
      metadata: { perennial_tenant: books.alias, perennial_key: `${id}_1` },
    });
    mollie.finish(payment.id);
    expect((await running.deliver(payment.id)).status).toBe(200);
    expect((await fetchIntent(books, id)).status).toBe('succeeded');
    expect(await books.bills((await fetchIntent(books, id)).subscriptionId)).toEqual(['2026-01-31 paid 50']);
    expect(await listMethods(books)).toEqual(['mollie cst_1/mdt_1']);
  });

  it.each([
    ['mollie_ideal', 'ideal'],
    ['mollie_creditcard', 'creditcard'],
  ])('with the method %s is made with it', async (method, expected) => {
    const { payment } = await waiting(await open(), method);
    expect(payment.method).toBeNull();
    const created = mollie.requests.at(-1);
    expect(created).toBe(`${payments} ${payment.key}`);
    expect(payment.chosen).toBe(expected);
  });

  it.each([
    ['failed', 'insufficient_funds'],
    ['failed', undefined],
    ['canceled', undefined],
    ['expired', undefined],
  ] as const)('that is %s (%s) can be made again', async (status, failureReason) => {
    const books = await open();
    const { id, payment } = await waiting(books);
    mollie.finish(payment.id, { status, failureReason });
    const resumed = await books.client.post('mutation ($id: ID!) { resumeIntent(id: $id) { status } }', {
      id,
    });
    expect(listReasons(resumed)).toEqual([['payment_failed', failureReason ?? status]]);
    expect((await fetchIntent(books, id)).status).toBe('requires_payment_method');
    await books.client.graphql(confirmDocument, { id, method: 'mollie' });
    const second = mollie.find(`${id}_2`);
    mollie.finish(second.id);
    await running.deliver(second.id);
    await running.deliver(payment.id);
    expect((await fetchIntent(books, id)).status).toBe('succeeded');
  });

  it('is settled once by 50 callbacks and the return of the payer at the same time', async () => {
    const books = await open();
    const { id, payment } = await waiting(books);
    mollie.finish(payment.id);
    const answers = await Promise.all(Array.from({ length: 50 }, () => running.deliver(payment.id)));
    await books.client.graphql('mutation ($id: ID!) { resumeIntent(id: $id) { status } }', { id });
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const { subscriptionId } = await fetchIntent(books, id);
    expect(await books.tries(subscriptionId)).toEqual(['2026-01-31 charge succeeded 50']);
  });

  it('whose response was lost leaves nothing that can be paid twice', async () => {
    const books = await open();
    mollie.fail(payments, 'drop');
    const price = await books.plan(50, { currency: 'eur' });
    const { intentId: id } = await books.shop.intent(await books.shop.customer(), price);
    const answer = await books.client.post(confirmDocument, { id, method: 'mollie' });
    expect(listReasons(answer)[0][0]).toBe('unavailable');
    expect((await fetchIntent(books, id)).status).toBe('processing');
    await runDueWork(running.app.service, silent);
    expect((await fetchIntent(books, id)).status).toBe('requires_action');
    const made = [...mollie.payments.values()].filter(({ key }) => key === `${id}_1`);
    expect(made).toHaveLength(1);
  });

  it.each([
    ['above the limit of Mollie', 60_000, 'invalid_amount'],
    ['with an amount', 12.34, undefined],
  ])('%s is accepted or declined', async (_, amount, reason) => {
    const books = await open();
    const price = await books.plan(amount, { currency: 'eur' });
    const { intentId: id } = await books.shop.intent(await books.shop.customer(), price);
    const answer = await books.client.post(confirmDocument, { id, method: 'mollie' });
    if (reason) expect(listReasons(answer)).toEqual([['payment_failed', reason]]);
    else expect(mollie.find(`${id}_1`).amount).toEqual({ value: '12.34', currency: 'EUR' });
  });

  it('in a currency without decimals has none', async () => {
    const books = await open();
    const price = await books.plan(500, { currency: 'jpy' });
    const { intentId: id } = await books.shop.intent(await books.shop.customer(), price);
    await books.client.graphql(confirmDocument, { id, method: 'mollie' });
    expect(mollie.find(`${id}_1`).amount).toEqual({ value: '500', currency: 'JPY' });
  });

  it('belongs to one customer at Mollie for each of ours', async () => {
    const books = await open();
    const before = mollie.customers.length;
    const customer = await books.shop.customer();
    for (const amount of [10, 20]) {
      const price = await books.plan(amount, { currency: 'eur' });
      const { intentId: id } = await books.shop.intent(customer, price);
      await books.client.graphql(confirmDocument, { id, method: 'mollie' });
    }
    expect(mollie.customers.slice(before)).toEqual([
      expect.objectContaining({
        metadata: { perennial_tenant: books.alias, perennial_customer: customer.id },
      }),
    ]);
  });
});

describe('a later charge', () => {
  it('uses the mandate of the first payment', async () => {
    const books = await open();
    const id = await subscribe(books);
    await books.advance('2026-02-28');
    expect(await books.bills(id)).toEqual(['2026-01-31 paid 50', '2026-02-28 paid 50']);
    const [, invoice] = await books.invoices(id);
    expect(mollie.find(`${invoice.id}_1`)).toMatchObject({
      sequenceType: 'recurring',
      amount: { value: '50.00', currency: 'EUR' },
      webhookUrl: 'https://billing.example/callbacks/mollie',
    });
  });

  it('that fails makes the subscription past due, with the reason', async () => {
    const books = await open();
    const id = await subscribe(books, 'card_expired');
    await books.advance('2026-02-28');
    expect((await books.subscription(id)).status).toBe('past_due');
    const failed = await running.app.service.store.committed.select('payments', {
      where: { tenantAlias: books.alias, status: 'failed' },
    });
    expect(failed.map(({ failureReason }) => failureReason)).toEqual(['card_expired']);
  });

  it.each([
    ['paid', 'paid', '2026-02-28 charge succeeded 50'],
    ['failed', 'open', '2026-02-28 charge failed 50'],
  ] as const)('by direct debit is pending until it is %s', async (status, invoiceStatus, attempt) => {
    const books = await open();
    const id = await subscribe(books, 'pending', 'ideal');
    await books.advance('2026-02-28');
    const [, invoice] = await books.invoices(id);
    expect([invoice.status, (await books.subscription(id)).status]).toEqual(['open', 'active']);
    const { id: paymentId } = mollie.find(`${invoice.id}_1`);
    await running.deliver(paymentId);
    expect(await books.tries(id)).toEqual(['2026-01-31 charge succeeded 50']);
    mollie.finish(paymentId, { status, method: 'ideal' });
    await Promise.all([running.deliver(paymentId), running.deliver(paymentId)]);
    expect((await books.invoices(id))[1].status).toBe(invoiceStatus);
    expect(await books.tries(id)).toEqual(['2026-01-31 charge succeeded 50', attempt]);
  });

  it.each([
    ['made, and whose response was lost', ['drop'], false],
    ['made, lost, and whose key was forgotten', ['drop'], true],
    ['never made', ['refuse'], false],
    ['refused because of too many requests', ['limit'], false],
  ] as const)('that was %s is made once', async (_, faults, forgets) => {
    const books = await open();
    const id = await subscribe(books);
    mollie.fail(payments, ...faults);
    const answer = await books.client.post(
      'mutation { advanceClock(input: { to: "2026-02-28" }) { clock } }',
    );
    expect(listReasons(answer)[0][0]).toBe('unavailable');
    if (forgets) mollie.forgetKeys();
    await books.advance('2026-02-28');
    expect(await books.bills(id)).toEqual(['2026-01-31 paid 50', '2026-02-28 paid 50']);
    const [, invoice] = await books.invoices(id);
    expect([...mollie.payments.values()].filter(({ key }) => key === `${invoice.id}_1`)).toHaveLength(1);
  });

  it('with a mandate of an erased customer is impossible: it is revoked', async () => {
    const books = await open();
    const id = await subscribe(books);
    const [saved] = await running.app.service.store.fresh.select('paymentMethods', {
      where: { tenantAlias: books.alias },
    });
    const [, mandateId] = saved!.reference.split('/');
    await books.client.graphql('mutation ($id: ID!) { cancelSubscription(id: $id) { id } }', { id });
    const erase = 'mutation ($id: ID!) { eraseCustomer(id: $id) { id } }';
    await books.client.graphql(erase, { id: saved!.customerId });
    expect(mollie.mandates.get(mandateId!).status).toBe('valid');
    for (let round = 0; round < 2; round++) await runDueWork(running.app.service, silent);
    expect(mollie.mandates.get(mandateId!).status).toBe('invalid');
    const revoked = mollie.requests.filter((each) => each.startsWith('DELETE') && each.includes(mandateId!));
    expect(revoked).toHaveLength(1);
  });

  it('with a revoked mandate is declined', async () => {
    const books = await open();
    const id = await subscribe(books);
    for (const mandate of mollie.mandates.values()) mandate.status = 'invalid';
    await books.advance('2026-02-28');
    expect(await books.tries(id)).toEqual(['2026-01-31 charge succeeded 50', '2026-02-28 charge failed 50']);
  });
});

describe('a change of the method', () => {
  it('saves the mandate of a payment of zero, which cards and PayPal have', async () => {
    const books = await open();
    const id = await subscribe(books);
    const answer = await books.client.post(
      'mutation ($id: ID!) { setPaymentMethod(id: $id, input: { paymentMethod: "mollie" }) { id } }',
      { id },
    );
    expect(listReasons(answer)[0][0]).toBe('payment_action_required');
    const payment = [...mollie.payments.values()].at(-1);
    expect([payment.amount.value, payment.chosen]).toEqual(['0.00', ['creditcard', 'paypal']]);
    mollie.finish(payment.id);
    await running.deliver(payment.id);
    await running.deliver(payment.id);
    const row = await running.app.service.store.committed.select('subscriptions', {
      where: { tenantAlias: books.alias, id },
    });
    const [method] = await running.app.service.store.committed.select('paymentMethods', {
      where: { tenantAlias: books.alias, id: row[0]!.paymentMethodId! },
    });
    expect(method!.reference).toBe(`${payment.customerId}/${payment.mandateId}`);
  });

  it('to a method that needs a payment is declined', async () => {
    const books = await open();
    const id = await subscribe(books);
    const answer = await books.client.post(
      'mutation ($id: ID!) { setPaymentMethod(id: $id, input: { paymentMethod: "mollie_ideal" }) { id } }',
      { id },
    );
    expect(listReasons(answer)).toEqual([['payment_failed', 'invalid_amount']]);
  });
});

describe('a refund', () => {
  const refundDocument =
    'mutation ($id: ID!, $amount: MoneyInput) { refundInvoice(id: $id, input: { amount: $amount }) { id } }';
  const listRefunds = async ({ alias }: Books) =>
    (
      await running.app.service.store.committed.select('payments', {
        where: { tenantAlias: alias, kind: 'refund' },
      })
    ).map(({ status, amountMinor }) => `${status} ${amountMinor}`);

  it.each([
    ['refunded', 'succeeded 2000'],
    ['failed', 'failed 2000'],
    ['processing', 'pending 2000'],
  ])('that Mollie reports as %s is %s', async (status, expected) => {
    const books = await open();
    const id = await subscribe(books);
    const [invoice] = await books.invoices(id);
    await books.client.graphql(refundDocument, { id: invoice.id, amount: { amount: 20, currency: 'eur' } });
    expect(await listRefunds(books)).toEqual(['pending 2000']);
    const made = mollie.refunds.at(-1);
    made.status = status;
    for (const _ of [1, 2]) await running.deliver(made.paymentId);
    expect(await listRefunds(books)).toEqual([expected]);
    expect(mollie.refunds.filter(({ paymentId }) => paymentId === made.paymentId)).toHaveLength(1);
  });

  it('whose response was lost is made once', async () => {
    const books = await open();
    const id = await subscribe(books);
    const [invoice] = await books.invoices(id);
    const { id: paymentId } = [...mollie.payments.values()].at(-1);
    mollie.refundStatus = 'refunded';
    mollie.fail(`${payments}/${paymentId}/refunds`, 'drop');
    const answer = await books.client.post(refundDocument, { id: invoice.id });
    expect(listReasons(answer)[0][0]).toBe('unavailable');
    mollie.forgetKeys();
    await runDueWork(running.app.service, silent);
    mollie.refundStatus = 'pending';
    expect(await listRefunds(books)).toEqual(['succeeded 5000']);
    expect(mollie.refunds.filter((each) => each.paymentId === paymentId)).toHaveLength(1);
  });
});

describe('a callback that changes nothing', () => {
  it.each([
    ['with an unknown id', 'tr_unknown'],
    ['with a path as id', '../customers'],
    ['with a huge id', `tr_${'a'.repeat(100_000)}`],
    ['without an id', ''],
  ])('%s is answered like any other', async (_, id) => {
    const before = await running.app.backdoor.dump();
    const asked = mollie.requests.length;
    expect((await running.deliver(id)).status).toBe(200);
    expect(mollie.requests.length - asked).toBe(id === 'tr_unknown' ? 1 : 0);
    expect(await running.app.backdoor.dump()).toBe(before);
  });

  it.each([
    ['of another system on the account', null],
    ['of a tenant that is not there', { perennial_tenant: 'nobody', perennial_key: 'int_01_1' }],
    ['with other metadata', { perennial_tenant: 1, perennial_key: [] }],
  ])('%s', async (_, metadata) => {
    const books = await open();
    const { payment } = await waiting(books);
    mollie.finish(payment.id);
    payment.metadata = metadata;
    const before = await running.app.backdoor.dump();
    expect((await running.deliver(payment.id)).status).toBe(200);
    expect(await running.app.backdoor.dump()).toBe(before);
  });

  it('while Mollie cannot be reached is refused, so that Mollie repeats it', async () => {
    const books = await open();
    const { id, payment } = await waiting(books);
    mollie.finish(payment.id);
    mollie.fail(`GET /v2/payments/${payment.id}`, 'refuse');
    expectRestError(await running.deliver(payment.id), 'unavailable');
    expect((await fetchIntent(books, id)).status).toBe('requires_action');
    expect((await running.deliver(payment.id)).status).toBe(200);
    expect((await fetchIntent(books, id)).status).toBe('succeeded');
  });
});

describe('the payment page', () => {
  it('offers the methods of Mollie, and leads to its page without a script', async () => {
    const books = await open();
    const price = await books.plan(50, { currency: 'eur' });
    const { intentId: id } = await books.shop.intent(await books.shop.customer(), price);
    const page = await inject(running.app, { url: await payPath(running.app, id) });
    expect(page.text).toContain('value="mollie"');
    expect(page.text).not.toContain('To pay by card, return');
    const { confirmIntent } = await books.client.graphql(confirmDocument, { id, method: 'mollie' });
    const leading = await inject(running.app, { url: `${await payPath(running.app, id)}?to=bank` });
    expect(leading.text).toContain(`content="0; url=${confirmIntent.actionUrl}"`);
    mollie.finish(mollie.find(`${id}_1`).id);
    expect((await inject(running.app, { url: `${await payPath(running.app, id)}/return` })).status).toBe(303);
    expect((await fetchIntent(books, id)).status).toBe('succeeded');
  });
});

describe('several providers', () => {
  let both: MollieApp;
  let stripe: FakeStripe;
  beforeAll(async () => {
    stripe = await startFakeStripe();
    both = await startMollieApp({
      payments: 'stripe,mollie',
      stripeUrl: stripe.url,
      stripeSecretKey: secretKey,
      stripeWebhookSecret: webhookSecret,
    });
  });
  afterAll(async () => {
    await both.close();
    stripe.close();
  });

  it.each([
    ['pm_card_visa', 'stripe', 'succeeded'],
    ['mollie', 'mollie', 'requires_action'],
    ['mollie_ideal', 'mollie', 'requires_action'],
    ['manual', 'manual', 'processing'],
  ])('charge the method %s by %s', async (method, provider, status) => {
    const alias = `both-${method.replaceAll('_', '-')}`;
    const client = await both.app.tenant({ alias, test: false });
    const own = createShop(client, alias);
    const { price } = await own.product({ currency: 'eur' });
    const { intentId: id } = await own.intent(await own.customer(), price);
    const { confirmIntent } = await client.graphql(confirmDocument, { id, method });
    expect(confirmIntent.status).toBe(status);
    const [row] = await both.app.service.store.committed.select('intents', { where: { tenantAlias: alias } });
    expect(row!.provider).toBe(provider);
    expect((await client.graphql('{ tenant { paymentProviders } }')).tenant.paymentProviders).toEqual([
      'stripe',
      'mollie',
      'manual',
    ]);
  });

  it('can be chosen by the tenant', async () => {
    const client = await both.app.tenant({ alias: 'chooser', test: false });
    const own = createShop(client, 'chooser');
    await client.graphql('mutation { updateTenant(input: { paymentProviders: [mollie] }) { alias } }');
    const { price } = await own.product({ currency: 'eur' });
    const { intentId: id } = await own.intent(await own.customer(), price);
    const answer = await client.post(confirmDocument, { id, method: 'pm_card_visa' });
    expect(listReasons(answer)).toEqual([['validation_failed', 'stripe is switched off for this tenant']]);
  });
});

describe("a tenant's own account at Mollie", () => {
  const ownKey = 'test_ownaccountofthetenant5678';
  const configure = `mutation ($key: String!) {
    configureAccount(input: { mollie: { apiKey: $key } }) { callbackUrl settings { name value } }
  }`;

  it('is charged and believed for this tenant only', async () => {
    const app = await startMollieApp({ payments: 'none', mollieApiKey: undefined });
    try {
      const [first, second] = await Promise.all(
        ['first', 'second'].map(async (alias) => {
          const client = await app.app.tenant({ alias, test: false });
          return { alias, client, shop: createShop(client, alias) };
        }),
      );
      const pay = async ({ client, shop }: NonNullable<typeof first>) => {
        const { intentId: id } = await shop.intent(
          await shop.customer(),
          (await shop.product({ currency: 'eur' })).price,
        );
        return { id, answer: await client.post(confirmDocument, { id, method: 'mollie' }) };
      };
      for (const { client, alias } of [first!, second!]) {
        const key = alias === 'first' ? apiKey : ownKey;
        expect((await client.graphql(configure, { key })).configureAccount).toEqual({
          callbackUrl: `https://billing.example/callbacks/mollie/${alias}`,
          settings: [{ name: 'apiKey', value: `…${key.slice(-4)}` }],
        });
      }
      const test = 'mutation { testAccount(input: { provider: mollie }) { failure } }';
      expect((await first!.client.graphql(test)).testAccount.failure).toBeNull();
      expect((await second!.client.graphql(test)).testAccount.failure).toMatch(/401/);
      const paid = await pay(first!);
      expect(paid.answer.body.data.confirmIntent.status).toBe('requires_action');
      const payment = app.mollie.find(`${paid.id}_1`);
      expect(payment.webhookUrl).toBe('https://billing.example/callbacks/mollie/first');
      // The key of the second is not that of this account.
      expect(listReasons((await pay(second!)).answer)[0][0]).toBe('unavailable');
      app.mollie.finish(payment.id);
      const status = async () => (await first!.client.graphql(intentDocument, { id: paid.id })).intent.status;
      expectRestError(await app.deliver(payment.id, 'mollie/second'), 'unavailable');
      expectRestError(await app.deliver(payment.id), 'route_not_found');
      expect(await status()).toBe('requires_action');
      payment.metadata.perennial_tenant = 'second';
      expect((await app.deliver(payment.id, 'mollie/first')).status).toBe(200);
      expect(await status()).toBe('requires_action');
      payment.metadata.perennial_tenant = 'first';
      await app.deliver(payment.id, 'mollie/first');
      expect(await status()).toBe('succeeded');
    } finally {
      await app.close();
    }
  });
});
