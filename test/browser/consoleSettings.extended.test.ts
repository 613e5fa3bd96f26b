/** The console's settings in a real browser: accounts and their secrets, texts of mails, images, dunning. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildPng } from '../documents/images.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { browserStartMs, connectBrowser, expectReadable, stepLimitMs } from '../support/browser.ts';
import { listen } from '../support/follow.ts';
import { startMailServer, type MailServer } from '../support/mailServer.ts';
import { signInOperator } from '../support/operators.ts';
import { documents } from '../support/oneOff.ts';
import { buildConsole } from '../support/program.ts';
import { createShop } from '../support/shop.ts';

let app: TestApp;
let client: Client;
let mailServer: MailServer;
let url: string;
let context: BrowserContext;
let page: Page;
const complaints: string[] = [];

beforeAll(async () => {
  buildConsole();
  mailServer = await startMailServer();
  const mail = { smtpUrl: mailServer.url, mailFrom: 'Billing <billing@sender.example>' };
  app = await startApp({ publicUrl: 'http://127.0.0.1', webhookAllowPrivate: 'on', ...mail });
  client = await app.tenant({ alias: 'acme', name: 'Acme', test: true });
  const operator = await signInOperator(app, { tenant: 'acme' });
  url = await listen(app);
  context = await (await connectBrowser()).newContext({ viewport: { width: 1280, height: 900 } });
  const [name, value] = operator.cookie.split('=');
  await context.addCookies([{ name: name!, value: value!, url }]);
  page = await context.newPage();
  page.setDefaultTimeout(stepLimitMs);
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
}, browserStartMs);
afterAll(async () => {
  await context?.close();
  await app?.close();
  await mailServer?.close();
  expect(complaints).toEqual([]);
});

const open = (part: string) => page.goto(`${url}/console/t/acme/settings/${part}`);
const press = (name: string) => page.getByRole('button', { name, exact: true }).first().click();
const ask = async (fields: string) => (await client.graphql(`{ tenant { ${fields} } }`)).tenant;

it('set up a mail server, try it, and never show its password', async () => {
  await open('mail');
  await press('Set up');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Address with user and password').fill('ftp://mail.example');
  await dialog.getByLabel('Address of the sender').fill('billing@acme.example');
  await press('Save and test');
  await dialog.locator('.field-problem').waitFor();
  const address = `smtp://ada:s3cr3t-word@127.0.0.1:${mailServer.port}`;
  await dialog.getByLabel('Address with user and password').fill(address);
  await press('Save and test');
  await dialog.getByText('Saved, but the test failed:').waitFor();
  await press('Cancel');
  await page.getByText('Fails').waitFor();
  expect(await page.content()).not.toContain('s3cr3t');
  expect(await ask('accounts { provider failure settings { name value } }')).toMatchObject({
    accounts: [{ provider: 'smtp', settings: [{ value: `smtp://ada@127.0.0.1:${mailServer.port}` }, {}] }],
  });
  await press('Remove');
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText(/No mail is sent/).waitFor();
});

it('write a text of a mail, see the mail, and go back to the standard text', async () => {
  await open('texts?kind=receipt&language=en');
  const mail = page.frameLocator('iframe');
  await mail.getByText('We have received your payment').waitFor();
  await page
    .getByLabel('Text', { exact: true })
    .fill('Dear {customer.firstName}, <img src=x onerror="parent.hacked=1">');
  await mail.getByText('Dear Ada, <img src=x').waitFor();
  await page.getByLabel('Subject').fill('Thanks {customer.nobody}');
  await page
    .getByText(/unknown placeholder \{customer.nobody\}/)
    .first()
    .waitFor();
  await page.getByLabel('Subject').fill('Thanks');
  await press('Save');
  await page.getByText('Your own text').waitFor();
  await press('Reset to the standard text');
  await page.getByText('The standard text', { exact: true }).waitFor();
  expect(await page.getByLabel('Text', { exact: true }).inputValue()).toContain('We have received');
  expect(await page.evaluate('window.hacked')).toBeUndefined();
});

it('use a logo, and say why a drawing is refused', async () => {
  await client.graphql('mutation { updateTenant(input: { seller: { legalName: "Acme Ltd" } }) { name } }');
  await open('branding');
  const file = page.getByLabel('Image file').first();
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
  await file.setInputFiles({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: svg });
  await page.getByText(/SVG can contain scripts/).waitFor();
  await file.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: svg });
  await press('Use this image');
  await page
    .getByText(/must be a PNG or JPEG image/i)
    .first()
    .waitFor();
  await file.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: buildPng() });
  await press('Use this image');
  await press('Remove the image');
  await expect
    .poll(() => ask('seller { legalName logoId }'))
    .toEqual({
      seller: { legalName: 'Acme Ltd', logoId: null },
    });
});

it('draw the days after a failed payment', async () => {
  await open('dunning');
  await page.getByLabel('Try again on days').fill('1, 3');
  await page.getByLabel('Write to the customer on days').fill('2');
  await page.getByLabel('After the last try').selectOption('pause');
  const days = await page.locator('.dunning-list li').allInnerTexts();
  expect(days.map((text) => text.replaceAll(/\s+/g, ' '))).toEqual([
    'Day 0 First failure',
    'Day 1 New attempt',
    'Day 2 Mail',
    'Day 3 New attempt Pause the subscription',
  ]);
  await press('Save');
  await expect
    .poll(() => ask('retryDays dunning { mailDays finalAction }'))
    .toEqual({
      retryDays: [1, 3],
      dunning: { mailDays: [2], finalAction: 'pause' },
    });
});

it('create a test tenant, find it among the tenants, and delete it', async () => {
  await open('tests');
  await press('New test tenant');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Alias').fill('Not an alias');
  await dialog.getByRole('button', { name: 'New test tenant' }).click();
  await dialog.locator('.field-problem').waitFor();
  await dialog.getByLabel('Alias').fill('acme-try');
  await dialog.getByLabel('Name').fill('Try it');
  await dialog.getByRole('button', { name: 'New test tenant' }).click();
  await page.getByRole('link', { name: 'Try it' }).click();
  await page.waitForURL('**/console/t/acme-try**');
  await page.getByText(/Test data/).waitFor();
  await open('tests');
  const row = page.getByRole('row').filter({ hasText: 'acme-try' });
  await row.getByRole('button', { name: 'Delete' }).click();
  const remove = dialog.getByRole('button', { name: /^Delete/ });
  expect(await remove.getAttribute('aria-disabled')).toBe('true');
  await dialog.getByLabel(/Type acme-try/).fill('acme-try');
  await remove.click();
  await expect.poll(() => row.count()).toBe(0);
  expect(await app.backdoor.dump('acme-try')).not.toContain('Try it');
});

it('tell a seller what their country asks for, until they have read it', async () => {
  const sellIn = (country: string) =>
    client.graphql(
      'mutation ($seller: SellerInput!) { updateTenant(input: { seller: $seller }) { alias } }',
      {
        seller: { legalName: 'Nord S.r.l.', address: { country } },
      },
    );
  const home = () => page.goto(`${url}/console/t/acme`);
  await sellIn('IT');
  await home();
  const note = page.locator('.note', { hasText: 'Sistema di Interscambio' });
  await note.waitFor();
  await expectReadable(page, 'the note about a country');
  await note.getByRole('button', { name: 'Understood' }).click();
  await note.waitFor({ state: 'detached' });
  await home();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await sellIn('PL');
  await page.locator('.note', { hasText: 'KSeF' }).waitFor();
  expect(await note.count()).toBe(0);
  await sellIn('AT');
  await page.locator('.note', { hasText: 'KSeF' }).waitFor({ state: 'detached' });
});

it('allow mail again to an address that refused it', async () => {
  const live = await app.tenant({ alias: 'live', test: false });
  const owner = await signInOperator(app, { tenant: 'live' });
  const shop = createShop(live, 'live');
  const customer = await shop.customer();
  mailServer.reply(() => '550 5.1.1 <img src=x onerror=alert(1)> unknown');
  await live.graphql(documents.createInvoice, {
    customerId: customer.id,
    items: [{ description: 'Setup', amount: { amount: 30, currency: 'afn' } }],
    collect: 'send_invoice',
  });
  await app.service.mailer.sendDue(app.service, 'live');
  await context.clearCookies();
  const [name, value] = owner.cookie.split('=');
  await context.addCookies([{ name: name!, value: value!, url }]);
  await page.goto(`${url}/console/t/live/settings/mail`);
  await page.getByRole('row').filter({ hasText: customer.email }).getByText('5.1.1 <img').waitFor();
  await press('Allow mail again');
  await page.getByText('No address is blocked.').waitFor();
  await page.goto(`${url}/console/t/live/customers/${customer.id}`);
  await press('More actions');
  await page.getByRole('menuitem', { name: 'Block mail' }).click();
  const dialog = page.getByRole('dialog');
  const block = dialog.getByRole('button', { name: 'Block mail' });
  expect(await block.getAttribute('aria-disabled')).toBe('true');
  await dialog.getByLabel('Reason, for operators').fill(' asked <b>by phone</b> ');
  await expectReadable(page, 'console-block-mail');
  await block.click();
  await page.getByText('E-mails to this customer are blocked: asked <b>by phone</b>').waitFor();
  await press('More actions');
  expect(await page.getByRole('menuitem', { name: 'Block mail' }).count()).toBe(0);
  await page.keyboard.press('Escape');
  await press('Send e-mails again');
  await page.getByText('E-mails are sent again').waitFor();
  await page.goto(`${url}/console/t/live/mails`);
  await page.locator('main a[href*="/mails/"]').first().click();
  await page.frameLocator('iframe').getByText('Ada').first().waitFor();
});
