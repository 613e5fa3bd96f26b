/**
 * The first hour of an owner in a real browser: the first credential, the first tenant, the first paid invoice.
 * `TEST_PICTURES` names a folder that receives pictures.
 */
import { generateSync } from 'otplib';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createFirstLink } from '../../src/access/operators/administration.ts';
import { startApp, type TestApp } from '../support/app.ts';
import {
  addPasskeyDevice,
  browserStartMs,
  connectBrowser,
  expectReadable,
  stepLimitMs,
} from '../support/browser.ts';
import { signInOperator } from '../support/operators.ts';
import { freePort } from '../support/ports.ts';
import { createShop } from '../support/shop.ts';
import { buildConsole } from '../support/program.ts';

let app: TestApp;
let base: string;
let browser: Browser;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  buildConsole();
  const port = await freePort();
  base = `http://localhost:${port}`;
  app = await startApp({ publicUrl: base, testMails: 'on' });
  await app.tenant({ alias: 'acme' });
  await app.server.listen({ host: 'localhost', port });
  browser = await connectBrowser();
}, browserStartMs);
afterAll(() => app.close());
afterEach(() => context.close());

async function openAs(email: string, tenant: string | undefined = 'acme') {
  const operator = await signInOperator(app, { email, ...(tenant && { tenant }) });
  context = await browser.newContext({ viewport: { width: 1280, height: 860 }, locale: 'en' });
  page = await context.newPage();
  page.setDefaultTimeout(stepLimitMs);
  const [name, value] = operator.cookie.split('=');
  await context.addCookies([{ name: name!, value: value!, url: base, httpOnly: true, sameSite: 'Strict' }]);
  return operator;
}

const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click();
const arrive = (name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();
const dialog = () => page.getByRole('dialog').last();

/** Makes the session as old as if the sign-in had been yesterday. */
const age = ({ id }: { id: string }, columns = '') =>
  app.backdoor.execute(
    `update operator_sessions set verified_at = '2020-01-01T00:00:00.000Z'${columns} where operator_id = '${id}'`,
  );

async function createKey() {
  await page.goto(`${base}/console/t/acme/keys`);
  await press('New API key');
  await dialog().getByRole('button', { name: 'New API key' }).click();
  await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
}

describe('an operator whom a link let in and who has no credential', () => {
  it('adds a passkey where a confirmation is asked for, and goes on', async () => {
    const operator = await openAs('passkey@example.com');
    await addPasskeyDevice(page);
    await age(operator);
    await createKey();
    await expectReadable(page, 'console-step-up-first');
    await dialog().getByRole('button', { name: 'Add a passkey' }).click();
    await dialog().getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('Copy it now').waitFor();
    await age(operator);
    await createKey();
    await dialog().getByRole('button', { name: 'Confirm with a passkey' }).click();
    await page.getByText('Copy it now').waitFor();
  });

  it('sets a password and an app instead', async () => {
    const operator = await openAs('password@example.com');
    await age(operator);
    await createKey();
    await dialog().getByRole('button', { name: 'Set a password' }).click();
    await dialog().getByLabel('Password').fill('correct horse battery');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await dialog().getByRole('button', { name: 'Begin' }).click();
    const secret = (await dialog().locator('code').textContent())!.replaceAll(' ', '');
    const code = generateSync({ secret, epoch: Math.floor(Date.now() / 1000) });
    await dialog().getByLabel('The six digits of the app').fill(code);
    await expectReadable(page, 'console-step-up-app');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await dialog().getByRole('button', { name: 'I have kept them' }).waitFor();
    await expectReadable(page, 'console-recovery-codes');
    await dialog().getByRole('button', { name: 'I have kept them' }).click();
    await page.getByText('Copy it now').waitFor();
  });

  it('sees on the account screen that the password needs an app, and sets it up later', async () => {
    await openAs('later@example.com');
    await page.goto(`${base}/console/account`);
    const fact = (name: string) =>
      page.locator('dl > div', { has: page.getByText(name, { exact: true }) }).locator('dd');
    await press('Set a password');
    await dialog().getByLabel('Password').fill('correct horse battery');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Set up an app' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('The password works only with an authenticator app.').waitFor();
    expect(await fact('Password').textContent()).toBe('Yes');
    expect(await fact('Authenticator app').textContent()).toBe('No');
    await press('Set up an app');
    await dialog().getByRole('button', { name: 'Begin' }).click();
    const secret = (await dialog().locator('code').textContent())!.replaceAll(' ', '');
    const code = generateSync({ secret, epoch: Math.floor(Date.now() / 1000) });
    await dialog().getByLabel('The six digits of the app').fill(code);
    await dialog().getByRole('button', { name: 'Save' }).click();
    await dialog().getByRole('button', { name: 'I have kept them' }).click();
    await page.getByRole('button', { name: 'Change the app' }).waitFor();
    expect(await fact('Authenticator app').textContent()).toBe('Yes');
  });

  it('is told what to do, and can sign out, in a session that nothing can confirm', async () => {
    const operator = await openAs('stuck@example.com');
    await age(operator, ', by_link = null');
    await createKey();
    await page.getByText('perennial operator link stuck@example.com').waitFor();
    await expectReadable(page, 'console-step-up-stuck');
    await dialog().getByRole('button', { name: 'Sign out' }).click();
    await arrive('Sign in to Perennial');
  });
});

describe('the first operator of an empty server', () => {
  it('makes the first tenant by a form, and is its owner', async () => {
    const port = await freePort();
    const empty = await startApp({ publicUrl: `http://localhost:${port}` });
    onTestFinished(() => empty.close());
    await empty.server.listen({ host: 'localhost', port });
    const url = await createFirstLink(empty.service, `http://localhost:${port}`);
    context = await browser.newContext({ viewport: { width: 390, height: 860 }, locale: 'de-AT' });
    page = await context.newPage();
    page.setDefaultTimeout(stepLimitMs);
    await page.goto(url!);
    await press('Konsole mit diesem Link öffnen');
    await press('Jetzt nicht');
    await arrive('Mandanten anlegen');
    await page.getByLabel('Name').fill('Müller & Söhne GmbH');
    expect(await page.getByLabel('Kürzel').inputValue()).toBe('muller-sohne-gmbh');
    expect(await page.getByLabel('Land').inputValue()).toBe('AT');
    await expectReadable(page, 'console-new-tenant');
    await page.getByLabel('Kürzel').fill('pk');
    await press('Mandanten anlegen');
    await page.getByText('ist reserviert').first().waitFor();
    await page.getByLabel('Kürzel').fill('mueller');
    await page.getByLabel('Modus').selectOption('live');
    await press('Mandanten anlegen');
    await page.waitForURL(/\/console\/t\/mueller$/);
    await page.getByRole('heading', { level: 1 }).waitFor();
  });
});

describe('an owner of an empty test tenant', () => {
  it('has a first paid invoice after at most 8 clicks and 5 fields, by the steps of Home', async () => {
    await app.tenant({ alias: 'empty' });
    await openAs('first@example.com', 'empty');
    let [clicks, fields] = [0, 0];
    const click = async (name: string | RegExp, within: Page | ReturnType<typeof dialog> = page) => {
      await within.getByRole('button', { name }).or(within.getByRole('link', { name })).first().click();
      clicks += 1;
    };
    const fill = async (label: string, value: string) => {
      await dialog()
        .getByRole('textbox', { name: RegExp(`^${label}`) })
        .first()
        .fill(value);
      fields += 1;
    };
    const beganMs = performance.now();
    await page.goto(`${base}/console/t/empty`);
    await page.getByRole('heading', { name: 'Set up' }).waitFor();
    await expectReadable(page, 'console-set-up');
    await click('Add a product');
    await expectReadable(page, 'console-new-product');
    await fill('Name', 'Pro');
    await fill('Amount', '29.90');
    await click('New product', dialog());
    await click('Add a customer');
    await fill('First name', 'Ada');
    await fill('Last name', 'Lovelace');
    await fill('E-mail', 'ada@example.com');
    await click('New customer', dialog());
    // The sale opens by itself, with the only price.
    await page.getByRole('dialog').getByText('29.90').first().waitFor();
    await click(/^Create/, dialog());
    const opened = context.waitForEvent('page');
    await click('Open the page', dialog());
    const pay = await opened;
    await click(/Pay|Subscribe/, pay);
    await pay.waitForURL(/\/portal\/empty/);
    const seconds = (performance.now() - beganMs) / 1000;
    expect({ clicks, fields, isQuick: seconds < 60 }).toEqual({ clicks: 7, fields: 5, isQuick: true });
    await page.goto(`${base}/console/t/empty`);
    await page.getByText('Steps', { exact: true }).click();
    await page.getByText('First paid invoice').waitFor();
    const done = page.locator('.home-setup li.done strong');
    await expect
      .poll(() => done.allInnerTexts())
      .toEqual(expect.arrayContaining(['First product', 'First customer', 'First paid invoice']));
    await click('Hide');
    await page.getByRole('button', { name: 'Show the steps of the set-up' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Show the steps of the set-up' }).waitFor();
  });

  it('is shown no button that the role may not use', async () => {
    await app.tenant({ alias: 'seen' });
    const operator = await signInOperator(app, {
      email: 'viewer@example.com',
      tenant: 'seen',
      role: 'viewer',
    });
    context = await browser.newContext({ viewport: { width: 390, height: 860 }, locale: 'en' });
    page = await context.newPage();
    const [name, value] = operator.cookie.split('=');
    await context.addCookies([{ name: name!, value: value!, url: base, httpOnly: true, sameSite: 'Strict' }]);
    await page.goto(`${base}/console/t/seen`);
    const setUp = page.locator('.home-setup');
    await setUp.getByText('First product').waitFor();
    expect(await setUp.locator('li').getByRole('button').count()).toBe(0);
    expect(await setUp.locator('li').getByRole('link').count()).toBe(0);
  });
});

describe('a live tenant without a way to pay', () => {
  it('refuses the link, and leads to the settings', async () => {
    const client = await app.tenant({ alias: 'unpaid', test: false });
    const customer = await createShop(client, 'unpaid').customer();
    await createShop(client, 'unpaid').product();
    await openAs('unpaid@example.com', 'unpaid');
    await page.goto(`${base}/console/t/unpaid/customers/${customer.id}?act=sell`);
    await dialog()
      .getByRole('button', { name: /^Create/ })
      .click();
    await dialog().getByText('Nobody could pay').waitFor();
    await expectReadable(page, 'console-unpayable');
    await dialog().getByRole('link', { name: 'Set up payments' }).click();
    await page.waitForURL(/settings\/providers/);
  });
});

describe('a test tenant', () => {
  it('shows the code of a mail that it keeps, and begins again once its alias is typed', async () => {
    const client = await app.tenant({ alias: 'again' });
    await createShop(client, 'again').customer();
    await openAs('again@example.com', 'again');
    const portal = await context.newPage();
    await portal.goto(`${base}/portal/again`);
    await portal.getByRole('textbox').first().fill('ada@example.com');
    await portal.getByRole('button').first().click();
    await expect
      .poll(async () => {
        await app.service.mailer.sendDue(app.service, 'again');
        return (await client.graphql('{ mailDeliveries(status: sent) { totalCount } }')).mailDeliveries
          .totalCount;
      })
      .toBe(1);
    await page.goto(`${base}/console/t/again/mails`);
    await page
      .getByRole('link', { name: /Sign-in code|code/i })
      .first()
      .click();
    await page.getByRole('button', { name: 'Text', exact: true }).click();
    expect(await page.locator('.mail-text').innerText()).toMatch(/\b\d{8}\b/);
    await expectReadable(page, 'console-kept-mail');
    await page.goto(`${base}/console/t/again/settings/tests`);
    await press('Reset');
    expect(
      await dialog()
        .getByRole('button', { name: /^Reset/ })
        .getAttribute('aria-disabled'),
    ).toBe('true');
    await dialog().getByLabel('Type again to confirm').fill('again');
    await expectReadable(page, 'console-reset');
    await dialog()
      .getByRole('button', { name: /^Reset/ })
      .click();
    await page.waitForURL(/\/console\/t\/again$/);
    const { customers } = await client.graphql('{ customers { totalCount } }');
    expect(customers.totalCount).toBe(0);
  });
});
