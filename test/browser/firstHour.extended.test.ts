/**
 * The first hour of an owner in a real browser: the first credential, the first tenant, the first paid invoice.
 * `TEST_PICTURES` names a folder that receives pictures.
 */
import { generateSync } from 'otplib';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createFirstLink } from '../../src/access/operators/administration.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { addPasskeyDevice, browserStartMs, connectBrowser, expectReadable } from '../support/browser.ts';
import { signInOperator } from '../support/operators.ts';
import { freePort } from '../support/ports.ts';
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
  app = await startApp({ publicUrl: base });
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
  page.setDefaultTimeout(15_000);
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
    await dialog().getByRole('button', { name: 'I have kept them' }).click();
    await page.getByText('Copy it now').waitFor();
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
    page.setDefaultTimeout(15_000);
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
    await page.getByText('pk is reserved').first().waitFor();
    await page.getByLabel('Kürzel').fill('mueller');
    await page.getByLabel('Modus').selectOption('live');
    await press('Mandanten anlegen');
    await page.waitForURL(/\/console\/t\/mueller$/);
    await page.getByRole('heading', { level: 1 }).waitFor();
  });
});
