/** Cards on the payment page in a real browser, with a script that plays that of Stripe. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../../support/app.ts';
import { browserStartMs, connectBrowser } from '../../support/browser.ts';
import { createShop, type Shop } from '../../support/shop.ts';
import { startStripeApp, type StripeApp } from '../../support/stripeApp.ts';
import { payPath } from '../../support/payLinks.ts';

const cards = {
  '4242 4242 4242 4242': 'pm_card_visa',
  '4000 0000 0000 9995': 'pm_card_chargeDeclinedInsufficientFunds',
  '4000 0027 6000 3184': 'pm_card_authenticationRequired',
};

/** A script with the calls of Stripe's that the page makes: a field, and a token that names the card entered. */
const stripeScript = `
window.Stripe = (key, { locale }) => ({
  elements: ({ mode }) => ({
    create: () => ({
      mount: (node) => {
        const label = document.createElement('label');
        label.textContent = 'Card number (' + [key, locale, mode].join(' ') + ') ';
        label.append(Object.assign(document.createElement('input'), { id: 'number' }));
        node.append(label);
      },
    }),
    submit: async () =>
      document.getElementById('number').value === '' ? { error: { message: 'Your card number is incomplete.' } } : {},
  }),
  createConfirmationToken: async () => ({
    confirmationToken: {
      id: 'ctoken_' + Date.now() + '_' + ${JSON.stringify(cards)}[document.getElementById('number').value],
    },
  }),
});`;

describe('in a browser', () => {
  let running: StripeApp;
  let client: Client;
  let shop: Shop;
  let base: string;
  let outside: Server;
  let scriptUrl: string;
  let browser: Browser;
  let page: Page;
  let complaints: string[];
  let isScriptServed = true;

  beforeAll(async () => {
    outside = createServer((request, response) => {
      if (request.url !== '/stripe.js')
        response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>The shop</h1>');
      else if (isScriptServed)
        response.writeHead(200, { 'content-type': 'text/javascript' }).end(stripeScript);
      else response.writeHead(404).end();
    });
    await once(outside.listen(0, '127.0.0.1'), 'listening');
    scriptUrl = `http://127.0.0.1:${(outside.address() as AddressInfo).port}/stripe.js`;
    running = await startStripeApp({ stripePublishableKey: 'pk_test_page', stripeScriptUrl: scriptUrl });
    client = await running.app.tenant({ alias: 'acme', name: 'Acme', test: false });
    await client.graphql(`mutation {
      updateTenant(input: { bankAccount: { accountHolder: "Acme", iban: "DE89370400440532013000" } }) { alias }
    }`);
    shop = createShop(client, 'acme');
    base = await running.app.server.listen({ host: '127.0.0.1', port: 0 });
    browser = await connectBrowser();
  }, browserStartMs);
  afterAll(async () => {
    outside.closeAllConnections();
    outside.close();
    await running.close();
  });
  beforeEach(async () => {
    isScriptServed = true;
    page = await browser.newPage({ viewport: { width: 390, height: 844 } });
    complaints = [];
    page.on('console', (message) => {
      if (!message.location().url.endsWith('/favicon.ico')) complaints.push(message.text());
    });
  });
  afterEach(() => page.close());

  const open = async (fields: object = {}) => {
    const receiptUrl = new URL('/thanks', scriptUrl).href;
    const { price } = await shop.product({ price: fields });
    const { intentId } = await shop.intent(await shop.customer(), price, { receiptUrl });
    await page.goto(`${base}${await payPath(running.app, intentId)}`);
    return intentId as string;
  };
  const enter = async (number: keyof typeof cards) => {
    await page.getByLabel(/Card number/).fill(number);
    await page.getByRole('button', { name: 'Pay AFN 50.00' }).click();
  };
  /** Waits for the receipt; answers how often the intent was charged. */
  const arrive = async (intentId: string) => {
    await page.waitForURL(/\/thanks/);
    expect(complaints).toEqual([]);
    return running.stripe.moved.filter(({ key }) => key.startsWith(intentId)).length;
  };

  it('a card is entered and pays', async () => {
    const id = await open();
    expect(await page.getByText('Card number').textContent()).toContain('pk_test_page en payment');
    await enter('4242 4242 4242 4242');
    expect(await arrive(id)).toBe(1);
  });

  it('by keyboard alone', async () => {
    const id = await open();
    await page.getByLabel('Card and other methods').focus();
    for (let tab = 0; tab < 3; tab++) {
      await page.keyboard.press('Tab');
      if (
        await page
          .getByLabel(/Card number/)
          .evaluate((node: any) => node === node.ownerDocument.activeElement)
      )
        break;
    }
    await page.keyboard.type('4242 4242 4242 4242');
    await page.keyboard.press('Enter');
    expect(await arrive(id)).toBe(1);
  });

  it('an incomplete card is explained beside the form, and sends nothing', async () => {
    const id = await open();
    await page.getByRole('button', { name: 'Pay AFN 50.00' }).click();
    await page.getByRole('alert').filter({ hasText: 'Your card number is incomplete.' }).waitFor();
    expect(page.url()).toContain(await payPath(running.app, id));
    await enter('4242 4242 4242 4242');
    expect(await arrive(id)).toBe(1);
  });

  it('a declined card is explained, stays chosen, and another pays', async () => {
    const id = await open();
    await enter('4000 0000 0000 9995');
    await page.getByRole('alert').filter({ hasText: 'There is not enough money' }).waitFor();
    expect(await page.getByLabel('Card and other methods').isChecked()).toBe(true);
    complaints = [];
    await enter('4242 4242 4242 4242');
    expect(await arrive(id)).toBe(1);
  });

  it('a confirmation by the bank leads back and pays', async () => {
    const id = await open();
    await page.route('https://hooks.stripe.example/**', async (route) => {
      running.stripe.finish(route.request().url().split('/').at(-1)!, true);
      await route.fulfill({
        contentType: 'text/html',
        body: `<a href="${base}${await payPath(running.app, id)}/return">Confirm</a>`,
      });
    });
    await enter('4000 0027 6000 3184');
    await page.getByRole('link', { name: 'Confirm' }).click();
    expect(await arrive(id)).toBe(1);
  });

  it('another method hides the card', async () => {
    await open();
    await page.getByLabel(/Card number/).waitFor();
    await page.getByLabel('Bank transfer').check();
    expect(await page.getByLabel(/Card number/).isVisible()).toBe(false);
  });

  it.each(['the button for it', 'a script that does not load'])(
    'the page of Stripe is reached by %s',
    async (way) => {
      isScriptServed = way === 'the button for it';
      const id = await open();
      await page.route('https://checkout.stripe.example/**', async (route) => {
        running.stripe.completeSession(route.request().url().split('/').at(-1)!, 'pm_card_visa');
        await route.fulfill({
          contentType: 'text/html',
          body: `<a href="${base}${await payPath(running.app, id)}/return">Back</a>`,
        });
      });
      await page.getByRole('button', { name: isScriptServed ? /provider’s page/ : /Pay AFN/ }).click();
      await page.getByRole('link', { name: 'Back' }).click();
      await page.waitForURL(/\/thanks/);
      expect(running.stripe.moved.filter(({ key }) => key.startsWith(id))).toHaveLength(1);
    },
  );
});
