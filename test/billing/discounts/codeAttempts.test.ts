/** Payers who guess promotion codes, on the payment page and in the portal: only failures count, and no others are locked. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { findNetwork } from '../../../src/http/address.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { stoppedClock, type TestClock } from '../../support/clock.ts';
import { engine } from '../../support/engines.ts';
import { readText } from '../../support/pages.ts';
import { setPortal, signIn } from '../../support/portal.ts';
import { createShop, type Shop } from '../../support/shop.ts';
import { payPath } from '../../support/payLinks.ts';
import { inject } from '../../support/world.ts';

const origin = 'http://pay.test';
const settings = { publicUrl: origin, rateLimitPerSecond: '100000' };
const tenMinutesMs = 600_000;
const gift = 'GIFT-100';

let app: TestApp;
let clock: TestClock;
let client: Client;
let shop: Shop;
beforeAll(async () => {
  clock = stoppedClock('2026-01-31T10:00:00.000Z');
  app = await startApp(settings, { clock });
  [client, shop] = await openTenant('acme');
});
afterAll(() => app.close());

const createCoupon = 'mutation ($input: CreateCouponInput!) { createCoupon(input: $input) { id } }';
const createCode = `mutation ($input: CreatePromotionCodeInput!) { createPromotionCode(input: $input) { id } }`;

/** Creates a tenant with a code that nobody should find. */
async function openTenant(alias: string): Promise<[Client, Shop]> {
  const opened = await app.tenant({ alias });
  const input = { name: 'Gift', percentOff: '100', duration: 'forever' };
  const { id: couponId } = (await opened.graphql(createCoupon, { input })).createCoupon;
  await opened.graphql(createCode, { input: { couponId, code: gift } });
  await setPortal(opened, { promotionCodes: true });
  return [opened, createShop(opened, alias)];
}

interface Link {
  path: string;
  token: string;
}

/** Opens the payment page of a new intent. */
async function openLink(by = shop): Promise<Link> {
  const { price } = await by.product({ amount: 50, currency: 'usd' });
  const { intentId: id } = await by.intent(await by.customer(), price);
  const { text } = await inject(app, { url: await payPath(app, id) });
  const [, path] = /action="([^"]+)\/code"/.exec(text)!;
  return { path: path!, token: /name="token" value="([^"]+)"/.exec(text)![1]! };
}

let lastPeer = 0;
/** An address that nobody else has. */
const newPeer = () => `10.${(++lastPeer >> 16) & 255}.${(lastPeer >> 8) & 255}.${lastPeer & 255}`;
let lastGuess = 0;
const guess = () => `guess-${++lastGuess}`;

const enter = (
  { path, token }: Link,
  code: string,
  remoteAddress = newPeer(),
  headers: Record<string, string> = {},
  at = app,
) =>
  inject(at, {
    method: 'POST',
    url: `${path}/code`,
    remoteAddress,
    headers: { 'content-type': 'application/x-www-form-urlencoded', host: 'pay.test', ...headers },
    payload: new URLSearchParams({ token, code }).toString(),
  });
const fail = async (count: number, act: () => ReturnType<typeof enter>) => {
  for (let index = 0; index < count; index++) expect((await act()).status).toBe(409);
};

describe('the payment page of an intent', () => {
  it('takes ten failures in ten minutes, and then no code at all, not even the right one', async () => {
    const link = await openLink();
    await fail(10, () => enter(link, guess()));
    clock.advance(60_000);
    for (const code of [guess(), gift]) {
      const refused = await enter(link, code);
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, '540']);
      expect(readText(refused.text)).toContain(
        'Too many codes were entered. Try again in 9 minutes, or pay without a code.',
      );
      expect(readText(refused.text)).toContain('Due today $50.00');
    }
    expect((await enter(await openLink(), gift)).status).toBe(303);
    clock.advance(tenMinutesMs - 60_000);
    expect((await enter(link, gift)).status).toBe(303);
  });

  it('says so in the language of the payer', async () => {
    const link = await openLink();
    await fail(10, () => enter(link, guess()));
    for (const [language, sentence] of Object.entries({
      de: 'Versuchen Sie es in 10 Minuten erneut, oder bezahlen Sie ohne Code.',
      fr: 'Réessayez dans 10 minutes, ou payez sans code.',
      es: 'Inténtelo de nuevo dentro de 10 minutos o pague sin código.',
      fa: '۱۰ دقیقه بعد دوباره تلاش کنید، یا بدون کد بپردازید.',
      ps: 'په ۱۰ دقيقو کې بیا هڅه وکړئ، یا پرته له کوډه پیسې ورکړئ.',
    })) {
      const { text } = await enter(link, guess(), undefined, { 'accept-language': language });
      expect(readText(text).replaceAll(' ', ' ')).toContain(sentence);
    }
  });

  it('does not count codes that can be redeemed', async () => {
    const link = await openLink();
    for (let index = 0; index < 12; index++) expect((await enter(link, gift)).status).toBe(303);
    expect((await enter(link, guess())).status).toBe(409);
  });

  it('checks ten of fifty codes that come at once', async () => {
    const link = await openLink();
    const codes = Array.from({ length: 50 }, (_, index) => (index === 49 ? gift : guess()));
    const statuses = (await Promise.all(codes.map((code) => enter(link, code)))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 409)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(40);
  });

  it.runIf(engine === 'postgres')('counts on all servers of a database together', async () => {
    const second = await startApp({ ...settings, database: app.database }, { clock });
    const link = await openLink();
    const statuses = (
      await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          enter(link, guess(), undefined, {}, index % 2 === 0 ? app : second),
        ),
      )
    ).map(({ status }) => status);
    expect(statuses.filter((status) => status === 409)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(40);
    await second.close();
  });
});

describe('a network', () => {
  it.each([
    ['an address', () => '192.0.2.7', '192.0.2.8'],
    ['a /64 of IPv6', (index: number) => `2001:db8:1:2:${index}::1`, '2001:db8:1:3::1'],
    [
      'an address within IPv6',
      (index: number) => (index % 2 ? '::ffff:192.0.2.9' : '192.0.2.9'),
      '192.0.2.10',
    ],
  ])('of %s has twenty failures for all intents, and others are not refused', async (_, peer, other) => {
    let index = 0;
    await fail(20, async () => enter(await openLink(), guess(), peer(++index)));
    expect((await enter(await openLink(), gift, peer(++index))).status).toBe(429);
    expect((await enter(await openLink(), gift, other)).status).toBe(303);
    clock.advance(tenMinutesMs);
    expect((await enter(await openLink(), gift, peer(++index))).status).toBe(303);
  });

  it('is that of the proxy, which a client cannot forge in X-Forwarded-For', async () => {
    const behind = await startApp({ ...settings, trustProxy: '1' }, { clock });
    const own = { app, client, shop };
    app = behind;
    [client, shop] = await openTenant('proxied');
    const from = (forged: string, payer: string) => ({ 'x-forwarded-for': `${forged}, ${payer}` });
    let index = 0;
    await fail(20, async () =>
      enter(await openLink(), guess(), '10.9.9.9', from(`203.0.113.${++index}`, '198.51.100.1')),
    );
    const forged = from('203.0.113.99', '198.51.100.1');
    expect((await enter(await openLink(), gift, '10.9.9.9', forged)).status).toBe(429);
    const other = from('198.51.100.1', '198.51.100.2');
    expect((await enter(await openLink(), gift, '10.9.9.9', other)).status).toBe(303);
    ({ app, client, shop } = own);
    await behind.close();
  });

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['::1', '::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['unknown', 'unknown'],
    ['', ''],
  ])('of %s is %s', (address, network) => {
    expect(findNetwork(address)).toBe(network);
  });
});

describe('all payers of a tenant together', () => {
  it('have 300 failures; the key of the merchant and other tenants are not refused', async () => {
    const [crowded, crowdedShop] = await openTenant('crowded');
    const links = await Promise.all(Array.from({ length: 31 }, () => openLink(crowdedShop)));
    const tries = links.slice(0, 30).flatMap((link) => Array.from({ length: 10 }, () => link));
    const answers = await Promise.all(tries.map((link) => enter(link, guess())));
    expect(answers.map(({ status }) => status)).toEqual(Array(300).fill(409));
    expect((await enter(links[30]!, gift)).status).toBe(429);
    expect((await enter(await openLink(), gift)).status).toBe(303);

    const apply = `mutation ($id: ID!, $code: String!) {
      applyDiscount(input: { customerId: $id, promotionCode: $code }) { id }
    }`;
    for (let index = 0; index < 30; index++) {
      const { id } = await crowdedShop.customer();
      const wrong = await crowded.post(apply, { id, code: guess() });
      expect(wrong.body.errors[0].extensions.reason).toBe('promotion_code_not_found');
      expect((await crowded.graphql(apply, { id, code: gift })).applyDiscount.id).toMatch(/^disc_/);
    }
  });

  it('leave nothing behind: counts name nobody, and are deleted once they have ended', async () => {
    const link = await openLink();
    await fail(1, () => enter(link, guess(), '192.0.2.77'));
    expect(await app.backdoor.dump('acme')).not.toContain('192.0.2.77');
    const countRows = async () =>
      (await app.backdoor.all("select * from code_attempts where tenant_alias = 'acme'")).length;
    expect(await countRows()).toBeGreaterThan(2);
    clock.advance(tenMinutesMs + 1);
    await runDueWork(app.service, pino({ level: 'silent' }));
    expect(await countRows()).toBe(0);
  });
});

describe('the portal', () => {
  it('takes ten failures of a customer, on all subscriptions and at once', async () => {
    const customer = await shop.customer();
    const subscriptions: string[] = [];
    for (let index = 0; index < 2; index++) {
      const { price } = await shop.product({ amount: 50, currency: 'usd' });
      subscriptions.push((await shop.subscribe(customer, price)).id);
    }
    const browser = await signIn(app, client, { customerId: customer.id });
    const forms: { path: string; token: string }[] = [];
    for (const id of subscriptions) {
      await browser.get(`/portal/acme/subscriptions/${id}`);
      forms.push({
        path: `/portal/acme/subscriptions/${id}/code`,
        token: browser.fields(`${id}/code`)['token']!,
      });
    }
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => {
        const { path, token } = forms[index % 2]!;
        return browser.post(path, { token, code: index > 40 ? gift : guess() }, {}, newPeer());
      }),
    );
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(10);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(40);
    expect(refused[0]!.headers['retry-after']).toBe('600');
    expect(readText(refused[0]!.text)).toContain('Too many codes were entered. Try again in 10 minutes.');
    clock.advance(tenMinutesMs);
    const { path, token } = forms[0]!;
    expect((await browser.post(path, { token, code: gift }, {}, newPeer())).status).toBe(303);
  });
});
