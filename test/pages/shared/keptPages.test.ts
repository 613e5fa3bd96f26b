/** What follows a form: always a redirect, then the result once, then the present state. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeptPages } from '../../../src/pages/shared/keptPages.ts';
import { findPortalSettings } from '../../../src/tenants/portalSettings.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { payPath } from '../../support/payLinks.ts';
import { createLink, setPortal, signIn, wordsOf } from '../../support/portal.ts';
import { createShop, type Shop } from '../../support/shop.ts';

let app: TestApp;
let client: Client;
let shop: Shop;
beforeAll(async () => {
  app = await startApp({ publicUrl: 'http://pay.test' });
  client = await app.tenant({ alias: 'acme', name: 'Acme' });
  shop = createShop(client, 'acme');
});
afterAll(() => app.close());

const host = { host: 'pay.test', origin: 'http://pay.test', 'sec-fetch-site': 'same-origin' };

/** Sends one request, without following the result of a form. */
async function send(url: string, fields?: Record<string, string>, headers: Record<string, string> = {}) {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  return fields
    ? app.server.inject({
        method: 'POST',
        url,
        headers: { ...host, ...form, ...headers },
        payload: new URLSearchParams(fields).toString(),
      })
    : app.server.inject({ url, headers: { host: host.host, ...headers } });
}

const tokenIn = (text: string) => /name="token" value="([^"]+)"/.exec(text)![1]!;

describe('the page of a payment', () => {
  async function openIntent(customer?: any): Promise<string> {
    const { price } = await shop.product();
    const { intentId } = await shop.intent(customer ?? (await shop.customer()), price, {
      returnUrl: 'https://shop.example/cart?step=2',
    });
    return payPath(app, intentId);
  }

  const forms: [name: string, path: string, fields: object, status: number, says: string][] = [
    ['a declined card', '', { method: 'sandbox_declined' }, 402, 'was declined and you were not charged'],
    ['no method', '', { method: '' }, 400, 'Choose a payment method.'],
    ['a token that is too old', '', { method: 'sandbox_ok', token: '1.1.0' }, 403, 'open for too long'],
    ['a wrong code', '/code', { code: 'NOPE' }, 409, 'This code cannot be used'],
  ];
  it.each(forms)('redirects after %s, and shows why once', async (_, path, fields, status, says) => {
    const url = await openIntent();
    const token = tokenIn((await send(url)).body);
    const answer = await send(`${url}${path}`, { token, ...fields });
    expect(answer.statusCode).toBe(303);
    const location = String(answer.headers['location']);
    expect(location).toMatch(new RegExp(`^${url.replaceAll('.', '\\.')}\\?shown=[\\w-]{43}$`));
    const result = await send(location);
    expect(result.statusCode).toBe(status);
    expect(result.body).toContain(says);
    expect(result.headers['cache-control']).toBe('no-store');
    // As after "Back", once another method has paid.
    await send(url, { token, method: 'sandbox_ok' });
    const back = await send(location);
    expect(back.statusCode).toBe(200);
    expect(back.body).toContain('Thank you');
    expect(back.body).not.toContain('<button>Pay');
  });

  it('says when to try again on the page that follows, not before', async () => {
    const url = await openIntent();
    const token = tokenIn((await send(url)).body);
    let answer = await send(`${url}/code`, { token, code: 'NOPE0' });
    for (let index = 1; index <= 10; index += 1)
      answer = await send(`${url}/code`, { token, code: `NOPE${index}` });
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([303, undefined]);
    const result = await send(String(answer.headers['location']));
    expect([result.statusCode, Number(result.headers['retry-after']) > 0]).toEqual([429, true]);
  });

  it('is left by a link, after which the order can be paid', async () => {
    const url = await openIntent();
    const { body } = await send(url);
    const [, href] = /<p class="leave">\s*<a href="([^"]+)"/.exec(body)!;
    expect(href).toMatch(
      /^https:\/\/shop\.example\/cart\?step=2&amp;intentId=int_\w+&amp;status=requires_payment_method$/,
    );
    expect((await send(url)).body).toContain('<button>Pay');
    // The end of the order is behind a question.
    expect(body).toMatch(/<details class="cancel">\s*<summary>Cancel this order<\/summary>/);
  });

  it('of one payment never shows the result of another, or of a form from another site', async () => {
    const [one, other] = [await openIntent(), await openIntent()];
    const answer = await send(one, { token: tokenIn((await send(one)).body), method: 'sandbox_declined' });
    const { search } = new URL(String(answer.headers['location']), 'http://pay.test');
    const elsewhere = await send(other + search);
    expect(elsewhere.statusCode).toBe(200);
    expect(elsewhere.body).not.toContain('was declined');
    const foreign = await send(one, { method: 'sandbox_ok' }, { 'sec-fetch-site': 'cross-site' });
    expect(foreign.statusCode).toBe(403);
  });
});

describe('the portal', () => {
  beforeAll(() => setPortal(client, { planChange: true, promotionCodes: true }));

  it('redirects after a form to its page, and shows the result to the session alone', async () => {
    const { price } = await shop.product();
    const [customer, other] = [await shop.customer(), await shop.customer({ associatedId: 'other' })];
    const { id: subscriptionId } = await shop.subscribe(customer, price);
    const browser = await signIn(app, client, { customerId: customer.id });
    const stranger = await signIn(app, client, { customerId: other.id });
    const page = `/portal/acme/subscriptions/${subscriptionId}`;
    await browser.get(page);
    const { token } = browser.fields('/code') as { token: string };
    const answer = await send(`${page}/code`, { token, code: 'NOPE' }, { cookie: browser.cookie });
    expect(answer.statusCode).toBe(303);
    const location = String(answer.headers['location']);
    expect(location.startsWith(`${page}?shown=`)).toBe(true);
    const foreign = await send(location, undefined, { cookie: stranger.cookie });
    expect(foreign.statusCode).toBe(404);
    const shown = await send(location, undefined, { cookie: browser.cookie });
    expect([shown.statusCode, shown.body.includes('This code cannot be used')]).toEqual([409, true]);
    const again = await send(location, undefined, { cookie: browser.cookie });
    expect([again.statusCode, again.body.includes('This code cannot be used')]).toEqual([200, false]);
  });

  it('shows the page of a used link, also after the redirect', async () => {
    const customer = await shop.customer({ associatedId: 'linked' });
    const { path } = await createLink(client, { customerId: customer.id });
    await send(path, {});
    const answer = await send(path, {});
    expect(answer.statusCode).toBe(303);
    expect((await send(String(answer.headers['location']))).statusCode).toBe(410);
  });

  it('names the price of a unit where the price has units', async () => {
    const { product, price } = await shop.product({
      name: 'Team',
      price: { details: { amount: 15, currency: 'usd' }, model: 'per_unit' },
    });
    const customer = await shop.customer({ associatedId: 'units' });
    const { id } = await shop.subscribe(customer, price, { quantity: 3 });
    const browser = await signIn(app, client, { customerId: customer.id });
    const read = async (path: string) => wordsOf((await browser.get(`/portal/acme${path}`)).text);
    expect(await read('')).toContain('$45.00 per month · $15.00 per unit');
    // There is no other plan yet.
    expect(await read(`/subscriptions/${id}`)).not.toContain('Change the plan');
    expect(await read(`/subscriptions/${id}/plan`)).toContain('There is no other plan');
    const yearly = {
      details: { amount: 150, currency: 'usd' },
      recurring: { frequency: 'Yearly', period: 1 },
    };
    await client.graphql('mutation ($input: CreatePricesInput!) { createPrices(input: $input) { id } }', {
      input: { productId: product.id, prices: [{ ...yearly, model: 'per_unit' }] },
    });
    expect(await read(`/subscriptions/${id}`)).toContain('Change the plan');
    expect(await read(`/subscriptions/${id}/plan`)).toContain(
      'Team your plan $45.00 per month · $15.00 per unit',
    );
    expect(await read(`/subscriptions/${id}/plan`)).toContain('$450.00 per year · $150.00 per unit');
  });
});

it('changes of plan are on for a new tenant, and stay off for one from before that never chose', async () => {
  const fresh = await app.tenant({ alias: 'fresh' });
  const read = async (asked: Client) =>
    (await asked.graphql('{ tenant { portal { planChange } } }')).tenant.portal.planChange;
  expect(await read(fresh)).toBe(true);
  await setPortal(client, { planChange: false });
  await setPortal(client, null);
  expect(await read(client)).toBe(true);
  expect(findPortalSettings({ portal: null }).planChange).toBe(false);
});

describe('kept pages', () => {
  const page = { content: { title: '', content: [] as never }, language: 'en', owner: 'a' } as const;
  it('are the owner’s, shown once unless they last, and end after ten minutes', () => {
    let nowMs = 0;
    let count = 0;
    const kept = createKeptPages(
      (size) => Buffer.alloc(size, count++),
      () => nowMs,
    );
    const first = kept.keep(page);
    expect(kept.take(first, 'b')).toBeUndefined();
    expect(kept.take(first, 'a')).toEqual(page);
    expect(kept.take(first, 'a')).toBeUndefined();
    const lasting = kept.keep({ ...page, isLasting: true });
    expect(kept.take(lasting, 'a')).toBeDefined();
    expect(kept.take(lasting, 'a')).toBeDefined();
    nowMs = 10 * 60 * 1000;
    expect(kept.take(lasting, 'a')).toBeUndefined();
  });
});
