/** Cards on the payment page: entered in the form of Stripe's script, or on a page of Stripe. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../support/app.ts';
import type { FakeStripe } from '../../support/fakeStripe.ts';
import { findFaults } from '../../support/faults.ts';
import { readText } from '../../support/pages.ts';
import { createShop, type Shop } from '../../support/shop.ts';
import { startStripeApp, type StripeApp } from '../../support/stripeApp.ts';
import { inject } from '../../support/world.ts';
import { payPath } from '../../support/payLinks.ts';

const publishableKey = 'pk_test_notasecret';
const publicUrl = 'https://billing.example';

let running: StripeApp;
let stripe: FakeStripe;
let client: Client;
let shop: Shop;
beforeAll(async () => {
  running = await startStripeApp({ stripePublishableKey: publishableKey, publicUrl });
  stripe = running.stripe;
  client = await running.app.tenant({ alias: 'acme', name: 'Acme', test: false });
  shop = createShop(client, 'acme');
});
afterAll(async () => {
  expect(await findFaults(running.app, 'acme')).toEqual([]);
  await running.close();
});

const newIntent = async (price: object = {}): Promise<string> =>
  (await shop.intent(await shop.customer(), (await shop.product({ price })).price)).intentId;
const show = async (id: string, path = '') =>
  inject(running.app, { url: `${await payPath(running.app, id)}${path}` });
const submit = async (id: string, fields: Record<string, string>, path = '') => {
  const token = /name="token" value="([^"]+)"/.exec((await show(id)).text)![1]!;
  return inject(running.app, {
    method: 'POST',
    url: `${await payPath(running.app, id)}${path}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', host: 'billing.example' },
    payload: new URLSearchParams({ token, ...fields }).toString(),
  });
};
let lastToken = 0;
const confirmation = (card: string) => `ctoken_${++lastToken}_${card}`;
const payWith = (id: string, card: string) =>
  submit(id, { method: 'card', confirmation: confirmation(card) });
const charges = (id: string) => stripe.moved.filter(({ key }) => key.startsWith(id)).length;
const findIntent = async (id: string) =>
  (
    await client.graphql('query ($id: ID!) { intent(id: $id) { status subscriptionId failureReason } }', {
      id,
    })
  ).intent;
const receipt = expect.stringMatching(/^https:\/\/example\.com\/thanks/);
const lastSession = () => [...stripe.sessions.values()].at(-1);
const deliver = (type: string, object: any) => running.deliver(stripe.callback(type, object));

describe('the page', () => {
  it("has the form of Stripe's script, and allows the origins of that script only", async () => {
    const { text, headers } = await show(await newIntent());
    const settings = JSON.parse(/data-card-form="([^"]+)"/.exec(text)![1]!.replaceAll('&quot;', '"'));
    expect(settings).toEqual({
      scriptUrl: 'https://js.stripe.com/v3/',
      method: 'card',
      key: publishableKey,
      locale: 'en',
      options: { mode: 'payment', amount: 5000, currency: 'afn', setupFutureUsage: 'off_session' },
    });
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("script-src 'self' https://js.stripe.com https://*.js.stripe.com;");
    expect(policy).toContain(
      'frame-src https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com;',
    );
    expect(policy).toContain('connect-src https://api.stripe.com;');
    expect(policy).not.toContain('unsafe');
    const [, path] = /<script src="([^"]+)"/.exec(text)!;
    const script = await inject(running.app, { url: path! });
    expect(script.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect(Buffer.byteLength(text) + script.text.length).toBeLessThan(60_000);
  });

  it('only saves the card where nothing is due', async () => {
    const { text } = await show(await newIntent({ trialDays: 7 }));
    expect(text).toContain('&quot;mode&quot;:&quot;setup&quot;');
  });

  it.each([
    ['of a tenant without Stripe', ['manual'], false],
    ['of a tenant with Stripe alone', ['stripe'], true],
  ])('%s shows only what it accepts', async (_, paymentProviders, isOffered) => {
    const own = await running.app.tenant({ alias: `own-${paymentProviders[0]}`, test: false });
    await own.graphql(
      'mutation ($of: [PaymentProvider!]) { updateTenant(input: { paymentProviders: $of }) { name } }',
      {
        of: paymentProviders,
      },
    );
    const ownShop = createShop(own, `own-${paymentProviders[0]}`);
    const { intentId } = await ownShop.intent(await ownShop.customer(), (await ownShop.product()).price);
    const { text, headers } = await show(intentId);
    expect(text.includes('value="card"')).toBe(isOffered);
    expect(String(headers['content-security-policy']).includes('stripe')).toBe(isOffered);
  });
});

describe('a card entered in the form', () => {
  it('pays once, also by 20 forms at once, and is saved', async () => {
    const id = await newIntent();
    const token = confirmation('pm_card_visa');
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => submit(id, { method: 'card', confirmation: token })),
    );
    for (const { status } of answers) expect(status).toBe(303);
    expect((await show(id)).status).toBe(200);
    expect(charges(id)).toBe(1);
    expect(await findIntent(id)).toMatchObject({ status: 'succeeded' });
    const { subscription } = await client.graphql(
      'query ($id: ID!) { subscription(id: $id) { paymentMethod { brand last4 expiryYear } } }',
      { id: (await findIntent(id)).subscriptionId },
    );
    expect(subscription.paymentMethod).toEqual({ brand: 'visa', last4: '4242', expiryYear: 2034 });
  });

  it('is only saved for a trial, and charged at its end', async () => {
    const id = await newIntent({ trialDays: 7 });
    expect((await payWith(id, 'pm_card_visa')).headers['location']).toEqual(receipt);
    expect(charges(id)).toBe(0);
    expect([...stripe.intents.values()].at(-1).object).toBe('setup_intent');
  });

  it.each([
    ['pm_card_chargeDeclinedInsufficientFunds', 'There is not enough money on the account'],
    ['pm_card_visa_chargeDeclined', 'The payment was declined and you were not charged'],
  ])('%s is declined with advice, stays chosen, and another pays', async (card, advice) => {
    const id = await newIntent();
    const { status, text } = await payWith(id, card);
    expect(status).toBe(402);
    expect(readText(text)).toContain(advice);
    for (const page of [text, (await show(id)).text])
      expect(/<input[^>]*value="card"[^>]*>/.exec(page)![0]).toContain('checked');
    expect((await payWith(id, 'pm_card_visa')).headers['location']).toEqual(receipt);
    expect(charges(id)).toBe(1);
  });

  it('that must be confirmed redirects to the bank, and return and callback settle it once', async () => {
    const id = await newIntent();
    const { headers } = await payWith(id, 'pm_card_authenticationRequired');
    expect(headers['location']).toBe(`${await payPath(running.app, id)}?to=bank`);
    const made = [...stripe.intents.values()].at(-1);
    expect((await show(id, '?to=bank')).text).toContain(`url=${made.next_action.redirect_to_url.url}`);
    stripe.finish(made.id, true);
    const [back] = await Promise.all([show(id, '/return'), deliver('payment_intent.succeeded', made)]);
    expect(back.headers['location']).toEqual(receipt);
    expect(charges(id)).toBe(1);
    expect(await findIntent(id)).toMatchObject({ status: 'succeeded' });
  });

  it('that was not confirmed can be left for another', async () => {
    const id = await newIntent();
    await payWith(id, 'pm_card_authenticationRequired');
    const left = await submit(id, {}, '/abandon');
    expect(left.headers['location']).toBe(await payPath(running.app, id));
    expect(readText((await show(id)).text)).toContain('You were not charged. Choose a payment method.');
    expect((await payWith(id, 'pm_card_visa')).headers['location']).toEqual(receipt);
    expect(charges(id)).toBe(1);
  });

  it.each([['sandbox_ok'], ['pm_card_visa'], ['ctoken_../x'], [`ctoken_${'1'.repeat(2000)}`], ['<script>']])(
    'is not replaced by the confirmation %.20s: the payer goes to the page of Stripe',
    async (text) => {
      const id = await newIntent();
      expect((await submit(id, { method: 'card', confirmation: text })).headers['location']).toBe(
        `${await payPath(running.app, id)}?to=bank`,
      );
      expect(lastSession().status).toBe('open');
      expect(charges(id)).toBe(0);
    },
  );

  it('used for another intent is refused', async () => {
    const [first, second] = [await newIntent(), await newIntent()];
    const token = confirmation('pm_card_visa');
    await submit(first, { method: 'card', confirmation: token });
    expect((await submit(second, { method: 'card', confirmation: token })).status).toBe(402);
    expect([charges(first), charges(second)]).toEqual([1, 0]);
  });
});

describe('a card entered on the page of Stripe', () => {
  const begin = async (fields: Record<string, string> = { method: 'card' }, price: object = {}) => {
    const id = await newIntent(price);
    expect((await submit(id, fields)).headers['location']).toBe(`${await payPath(running.app, id)}?to=bank`);
    const session = lastSession();
    expect((await show(id, '?to=bank')).text).toContain(`url=${session.url}`);
    expect(session.success_url).toBe(`${publicUrl}${await payPath(running.app, id)}/return`);
    return { id, session };
  };

  it.each([
    ['without scripts', { method: 'card' }],
    ['by the button for it', { method: 'manual', redirect: 'yes' }],
  ])('%s pays once, by the return and the callbacks together', async (_, fields) => {
    const { id, session } = await begin(fields);
    const payment = stripe.completeSession(session.id, 'pm_card_visa');
    const [back] = await Promise.all([
      show(id, '/return'),
      deliver('checkout.session.completed', session),
      deliver('payment_intent.succeeded', payment),
    ]);
    expect(back.headers['location']).toEqual(receipt);
    expect(charges(id)).toBe(1);
    expect(await findIntent(id)).toMatchObject({ status: 'succeeded' });
  });

  it.each([
    ['the session', 'checkout.session.completed', (session: any, _: any) => session],
    ['its payment', 'payment_intent.succeeded', (_: any, payment: any) => payment],
  ])('pays by the callback about %s alone', async (_, type, pick) => {
    const { id, session } = await begin();
    const payment = stripe.completeSession(session.id, 'pm_card_visa');
    expect((await deliver(type, pick(session, payment))).status).toBe(200);
    expect(await findIntent(id)).toMatchObject({ status: 'succeeded' });
  });

  it('may be declined before another of the same session pays', async () => {
    const { id, session } = await begin();
    const failed = {
      id: 'pi_failed',
      object: 'payment_intent',
      status: 'requires_payment_method',
      amount: 5000,
      currency: 'afn',
      metadata: { perennial_tenant: 'acme', perennial_key: `${id}_1`, perennial_session: 'yes' },
      last_payment_error: { decline_code: 'generic_decline' },
    };
    await deliver('payment_intent.payment_failed', failed);
    expect(await findIntent(id)).toMatchObject({ status: 'requires_action' });
    stripe.completeSession(session.id, 'pm_card_visa');
    expect((await show(id, '/return')).headers['location']).toEqual(receipt);
  });

  it('is waited for while the payer has not paid', async () => {
    const { id } = await begin();
    expect((await show(id, '/return')).headers['location']).toBe(await payPath(running.app, id));
    expect(readText((await show(id)).text)).toContain('Choose another method');
  });

  it('is saved for a trial', async () => {
    const { id, session } = await begin({ method: 'card' }, { trialDays: 7 });
    expect(session.mode).toBe('setup');
    stripe.completeSession(session.id, 'pm_card_visa');
    expect((await show(id, '/return')).headers['location']).toEqual(receipt);
    expect(await findIntent(id)).toMatchObject({ status: 'succeeded' });
  });

  it('can be left: the session ends, and another method pays', async () => {
    const { id, session } = await begin();
    expect((await submit(id, {}, '/abandon')).headers['location']).toBe(await payPath(running.app, id));
    expect(stripe.sessions.get(session.id).status).toBe('expired');
    expect((await payWith(id, 'pm_card_visa')).headers['location']).toEqual(receipt);
    await deliver('checkout.session.expired', session);
    expect(charges(id)).toBe(1);
  });

  it('that was paid counts, although the payer leaves it', async () => {
    const { id, session } = await begin();
    stripe.completeSession(session.id, 'pm_card_visa');
    expect((await submit(id, {}, '/abandon')).headers['location']).toEqual(receipt);
    expect(charges(id)).toBe(1);
  });

  it('of an abandoned session can be chosen again when it has expired', async () => {
    const { id, session } = await begin();
    Object.assign(session, { status: 'expired', url: null });
    await deliver('checkout.session.expired', session);
    expect(await findIntent(id)).toMatchObject({
      status: 'requires_payment_method',
      failureReason: 'session_expired',
    });
    expect((await payWith(id, 'pm_card_visa')).headers['location']).toEqual(receipt);
  });

  it('waits for Stripe when it cannot be reached', async () => {
    const { id, session } = await begin();
    stripe.completeSession(session.id, 'pm_card_visa');
    stripe.fail(`/v1/checkout/sessions/${session.id}`, 'error', 'error');
    expect((await show(id, '/return')).status).toBe(503);
    expect((await deliver('checkout.session.completed', session)).status).toBe(503);
    expect((await show(id, '/return')).headers['location']).toEqual(receipt);
  });

  it('cannot be left by another site', async () => {
    const { id, session } = await begin();
    const answer = await inject(running.app, {
      method: 'POST',
      url: `${await payPath(running.app, id)}/abandon`,
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' },
      payload: '',
    });
    expect(answer.status).toBe(403);
    expect(stripe.sessions.get(session.id).status).toBe('open');
  });
});
