import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { tenant, type Stage } from './stage.ts';
import { sell, useLink } from './steps.ts';
import type { Walk, Walks } from './walk.ts';

const dayMs = 86_400_000;

const tiers = [
  { upTo: '10', unitAmount: '10' },
  { upTo: '100', unitAmount: '8', flatAmount: '5' },
  { unitAmount: '6' },
];

/** A price of each model, and quantities: one, some at the ends of a tier, many. */
const pricing: [model: string, price: Record<string, unknown>, quantities: number[]][] = [
  ['flat', { details: { decimal: '49.90', currency: 'eur' } }, [1]],
  ['per_unit', { details: { decimal: '0.125', currency: 'eur' } }, [1, 8, 1000]],
  ['package', { details: { decimal: '20', currency: 'eur' }, packageSize: 100 }, [1, 100, 101, 1000]],
  ['graduated', { details: { decimal: '0', currency: 'eur' }, tiers }, [1, 10, 11, 100, 101]],
  ['volume', { details: { decimal: '0', currency: 'eur' }, tiers }, [1, 10, 11, 100, 101]],
];

const readClock = async ({ client }: Pick<Stage, 'client'>) =>
  (await client.graphql('{ tenant { clock } }')).tenant.clock as string;

const advance = async ({ client }: Stage, days: number) => {
  const to = new Date(Date.parse(await readClock({ client })) + days * dayMs).toISOString();
  // One request may not get there where much is to be renewed; the next one goes on.
  await expect
    .poll(async () => {
      await client.graphql('mutation ($to: DateTime!) { advanceClock(input: { to: $to }) { clock } }', {
        to,
      });
      return readClock({ client });
    })
    .toBe(to);
};

/** Exports the list that is shown; returns the lines of the file. */
async function exportList({ page, press, confirm }: Walk) {
  await press('Export CSV');
  const [download] = await Promise.all([page.waitForEvent('download'), confirm('Export CSV')]);
  return (await text(await download.createReadStream())).replace('\ufeff', '').trim().split('\r\n');
}

/** Prices, lists, mails and the clock: what is shown is what the server says. */
export const readingWalks: Walks = [
  ...pricing.map(([model, price, quantities]): Walks[number] => [
    `computes what quantities of a ${model} price cost`,
    { role: 'viewer' },
    async ({ stage, page, open }) => {
      const { product } = await stage.shop.product({ name: `Price ${model}` });
      const input = { model, ...price };
      const { createPrices, previewPrice } = await stage.client
        .graphql(
          `mutation ($id: ID!, $prices: [CreatePriceInput!]!) {
          createPrices(input: { productId: $id, prices: $prices }) { id }
        }`,
          { id: product.id, prices: [input] },
        )
        .then(async (made) => ({
          ...made,
          ...(await stage.client.graphql(
            `query ($price: CreatePriceInput!, $quantities: [Int!]!) {
            previewPrice(price: $price, quantities: $quantities) { quantity total { decimal } average { decimal } }
          }`,
            { price: input, quantities },
          )),
        }));
      expect(previewPrice.map(({ quantity }: { quantity: number }) => quantity)).toEqual(quantities);
      await open(`/catalog/${product.id}/prices/${createPrices[0].id}`);
      const table = page.getByRole('table', { name: 'What it costs' });
      await table.waitFor();
      for (const { quantity, total, average } of previewPrice) {
        if (model !== 'flat') await page.getByLabel('Another quantity').fill(String(quantity));
        const name = quantity.toLocaleString('en');
        const row = table.getByRole('row').filter({ has: page.getByRole('cell', { name, exact: true }) });
        await row.waitFor();
        const [, ofTotal, ofUnit] = (await row.getByRole('cell').allTextContents()).map(readDecimal);
        expect(ofTotal, `${model} × ${quantity}`).toBe(Number(total.decimal));
        expect(ofUnit, `${model} × ${quantity}`).toBe(Number(average.decimal));
      }
    },
  ]),
  [
    'shows what would happen when the clock is dragged, before it is moved',
    { role: 'nobody' },
    async (walk) => {
      const { page, press, confirm, arrive } = walk;
      // In a tenant of its own: the months that pass would renew what all other walks have sold.
      const stage = { ...walk.stage, ...(await walk.stage.openTenant('clockwise')) };
      const { customer } = await sell(stage);
      await useLink(walk, 'clockwise@example.com', 'clockwise');
      await arrive('Home');
      const before = await readClock(stage);
      await page.goto(`${stage.base}/console/t/clockwise/clock`);
      const slider = page.getByRole('slider', { name: 'Days ahead' });
      const charges = page.getByRole('table', { name: 'What would happen' }).locator('tbody tr');
      await expect.poll(() => charges.count()).toBeGreaterThan(0);
      const inAMonth = await charges.count();
      const { x, y, width, height } = (await slider.boundingBox())!;
      await page.mouse.move(x + (width * 30) / 366, y + height / 2);
      await page.mouse.down();
      await page.mouse.move(x + width * 0.25, y + height / 2, { steps: 8 });
      await page.mouse.up();
      const days = Number(await slider.inputValue());
      expect(days).toBeGreaterThan(60);
      const target = new Date(Date.parse(before) + days * dayMs);
      const { tenant: asked } = await stage.client.graphql(
        'query ($until: DateTime!) { tenant { forecast(until: $until) { date total { decimal } } } }',
        { until: target.toISOString() },
      );
      expect(asked.forecast.length).toBeGreaterThan(inAMonth);
      await expect.poll(() => charges.count()).toBe(asked.forecast.length);
      const shown = await charges.locator('.money').allTextContents();
      expect(shown.map(readDecimal)).toEqual(
        asked.forecast.map(({ total }: { total: { decimal: string } }) => Number(total.decimal)),
      );
      // Nothing has moved yet; the button names the moment.
      expect(await readClock(stage)).toBe(before);
      const named = target.toLocaleDateString('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });
      await press(new RegExp(`^Advance to ${named}`));
      await confirm(new RegExp(`^Advance to ${named}`));
      await expect.poll(() => readClock(stage)).toBe(target.toISOString());
      const { invoices } = await stage.client.graphql(
        'query ($id: ID!) { invoices(customerId: $id) { nodes { status } } }',
        { id: customer.id },
      );
      expect(invoices.nodes.length).toBeGreaterThan(1);
    },
  ],
  [
    'shows the mail of a renewal of a test tenant: its amount and its link, until its customer is erased',
    { role: 'support' },
    async ({ stage, page, open, arrive, see }) => {
      await stage.client.graphql(
        'mutation { updateTenant(input: { mail: { testRecipient: "test-inbox@example.com" } }) { alias } }',
      );
      const { subscriptionId, customer } = await sell(stage);
      await advance(stage, 32);
      const { invoices } = await stage.client.graphql(
        'query ($id: ID!) { invoices(subscriptionId: $id, first: 1) { nodes { documentNumber } } }',
        { id: subscriptionId },
      );
      const [{ documentNumber }] = invoices.nodes;
      // The customer's own deliveries: another customer's mails may name a number that begins alike.
      const findDelivery = async () => {
        await stage.sendMails();
        const { mailDeliveries } = await stage.client.graphql(
          'query ($id: ID!) { mailDeliveries(customerId: $id, first: 50) { nodes { id subject status message { text } } } }',
          { id: customer.id },
        );
        return mailDeliveries.nodes.find(
          (each: any) => each.status === 'sent' && each.message?.text.includes(documentNumber),
        );
      };
      await expect.poll(async () => (await findDelivery()) !== undefined).toBe(true);
      const { id, subject } = await findDelivery();
      const mail = stage.inbox.mails.find(
        (each) => each.subject === subject && each.text?.includes(documentNumber),
      )!;
      expect(mail.text).toContain('€50.00');
      expect(mail.html).toMatch(/href="http:\/\/localhost:\d+\//);
      await open('/mails?kind=receipt&status=sent');
      await arrive('Mails');
      await page.locator(`a[href$="${id}"]`).click();
      await arrive(mail.subject!);
      await see('test-inbox@example.com');
      await see(/^Composed now from the current records/);
      const frame = page.frameLocator('iframe');
      // The first one is the line that only lists of mails show.
      await frame.getByText('€50.00').last().waitFor();
      await frame.getByText(documentNumber).last().waitFor();
      const [, shown] = /href="(http:\/\/localhost:\d+\/portal\/[^/]+\/s\/)[\w-]+"/.exec(
        mail.html as string,
      )!;
      await expect.poll(() => frame.locator(`a[href^="${shown}"]`).count()).toBeGreaterThan(0);
      expect(await frame.locator(`a[href="${shown}••••••••"]`).count()).toBe(0);
      const cancelAndErase = `mutation ($subscription: ID!, $customer: ID!) {
        cancelSubscription(id: $subscription) { id }
        eraseCustomer(id: $customer) { id }
      }`;
      await stage.client.graphql(cancelAndErase, { subscription: subscriptionId, customer: customer.id });
      await page.reload();
      await see(/^No content: a record that this mail was about was deleted/);
    },
  ],
  [
    'writes to the file what the filter shows, with every column',
    { role: 'finance' },
    async (walk) => {
      const { stage, page, open, press } = walk;
      const total = 130;
      for (let made = 0; made < total; made += 1)
        await stage.shop.customer({ lastName: `Row ${made}`, email: 'csv@example.com' });
      await stage.shop.customer({ lastName: 'Elsewhere', email: 'else@example.com' });
      await open('/customers?search=csv@example.com&columns=name,email');
      await page.getByText(`50 of ${total}`).waitFor();
      await press('Export CSV');
      const dialog = page.getByRole('dialog');
      await dialog.getByText(`${total} × Name, E-mail`).waitFor();
      await dialog.getByRole('progressbar').waitFor();
      // The second page waits, so that the progress can be seen.
      let release: (() => void) | undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      await page.route('**/graphql', async (route) => {
        if (route.request().postData()?.includes('"after":"')) await held;
        await route.continue();
      });
      const downloading = page.waitForEvent('download');
      await dialog.getByRole('button', { name: 'Export CSV' }).click();
      await dialog
        .getByRole('status')
        .getByText(/100 of 130/)
        .waitFor();
      expect(await dialog.getByRole('progressbar').getAttribute('value')).toBe('100');
      release!();
      const lines = (await text(await (await downloading).createReadStream()))
        .replace('\ufeff', '')
        .trim()
        .split('\r\n');
      expect(lines[0]).toMatch(/^Name,E-mail,/);
      expect(lines.length).toBe(total + 1);
      expect(lines.slice(1).every((line) => /^Ada Row \d+,csv@example\.com,/.test(line))).toBe(true);
      expect(new Set(lines).size).toBe(total + 1);
    },
  ],
  [
    'writes an empty list to a file with the names of its columns',
    {},
    async (walk) => {
      await walk.open('/customers?search=nobody-at-all@example.com&columns=name,email');
      await walk.see('Nothing matches these filters.');
      const lines = await exportList(walk);
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatch(/^Name,E-mail,/);
    },
  ],
  [
    'filters, order and columns are in the address: after a reload, back and forward',
    {},
    async ({ stage, page, open, press, select, arrive }) => {
      const { subscriptionId } = await sell(stage);
      await stage.shop.customer();
      await open('/subscriptions');
      await page.locator('tr[data-row]').first().waitFor();
      await select('Status', 'active');
      await press('Newest first');
      await press('Columns');
      await page.getByRole('menuitemcheckbox', { name: 'Customer', exact: true }).click();
      await page.keyboard.press('Escape');
      const expectChosen = async () => {
        await page.locator('tr[data-row]').first().waitFor();
        await expect.poll(() => page.getByLabel('Status').inputValue()).toBe('active');
        await page.getByRole('button', { name: 'Oldest first' }).waitFor();
        expect(await page.getByRole('columnheader', { name: 'Customer' }).count()).toBe(0);
        expect(await page.getByRole('columnheader', { name: 'Status' }).count()).toBe(1);
      };
      await expectChosen();
      const address = page.url();
      expect(Object.fromEntries(new URL(address).searchParams)).toMatchObject({
        status: 'active',
        order: 'ASC',
        columns: expect.not.stringContaining('customer'),
      });
      await page.reload();
      await expectChosen();
      await page.locator('tr[data-row] a').first().click();
      await page.getByRole('button', { name: 'Change …' }).waitFor();
      await page.goBack();
      await expectChosen();
      expect(page.url()).toBe(address);
      await page.goForward();
      await page.getByRole('button', { name: 'Change …' }).waitFor();
      await page.goBack();
      await page.goBack();
      await page.goto(address);
      await expectChosen();
      await open(`/subscriptions/${subscriptionId}`);
      await page.getByRole('link', { name: 'Subscriptions' }).first().click();
      await arrive('Subscriptions');
      expect(new URL(page.url()).pathname).toBe(`/console/t/${tenant}/subscriptions`);
    },
  ],
];

/** Reads the number of an amount as it is shown, such as `1,250.50 EUR`. */
function readDecimal(shown: string): number {
  return Number(shown.replace(/[A-Z,\s]/g, '').replace('−', '-'));
}
