import { expect } from 'vitest';
import { tenant, type Stage } from './stage.ts';
import { chargeOnce, readStatus, sell } from './steps.ts';
import type { Walk, Walks } from './walk.ts';

const readInvoice = async ({ client }: Stage, id: string) =>
  (
    await client.graphql(
      'query ($id: ID!) { invoice(id: $id) { status documentNumber total { decimal } payments { id kind } } }',
      { id },
    )
  ).invoice;

/** Fills in a line of the dialog for one-off charges. */
async function fillLine(
  { page }: Walk,
  index: number,
  [description, amount, quantity]: [string, string, string],
) {
  const line = page.getByRole('group', { name: `Line ${index + 1}` });
  await line.getByLabel('Description').fill(description);
  await line.getByLabel('Amount').fill(amount);
  await line.getByLabel('Quantity').fill(quantity);
}

const playDispute = ({ client }: Stage, paymentId: string, status: string) =>
  client.graphql(
    `mutation ($id: ID!, $status: DisputeStatus!) { simulateDispute(id: $id, input: { status: $status }) { id } }`,
    { id: paymentId, status },
  );

/** Bills without a subscription, and what banks take back. */
export const sellingWalks: Walks = [
  [
    'bills two lines once: preview, draft, number, PDF and link to pay',
    { role: 'finance' },
    async (walk) => {
      const { stage, page, context, open, choose, press, confirm, select, see, arrive } = walk;
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      const customer = await stage.shop.customer({ lastName: 'Onetime', email: 'onetime@example.com' });
      await open(`/customers/${customer.id}`);
      await choose('Charge once');
      await select('How', { label: 'Make a draft, to be finalized later' });
      await select('Currency', 'eur');
      await fillLine(walk, 0, ['Workshop', '120.50', '2']);
      await press('Add a line');
      await fillLine(walk, 1, ['Travel', '9,5', '1']);
      const dialog = page.getByRole('dialog');
      await dialog.getByText('250.50').first().waitFor();
      await dialog.getByText('Nothing has changed yet').waitFor();
      await confirm('Make the draft');
      await arrive(/^Draft/);
      const id = new URL(page.url()).pathname.split('/').at(-1)!;
      expect(await readInvoice(stage, id)).toMatchObject({
        status: 'draft',
        documentNumber: null,
        total: { decimal: '250.50' },
      });
      expect(await page.getByRole('button', { name: 'Download' }).count()).toBe(0);
      await press('Finalize …');
      await confirm(/^Finalize €250\.50/);
      await see('Invoice finalized');
      const { status, documentNumber } = await readInvoice(stage, id);
      expect(status).toBe('open');
      await arrive(documentNumber);
      await press('Download');
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: 'PDF', exact: true }).click(),
      ]);
      expect(download.suggestedFilename()).toContain(documentNumber);
      await see('Link to pay');
      await press('Copy a link to pay');
      await see('Link copied');
      const link = String(await page.evaluate('navigator.clipboard.readText()'));
      await page.goto(link);
      await page.getByRole('button', { name: 'Open your account' }).click();
      await page.getByText(documentNumber).first().waitFor();
      await page
        .getByText(/250\.50/)
        .first()
        .waitFor();
    },
  ],
  [
    'marks a one-off invoice uncollectible, and still takes the money',
    {},
    async ({ stage, open, choose, confirm, press, fill, see }) => {
      const { invoiceId } = await chargeOnce(stage, 'send_invoice');
      await open(`/invoices/${invoiceId}`);
      await choose('Mark uncollectible …');
      await see(/Nobody is reminded of the invoice any more/);
      expect(await readStatus(stage, 'invoice', invoiceId)).toBe('open');
      await confirm('Mark €80.00 uncollectible');
      await see('Marked uncollectible');
      expect(await readStatus(stage, 'invoice', invoiceId)).toBe('uncollectible');
      await press('Record a payment …');
      await fill('Reference', 'Late after all');
      await confirm(/^Record €80/);
      await see('Recorded a payment of €80');
      expect(await readStatus(stage, 'invoice', invoiceId)).toBe('paid');
    },
  ],
  [
    'shows a dispute while it is open and when it is lost, and what happened before',
    {},
    async ({ stage, page, open, see }) => {
      const { invoiceId } = await sell(stage);
      const charge = (await readInvoice(stage, invoiceId)).payments.find(
        ({ kind }: { kind: string }) => kind === 'charge',
      );
      await open(`/invoices/${invoiceId}`);
      await see('What happened');
      const history = page.locator('section', { has: page.getByRole('heading', { name: 'What happened' }) });
      const entries = history.getByRole('listitem');
      await expect.poll(() => entries.count()).toBeGreaterThan(0);
      const before = await entries.count();
      await playDispute(stage, charge.id, 'needs_response');
      await see(/The payer disputes the charge; €50\.00 were withdrawn/);
      await page.getByRole('row', { name: /Dispute.*Evidence needed/ }).waitFor();
      await page.getByRole('row', { name: /withdrawn at the provider.*50\.00/ }).waitFor();
      await expect.poll(() => entries.count()).toBeGreaterThan(before);
      await playDispute(stage, charge.id, 'lost');
      await page.getByRole('row', { name: /Dispute.*Lost/ }).waitFor();
      await expect.poll(() => page.getByText(/The payer disputes the charge/).count()).toBe(0);
    },
  ],
  [
    'follows the hits of the search for every kind of record to its screen',
    {},
    async (walk) => {
      const { stage, page, open, arrive } = walk;
      for (const [type, query, title] of await fillSearch(stage)) {
        await open('/clock');
        await arrive('Test clock');
        await page.keyboard.press('Control+k');
        await page.getByPlaceholder('Search or do something').fill(query);
        const hit = page.getByRole('option').filter({ hasText: title }).first();
        await hit.waitFor();
        await hit.click();
        await expect.poll(() => page.url()).not.toContain('/clock');
        expect(new URL(page.url()).pathname, type).toMatch(addresses[type]!);
        await page.getByRole('heading', { level: 1 }).filter({ hasNotText: 'Test clock' }).first().waitFor();
        await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
        expect(await page.getByText('There is no such page').count(), type).toBe(0);
        expect(await page.getByRole('alert').count(), type).toBe(0);
      }
    },
  ],
];

const below = (place: string) => RegExp(`^/console/t/${tenant}/${place}$`);

/** The address of the screen of each kind of record. */
const addresses: Record<string, RegExp> = {
  customer: below('customers/cus_\\w+'),
  subscription: below('subscriptions/sub_\\w+'),
  invoice: below('invoices/inv_\\w+'),
  credit_note: below('credit-notes/\\w+'),
  product: below('catalog/prod_\\w+'),
  price: below('catalog/prod_\\w+/prices/price_\\w+'),
  coupon: below('coupons/coup_\\w+'),
  promotion_code: below('coupons/coup_\\w+'),
  webhook_endpoint: below('webhooks/\\w+'),
  mail: below('mails/mail_\\w+'),
  event: below('events/evt_\\w+'),
};

/** Creates a record of each kind; returns its type, what to search for, and the title of the hit. */
async function fillSearch(stage: Stage): Promise<[type: string, query: string, title: string][]> {
  const { client, shop } = stage;
  await client.graphql(
    'mutation { updateTenant(input: { mail: { testRecipient: "test-inbox@example.com" } }) { alias } }',
  );
  const { customer, subscriptionId, invoiceId } = await sell(stage);
  const { price, product } = await shop.product({ name: 'Findable' });
  const { createCoupon } = await client.graphql(
    'mutation { createCoupon(input: { name: "Found sale", percentOff: "20", duration: forever }) { id } }',
  );
  await client.graphql(
    'mutation ($id: ID!) { createPromotionCode(input: { couponId: $id, code: "FOUNDCODE" }) { id } }',
    { id: createCoupon.id },
  );
  await client.graphql(
    'mutation { createWebhookEndpoint(input: { url: "https://found.invalid/hook" }) { endpoint { id } } }',
  );
  const { createCreditNote } = await client.graphql(
    `mutation ($id: ID!) { createCreditNote(input: { invoiceId: $id, kind: credit, amount: { amount: 5, currency: "eur" }, reason: "Found" })
      { documentNumber } }`,
    { id: invoiceId },
  );
  const { invoice, traces } = await client.graphql(
    'query ($id: ID!) { invoice(id: $id) { documentNumber } traces(first: 1) { nodes { eventId } } }',
    { id: invoiceId },
  );
  const { documentNumber } = createCreditNote;
  const [{ eventId }] = traces.nodes;
  return [
    ['customer', customer.email, customer.lastName],
    ['subscription', subscriptionId, subscriptionId],
    ['invoice', invoice.documentNumber, invoice.documentNumber],
    ['credit_note', documentNumber, documentNumber],
    ['product', product.name, 'Findable'],
    ['price', price.id, price.id],
    ['coupon', 'Found sa', 'Found sale'],
    ['promotion_code', 'foundco', 'FOUNDCODE'],
    ['webhook_endpoint', 'found.inv', 'https://found.invalid/hook'],
    ['mail', 'test-inbox@', 'test-inbox@example.com'],
    ['event', eventId, 'Event'],
  ];
}
