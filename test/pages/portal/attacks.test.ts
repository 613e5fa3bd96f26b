/** What the portal refuses: links, codes, cookies, forms and ids that are not the customer's own. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildDocuments } from '../../documents/pdfFile.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { stoppedClock, type TestClock } from '../../support/clock.ts';
import {
  createLink,
  openPortalBrowser,
  setPortal,
  signIn,
  wordsOf,
  type PortalBrowser,
} from '../../support/portal.ts';
import { createShop, type Shop } from '../../support/shop.ts';

const origin = 'http://pay.test';
const hourMs = 3_600_000;

let app: TestApp;
let clock: TestClock;
let client: Client;
let other: Client;
let shop: Shop;
let otherShop: Shop;

beforeAll(async () => {
  buildDocuments();
  clock = stoppedClock('2026-01-31T10:00:00.000Z');
  app = await startApp({ publicUrl: origin, rateLimitPerSecond: '100000' }, { clock });
  client = await app.tenant({ alias: 'acme', name: 'Acme' });
  other = await app.tenant({ alias: 'rival', name: 'Rival' });
  shop = createShop(client, 'acme');
  otherShop = createShop(other, 'rival');
  for (const each of [client, other])
    await setPortal(each, {
      planChange: true,
      quantityChange: true,
      pause: true,
      promotionCodes: true,
      cancellation: 'both',
    });
});
afterAll(() => app.close());

/** A customer with a subscription, an invoice and a credit note. */
async function createRecords(by: Shop, of: Client) {
  const customer = await by.customer();
  const { price } = await by.product();
  const subscription = await by.subscribe(customer, price);
  const { invoices } = await of.graphql(
    'query ($id: ID) { invoices(subscriptionId: $id) { nodes { id } } }',
    {
      id: subscription.id,
    },
  );
  const invoice = invoices.nodes[0].id as string;
  const { createCreditNote } = await of.graphql(
    'mutation ($id: ID!) { createCreditNote(input: { invoiceId: $id, amount: { amount: 1, currency: "afn" }, kind: credit, reason: "Sorry" }) { id } }',
    { id: invoice },
  );
  return { customer, subscription: subscription.id as string, invoice, note: createCreditNote.id as string };
}

const isSignedIn = async (browser: PortalBrowser) =>
  (await browser.get('/portal/acme')).text.includes('action="/portal/acme/sign-out"');

describe('a link', () => {
  it('is not used up by opening it, and signs in once', async () => {
    const { customer } = await createRecords(shop, client);
    const { path } = await createLink(client, { customerId: customer.id });
    const scanner = openPortalBrowser(app, origin);
    for (let index = 0; index < 3; index++) expect((await scanner.get(path)).status).toBe(200);
    expect(scanner.cookie).toBe('');
    const browser = openPortalBrowser(app, origin);
    await browser.get(path);
    expect((await browser.submit(path)).status).toBe(303);
    expect(await isSignedIn(browser)).toBe(true);
    for (const again of [await scanner.get(path), await scanner.post(path)]) {
      expect(again.status).toBe(410);
      expect(again.headers['set-cookie']).toBeUndefined();
    }
  });

  it('has one winner of fifty at once', async () => {
    const { customer } = await createRecords(shop, client);
    const { path } = await createLink(client, { customerId: customer.id });
    const browsers = Array.from({ length: 50 }, () => openPortalBrowser(app, origin));
    const answers = await Promise.all(browsers.map((browser) => browser.post(path)));
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
    expect(answers.filter(({ headers }) => headers['set-cookie'] !== undefined)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 410)).toHaveLength(49);
  });

  it.each([
    ['after twelve hours', async () => void clock.advance(12 * hourMs)],
    [
      'when it is revoked',
      async (id: string) =>
        void (await client.graphql('mutation ($id: ID!) { revokePortalSession(id: $id) { revokedAt } }', {
          id,
        })),
    ],
  ])('does not sign in %s', async (_, spoil) => {
    const { customer } = await createRecords(shop, client);
    const { path, id } = await createLink(client, { customerId: customer.id });
    await spoil(id);
    const browser = openPortalBrowser(app, origin);
    expect((await browser.post(path)).status).toBe(410);
    expect(browser.cookie).toBe('');
  });

  it('of another tenant, guessed or altered signs nobody in', async () => {
    const { customer } = await createRecords(otherShop, other);
    const { path } = await createLink(other, { customerId: customer.id });
    const foreign = path.replace('/rival/', '/acme/');
    const altered = path.slice(0, -1) + (path.endsWith('A') ? 'B' : 'A');
    for (const url of [foreign, altered, '/portal/acme/s/x', `/portal/acme/s/${'a'.repeat(43)}`]) {
      const browser = openPortalBrowser(app, origin);
      expect((await browser.post(url)).status, url).toBe(410);
      expect(browser.cookie).toBe('');
    }
  });

  it('is stored as a hash, as are sessions', async () => {
    const { customer } = await createRecords(shop, client);
    const { path } = await createLink(client, { customerId: customer.id });
    const browser = await signIn(app, client, { customerId: customer.id });
    const dump = await app.backdoor.dump('acme');
    expect(dump).not.toContain(path.split('/').at(-1));
    expect(dump).not.toContain(browser.cookie.split('=')[1]);
  });
});

describe('a session', () => {
  it('has a new token, whatever cookie the browser had before', async () => {
    const { customer } = await createRecords(shop, client);
    const { path } = await createLink(client, { customerId: customer.id });
    const browser = openPortalBrowser(app, origin);
    const planted = 'A'.repeat(43);
    browser.cookie = `portal-acme=${planted}`;
    await browser.post(path);
    expect(browser.cookie).not.toContain(planted);
    const attacker = openPortalBrowser(app, origin);
    attacker.cookie = `portal-acme=${planted}`;
    expect(await isSignedIn(attacker)).toBe(false);
  });

  it.each([
    ['twelve hours', async () => void clock.advance(12 * hourMs)],
    [
      'its revocation',
      (id: string) => client.graphql('mutation ($id: ID!) { revokePortalSession(id: $id) { id } }', { id }),
    ],
    [
      'the erasure of the customer',
      async (_: string, { customer, subscription }: Awaited<ReturnType<typeof createRecords>>) => {
        await client.graphql('mutation ($id: ID!) { cancelSubscription(id: $id) { id } }', {
          id: subscription,
        });
        await client.graphql('mutation ($id: ID!) { eraseCustomer(id: $id) { id } }', { id: customer.id });
      },
    ],
    [
      'the deletion of the customer',
      (_: string, { customer }: Awaited<ReturnType<typeof createRecords>>) =>
        client.graphql('mutation ($id: ID!) { deleteCustomer(id: $id) { id } }', { id: customer.id }),
    ],
    [
      'signing out',
      async (_: string, __: unknown, browser: PortalBrowser) => void (await browser.submit('/sign-out')),
    ],
  ])('ends with %s', async (_, end) => {
    const records = await createRecords(shop, client);
    const { path, id } = await createLink(client, { customerId: records.customer.id });
    const browser = openPortalBrowser(app, origin);
    await browser.get(path);
    await browser.follow(await browser.submit(path));
    const { cookie } = browser;
    expect(await isSignedIn(browser)).toBe(true);
    await end(id, records, browser);
    browser.cookie = cookie;
    expect(await isSignedIn(browser)).toBe(false);
    const form = await browser.post(`/portal/acme/subscriptions/${records.subscription}/cancel`, {
      when: 'now',
    });
    expect(form.status).toBe(403);
  });

  it('of one tenant is nothing to another', async () => {
    const { customer } = await createRecords(otherShop, other);
    const browser = await signIn(app, other, { customerId: customer.id });
    const token = browser.cookie.split('=')[1]!;
    browser.cookie = `portal-acme=${token}; portal-rival=x`;
    expect(await isSignedIn(browser)).toBe(false);
  });

  it('over https has a cookie that is bound to the host', async () => {
    const secure = await startApp({ publicUrl: 'https://pay.test/billing' });
    try {
      const own = await secure.tenant({ alias: 'acme' });
      const customer = await createShop(own, 'acme').customer();
      const { path, url } = await createLink(own, { customerId: customer.id });
      expect(url).toMatch(/^https:\/\/pay\.test\/billing\/portal\/acme\/s\/[\w-]{43}$/);
      const browser = openPortalBrowser(secure, 'https://pay.test');
      const answer = await browser.post(path.replace('/billing', ''));
      const [value, ...attributes] = String(answer.headers['set-cookie']).split('; ');
      expect(value).toMatch(/^__Host-portal-acme=[\w-]{43}$/);
      expect(attributes.toSorted()).toEqual([
        'HttpOnly',
        'Max-Age=43200',
        'Path=/',
        'SameSite=Lax',
        'Secure',
      ]);
      expect(answer.headers['location']).toBe('/billing/portal/acme');
    } finally {
      await secure.close();
    }
  });
});

describe('a form', () => {
  const send = async (change: (fields: Record<string, string>) => Record<string, string>, headers = {}) => {
    const { customer, subscription } = await createRecords(shop, client);
    const browser = await signIn(app, client, { customerId: customer.id });
    const path = `/portal/acme/subscriptions/${subscription}/cancel`;
    await browser.get(path);
    const answer = await browser.post(path, change({ ...browser.fields('/cancel'), when: 'now' }), headers);
    const found = await client.graphql('query ($id: ID!) { subscription(id: $id) { status } }', {
      id: subscription,
    });
    return [answer.status, found.subscription.status];
  };
  /** The token of the same form of another session: of the customer, of another customer, and of another tenant. */
  const takeToken = async (by: Shop, of: Client, alias: string) => {
    const { customer, subscription } = await createRecords(by, of);
    const browser = await signIn(app, of, { customerId: customer.id });
    await browser.get(`/portal/${alias}/subscriptions/${subscription}/cancel`);
    return browser.fields('/cancel')['token']!;
  };

  it('of the page itself is accepted', async () => {
    expect(await send((fields) => fields)).toEqual([303, 'cancelled']);
  });

  it.each<[string, () => Promise<(fields: Record<string, string>) => Record<string, string>>, object?]>([
    [
      'without a token',
      async () =>
        ({ token: _, ...fields }) =>
          fields,
    ],
    [
      'with a forged token',
      async () => (fields) => ({ ...fields, token: fields['token']!.replace(/.$/, 'x') }),
    ],
    [
      'with the token of another customer',
      async () => {
        const token = await takeToken(shop, client, 'acme');
        return (fields) => ({ ...fields, token });
      },
    ],
    [
      'with the token of another tenant',
      async () => {
        const token = await takeToken(otherShop, other, 'rival');
        return (fields) => ({ ...fields, token });
      },
    ],
    [
      'from another site',
      async () => (fields) => fields,
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    ],
    [
      'from a sister site',
      async () => (fields) => fields,
      { 'sec-fetch-site': 'same-site', origin: 'https://evil.pay.test' },
    ],
    [
      'of another origin in an old browser',
      async () => (fields) => fields,
      { 'sec-fetch-site': undefined, origin: 'https://evil.example' },
    ],
    [
      'without any origin',
      async () => (fields) => fields,
      { 'sec-fetch-site': undefined, origin: undefined },
    ],
    ['of an opaque origin', async () => (fields) => fields, { 'sec-fetch-site': undefined, origin: 'null' }],
  ])('%s changes nothing', async (_, build, headers) => {
    expect(await send(await build(), headers)).toEqual([403, 'active']);
  });

  it('of a link from another site does not sign in', async () => {
    const { customer } = await createRecords(shop, client);
    const { path } = await createLink(client, { customerId: customer.id });
    const victim = openPortalBrowser(app, origin);
    const answer = await victim.post(
      path,
      {},
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    );
    expect([answer.status, victim.cookie]).toEqual([403, '']);
  });

  it('expires after an hour', async () => {
    const { customer, subscription } = await createRecords(shop, client);
    const browser = await signIn(app, client, { customerId: customer.id });
    await browser.get(`/portal/acme/subscriptions/${subscription}/cancel`);
    clock.advance(hourMs);
    expect((await browser.submit('/cancel', { when: 'now' })).status).toBe(403);
  });
});

describe('the records of another customer', () => {
  const paths = (records: Awaited<ReturnType<typeof createRecords>>) => [
    `subscriptions/${records.subscription}`,
    `subscriptions/${records.subscription}/plan`,
    `subscriptions/${records.subscription}/plan/preview?quantity=2`,
    `subscriptions/${records.subscription}/cancel`,
    `invoices/${records.invoice}/pdf`,
    `invoices/${records.invoice}/html`,
    `credit-notes/${records.note}/pdf`,
  ];
  const unknown = { subscription: 'sub_x', invoice: 'inv_x', note: 'cn_x' } as never;

  it('are not found in any page, with the same page as for ids that do not exist', async () => {
    const own = await createRecords(shop, client);
    const browser = await signIn(app, client, { customerId: own.customer.id });
    const missing = await Promise.all(paths(unknown).map((path) => browser.get(`/portal/acme/${path}`)));
    for (const foreign of [await createRecords(shop, client), await createRecords(otherShop, other)]) {
      for (const [index, path] of paths(foreign).entries()) {
        const answer = await browser.get(`/portal/acme/${path}`);
        expect([answer.status, answer.text], path).toEqual([404, missing[index]!.text]);
      }
    }
    for (const path of paths(own)) expect((await browser.get(`/portal/acme/${path}`)).status, path).toBe(200);
  });

  it('are not changed by any form, even with a token of its path', async () => {
    const own = await createRecords(shop, client);
    const victim = await createRecords(shop, client);
    const browser = await signIn(app, client, { customerId: own.customer.id });
    const before = await app.backdoor.dump('acme');
    for (const action of [
      'cancel',
      'plan',
      'pause',
      'resume',
      'undo-cancel',
      'undo-change',
      'code',
      'offer',
    ]) {
      await browser.get(`/portal/acme/subscriptions/${own.subscription}/cancel`);
      const { token } = browser.fields('/cancel');
      const answer = await browser.post(`/portal/acme/subscriptions/${victim.subscription}/${action}`, {
        token: token!,
        when: 'now',
      });
      expect([403, 404], action).toContain(answer.status);
    }
    expect(await app.backdoor.dump('acme')).toBe(before);
  });
});

describe('pages', () => {
  it.each([
    '/portal/nobody',
    '/portal/nobody/s/x',
    '/portal/rival-off',
    '/portal/acme/none',
    '/portal/',
    '/portal/acme/s/x/y',
  ])('%s is the same page of an address that does not exist', async (path) => {
    if (
      path.includes('rival-off') &&
      !(await app.service.store.fresh.select('tenants', { where: { alias: 'rival-off' } })).length
    )
      await setPortal(await app.tenant({ alias: 'rival-off' }), { enabled: false });
    const browser = openPortalBrowser(app, origin);
    const [answer, missing] = [await browser.get(path), await browser.get('/portal/missing')];
    expect([answer.status, answer.text]).toEqual([404, missing.text]);
  });

  it('cannot be framed, cached, or read by other sites', async () => {
    const { customer } = await createRecords(shop, client);
    const browser = await signIn(app, client, { customerId: customer.id });
    const { headers } = await browser.get('/portal/acme');
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    });
    const policy = String(headers['content-security-policy']);
    for (const each of [
      "default-src 'none'",
      "frame-ancestors 'none'",
      "form-action 'self'",
      "base-uri 'none'",
    ])
      expect(policy).toContain(each);
    expect(policy).not.toContain('unsafe-inline');
    expect(policy).not.toContain('script-src');
  });

  it('show names as text', async () => {
    const firstName = '<img src=x onerror=alert(1)>"\'&';
    const customer = await shop.customer({ firstName });
    const { price } = await shop.product({ name: '<script>alert(1)</script>' });
    const subscription = await shop.subscribe(customer, price);
    const browser = await signIn(app, client, { customerId: customer.id });
    for (const path of [
      '',
      `/subscriptions/${subscription.id}`,
      `/subscriptions/${subscription.id}/cancel`,
      '/details',
    ]) {
      const { text } = await browser.get(`/portal/acme${path}`);
      expect(text).not.toContain('<script>');
      expect(text).not.toContain('<img src=x');
    }
    expect(wordsOf((await browser.get('/portal/acme')).text)).toContain(
      '&lt;script&gt;alert(1)&lt;/script&gt;',
    );
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    '//evil.example',
    'https:evil.example',
    'https://evil example/',
  ])('never link back to %s', async (returnUrl) => {
    const { customer } = await createRecords(shop, client);
    const { body } = await client.post(
      'mutation ($input: CreatePortalSessionInput!) { createPortalSession(input: $input) { url } }',
      { input: { customerId: customer.id, returnUrl } },
    );
    const { reason, issues } = body.errors[0].extensions;
    expect([reason, issues[0].path]).toEqual(['validation_failed', 'returnUrl']);
  });

  it.each([
    ['/portal/acme?done=%3Cscript%3E', '<script>'],
    ['/portal/acme?done=constructor', 'function'],
    ['/portal/acme?done=__proto__', '[object'],
  ])('%s shows no notice', async (path, text) => {
    const { customer } = await createRecords(shop, client);
    const browser = await signIn(app, client, { customerId: customer.id });
    const answer = await browser.get(path);
    expect(answer.status).toBe(200);
    expect(answer.text).not.toContain(text);
    expect(answer.text).not.toContain('class="notice good"');
  });

  it.each([
    ['GET', '/portal/acme/invoices?after=%00', 400],
    ['GET', '/portal/acme/invoices?after=forged', 400],
    ['GET', '/portal/acme/subscriptions/%00', 400],
    ['GET', `/portal/acme/subscriptions/${'x'.repeat(5000)}`, 404],
    ['GET', '/portal/acme/invoices/inv_x/constructor', 404],
    ['GET', '/portal/%00', 404],
  ] as const)('%s %s is refused with %d', async (_, path, status) => {
    const { customer } = await createRecords(shop, client);
    const browser = await signIn(app, client, { customerId: customer.id });
    expect((await browser.get(path)).status).toBe(status);
  });
});

describe('a part that is switched off', () => {
  it.each([
    [{ planChange: false, quantityChange: false, addOns: false }, 'GET', 'plan'],
    [{ planChange: false, quantityChange: false, addOns: false }, 'POST', 'plan'],
    [{ cancellation: 'off' }, 'GET', 'cancel'],
    [{ cancellation: 'off' }, 'POST', 'cancel'],
    [{ pause: false }, 'POST', 'pause'],
    [{ promotionCodes: false }, 'POST', 'code'],
  ] as const)('%j: %s %s', async (portal, method, action) => {
    const { customer, subscription } = await createRecords(shop, client);
    const browser = await signIn(app, client, { customerId: customer.id });
    const path = `/portal/acme/subscriptions/${subscription}/${action}`;
    await browser.get(`/portal/acme/subscriptions/${subscription}`);
    const fields = action === 'pause' || action === 'code' ? browser.fields(`/${action}`) : {};
    await setPortal(client, portal);
    try {
      const answer = method === 'GET' ? await browser.get(path) : await browser.post(path, fields);
      expect(answer.status).toBe(404);
    } finally {
      await setPortal(client, {
        planChange: true,
        quantityChange: true,
        pause: true,
        promotionCodes: true,
        cancellation: 'both',
      });
    }
  });

  it.each([
    [{ invoices: false }, '/invoices'],
    [{ details: false }, '/details'],
  ])('%j: %s', async (portal, path) => {
    const { customer } = await createRecords(shop, client);
    const browser = await signIn(app, client, { customerId: customer.id });
    await setPortal(client, portal);
    expect((await browser.get(`/portal/acme${path}`)).status).toBe(404);
    await setPortal(client, { invoices: true, details: true });
    expect((await browser.get(`/portal/acme${path}`)).status).toBe(200);
  });
});
