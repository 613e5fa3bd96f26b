/**
 * Choices of many records in the console, in a real browser: a catalogue with 120 products, of which the first page of a
 * list contains the newest. `TEST_PICTURES` names a folder that receives pictures.
 */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { openBooks, type Books } from '../support/books.ts';
import { browserStartMs, connectBrowser, expectReadable, pick } from '../support/browser.ts';
import { listen } from '../support/follow.ts';
import { signInOperator } from '../support/operators.ts';
import { buildConsole } from '../support/program.ts';

const count = 120;
/** The 110th of the list, the newest first. */
const late = 'Series 011';

let app: TestApp;
let books: Books;
let url: string;
let cookie: string;
let context: BrowserContext;
let page: Page;
let grace: any;
const products = new Map<string, any>();

beforeAll(async () => {
  buildConsole();
  app = await startApp({ publicUrl: 'http://127.0.0.1' });
  books = await openBooks(app, '2026-01-31T09:00:00.000Z');
  grace = await books.shop.customer({ firstName: 'Grace', lastName: 'Hopper' });
  for (let index = 1; index <= count; index += 1) {
    const name = `Series ${String(index).padStart(3, '0')}`;
    products.set(name, await books.plan(index, { name, currency: 'eur' }));
  }
  url = await listen(app);
  ({ cookie } = await signInOperator(app, { role: 'owner', tenant: books.alias }));
}, browserStartMs);
afterAll(() => app.close());
afterEach(() => context.close());

async function open(place: string, { locale = 'en', width = 1280 } = {}) {
  const [name, value] = cookie.split('=');
  const browser = await connectBrowser();
  context = await browser.newContext({ viewport: { width, height: 800 }, locale });
  await context.addCookies([{ name: name!, value: value!, url }]);
  page = await context.newPage();
  await page.goto(`${url}/console/t/${books.alias}${place}`);
}

const dialog = () => page.getByRole('dialog');
const options = () => page.getByRole('option');
const press = (name: string) => page.getByRole('button', { name }).first().click();
const readActive = (label: string) =>
  page.getByRole('combobox', { name: label, exact: true }).evaluate((field) => {
    const id = field.getAttribute('aria-activedescendant');
    return id === null ? null : field.ownerDocument.getElementById(id)!.textContent;
  });

it('sells the 110th of 120 products, found by its name, with the keys alone', async () => {
  await open(`/customers/${grace.id}`);
  await press('Start a subscription');
  const price = dialog().getByRole('combobox', { name: 'Price', exact: true });
  await expect.poll(() => price.evaluate((field) => field.matches(':focus'))).toBe(true);
  expect(await options().count()).toBe(0);
  await page.keyboard.press('ArrowDown');
  await dialog().getByText('Type to find more.').waitFor();
  expect(await options().count()).toBe(50);
  expect(await options().filter({ hasText: late }).count()).toBe(0);
  for (const [key, name] of [
    ['ArrowDown', 'Series 120'],
    ['ArrowDown', 'Series 119'],
    ['End', 'Series 071'],
    ['ArrowDown', 'Series 120'],
    ['ArrowUp', 'Series 071'],
    ['Home', 'Series 120'],
  ] as const) {
    await page.keyboard.press(key);
    await expect.poll(() => readActive('Price'), { message: key }).toContain(name);
  }
  await expectReadable(page, 'console-choice');
  await page.keyboard.press('Escape');
  await expect.poll(() => options().count()).toBe(0);
  expect(await dialog().isVisible()).toBe(true);
  await page.keyboard.type('series 011');
  await expect.poll(() => readActive('Price')).toContain(late);
  expect(await options().count()).toBe(1);
  await page.keyboard.press('Enter');
  expect(await price.inputValue()).toContain(late);
  await pick(dialog(), 'Add an add-on', 'Series 012');
  await dialog().getByRole('button', { name: 'Create the link to pay €23.00' }).waitFor();
});

it('says that nothing matches, and keeps what was chosen', async () => {
  await open(`/customers/${grace.id}`);
  await press('Start a subscription');
  await pick(dialog(), 'Price', late);
  const price = dialog().getByRole('combobox', { name: 'Price', exact: true });
  await price.fill('no such product');
  await dialog().getByText('Nothing matches.').waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect(await price.inputValue()).toContain(late);
});

it.each([
  ['en', 1280],
  ['fa', 360],
] as const)('shows the list within the window in %s at %i pixels', async (locale, width) => {
  await open(`/customers/${grace.id}`, { locale, width });
  await page.getByRole('button', { name: locale === 'fa' ? 'آغاز اشتراک' : 'Start a subscription' }).click();
  await dialog().getByRole('combobox').first().fill('Series 01');
  await expect.poll(() => options().count()).toBe(10);
  const box = (await dialog().getByRole('listbox').boundingBox())!;
  expect(box.x).toBeGreaterThanOrEqual(0);
  expect(box.x + box.width).toBeLessThanOrEqual(width);
  expect(box.y + box.height).toBeLessThanOrEqual(800);
  await expectReadable(page, `console-choice-${locale}`);
});

it('makes a coupon for two products, and removes a third', async () => {
  await open('/coupons');
  await press('Create a coupon');
  await dialog().getByLabel('Name').fill('Two of many');
  await dialog().getByLabel('Percent').first().fill('10');
  for (const name of [late, 'Series 100', 'Series 003']) await pick(dialog(), 'Products', name);
  await dialog().getByRole('button', { name: 'Remove Series 100' }).click();
  await dialog().getByText(`10% off once on ${late}, Series 003`).waitFor();
  await expectReadable(page, 'console-coupon-products');
  await dialog().getByRole('button', { name: 'Create a coupon' }).click();
  await page.getByRole('heading', { level: 1, name: 'Two of many' }).waitFor();
  const { coupons } = await books.client.graphql('{ coupons(first: 1) { nodes { products { name } } } }');
  expect(coupons.nodes[0].products.map(({ name }: any) => name).toSorted()).toEqual(['Series 003', late]);
});

it('filters subscriptions by the 110th product, whose name shows after a reload', async () => {
  await books.subscribe(grace, products.get(late));
  await books.subscribe(await books.shop.customer(), products.get('Series 100'));
  await open('/subscriptions');
  await pick(page, 'Product', late);
  await page.getByText('1 of 1').waitFor();
  await page.reload();
  const product = page.getByRole('combobox', { name: 'Product', exact: true });
  await expect.poll(() => product.inputValue()).toBe(late);
  await product.click();
  await page.getByRole('listbox').getByRole('option').first().click();
  await page.getByText('2 of 2').waitFor();
  await expectReadable(page, 'console-choice-filter');
});

it('offers chosen plans in the portal, and a coupon that keeps customers', async () => {
  await books.client.graphql(
    'mutation { createCoupon(input: { name: "Stay", percentOff: "20", duration: once }) { id } }',
  );
  await open('/settings/portal');
  await page.getByLabel('Customers change to any plan of the group').uncheck();
  await pick(page, 'Plans to which they can change', late);
  await page.getByRole('combobox', { name: /coupon/i }).fill('Sta');
  await options().filter({ hasText: 'Stay' }).click();
  await press('Save');
  await page.getByText('Saved').first().waitFor();
  const { tenant } = await books.client.graphql('{ tenant { portal { productIds retentionCouponId } } }');
  expect(tenant.portal).toEqual({
    productIds: [products.get(late).product?.id ?? products.get(late).productId],
    retentionCouponId: expect.stringMatching(/^coup_/),
  });
  await page.reload();
  await page.getByRole('button', { name: `Remove ${late}` }).waitFor();
  await expect.poll(() => page.getByRole('combobox', { name: /coupon/i }).inputValue()).toContain('Stay');
  await expectReadable(page, 'console-portal-plans');
});
