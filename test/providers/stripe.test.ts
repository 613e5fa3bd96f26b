import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { createProviderOpener } from '../../src/providers/account.ts';
import { chargingProviders } from '../../src/providers/list.ts';
import { findProvider, selectProvider } from '../../src/providers/registry.ts';
import { stripe as descriptor } from '../../src/providers/stripe/index.ts';
import { fromStripeAmount, toStripeAmount } from '../../src/providers/stripe/amounts.ts';
import { openBooks, short } from '../support/books.ts';
import { stoppedClock } from '../support/clock.ts';
import { secretKey, webhookSecret, type FakeStripe } from '../support/fakeStripe.ts';
import { startStripeApp, type StripeApp } from '../support/stripeApp.ts';
import { payPath } from '../support/payLinks.ts';

const names = chargingProviders.map(({ name }) => name).join(', ');

let running: StripeApp;
let stripe: FakeStripe;
beforeAll(async () => {
  running = await startStripeApp();
  stripe = running.stripe;
});
afterAll(() => running.close());

const open = () => openBooks(running.app, '2026-01-31');
const listMoved = (id: string) =>
  stripe.moved
    .filter(({ key }) => key.startsWith(id))
    .map(({ kind, amount, currency }) => `${kind} ${amount} ${currency}`);
const confirmDocument = `mutation ($id: ID!, $method: String!) {
  confirmIntent(id: $id, input: { paymentMethod: $method }) { id status actionUrl failureReason subscriptionId }
}`;
const resumeDocument = 'mutation ($id: ID!) { resumeIntent(id: $id) { id status actionUrl subscriptionId } }';

describe('an intent paid by Stripe', () => {
  it('is charged once, saves the method, and starts the subscription', async () => {
    const books = await open();
    const { intentId } = await books.shop.intent(await books.shop.customer(), await books.plan(50));
    const paid = await books.perform({
      graphql: [confirmDocument, { id: intentId, method: 'pm_card_visa' }],
      holds: { status: 'succeeded', actionUrl: null },
      traces: [
        'IntentEvent payment_started',
        'IntentEvent succeeded',
        'PaymentMethodEvent created < IntentEvent succeeded',
        'SubscriptionEvent created < IntentEvent succeeded',
        'InvoiceEvent created < SubscriptionEvent created',
        'PaymentEvent succeeded < IntentEvent succeeded',
        'InvoiceEvent paid < PaymentEvent succeeded',
      ],
    });
    expect(listMoved(intentId)).toEqual(['charge 5000 afn']);
    const made = [...stripe.intents.values()].at(-1);
    expect(made.metadata).toEqual({ perennial_tenant: books.alias, perennial_key: `${intentId}_1` });
    expect(made.return_url).toBe(`https://billing.example${await payPath(running.app, intentId)}/return`);
    expect(await books.bills(paid.subscriptionId)).toEqual(['2026-01-31 paid 50']);
  });

  it('tells the country of its card', async () => {
    const books = await open();
    const { intentId } = await books.shop.intent(await books.shop.customer(), await books.plan(50));
    await books.perform({
      graphql: [confirmDocument, { id: intentId, method: 'pm_card_fr' }],
      holds: { status: 'succeeded' },
      traces: [
        'IntentEvent payment_started',
        'IntentEvent succeeded',
        'PaymentMethodEvent created < IntentEvent succeeded',
        'CustomerEvent updated < PaymentMethodEvent created',
        'SubscriptionEvent created < IntentEvent succeeded',
        'InvoiceEvent created < SubscriptionEvent created',
        'PaymentEvent succeeded < IntentEvent succeeded',
        'InvoiceEvent paid < PaymentEvent succeeded',
      ],
    });
    const where = { tenantAlias: books.alias };
    const [kept] = await running.app.service.store.committed.select('paymentMethods', { where });
    expect(kept!.country).toBe('FR');
  });

  it('has one Stripe customer for each customer, also with concurrent payments', async () => {
    const books = await open();
    const customer = await books.shop.customer();
    const intents = await Promise.all(
      [10, 20].map(async (amount) => books.shop.intent(customer, await books.plan(amount))),
    );
    await Promise.all(intents.map(({ intentId }) => books.shop.confirm(intentId, 'pm_card_visa')));
    await books.subscribe(customer, await books.plan(30), 'pm_card_visa');
    const own = stripe.customers.filter(({ metadata }) => metadata.perennial_customer === customer.id);
    expect(own.map(({ metadata }) => metadata)).toEqual([
      { perennial_tenant: books.alias, perennial_customer: customer.id },
    ]);
  });

  it.each([
    ['pm_card_visa_chargeDeclined', 'generic_decline'],
    ['pm_card_chargeDeclinedInsufficientFunds', 'insufficient_funds'],
    ['pm_unknown', 'resource_missing'],
  ])('is declined with %s (%s), and can be paid with another', async (method, reason) => {
    const books = await open();
    const { intentId } = await books.shop.intent(await books.shop.customer(), await books.plan(50));
    await books.perform({
      graphql: [confirmDocument, { id: intentId, method }],
      reason: 'payment_failed',
      has: [reason],
      hasNot: [secretKey],
      traces: [
        'IntentEvent payment_started',
        'IntentEvent payment_failed',
        'PaymentEvent failed < IntentEvent payment_failed',
      ],
    });
    expect(listMoved(intentId)).toEqual([]);
    expect((await books.shop.confirm(intentId, 'pm_card_visa')).status).toBe('succeeded');
    expect(listMoved(intentId)).toEqual(['charge 5000 afn']);
  });

  it('requires the confirmation of the payer, and continues when resumed', async () => {
    const books = await open();
    const { intentId: id } = await books.shop.intent(await books.shop.customer(), await books.plan(50));
    const pending = await books.perform({
      graphql: [confirmDocument, { id, method: 'pm_card_authenticationRequired' }],
      holds: { status: 'requires_action', subscriptionId: null },
      traces: ['IntentEvent payment_started', 'IntentEvent action_required'],
    });
    expect(pending.actionUrl).toMatch(/^https:\/\/hooks\.stripe\.example\/redirect\/pi_\d+$/);
    await books.perform({ graphql: [resumeDocument, { id }], holds: { status: 'requires_action' } });
    expect(listMoved(id)).toEqual([]);
    stripe.finish(pending.actionUrl.split('/').at(-1), true);
    const resumed = await books.perform({
      graphql: [resumeDocument, { id }],
      holds: { status: 'succeeded', actionUrl: null },
      traces: [
        'IntentEvent succeeded',
        'PaymentMethodEvent created < IntentEvent succeeded',
        'SubscriptionEvent created < IntentEvent succeeded',
        'InvoiceEvent created < SubscriptionEvent created',
        'PaymentEvent succeeded < IntentEvent succeeded',
        'InvoiceEvent paid < PaymentEvent succeeded',
      ],
    });
    await books.perform({ graphql: [resumeDocument, { id }], holds: resumed });
    expect(listMoved(id)).toEqual(['charge 5000 afn']);
  });

  it('is declined when the payer fails to confirm', async () => {
    const books = await open();
    const { intentId: id } = await books.shop.intent(await books.shop.customer(), await books.plan(50));
    const confirmed = await books.client.graphql(confirmDocument, {
      id,
      method: 'pm_card_authenticationRequired',
    });
    stripe.finish(confirmed.confirmIntent.actionUrl.split('/').at(-1), false);
    await books.perform({
      graphql: [resumeDocument, { id }],
      reason: 'payment_failed',
      has: ['generic_decline'],
      traces: ['IntentEvent payment_failed', 'PaymentEvent failed < IntentEvent payment_failed'],
    });
    expect((await books.shop.confirm(id, 'pm_card_visa')).status).toBe('succeeded');
  });

  it('saves the method for a future start, and charges it then', async () => {
    const books = await open();
    const customer = await books.shop.customer();
    const id = await books.subscribe(customer, await books.plan(50), 'pm_card_visa', {
      startDate: '2026-03-01',
    });
    expect([...stripe.intents.values()].at(-1).object).toBe('setup_intent');
    await books.advance('2026-03-02');
    expect(await books.bills(id)).toEqual(['2026-03-01 paid 50']);
    expect(stripe.moved.at(-1)).toMatchObject({ kind: 'charge', amount: 5000 });
  });

  it.each([
    ['usd', 10.5, 'charge 1050 usd'],
    ['jpy', 500, 'charge 500 jpy'],
    ['kwd', 1.234, 'charge 1230 kwd'],
  ])('of so much %s (%f) is a %s', async (currency, amount, moved) => {
    const books = await open();
    const price = await books.plan(amount, { currency });
    const { intentId } = await books.shop.intent(await books.shop.customer(), price);
    await books.shop.confirm(intentId, 'pm_card_visa');
    expect(listMoved(intentId)).toEqual([moved]);
  });
});

describe('a renewal charged by Stripe', () => {
  it('is charged with the saved method on each billing date, with an idempotency key for each attempt', async () => {
    const books = await open();
    const id = await books.subscribe(await books.shop.customer(), await books.plan(50), 'pm_card_visa');
    await books.advance('2026-04-30');
    const invoices = await books.invoices(id);
    expect(invoices.map(({ createdAt, status }) => `${short(createdAt)} ${status}`)).toEqual(
      ['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30'].map((date) => `${date} paid`),
    );
    const keys = stripe.moved.slice(-3).map(({ key }) => key);
    expect(keys).toEqual(invoices.slice(1).map((invoice) => `${invoice.id}_1`));
  });

  it.each([
    ['pm_card_chargeCustomerFail', 'generic_decline'],
    ['pm_card_authenticationRequired', 'authentication_required'],
  ])('is past due with %s, until another method is set', async (method, reason) => {
    const books = await open();
    const { intentId } = await books.shop.intent(await books.shop.customer(), await books.plan(50));
    await books.shop.confirm(intentId, method);
    const waiting = [...stripe.intents.values()].at(-1);
    if (waiting.status === 'requires_action') stripe.finish(waiting.id, true);
    const { resumeIntent } = await books.client.graphql(resumeDocument, { id: intentId });
    const id = resumeIntent.subscriptionId;
    await books.advance('2026-03-01');
    expect((await books.subscription(id)).status).toBe('past_due');
    const failed = await running.app.service.store.committed.select('payments', {
      where: { tenantAlias: books.alias, status: 'failed' },
    });
    expect(failed.map(({ failureReason }) => failureReason)).toEqual([reason]);
    const { status } = await books.run(
      'setPaymentMethod(id: $id, input: { paymentMethod: "pm_card_visa" })',
      id,
    );
    expect(status).toBe('active');
    expect(await books.tries(id)).toEqual([
      '2026-01-31 charge succeeded 50',
      '2026-02-28 charge failed 50',
      '2026-03-01 charge succeeded 50',
    ]);
    await books.advance('2026-03-31');
    expect(await books.bills(id)).toEqual(['2026-01-31 paid 50', '2026-02-28 paid 50', '2026-03-31 paid 50']);
  });

  it('keeps the old method if Stripe refuses the new one', async () => {
    const books = await open();
    const id = await books.subscribe(await books.shop.customer(), await books.plan(50), 'pm_card_visa');
    const refusals = {
      pm_card_visa_chargeDeclined: 'payment_failed',
      pm_card_authenticationRequired: 'payment_action_required',
      'pm_ünknown\n': 'payment_failed',
    } as const;
    for (const [method, reason] of Object.entries(refusals)) {
      await books.perform({
        graphql: [
          'mutation ($id: ID!, $method: String!) { setPaymentMethod(id: $id, input: { paymentMethod: $method }) { id } }',
          { id, method },
        ],
        reason,
        paths: ['paymentMethod'],
      });
    }
    await books.advance('2026-02-28');
    expect((await books.subscription(id)).status).toBe('active');
  });
});

describe('the provider', () => {
  const liveTenant = { test: false, paymentProviders: null };
  const testTenant = { test: true, paymentProviders: null };
  const liveKey = 'sk_live_notreallyasecret';
  const openAccount = createProviderOpener({
    descriptors: [descriptor],
    addresses: { stripe: { url: 'http://127.0.0.1:9', scriptUrl: 'https://js.stripe.com/v3/' } },
    publicUrl: 'https://billing.example',
    clock: stoppedClock('2026-01-01'),
  });
  const openWith = (key: string) =>
    openAccount({ provider: 'stripe', settings: {}, secrets: { secretKey: key, webhookSecret } });

  it('serves no test tenant with a key that moves real money', async () => {
    const live = await openWith(liveKey);
    const test = await openWith(secretKey);
    const chosen = [live, test].map((standard) =>
      ['pm_card_visa', 'sandbox_ok', 'manual'].map(
        (method) => selectProvider([standard], method, testTenant).name,
      ),
    );
    expect(chosen).toEqual([
      ['sandbox', 'sandbox', 'manual'],
      ['stripe', 'sandbox', 'manual'],
    ]);
    expect(selectProvider([live], 'pm_card_visa', liveTenant).name).toBe('stripe');
  });

  it('that is switched off counts as unreachable, not as a decline', async () => {
    const gone = findProvider([], 'stripe', liveTenant);
    const due = {
      idempotencyKey: 'k',
      tenantAlias: 'acme',
      chargeReference: 'pi_1',
      amountMinor: 1n,
      currency: 'usd',
    };
    await expect(gone.refund(due)).rejects.toThrow('There is no payment provider stripe.');
  });

  it.each([
    [
      { payments: 'stripe' },
      'PERENNIAL_STRIPE_SECRET_KEY is invalid: must be a Stripe secret or restricted key.',
    ],
    [
      { payments: 'stripe', stripeSecretKey: 'pk_test_abc' },
      'PERENNIAL_STRIPE_SECRET_KEY is invalid: must be',
    ],
    [
      { payments: 'stripe', stripeSecretKey: secretKey },
      'PERENNIAL_STRIPE_WEBHOOK_SECRET is invalid: must be',
    ],
    [
      { payments: 'paypal' },
      `--payments is invalid: "paypal" must be none, or names of ${names} separated by commas, each once.`,
    ],
  ])('is refused with the settings %o, without printing a secret', (given, message) => {
    const read = () => readConfig(given, {});
    expect(read).toThrow(message);
    expect(read).not.toThrow(/abc|notreally/);
  });

  it('reads its secrets from the environment', () => {
    const config = readConfig(
      {},
      {
        PERENNIAL_PAYMENTS: 'stripe',
        PERENNIAL_STRIPE_SECRET_KEY: secretKey,
        PERENNIAL_STRIPE_WEBHOOK_SECRET: webhookSecret,
      },
    );
    expect(config).toMatchObject({
      payments: ['stripe'],
      stripeSecretKey: secretKey,
      stripeUrl: 'https://api.stripe.com',
    });
  });
});

it.each([
  ['usd', 1050n, 1050, 1050n],
  ['jpy', 500n, 500, 500n],
  ['huf', 1000n, 1000, 1000n],
  ['isk', 5n, 500, 5n],
  ['ugx', 5n, 500, 5n],
  ['mga', 1_000_00n, 1000, 1_000_00n],
  ['kwd', 5124n, 5120, 5120n],
  ['kwd', 5125n, 5130, 5130n],
  ['bhd', 10n, 10, 10n],
])('%s: %s minor units are %s for Stripe', (currency, minor, amount, back) => {
  expect(toStripeAmount(minor, currency)).toBe(amount);
  expect(fromStripeAmount(amount, currency)).toBe(back);
});
