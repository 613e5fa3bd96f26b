import { expect } from 'vitest';
import { pick, stepLimitMs } from '../support/browser.ts';
import { tenant } from './stage.ts';
import { chargeOnce, readStatus, sell } from './steps.ts';
import type { Walks } from './walk.ts';

/** Selling, changing, ending, paying and giving back. */
export const billingWalks: Walks = [
  [
    'makes a product and its price, sells it on the payment page, and refunds it',
    {},
    async ({ stage, page, open, press, confirm, arrive, see }) => {
      await open('/catalog');
      await press('New product');
      const dialog = page.getByRole('dialog').last();
      await dialog.getByRole('textbox', { name: /^Name/ }).fill('Walking tour');
      await dialog.getByRole('textbox', { name: /^Amount/ }).fill('25');
      await dialog.getByLabel('Currency').selectOption('eur');
      await confirm('New product');
      await arrive('Walking tour');
      const { products } = await stage.client.graphql(
        '{ products(name: "Walking tour") { nodes { id prices { id } } } }',
      );
      const [product] = products.nodes;
      const customer = await stage.shop.customer({ lastName: 'Walker', email: 'walker@example.com' });
      const order = { id: product.prices[0].id, productId: product.id };
      const intent = await stage.shop.intent(customer, order, { receiptUrl: `${stage.base}/console/` });
      const wanted = { id: intent.intentId };
      const { intent: shown } = await stage.client.graphql(
        'query ($id: ID!) { intent(id: $id) { paymentUrl } }',
        wanted,
      );
      await page.goto(stage.base + new URL(shown.paymentUrl).pathname);
      await page.locator('input[value="sandbox_ok"]').check();
      await page.locator('form:has(fieldset) button').click();
      await page.waitForURL('**/console/**');
      const { subscriptions } = await stage.client.graphql(
        'query ($id: ID!) { subscriptions(customerId: $id) { nodes { id } } }',
        { id: customer.id },
      );
      await open(`/subscriptions/${subscriptions.nodes[0].id}`);
      await page
        .getByRole('link', { name: /^INV|^\d/ })
        .first()
        .click();
      await press('Refund …');
      await confirm(/^Refund €25/);
      await see('Refunded €25');
    },
  ],
  [
    'support sees no way to refund, and the server refuses it too',
    { role: 'support' },
    async ({ stage, page, open }) => {
      const { invoiceId } = await sell(stage);
      await open(`/invoices/${invoiceId}`);
      const button = page.getByRole('button', { name: 'Refund …' });
      await button.waitFor();
      expect(await button.getAttribute('aria-disabled')).toBe('true');
      await button.click({ force: true });
      expect(await page.getByRole('dialog').count()).toBe(0);
      const said = await page.evaluate(
        async ([id, alias]) => {
          const headers = {
            'content-type': 'application/json',
            'perennial-console': '1',
            'perennial-tenant': alias!,
          };
          const query = 'mutation ($id: ID!) { refundInvoice(id: $id) { id } }';
          const body = JSON.stringify({ query, variables: { id } });
          return (await fetch('/graphql', { method: 'POST', headers, body })).text();
        },
        [invoiceId, tenant],
      );
      expect(JSON.parse(said).errors[0].extensions.reason).toBe('permission_missing');
      expect(await readStatus(stage, 'invoice', invoiceId)).toBe('paid');
    },
  ],
  [
    'refunds a part, and shows what can still be refunded',
    { role: 'finance' },
    async ({ stage, open, press, fill, confirm, see }) => {
      const { invoiceId } = await sell(stage);
      await open(`/invoices/${invoiceId}`);
      await press('Refund …');
      await fill('Amount in EUR', '12.5');
      await see(/37\.50/);
      await confirm(/^Refund €12\.50/);
      await see('Refunded €12.50');
    },
  ],
  [
    'refuses to refund more than was paid',
    {},
    async ({ stage, page, open, press, fill, see }) => {
      const { invoiceId } = await sell(stage);
      await open(`/invoices/${invoiceId}`);
      await press('Refund …');
      await fill('Amount in EUR', '50.01');
      await see(/At most €50(\.00)? can be refunded/);
      expect(
        await page
          .getByRole('dialog')
          .getByRole('button', { name: /^Refund €/ })
          .getAttribute('aria-disabled'),
      ).toBe('true');
    },
  ],
  [
    'issues a credit note to the balance',
    {},
    async ({ stage, page, open, choose, confirm, see }) => {
      const { invoiceId } = await sell(stage);
      await open(`/invoices/${invoiceId}`);
      await choose('Credit note …');
      await page.getByLabel('Amount in EUR').fill('10');
      await page.getByLabel('Reason').fill('Late');
      await confirm(/^Credit €10/);
      await see(/Issued .* of €10/);
    },
  ],
  [
    'records a bank transfer',
    {},
    async ({ stage, open, press, fill, confirm, see }) => {
      const { invoiceId } = await chargeOnce(stage, 'send_invoice');
      await open(`/invoices/${invoiceId}`);
      await press('Record a payment …');
      await fill('Reference', 'Statement 7');
      await confirm(/^Record €80/);
      await see('Recorded a payment of €80');
      expect(await readStatus(stage, 'invoice', invoiceId)).toBe('paid');
    },
  ],
  [
    'voids an invoice',
    {},
    async ({ stage, open, choose, confirm, see }) => {
      const { invoiceId } = await chargeOnce(stage, 'send_invoice');
      await open(`/invoices/${invoiceId}`);
      await choose('Void …');
      await confirm(/^Void €80/);
      await see('Invoice voided');
      expect(await readStatus(stage, 'invoice', invoiceId)).toBe('void');
    },
  ],
  [
    'shows the arithmetic of a line',
    {},
    async ({ stage, page, open }) => {
      const { invoiceId } = await sell(stage);
      await open(`/invoices/${invoiceId}`);
      const line = page.getByRole('button', { expanded: false }).filter({ hasText: /Studio/ });
      await line.first().click();
      await page.getByText(/€50/).nth(1).waitFor();
    },
  ],
  [
    'downloads the PDF of an invoice',
    {},
    async ({ stage, page, open, press }) => {
      const { invoiceId } = await sell(stage);
      await open(`/invoices/${invoiceId}`);
      await press('Download');
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: /PDF/ }).first().click(),
      ]);
      expect(download.suggestedFilename()).toMatch(/\.pdf$/);
    },
  ],
  [
    'changes the plan after a preview of what it costs',
    {},
    async ({ stage, page, open, press, confirm, see }) => {
      const { subscriptionId, price } = await sell(stage);
      await stage.client.graphql(
        `mutation ($id: ID!, $prices: [CreatePriceInput!]!) {
          createPrices(input: { productId: $id, prices: $prices }) { id }
        }`,
        { id: price.productId, prices: [{ details: { amount: 90, currency: 'eur' } }] },
      );
      await open(`/subscriptions/${subscriptionId}`);
      await press('Change …');
      await pick(page.getByRole('dialog'), 'Plan', '€90');
      await confirm(/^Charge €\d+(\.\d+)? now/);
      await see(/^Charged €\d+/);
      await see(/€90/);
    },
  ],
  [
    'replaces the plan by typing, though its label arrives after the focus',
    {},
    async ({ stage, page, open, press }) => {
      const { subscriptionId } = await sell(stage);
      let release = () => {};
      const released = new Promise<void>((resolve) => (release = resolve));
      await page.route('**/graphql', async (route) => {
        if (route.request().postDataJSON()?.operationName === 'OwnPrices') await released;
        await route.continue();
      });
      await open(`/subscriptions/${subscriptionId}`);
      await press('Change …');
      const plan = page.getByRole('dialog').getByRole('combobox', { name: 'Plan' });
      await plan.click();
      release();
      await expect.poll(() => plan.inputValue(), { timeout: stepLimitMs }).toContain('€50');
      await page.keyboard.insertText('€50');
      expect(await plan.inputValue()).toBe('€50');
    },
  ],
  [
    'cancels at the end of the period, and undoes it',
    {},
    async ({ stage, open, choose, confirm, see }) => {
      const { subscriptionId } = await sell(stage);
      await open(`/subscriptions/${subscriptionId}`);
      await choose('Cancel …');
      await confirm(/^Cancel on/);
      await see(/Nothing is billed after that/);
      await choose('Undo the cancellation …');
      await confirm('Go on with the subscription');
      await see('The subscription goes on');
      expect(await readStatus(stage, 'subscription', subscriptionId)).toBe('active');
    },
  ],
  [
    'cancels at once',
    {},
    async ({ stage, open, choose, select, confirm, see }) => {
      const { subscriptionId } = await sell(stage);
      await open(`/subscriptions/${subscriptionId}`);
      await choose('Cancel …');
      await select('When', 'now');
      await confirm('Cancel now');
      await see('The subscription is cancelled');
      expect(await readStatus(stage, 'subscription', subscriptionId)).toBe('cancelled');
    },
  ],
  [
    'pauses and resumes',
    {},
    async ({ stage, open, choose, confirm, see }) => {
      const { subscriptionId } = await sell(stage);
      await open(`/subscriptions/${subscriptionId}`);
      await choose('Pause …');
      await confirm('Pause the subscription');
      await see(/Nothing is billed until it is resumed/);
      await choose('Resume …');
      await confirm('Resume the subscription');
      await expect.poll(() => readStatus(stage, 'subscription', subscriptionId)).toBe('active');
    },
  ],
  [
    'ends a trial early, which charges the first period',
    {},
    async ({ stage, open, choose, confirm, see }) => {
      const { subscriptionId } = await sell(stage, { trialDays: 14 });
      await open(`/subscriptions/${subscriptionId}`);
      await choose(/^End the trial/);
      await confirm(/^End the trial and charge €50/);
      await see('Charged €50.00');
      await expect.poll(() => readStatus(stage, 'subscription', subscriptionId)).toBe('active');
    },
  ],
  [
    'extends a trial to a later day',
    {},
    async ({ stage, page, open, choose, confirm, see }) => {
      const { subscriptionId } = await sell(stage, { trialDays: 14 });
      await open(`/subscriptions/${subscriptionId}`);
      await choose('Extend the trial …');
      await page.getByRole('dialog').locator('input[type=date]').fill('2026-03-20');
      await confirm(/^Extend to/);
      await see(/^The trial ends on Mar 20/);
    },
  ],
  [
    'a viewer changes nothing',
    { role: 'viewer' },
    async ({ stage, page, open }) => {
      const { subscriptionId } = await sell(stage);
      await open(`/subscriptions/${subscriptionId}`);
      const button = page.getByRole('button', { name: 'Change …' });
      await button.waitFor();
      expect(await button.getAttribute('aria-disabled')).toBe('true');
    },
  ],
  [
    'grants a credit, whose reason is text and not markup',
    { role: 'finance' },
    async ({ stage, page, open, choose, press, fill, see }) => {
      const { customer } = await sell(stage);
      await open(`/customers/${customer.id}`);
      await choose(/^Grant a credit/);
      await fill('Amount', '12.5');
      await fill('Reason', '=1+1 <img src=x onerror=alert(1)>');
      await press(/^Grant €12\.5/);
      await page.getByRole('cell', { name: '=1+1 <img src=x onerror=alert(1)>' }).waitFor();
      await see(/Credit granted: €12\.50/);
    },
  ],
  [
    'moves the clock, and the renewals happen',
    {},
    async ({ stage, open, press, confirm, see }) => {
      const { subscriptionId } = await sell(stage);
      await open('/clock');
      await press('A month');
      await press(/^Advance to/);
      await confirm(/^Advance to/);
      await see(/Invoice .* paid|paid/i);
      await expect
        .poll(async () => {
          const query = 'query ($id: ID!) { subscription(id: $id) { billedCount } }';
          return (await stage.client.graphql(query, { id: subscriptionId })).subscription.billedCount;
        })
        .toBe(2);
    },
  ],
];
