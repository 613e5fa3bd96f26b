/**
 * Every state of the payment page in a real browser: readable by all (WCAG 2.2 AA), on phones and desktops, by day and by
 * night, in both directions of writing. `TEST_PICTURES` names a folder that receives a picture of each.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { getDirection } from '../../src/lib/language.ts';
import { buildPng } from '../documents/images.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { browserStartMs, connectBrowser, expectReadable } from '../support/browser.ts';
import { isLong, sampledInCore } from '../support/sample.ts';
import { createShop, type Shop } from '../support/shop.ts';
import { payPath } from '../support/payLinks.ts';

const largestPageBytes = 60_000;

let app: TestApp;
let client: Client;
let shop: Shop;
let base: string;
let browser: Browser;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
  client = await app.tenant({ alias: 'acme', name: 'Acme' });
  shop = createShop(client, 'acme');
  const image = buildPng({ width: 64, height: 64 }).toString('base64');
  await client.graphql('mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { alias } }', {
    input: {
      seller: { legalName: 'Acme GmbH', address: { country: 'DE' }, logo: image },
      branding: {
        displayName: 'Northwind Studio',
        color: '#3b6ef6',
        favicon: image,
        termsUrl: 'https://acme.example/terms',
        privacyUrl: 'https://acme.example/privacy',
        supportEmail: 'help@acme.example',
      },
      bankAccount: { accountHolder: 'Acme GmbH', iban: 'DE89370400440532013000', bankName: 'Commerzbank' },
    },
  });
  base = await app.server.listen({ host: '127.0.0.1', port: 0 });
  browser = await connectBrowser();
}, browserStartMs);
afterAll(() => app.close());
beforeEach(async () => {
  page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  complaints = [];
  page.on('console', (message) => void complaints.push(message.text()));
  page.on('pageerror', (error) => void complaints.push(String(error)));
});
afterEach(() => page.close());

const eur = (amount: number) => ({ details: { amount, currency: 'eur' }, model: 'per_unit' });

async function newIntent(fields: object = {}, product: Record<string, unknown> = {}): Promise<string> {
  const { price } = await shop.product({ name: 'Team plan', price: eur(12), ...product });
  return (await shop.intent(await shop.customer(), price, { quantity: 3, ...fields })).intentId;
}

const open = async (id: string, language = 'en') =>
  page.goto(`${base}${await payPath(app, id)}?lang=${language}`);

/** Chooses a method by its value, and pays. */
async function pay(id: string, method: string): Promise<void> {
  await open(id);
  await page.locator(`input[value="${method}"]`).check();
  await page.locator('form:has(fieldset) button').click();
}

async function createCode(code: string): Promise<void> {
  const coupon = 'mutation ($input: CreateCouponInput!) { createCoupon(input: $input) { id } }';
  const { createCoupon } = await client.graphql(coupon, {
    input: { name: 'Launch', percentOff: '20', duration: 'forever' },
  });
  const document =
    'mutation ($input: CreatePromotionCodeInput!) { createPromotionCode(input: $input) { id } }';
  await client.graphql(document, { input: { couponId: createCoupon.id, code } });
}

const states: [name: string, prepare: () => Promise<string>, heading: string][] = [
  ['payable', () => newIntent(), 'Subscribe to Team plan'],
  [
    'discounted',
    async () => {
      await createCode('LAUNCH20');
      const id = await newIntent();
      await open(id);
      await page.getByLabel('Promotion code').fill('launch20');
      await page.getByRole('button', { name: 'Apply' }).click();
      return id;
    },
    'Subscribe to Team plan',
  ],
  ['trial', () => newIntent({}, { price: { ...eur(12), trialDays: 14 } }), 'Try Team plan'],
  [
    'declined',
    async () => {
      const id = await newIntent();
      await pay(id, 'sandbox_declined');
      return id;
    },
    'Subscribe to Team plan',
  ],
  [
    'toConfirm',
    async () => {
      const id = await newIntent();
      await pay(id, 'sandbox_requires_action');
      return id;
    },
    'Confirm the payment',
  ],
  [
    'processing',
    async () => {
      const id = await newIntent();
      await pay(id, 'sandbox_requires_action');
      await app.backdoor.execute(`update intents set status = 'processing' where id = '${id}'`);
      return id;
    },
    'Your payment is being processed',
  ],
  [
    'transfer',
    async () => {
      const id = await newIntent();
      await pay(id, 'manual');
      return id;
    },
    'Waiting for your transfer',
  ],
  [
    'paid',
    async () => {
      const id = await newIntent();
      await shop.confirm(id);
      return id;
    },
    'Thank you',
  ],
  [
    'expired',
    async () => {
      const id = await newIntent({ returnUrl: 'https://example.com/cart' });
      await app.backdoor.execute(
        `update intents set expires_at = '2026-01-01T00:00:00.000Z' where id = '${id}'`,
      );
      return id;
    },
    'This offer has expired',
  ],
  [
    'unpayable',
    async () => {
      const { price } = await shop.product({ name: 'Team plan' });
      const customer = await shop.customer();
      const { intentId } = await shop.intent(customer, price);
      await shop.subscribe(customer, price);
      return intentId;
    },
    'This payment is not possible now',
  ],
  ['unknown', async () => 'int_none', 'There is nothing to pay here'],
];

const looks = (['en', 'fa', 'ar', 'he'] as const).flatMap((language) =>
  (['light', 'dark'] as const).flatMap((colorScheme) =>
    [390, 1280].map((width) => ({ language, colorScheme, width })),
  ),
);

/** Every look in the long run; otherwise one, another for each state: 3 and 16 have no common divisor. */
const chooseLooks = (state: number) => (isLong ? looks : [looks[(state * 3) % looks.length]!]);

const shown = states.map((state, index) => [...state, chooseLooks(index)] as const);

describe.each(sampledInCore(shown, 3))('the page: %s', (name, prepare, heading, chosen) => {
  it('can be read by all, in both directions, by day and by night, on small and large screens', async () => {
    const id = await prepare();
    await open(id);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(heading);
    for (const { language, colorScheme, width } of chosen) {
      await open(id, language);
      expect(await page.evaluate('getComputedStyle(document.documentElement).direction')).toBe(
        getDirection(language),
      );
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 844 });
      await expectReadable(page, `${name}-${language}-${colorScheme}-${width}`);
    }
    // The status of the page itself, such as 410, is no error of the page.
    expect(complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
  });
});

/** The policy of the page forbids what waitForFunction does when it looks again. */
const untilPainted = `new Promise((resolve) => {
  const look = () =>
    performance.getEntriesByName('first-contentful-paint').length > 0 ? resolve() : setTimeout(look, 20);
  look();
})`;

it('is small, and painted soon', async () => {
  const id = await newIntent();
  const seen: string[] = [];
  page.on('response', (response) => {
    seen.push(response.url());
  });
  await open(id);
  const bytes = await page.evaluate(
    'performance.getEntries().reduce((sum, { transferSize = 0 }) => sum + transferSize, 0)',
  );
  await page.evaluate(untilPainted);
  const paintMs = await page.evaluate(
    "Math.round(performance.getEntriesByName('first-contentful-paint')[0]?.startTime)",
  );
  console.info(`The payment page: ${String(bytes)} bytes, painted after ${String(paintMs)} ms.`);
  expect(bytes).toBeGreaterThan(1000);
  expect(bytes).toBeLessThan(largestPageBytes);
  expect(seen.every((url) => url.startsWith(base))).toBe(true);
});

/** The name of the focused element, and whether it is outlined. */
const readFocus = `({
  name: document.activeElement.getAttribute('name') ?? document.activeElement.localName,
  outline: getComputedStyle(document.activeElement).outlineStyle,
})`;

it('is paid by the keyboard alone', async () => {
  const { price } = await shop.product({ name: 'Team plan', price: eur(12) });
  const receiptUrl = `${base}/healthz`;
  const { intentId } = await shop.intent(await shop.customer(), price, { receiptUrl });
  await open(intentId);
  const reached: string[] = [];
  for (let press = 0; press < 40; press++) {
    await page.keyboard.press('Tab');
    const focused = (await page.evaluate(readFocus)) as { name: string; outline: string };
    expect(focused.outline).not.toBe('none');
    reached.push(focused.name);
    if (focused.name === 'method') break;
  }
  // The fields come before the methods, in the order of the page.
  expect(reached.indexOf('companyName')).toBeLessThan(reached.indexOf('method'));
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.waitForURL(/status=succeeded/);
});

it('keeps the refused method chosen', async () => {
  const id = await newIntent();
  await pay(id, 'sandbox_declined');
  expect(await page.locator('input[value="sandbox_declined"]').isChecked()).toBe(true);
  expect(await page.getByRole('alert').textContent()).toContain('Choose another method, or try again.');
});

it('stands still for those who ask for it, and shows the choice in forced colours', async () => {
  await open(await newIntent());
  const readStyle = (selector: string, property: string) =>
    page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${property}`);
  expect(await readStyle('fieldset + button', 'transitionDuration')).toBe('0.12s');
  await page.emulateMedia({ reducedMotion: 'reduce', forcedColors: 'active' });
  expect(await readStyle('fieldset + button', 'transitionDuration')).toBe('0s');
  expect(await readStyle('.method:has(:checked)', 'outlineStyle')).toBe('solid');
});
