/** Alerts in the console, in German: who may set them, what is typed, and which were sent. */
import type { BrowserContext, Page } from 'playwright-core';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runDueWork } from '../../src/app/scheduler.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openFeatureShop, type FeatureShop } from '../billing/entitlements/shop.ts';
import { browserStartMs, connectBrowser, expectReadable, stepLimitMs } from '../support/browser.ts';
import { listen } from '../support/follow.ts';
import { signInOperator } from '../support/operators.ts';
import { buildConsole } from '../support/program.ts';

let app: TestApp;
let shop: FeatureShop;
let context: BrowserContext;
let page: Page;
let url: string;
let productId: string;
let subscriptionId: string;

beforeAll(async () => {
  buildConsole();
  app = await startApp({ publicUrl: 'http://127.0.0.1', testMails: 'on' });
  shop = await openFeatureShop(app);
  const meterId = await shop.meter({ groupBy: [] });
  const price = { details: { amount: 1, currency: 'eur' }, meterId };
  const plan = await shop.plan(0, { name: 'Plan', price });
  productId = plan.productId;
  const feature = await shop.feature('limit', { name: 'Aufrufe', meterId });
  await shop.attach(plan, feature, '100');
  subscriptionId = await shop.order(plan);
  url = await listen(app);
  const browser = await connectBrowser();
  context = await browser.newContext({ viewport: { width: 1280, height: 860 }, locale: 'de' });
  page = await context.newPage();
  page.setDefaultTimeout(stepLimitMs);
  await signIn('owner');
}, browserStartMs);
afterAll(async () => {
  await context.close();
  await app.close();
});

const signIn = async (role: 'owner' | 'viewer') => {
  const [name, value] = (await signInOperator(app, { role, tenant: shop.alias })).cookie.split('=');
  await context.addCookies([{ name: name!, value: value!, url }]);
};
const open = async (place: string) => {
  await page.goto(`${url}/console/t/${shop.alias}${place}`);
  await page.locator('h1').first().waitFor();
  await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
};
const dialog = () => page.locator('dialog[open]').last();
const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click();
const submit = () => dialog().locator('button[type=submit]').click();
const send = async () => {
  await submit();
  await dialog().waitFor({ state: 'detached' });
};
const useAndWork = async (units: number) => {
  await shop.use(['2026-01-01', units]);
  await runDueWork(app.service, pino({ level: 'silent' }));
};

it('the shares of a feature are refused, saved and emptied, and the customer’s screen shows what was sent', async () => {
  await open(`/catalog/${productId}`);
  await press('Meldungen');
  const field = () => dialog().getByLabel('Meldungen bei Prozent des Limits');
  const fromSettings = () => dialog().getByLabel('Die aller Limits, aus den Einstellungen');
  expect(await fromSettings().isChecked()).toBe(true);
  await fromSettings().uncheck();
  await field().fill('50, 180');
  await submit();
  await dialog()
    .getByText(/höchstens 100/)
    .first()
    .waitFor();
  await field().fill('80, 50');
  await send();
  await page.getByRole('cell', { name: /50\s%\sund\s80\s%/ }).waitFor();
  await expectReadable(page, 'console-alerts-product-de');
  await useAndWork(60);
  await open(`/customers/${shop.customer.id}`);
  await page.getByRole('cell', { name: /gemeldet bei 50\s%$/ }).waitFor();
  await expectReadable(page, 'console-alerts-customer-de');
  await open(`/catalog/${productId}`);
  await press('Meldungen');
  await field().fill('');
  await send();
  const readAlerts = async () =>
    (await shop.client.graphql('{ features(first: 1) { nodes { alertPercents usesTenantAlerts } } }'))
      .features.nodes;
  expect(await readAlerts()).toEqual([{ alertPercents: [], usesTenantAlerts: false }]);
  await shop.client.graphql('mutation { updateTenant(input: { usageAlertPercents: [70] }) { alias } }');
  await open(`/catalog/${productId}`);
  await press('Meldungen');
  await fromSettings().check();
  await send();
  await page.getByRole('cell', { name: /^70\s% aus den Einstellungen$/ }).waitFor();
  expect(await readAlerts()).toEqual([{ alertPercents: [70], usesTenantAlerts: true }]);
});

it('the amounts of a subscription are refused at their field, saved, and shown with what was sent', async () => {
  const choose = async () => {
    await open(`/subscriptions/${subscriptionId}`);
    await press(/^Weitere Aktionen$/);
    await page.getByRole('menuitem', { name: 'Meldungen über Kosten' }).click();
  };
  const field = () => dialog().getByLabel('Beträge der Nutzung in einem Zeitraum');
  await choose();
  await field().fill('50; viel');
  await submit();
  await expect.poll(() => field().getAttribute('aria-invalid')).toBe('true');
  await field().fill('1.000,50; 50');
  await send();
  const { subscription } = await shop.client.graphql(
    'query ($id: ID!) { subscription(id: $id) { spendAlerts { decimal } } }',
    { id: subscriptionId },
  );
  expect(subscription.spendAlerts).toEqual([{ decimal: '50.00' }, { decimal: '1000.50' }]);
  await useAndWork(60);
  await open(`/subscriptions/${subscriptionId}`);
  await page.getByText(/50,00\s€ und 1\.000,50\s€ \(gemeldet: 50,00\s€\)/).waitFor();
  await expectReadable(page, 'console-alerts-subscription-de');
  await choose();
  expect(await field().inputValue()).toBe('50,00; 1000,50');
  await field().fill('');
  await send();
  await expect.poll(() => page.getByText('gemeldet').count()).toBe(0);
});

it('a viewer sees alerts and changes none', async () => {
  await shop.client.graphql(
    `mutation ($id: ID!) { updateSubscription(id: $id, input: { spendAlerts: [{ decimal: "70", currency: "eur" }] }) { id } }`,
    { id: subscriptionId },
  );
  await signIn('viewer');
  await open(`/subscriptions/${subscriptionId}`);
  await page
    .getByText(/70,00\s€/)
    .first()
    .waitFor();
  await press(/^Weitere Aktionen$/);
  const entry = page.getByRole('menuitem', { name: 'Meldungen über Kosten' });
  expect(await entry.isDisabled()).toBe(true);
  await open(`/catalog/${productId}`);
  const button = page.getByRole('button', { name: 'Meldungen' });
  expect(await button.isDisabled()).toBe(true);
});
