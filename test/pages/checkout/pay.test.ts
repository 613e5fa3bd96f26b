/** The pages on which payers pay, as requests of a browser: what each shows, what it refuses, what it changes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildRedirectUrl } from '../../../src/pages/checkout/addresses.ts';
import { html } from '../../../src/lib/html.ts';
import type { Outcome, PaymentProvider } from '../../../src/providers/provider.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { stoppedClock, type TestClock } from '../../support/clock.ts';
import { createShop, type Shop } from '../../support/shop.ts';
import { readText } from '../../support/pages.ts';
import { inject } from '../../support/world.ts';
import { payPath } from '../../support/payLinks.ts';

const start = '2026-02-14T10:00:00.000Z';
const hourMs = 60 * 60 * 1000;
const takeTransfers = `mutation { updateTenant(input: {
  paymentTermsDays: 0, bankAccount: { accountHolder: "Acme", iban: "DE89370400440532013000" }
}) { alias } }`;

let app: TestApp;
let clock: TestClock;
let client: Client;
let shop: Shop;
beforeAll(async () => {
  clock = stoppedClock(start);
  app = await startApp({ publicUrl: 'http://pay.test' }, { clock });
  client = await app.tenant({ alias: 'acme', name: 'Acme & <Sons>' });
  await client.graphql(takeTransfers);
  shop = createShop(client, 'acme');
});
afterAll(() => app.close());

/** An intent of a new customer for a new product. */
async function newIntent(
  fields: object = {},
  product: Record<string, unknown> = {},
  customer: object = {},
): Promise<string> {
  const { price } = await shop.product(product);
  const made = await shop.intent(await shop.customer(customer), price, fields);
  return made.intentId;
}

const page = async (id: string, headers: Record<string, string> = {}) =>
  inject(app, { url: await payPath(app, id), headers });

const tokenIn = (text: string) => /name="token" value="([^"]+)"/.exec(text)![1]!;

interface Submitted {
  /** After the address of the page: `/cancel`. */
  path?: string;
  headers?: Record<string, string>;
}

const submit = async (
  id: string,
  fields: Record<string, string>,
  { path = '', headers = {} }: Submitted = {},
) =>
  inject(app, {
    method: 'POST',
    url: `${await payPath(app, id)}${path}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', host: 'pay.test', ...headers },
    payload: new URLSearchParams(fields).toString(),
  });

/** Opens the page and sends its form. */
async function pay(id: string, method = 'sandbox_ok') {
  return submit(id, { token: tokenIn((await page(id)).text), method });
}

async function giveUp(id: string) {
  return submit(id, { token: tokenIn((await page(id)).text) }, { path: '/cancel' });
}

const fetchStatus = async (id: string) =>
  (await client.graphql('query ($id: ID!) { intent(id: $id) { status } }', { id })).intent.status;

const listTraces = async (executorId: string) =>
  (await app.service.store.committed.select('traces', { where: { executorId } })).length;

describe('shows the present state of an intent', () => {
  const rows: [
    name: string,
    make: () => Promise<string>,
    status: number,
    has: string[],
    hasNot?: string[],
  ][] = [
    ['to be paid', () => newIntent(), 200, ['Hello Ada', 'Pro', 'Pay AFN 50.00', 'Cancel']],
    [
      'declined before',
      async () => {
        const id = await newIntent();
        await pay(id, 'sandbox_declined');
        return id;
      },
      200,
      ['was declined and you were not charged', 'Pay AFN 50.00'],
    ],
    [
      'to be confirmed',
      async () => {
        const id = await newIntent();
        await pay(id, 'sandbox_requires_action');
        return id;
      },
      200,
      ['Confirm the payment', 'Cancel'],
      ['about:blank', 'Ada', 'http-equiv'],
    ],
    [
      'waiting for a transfer',
      async () => {
        const id = await newIntent();
        await pay(id, 'manual');
        return id;
      },
      200,
      ['Waiting for your transfer', 'AFN 50.00', 'Invoice ', 'Cancel', 'Continue'],
      ['Ada', 'http-equiv'],
    ],
    [
      'paid',
      async () => {
        const id = await newIntent();
        await pay(id);
        return id;
      },
      200,
      ['Thank you', 'Continue'],
      ['Ada', '<form'],
    ],
    [
      'given up',
      async () => {
        const id = await newIntent();
        await giveUp(id);
        return id;
      },
      410,
      ['was cancelled'],
      ['Ada', '<form'],
    ],
    [
      'that the customer no longer needs',
      async () => {
        const { price } = await shop.product();
        const customer = await shop.customer();
        const { intentId } = await shop.intent(customer, price);
        await shop.subscribe(customer, price);
        return intentId;
      },
      409,
      ['not possible now', 'you already have this subscription', 'Cancel'],
      ['Ada', 'name="method"'],
    ],
    [
      'of a customer who was deleted',
      async () => {
        const { price } = await shop.product();
        const customer = await shop.customer();
        const { intentId } = await shop.intent(customer, price);
        const verified = { tenantAlias: 'acme', associatedId: customer.associatedId };
        await client.rest('DELETE', `/customers/${customer.id}`, verified);
        return intentId;
      },
      410,
      ['was cancelled'],
    ],
    ['that is none', async () => 'int_01m7vzvg09000zxqdpqm7n3qfs', 404, ['nothing to pay here']],
    ['that is something else', async () => (await shop.customer()).id, 404, ['nothing to pay here']],
    [
      'with an id of any kind',
      async () => encodeURIComponent('<b>\u0000'),
      404,
      ['nothing to pay here'],
      ['<b>'],
    ],
  ];
  it.each(rows)('%s', async (_, make, status, has, hasNot = []) => {
    const { status: answered, text, headers } = await page(await make());
    expect(answered, text).toBe(status);
    for (const each of has) expect(readText(text)).toContain(each);
    for (const each of hasNot) expect(text).not.toContain(each);
    expect(text).not.toContain('Lovelace');
    expect(text).not.toContain('ada@');
    expect(text).toMatch(/^<!doctype html>\s*<html lang="en" dir="ltr">/);
    expect(text).not.toMatch(/<script|style=|\son\w+=/);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'[^;]*; base-uri 'none'; frame-ancestors 'none'$/,
      ),
    });
  });

  it('that was not paid in time', async () => {
    const world = await startApp({}, { clock: stoppedClock(start) });
    const tester = await world.tenant({ alias: 'test', test: true, clock: start });
    const own = createShop(tester, 'test');
    const { price } = await own.product();
    const { intentId } = await own.intent(await own.customer(), price, {
      returnUrl: 'https://shop.test/back',
    });
    await tester.graphql('mutation { advanceClock(input: { to: "2026-02-15T10:00:00Z" }) { alias } }');
    const { status, text } = await inject(world, { url: await payPath(world, intentId) });
    expect(status).toBe(410);
    expect(text).toContain(`href="https://shop.test/back?intentId=${intentId}&amp;status=expired"`);
    await world.close();
  });

  it('only of the tenant in the address', async () => {
    const world = await startApp();
    const own = createShop(await world.tenant({ alias: 'acme' }), 'acme');
    await world.tenant({ alias: 'twin' });
    const { price } = await own.product();
    const { intentId } = await own.intent(await own.customer(), price);
    expect((await inject(world, { url: await payPath(world, intentId) })).status).toBe(200);
    const { store } = world.service;
    const [intent] = await store.committed.select('intents', { where: { id: intentId } });
    await store.transact('twin', (queries) => queries.insert('intents', { ...intent!, tenantAlias: 'twin' }));
    expect((await inject(world, { url: await payPath(world, intentId) })).status).toBe(404);
    await world.close();
  });
});

describe('shows amounts and dates of charges', () => {
  const anchored = { frequency: 'Monthly', period: 1, executionDate: '2026-03-01' };
  const usd = (decimal: string) => ({ details: { decimal, currency: 'usd' } });
  const rows: [fields: object, product: Record<string, unknown>, has: string[], hasNot?: string[]][] = [
    [
      {},
      {},
      ['Pro AFN 50.00 every month', 'Due today AFN 50.00 Then, from 14 March 2026 AFN 50.00 every month'],
    ],
    [
      {},
      { amount: 1500, currency: 'jpy', recurring: { frequency: 'Yearly', period: 1 } },
      ['¥1,500 every year', 'Pay ¥1,500', 'Then, from 14 February 2027'],
    ],
    [
      {},
      { recurring: { frequency: 'Monthly', period: 3 } },
      ['AFN 50.00 every 3 months', 'Then, from 14 May 2026'],
    ],
    [{}, { amount: 0 }, ['Pro Free', 'Due today AFN 0.00', 'Start for free'], ['Then']],
    [
      { startDate: '2026-03-01' },
      {},
      [
        'AFN 50.00 every month Your subscription starts on 1 March 2026.',
        'Due today AFN 0.00 Then, from 1 March 2026 AFN 50.00 every month',
        'Subscribe',
      ],
    ],
    [
      { startDate: '2026-03-01' },
      { amount: 0 },
      ['Free Your subscription starts on 1 March 2026.'],
      ['Then'],
    ],
    [
      {},
      { recurring: anchored },
      [
        'AFN 50.00 every month AFN 26.04 today for the time until 28 February 2026.',
        'Pro 14.6 of 28 days of AFN 50.00 AFN 26.04',
        'Due today AFN 26.04 Then, from 1 March 2026 AFN 50.00 every month',
      ],
    ],
    [
      { startDate: '2026-03-16' },
      { recurring: anchored },
      [
        'AFN 25.81 on 16 March 2026 for the time until 31 March 2026.',
        'Due today AFN 0.00 Then, from 1 April 2026 AFN 50.00 every month',
      ],
    ],
    [
      { quantity: 5 },
      { price: { ...usd('9.99'), model: 'per_unit' } },
      ['$49.95 every month', 'Pro 5 × $9.99 $49.95', 'Pay $49.95'],
    ],
    [
      { quantity: 40_000 },
      { price: { ...usd('0.000375'), model: 'per_unit' } },
      ['$15.00 every month', 'Pro 40,000 × $0.000375 $15.00'],
    ],
    [
      { quantity: 1 },
      { price: { ...usd('9.5'), model: 'per_unit' } },
      ['$9.50 every month'],
      ['×', 'Quantity'],
    ],
    [
      { quantity: 6 },
      { price: { ...usd('10'), model: 'package', packageSize: 5 } },
      ['$20.00 every month', 'Pro 6 units in packages of 5 at $10.00 $20.00'],
      ['×'],
    ],
    [
      { quantity: 6 },
      { price: { ...usd('0'), model: 'volume', tiers: [{ upTo: 5, unitAmount: 7 }, { unitAmount: 6.5 }] } },
      ['$39.00 every month', 'Pro 6 × $6.50 $39.00'],
    ],
    [
      { quantity: 3 },
      { price: { ...usd('0'), model: 'per_unit' } },
      ['Free', 'Pro 3 × $0.00 $0.00', 'Start for free'],
    ],
    [
      { quantity: 2 },
      { price: { ...usd('31'), model: 'per_unit' }, recurring: anchored },
      ['Pro 2 × $31.00 14.6 of 28 days of $62.00 $32.29', 'Then, from 1 March 2026 $62.00 every month'],
    ],
  ];
  it.each(rows)('%o of %o', async (fields, product, has, hasNot = []) => {
    const shown = readText((await page(await newIntent(fields, product))).text);
    for (const each of has) expect(shown).toContain(each);
    for (const each of hasNot) expect(shown).not.toContain(each);
  });

  it('in the time zone of the tenant', async () => {
    const east = await app.tenant({ alias: 'east', timezone: 'Pacific/Auckland' });
    const own = createShop(east, 'east');
    const { price } = await own.product();
    const { intentId } = await own.intent(await own.customer(), price, { startDate: '2026-03-01' });
    // Which is the last of February in Greenwich.
    expect(readText((await page(intentId)).text)).toContain('Your subscription starts on 1 March 2026.');
  });

  const plans = async (prorateUpgrades: boolean, from: number, to: number) => {
    const { id: groupId } = await shop.group({ prorateUpgrades });
    const basic = await shop.product({ groupId, name: 'Basic', amount: from });
    const pro = await shop.product({ groupId, name: 'Pro', amount: to });
    const customer = await shop.customer();
    await shop.subscribe(customer, basic.price);
    const { intentId } = await shop.intent(customer, pro.price);
    return intentId as string;
  };
  const changes: [
    name: string,
    prorate: boolean,
    from: number,
    to: number,
    has: string[],
    paid: number | null,
  ][] = [
    [
      'an upgrade by time',
      true,
      100,
      300,
      [
        'Change your plan to Pro AFN 300.00 every month The new plan starts today.',
        'Unused time on Basic −AFN 100.00',
        'Remaining time on Pro AFN 300.00',
        'Due today AFN 200.00 Then, from 14 March 2026 AFN 300.00 every month',
        'Pay AFN 200.00',
      ],
      200,
    ],
    ['an upgrade in full', false, 100, 300, ['Due today AFN 300.00 Then, from 14 March 2026'], 300],
    [
      'a downgrade',
      true,
      300,
      100,
      [
        'AFN 100.00 every month You keep your current plan until 14 March 2026.',
        'Due today AFN 0.00 Then, from 14 March 2026 AFN 100.00 every month',
        'Change plan',
      ],
      null,
    ],
  ];
  it.each(changes)('for %s, and charges the shown amount', async (_, prorate, from, to, has, paid) => {
    const id = await plans(prorate, from, to);
    const shown = readText((await page(id)).text);
    for (const each of has) expect(shown).toContain(each);
    expect((await pay(id)).status).toBe(303);
    const payments = await app.service.store.committed.select('payments', { where: { intentId: id } });
    expect(payments.map(({ amountMinor }) => amountMinor)).toEqual(paid === null ? [] : [BigInt(paid * 100)]);
  });

  it('for another quantity: only a whole cycle shows it', async () => {
    const { price } = await shop.product({ price: { ...usd('10'), model: 'per_unit' } });
    const customer = await shop.customer();
    await shop.subscribe(customer, price, { quantity: 2 });
    const { intentId } = await shop.intent(customer, price, { quantity: 5 });
    const shown = readText((await page(intentId)).text);
    for (const text of [
      'Unused time on Pro −$20.00',
      'Remaining time on Pro 5 × $10.00 $50.00',
      'Due today $30.00',
    ]) {
      expect(shown).toContain(text);
    }
    expect(shown).not.toMatch(/× Pro|Pro ×/);
  });

  it('and asks again where that has risen since', async () => {
    const { id: groupId } = await shop.group();
    const basic = await shop.product({ groupId, amount: 10 });
    const pro = await shop.product({ groupId, amount: 50 });
    const customer = await shop.customer();
    await shop.subscribe(customer, pro.price);
    const { intentId } = await shop.intent(customer, basic.price);
    const token = tokenIn((await page(intentId)).text);
    const { subscriptions } = await client.graphql(
      'query ($id: ID!) { subscriptions(customerId: $id) { nodes { id } } }',
      { id: customer.id },
    );
    await client.graphql(
      'mutation ($id: ID!) { cancelSubscription(id: $id) { id } }',
      subscriptions.nodes[0],
    );
    const answer = await submit(intentId, { token, method: 'sandbox_ok' });
    expect(answer.status).toBe(409);
    expect(readText(answer.text)).toContain('The amount has changed since you opened this page');
    expect(readText(answer.text)).toContain('Pay AFN 10.00');
    expect((await submit(intentId, { token: tokenIn(answer.text), method: 'sandbox_ok' })).status).toBe(303);
  });
});

describe('escapes text from users', () => {
  const hostile = `<script>alert(1)</script><img src=x onerror=alert(2)>"'&amp;txt`;
  it('in names of products, customers and tenants', async () => {
    // Names of customers may contain marks of direction, which change no text beside them.
    const id = await newIntent({}, { name: hostile }, { firstName: `\u202E${hostile}` });
    const marked = (await page(id)).text;
    expect(marked).toContain('<bdi>\u202E');
    expect(marked.replaceAll('<bdi>\u202E', '')).not.toContain('\u202E');
    const text = marked.replaceAll('\u202E', '');
    expect(text).not.toMatch(/<script|<img|"'&amp;/);
    const escaped =
      '&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(2)&gt;&quot;&#39;&amp;amp;txt';
    expect(text.split(escaped)).toHaveLength(5);
    expect(text.split(`<bdi>${escaped}</bdi>`)).toHaveLength(4);
    expect(text).toContain('Acme &amp; &lt;Sons&gt;');
    for (const method of ['sandbox_requires_action', 'manual']) {
      const other = await newIntent({}, { name: hostile });
      await pay(other, method);
      expect((await page(other)).text).not.toMatch(/<script|<img/);
    }
  });

  it('in every value of a template', () => {
    const inner = html`<b>${'<'}</b>`;
    expect(html`<i title="${`"'`}">${inner}${[inner, '&']}${undefined}</i>`.html).toBe(
      '<i title="&quot;&#39;"><b>&lt;</b><b>&lt;</b>&amp;</i>',
    );
  });
});

describe('accepts forms only from its own pages', () => {
  const tokens: [name: string, token: (id: string) => Promise<string> | string][] = [
    ['without a token', () => ''],
    ['with a forged one', () => `${Date.parse(start) + hourMs}.5000.${'0'.repeat(64)}`],
    ['with one of another form', () => '1.2.3'],
    ['with one for another amount', async (id) => tokenIn((await page(id)).text).replace('.5000.', '.9000.')],
    ['with one of another intent', async () => tokenIn((await page(await newIntent())).text)],
    [
      'with one that is too old',
      async (id) => {
        const token = tokenIn((await page(id)).text);
        clock.advance(hourMs);
        return token;
      },
    ],
  ];
  it.each(tokens)('and refuses a form %s', async (_, tokenOf) => {
    const id = await newIntent();
    const token = await tokenOf(id);
    for (const path of ['', '/cancel']) {
      const before = await listTraces('system:payer');
      const { status, text } = await submit(id, { token, method: 'sandbox_ok' }, { path });
      expect(status).toBe(403);
      expect(text).toContain('open for too long');
      expect(tokenIn(text)).not.toBe(token);
      expect(await fetchStatus(id)).toBe('requires_payment_method');
      expect(await listTraces('system:payer')).toBe(before);
    }
  });

  const senders: [headers: Record<string, string>, status: number][] = [
    [{}, 303],
    [{ 'sec-fetch-site': 'same-origin', origin: 'null' }, 303],
    [{ origin: 'http://pay.test' }, 303],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'cross-site', origin: 'null' }, 403],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{ origin: 'https://evil.test' }, 403],
    [{ origin: 'http://pay.test.evil.test' }, 403],
    [{ origin: 'nonsense' }, 403],
  ];
  it.each(senders)('sent with %o: %i', async (headers, status) => {
    const id = await newIntent();
    const token = tokenIn((await page(id)).text);
    expect((await submit(id, { token, method: 'sandbox_ok' }, { headers })).status).toBe(status);
    expect(await fetchStatus(id)).toBe(status === 303 ? 'succeeded' : 'requires_payment_method');
  });

  it('with one of the offered payment methods', async () => {
    const id = await newIntent();
    const token = tokenIn((await page(id)).text);
    for (const method of ['', 'pm_card_visa', 'sandbox_ok ', 'constructor']) {
      const { status, text } = await submit(id, { token, method });
      expect(status).toBe(400);
      expect(text).toContain('Choose a payment method');
    }
    expect((await submit(id, { token })).status).toBe(400);
  });

  it('and no other bodies', async () => {
    const id = await newIntent();
    const send = async (type: string, payload: string) =>
      inject(app, {
        method: 'POST',
        url: await payPath(app, id),
        headers: { 'content-type': type },
        payload,
      });
    for (const [type, payload, status] of [
      ['application/json', '{}', 415],
      ['text/plain', 'token=1', 415],
      ['application/x-www-form-urlencoded', `token=${'x'.repeat(5000)}`, 413],
    ] as const) {
      const answer = await send(type, payload);
      expect(answer.status).toBe(status);
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    }
    // And no other route takes forms.
    const form = { 'content-type': 'application/x-www-form-urlencoded', 'api-key': client.apiKey };
    const other = await inject(app, {
      method: 'POST',
      url: '/api/v1/customers',
      headers: form,
      payload: 'a=1',
    });
    expect(other.status).toBe(415);
  });
});

describe('redirects', () => {
  const receiptUrl = 'https://shop.test/thanks?order=a%20b#top';
  const returnUrl = 'http://shop.test:8080/cart';

  it('to the receipt after the payment, also if the form is sent again', async () => {
    const id = await newIntent({ receiptUrl, returnUrl });
    const { text, headers } = await page(id);
    expect(headers['content-security-policy']).toContain("form-action 'self' https: http:;");
    const send = () => submit(id, { token: tokenIn(text), method: 'sandbox_ok' });
    const answers = [...(await Promise.all([send(), send(), send()])), await send()];
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303, 303]);
    expect(answers[0]!.headers).toMatchObject({
      location: `https://shop.test/thanks?order=a%20b&intentId=${id}&status=succeeded#top`,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
    expect(answers[3]!.headers['location']).toBe(answers[0]!.headers['location']);
    const payments = await app.service.store.committed.select('payments', { where: { intentId: id } });
    expect(payments).toHaveLength(1);
    const traces = await app.service.store.committed.select('traces', {
      where: { executorId: 'system:payer' },
      orderBy: ['eventId'],
      direction: 'desc',
      limit: 1,
    });
    expect(traces[0]).toMatchObject({ tenantAlias: 'acme', activityType: expect.any(String) });
  });

  it('to the shop after a cancellation, also if the form is sent again', async () => {
    const id = await newIntent({ receiptUrl, returnUrl });
    const token = tokenIn((await page(id)).text);
    for (let sent = 0; sent < 2; sent++) {
      const { status, headers } = await submit(id, { token }, { path: '/cancel' });
      expect(status).toBe(303);
      expect(headers['location']).toBe(`http://shop.test:8080/cart?intentId=${id}&status=cancelled`);
    }
    expect(await fetchStatus(id)).toBe('cancelled');
    expect((await submit(id, { token, method: 'sandbox_ok' })).status).toBe(410);
  });

  it('to the payment page without a return URL', async () => {
    const id = await newIntent();
    expect((await giveUp(id)).headers['location']).toBe(await payPath(app, id));
  });

  it('not after a decline: the page shows it, and another attempt can pay', async () => {
    const id = await newIntent({ receiptUrl });
    const declined = await pay(id, 'sandbox_declined');
    expect(declined.status).toBe(402);
    expect(readText(declined.text)).toContain('The payment was declined and you were not charged');
    const token = tokenIn(declined.text);
    expect((await submit(id, { token, method: 'sandbox_ok' })).status).toBe(303);
    expect(await fetchStatus(id)).toBe('succeeded');
  });

  it('not to the return URL for a cancellation after the payment', async () => {
    const id = await newIntent();
    const token = tokenIn((await page(id)).text);
    await pay(id);
    const { status, text } = await submit(id, { token }, { path: '/cancel' });
    expect(status).toBe(409);
    expect(text).toContain('can no longer be cancelled');
    expect(await fetchStatus(id)).toBe('succeeded');
  });

  it('to the confirmation, and from there to the receipt', async () => {
    const id = await newIntent({ receiptUrl });
    const begun = await pay(id, 'sandbox_requires_action');
    expect(begun).toMatchObject({ status: 303, headers: { location: `${await payPath(app, id)}?to=bank` } });
    const back = await inject(app, { url: `${await payPath(app, id)}/return` });
    expect(back.status).toBe(303);
    expect(back.headers['location']).toContain(`intentId=${id}&status=succeeded#top`);
    expect((await inject(app, { url: `${await payPath(app, id)}/return` })).headers['location']).toBe(
      back.headers['location'],
    );
  });

  it('to the page that awaits a transfer, which can be cancelled', async () => {
    const id = await newIntent({ receiptUrl, returnUrl });
    expect((await pay(id, 'manual')).headers['location']).toBe(await payPath(app, id));
    const { text } = await page(id);
    expect(text).toContain(`intentId=${id}&amp;status=processing#top`);
    expect((await giveUp(id)).headers['location']).toContain('status=cancelled');
  });

  it('only the paid one of two intents for the same product', async () => {
    const { price } = await shop.product();
    const customer = await shop.customer();
    const [first, second] = [await shop.intent(customer, price), await shop.intent(customer, price)];
    await pay(first.intentId, 'manual');
    const rival = await pay(second.intentId);
    expect(rival.status).toBe(409);
    expect(rival.text).toContain('Another payment for this subscription is under way');
  });

  const addresses: [address: string, onward: string][] = [
    ['https://a.test', 'https://a.test/?intentId=int_1&status=succeeded'],
    ['https://a.test/x?', 'https://a.test/x?intentId=int_1&status=succeeded'],
    ['https://a.test/x?b', 'https://a.test/x?b&intentId=int_1&status=succeeded'],
    ['https://a.test/x?b=1&', 'https://a.test/x?b=1&intentId=int_1&status=succeeded'],
    ['https://a.test/#/r?x=1', 'https://a.test/?intentId=int_1&status=succeeded#/r?x=1'],
    ['https://ä.test/ü?ö=1#é', 'https://xn--4ca.test/%C3%BC?%C3%B6=1&intentId=int_1&status=succeeded#%C3%A9'],
  ];
  it.each(addresses)('from %s to %s', (address, onward) => {
    expect(buildRedirectUrl(address, { id: 'int_1', status: 'succeeded' })).toBe(onward);
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', 'ftp://a.test', '//a.test', 'about:blank', ''])(
    'never to %s',
    async (address) => {
      expect(() => buildRedirectUrl(address, { id: 'int_1', status: 'succeeded' })).toThrow();
      const { price } = await shop.product();
      const order = shop.intentInput(await shop.customer(), price, { receiptUrl: address });
      const { status } = await client.rest('POST', '/subscriptions/intent', order);
      expect(status).toBe(400);
    },
  );
});

describe('a bank that requires a confirmation', () => {
  const actionUrl = 'https://bank.test/confirm?a=1&b="2"';
  let outcome: Outcome | undefined;
  const answer = async (): Promise<Outcome> => {
    if (!outcome) throw new Error('unreachable');
    return outcome;
  };
  const bank: PaymentProvider = {
    name: 'bank',
    start: answer,
    resume: answer,
    charge: answer,
    refund: async () => ({ status: 'declined', reason: 'never' }),
  };
  let world: TestApp;
  let id: string;
  beforeAll(async () => {
    world = await startApp({ publicUrl: 'https://x.test/billing/' });
    world.service.payments.charging = [bank];
    const own = await world.tenant({ alias: 'acme', test: false });
    await own.graphql(takeTransfers);
    const { price } = await createShop(own, 'acme').product();
    ({ intentId: id } = await createShop(own, 'acme').intent(
      await createShop(own, 'acme').customer(),
      price,
    ));
    expect((await inject(world, { url: await payPath(world, id) })).text).toContain(
      'To pay by card, return to the site',
    );
    outcome = { status: 'requires_action', reference: 'r1', actionUrl };
    await createShop(own, 'acme').confirm(id, 'bank_card');
  });
  afterAll(() => world.close());

  it('is linked from the page, and opened after paying', async () => {
    const { text } = await inject(world, { url: await payPath(world, id) });
    expect(text).toContain('href="https://bank.test/confirm?a=1&amp;b=%222%22"');
    expect(text).toContain(`href="/billing${await payPath(world, id)}/return"`);
    expect(text).toMatch(/href="\/billing\/pages\/[0-9a-f]{16}\/pages.css"/);
    expect(text).not.toContain('http-equiv');
    const leading = await inject(world, { url: `${await payPath(world, id)}?to=bank` });
    expect(leading.text).toContain(
      '<meta http-equiv="refresh" content="0; url=https://bank.test/confirm?a=1&amp;b=%222%22"',
    );
  });

  it('is asked for the outcome when the payer returns', async () => {
    const back = async () => inject(world, { url: `${await payPath(world, id)}/return` });
    expect(await back()).toMatchObject({
      status: 303,
      headers: { location: `/billing${await payPath(world, id)}` },
    });
    outcome = undefined;
    const unreached = await back();
    expect(unreached.status).toBe(503);
    expect(unreached.text).toContain('The payment service is not responding');
    outcome = { status: 'declined', reason: 'no' };
    const declined = await back();
    expect(declined.status).toBe(402);
    expect(declined.text).toContain('The payment was declined');
  });
});

describe('the routes', () => {
  it('link the payment page', async () => {
    const id = await newIntent();
    const { intent } = await client.graphql('query ($id: ID!) { intent(id: $id) { paymentUrl } }', { id });
    expect(intent.paymentUrl).toBe(`http://pay.test${await payPath(app, id)}`);
  });

  it('serve the stylesheet with an immutable cache header', async () => {
    const [url] = /\/pages\/[0-9a-f]{16}\/[^"]+/.exec((await page(await newIntent())).text)!;
    const { status, headers } = await inject(app, { url });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
  });

  it.each([
    ['PUT', '', 'GET, HEAD, POST'],
    ['DELETE', '', 'GET, HEAD, POST'],
    ['GET', '/cancel', 'POST'],
    ['POST', '/return', 'GET'],
    ['HEAD', '/return', 'GET'],
  ] as const)('refuse %s %s', async (method, path, allow) => {
    const { status, headers } = await inject(app, { method, url: `/pay/int_1${path}` });
    expect(status).toBe(405);
    expect(headers).toMatchObject({ allow, 'content-type': 'text/html; charset=utf-8' });
  });

  it('are rate-limited by client address', async () => {
    const world = await startApp({ rateLimitPerSecond: '1' });
    const from = (remoteAddress: string) => inject(world, { url: '/pay/int_1', remoteAddress });
    for (let sent = 0; sent < 10; sent++) expect((await from('10.0.0.1')).status).toBe(404);
    const refused = await from('10.0.0.1');
    expect(refused.status).toBe(429);
    expect(refused.text).toContain('Too many requests');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await from('10.0.0.2')).status).toBe(404);
    await world.close();
  });
});
