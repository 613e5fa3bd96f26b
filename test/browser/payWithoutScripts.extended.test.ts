/** The payment page in a real browser, with scripts switched off: what a person does, and where they land. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { browserStartMs, connectBrowser } from '../support/browser.ts';
import { createShop, type Shop } from '../support/shop.ts';
import { payPath } from '../support/payLinks.ts';

describe('in a browser without scripts', () => {
  let app: TestApp;
  let client: Client;
  let shop: Shop;
  let base: string;
  let merchant: Server;
  let merchantUrl: string;
  let movedUrl: string;
  let browser: Browser;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    app = await startApp();
    client = await app.tenant({ alias: 'acme', name: 'Acme' });
    shop = createShop(client, 'acme');
    base = await app.server.listen({ host: '127.0.0.1', port: 0 });
    merchant = createServer((request, response) => {
      const url = new URL(request.url!, movedUrl);
      // As a shop does that has moved to another host.
      if (url.pathname === '/moved')
        response.writeHead(302, { location: `${movedUrl}/shop${url.search}` }).end();
      else response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>The shop</h1>');
    });
    await once(merchant.listen(0, '127.0.0.1'), 'listening');
    const { port } = merchant.address() as AddressInfo;
    merchantUrl = `http://127.0.0.1:${port}`;
    movedUrl = `http://localhost:${port}`;
    browser = await connectBrowser();
  }, browserStartMs);
  afterAll(async () => {
    merchant.closeAllConnections();
    merchant.close();
    await app.close();
  });
  beforeEach(async () => {
    page = await browser.newPage({ javaScriptEnabled: false, viewport: { width: 375, height: 740 } });
    complaints = [];
    page.on('console', (message) => void complaints.push(message.text()));
  });
  afterEach(() => page.close());

  async function open(fields: object = {}) {
    const { price } = await shop.product({ name: 'Pro' });
    const { intentId } = await shop.intent(await shop.customer(), price, {
      receiptUrl: `${merchantUrl}/shop/receipt?order=1#paid`,
      returnUrl: `${merchantUrl}/shop/cart`,
      ...fields,
    });
    await page.goto(`${base}${await payPath(app, intentId)}`);
    return intentId as string;
  }

  const press = (name: string | RegExp) => page.getByRole('button', { name }).click();
  const choose = (label: string) => page.getByRole('radio', { name: label, exact: true }).check();
  const heading = () => page.getByRole('heading', { level: 1 }).textContent();

  it('a payer pays and arrives at the receipt', async () => {
    const id = await open();
    expect(await heading()).toBe('Subscribe to Pro');
    await page.getByText('every month').first().waitFor();
    await press('Pay AFN 50.00');
    await page.waitForURL(`${merchantUrl}/shop/receipt?order=1&intentId=${id}&status=succeeded#paid`);
    expect(await heading()).toBe('The shop');
    await page.goto(`${base}${await payPath(app, id)}`);
    expect(await heading()).toBe('Thank you');
  });

  it('a payer cancels and returns to the shop', async () => {
    const id = await open();
    await page.getByText('Cancel this order').click();
    await press('Cancel the order');
    await page.waitForURL(`${merchantUrl}/shop/cart?intentId=${id}&status=cancelled`);
    const answer = await page.goto(`${base}${await payPath(app, id)}`);
    expect(answer!.status()).toBe(410);
  });

  it('a declined payer sees the reason and pays with another method', async () => {
    const id = await open();
    await choose('Test card: declined');
    await press(/^Pay/);
    expect(await page.getByRole('alert').textContent()).toContain('was declined and you were not charged');
    await choose('Test card: succeeds');
    await press(/^Pay/);
    await page.waitForURL(new RegExp(`intentId=${id}&status=succeeded`));
    // Neither page before it asks to send a form again, or can be paid again.
    for (const _ of ['the declined card', 'the first page']) {
      await page.goBack();
      expect(await heading()).toBe('Thank you');
      expect(await page.getByRole('button', { name: /^Pay/ }).count()).toBe(0);
    }
  });

  it('a payer leaves, comes back and pays', async () => {
    const id = await open();
    await page.getByRole('link', { name: 'Back to Acme' }).click();
    await page.waitForURL(`${merchantUrl}/shop/cart?intentId=${id}&status=requires_payment_method`);
    await page.goBack();
    expect(await page.getByRole('button', { name: 'Pay AFN 50.00' }).count()).toBe(1);
    await press('Pay AFN 50.00');
    await page.waitForURL(new RegExp(`intentId=${id}&status=succeeded`));
  });

  it('a payer confirms a payment and arrives at the receipt', async () => {
    const id = await open();
    await choose('Test card: needs confirmation');
    await press(/^Pay/);
    expect(await heading()).toBe('Confirm the payment');
    await page.getByRole('link', { name: 'Confirm' }).click();
    await page.waitForURL(new RegExp(`intentId=${id}&status=succeeded`));
  });

  it('a payer completes the invoice details, and the amount follows', async () => {
    const address = { country: 'DE' };
    await client.graphql(
      'mutation ($seller: SellerInput!) { updateTenant(input: { seller: $seller }) { alias } }',
      { seller: { legalName: 'Acme GmbH', address } },
    );
    await open();
    await page.getByRole('button', { name: 'Pay AFN 59.50' }).waitFor();
    await page.getByLabel('Company').fill('Atelier');
    await page.getByLabel('VAT ID').fill('FR123');
    await page.getByLabel('Country', { exact: true }).selectOption('France');
    await press('Save invoice details');
    expect(await page.getByRole('alert').textContent()).toContain('were not saved');
    await page.getByLabel('VAT ID').fill('FR00300076965');
    await press('Save invoice details');
    await page.getByRole('button', { name: 'Pay AFN 50.00' }).waitFor();
    expect(await page.getByLabel('Company').isVisible()).toBe(false);
    await client.graphql('mutation { updateTenant(input: { seller: null }) { alias } }');
  });

  it('a payer follows a redirect of the receipt to another host', async () => {
    const id = await open({ receiptUrl: `${merchantUrl}/moved` });
    await press(/^Pay/);
    const receipt = `${movedUrl}/shop?intentId=${id}&status=succeeded`;
    await page.waitForURL(receipt);
    expect(page.url()).toBe(receipt);
  });

  it('the page fits a narrow screen, with colours and without browser errors', async () => {
    await open();
    const main = page.locator('main');
    const [narrow, card] = [await page.locator('body').boundingBox(), await main.boundingBox()];
    expect(narrow!.width).toBeLessThanOrEqual(375);
    expect(card!.width).toBeLessThanOrEqual(375);
    for (const button of await page.getByRole('button').all()) {
      const { x, width, height } = (await button.boundingBox())!;
      expect(x + width).toBeLessThanOrEqual(375);
      expect(height).toBeGreaterThanOrEqual(44);
    }
    expect(complaints).toEqual([]);
  });
});
