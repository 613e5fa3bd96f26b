import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { sell } from './steps.ts';
import type { Walks } from './walk.ts';

/** Lists, what happens live, and what developers and owners set up. */
export const deskWalks: Walks = [
  [
    'a new customer appears without a reload',
    {},
    async ({ stage, open, page, arrive }) => {
      await stage.shop.customer({ firstName: 'Early', lastName: 'Bird' });
      const following = page.waitForResponse((answer) =>
        String(answer.headers()['content-type']).startsWith('text/event-stream'),
      );
      await open('/customers');
      await arrive('Customers');
      await page.getByRole('link', { name: 'Early Bird' }).waitFor();
      await following;
      await stage.shop.customer({ firstName: 'Late', lastName: 'Comer' });
      await page.getByRole('link', { name: 'Late Comer' }).waitFor();
    },
  ],
  [
    'creates a customer, and says which field is wrong',
    { role: 'support' },
    async ({ open, press, fill, confirm, see, arrive }) => {
      await open('/customers');
      await press('New customer');
      await fill('First name', 'Mary');
      await fill('Last name', 'Shelley');
      await fill('E-mail', 'no address');
      await fill(/^Your id|^Id in your|own/i, 'mary-1');
      await confirm('New customer');
      await see(/e-?mail/i);
      await fill('E-mail', 'mary@example.com');
      await confirm('New customer');
      await arrive('Mary Shelley');
    },
  ],
  [
    'finds, opens and leaves a customer by keyboard alone',
    {},
    async ({ stage, open, page, arrive }) => {
      const { email } = await stage.shop.customer({
        firstName: 'Key',
        lastName: 'Board',
        email: 'keys@example.com',
      });
      await open('/customers');
      await arrive('Customers');
      await page.locator('tr[data-row]').first().waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type(email);
      await expect.poll(() => new URL(page.url()).searchParams.get('search')).toBe(email);
      await page.keyboard.press('Escape');
      expect(await page.getByRole('searchbox').first().inputValue()).toBe(email);
      await page.keyboard.press('j');
      await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Key Board');
      await page.keyboard.press('Enter');
      await arrive('Key Board');
      await page.goBack();
      await expect.poll(() => page.getByRole('searchbox').first().inputValue()).toBe(email);
    },
  ],
  [
    'the address has the filter and the order after a reload',
    {},
    async ({ stage, open, page, press, arrive }) => {
      await stage.shop.customer({ email: 'filtered@example.com', lastName: 'Filtered' });
      await open('/customers?search=filtered@example.com');
      await arrive('Customers');
      await page.getByRole('link', { name: 'Ada Filtered' }).waitFor();
      await press('Newest first');
      await page.reload();
      await page.getByRole('link', { name: 'Ada Filtered' }).waitFor();
      expect(new URL(page.url()).searchParams.get('order')).toBe('ASC');
      expect(await page.locator('tr[data-row]').count()).toBe(1);
    },
  ],
  [
    'the address has the columns',
    {},
    async ({ stage, open, page, press }) => {
      await stage.shop.customer();
      await open('/customers');
      await page.locator('tr[data-row]').first().waitFor();
      await press('Columns');
      await page.getByRole('menuitemcheckbox', { name: 'Country' }).click();
      await page.getByRole('columnheader', { name: 'Country' }).waitFor();
      expect(new URL(page.url()).searchParams.get('columns')).toContain('country');
    },
  ],
  [
    'writes a list to a CSV file, without formulas',
    {},
    async ({ stage, open, page, press, confirm }) => {
      await stage.shop.customer({ firstName: '=cmd()', lastName: '|calc' });
      await open('/customers');
      await page.locator('tr[data-row]').first().waitFor();
      await press('Export CSV');
      const [download] = await Promise.all([page.waitForEvent('download'), confirm('Export CSV')]);
      const lines = (await text(await download.createReadStream())).split('\r\n');
      expect(lines[0]).toMatch(/Name,E-mail,Subscriptions/);
      expect(lines.filter((line) => line.includes('cmd()'))).toEqual([expect.stringMatching(/^'=cmd\(\) /)]);
    },
  ],
  [
    'every screen gives its query away',
    {},
    async ({ open, page, press, context, arrive }) => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await open('/customers');
      await arrive('Customers');
      await press('API');
      await page.getByRole('menuitem', { name: 'Copy as GraphQL' }).click();
      await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toMatch(/query Customers/);
    },
  ],
  [
    'makes a group of plans',
    {},
    async ({ open, press, fill, confirm, see }) => {
      await open('/catalog');
      await press('Groups');
      await press('New group');
      await fill('Name', 'Tours');
      await confirm(/New group|Save/);
      await see('Tours');
    },
  ],
  [
    'takes a product off the shop',
    {},
    async ({ stage, open, press, toggle, confirm, see }) => {
      const { product } = await stage.shop.product({ name: 'Old plan' });
      await open(`/catalog/${product.id}`);
      await press('Edit');
      await toggle('On sale');
      await confirm('Save');
      await see('Not on sale');
    },
  ],
  [
    'makes an endpoint for webhooks, whose secret is shown once',
    {},
    async ({ open, press, fill, confirm, arrive, see, page }) => {
      await open('/webhooks');
      await press('New endpoint');
      await fill('URL', 'https://hooks.invalid/once');
      await confirm('New endpoint');
      await see('Copy it now: it is not shown again.');
      expect(await page.getByRole('dialog').getByLabel('Signing secret').inputValue()).toMatch(/^whsec_/);
      await confirm('Done');
      await arrive(/hooks\.invalid/);
    },
  ],
  [
    'a delivery that fails is shown and sent again',
    {},
    async ({ stage, open, page, press, see }) => {
      const { createWebhookEndpoint } = await stage.client.graphql(
        'mutation { createWebhookEndpoint(input: { url: "https://hooks.invalid/fails" }) { endpoint { id } } }',
      );
      await stage.shop.customer();
      await open(`/webhooks/${createWebhookEndpoint.endpoint.id}`);
      await page.locator('tr[data-row] a').first().click();
      await press('Send again');
      await see('Sending again');
    },
  ],
  [
    'switches an endpoint off and on',
    {},
    async ({ stage, open, page, see }) => {
      const { createWebhookEndpoint } = await stage.client.graphql(
        'mutation { createWebhookEndpoint(input: { url: "https://hooks.invalid/switch" }) { endpoint { id } } }',
      );
      await open(`/webhooks/${createWebhookEndpoint.endpoint.id}`);
      await page.getByRole('button', { name: 'Endpoint' }).click();
      await page.getByRole('menuitem', { name: 'Switch off' }).click();
      await see('Switched off');
      await page.getByRole('button', { name: 'Endpoint' }).click();
      await page.getByRole('menuitem', { name: 'Switch on' }).click();
      await see('Active');
    },
  ],
  [
    'makes an API key, whose text is shown once, and revokes it',
    {},
    async ({ open, press, fill, confirm, see, page }) => {
      await open('/keys');
      await press('New API key');
      await fill('Name', 'Walk');
      await confirm('New API key');
      await see('Copy it now: it is not shown again, and nobody can look it up.');
      await confirm('Done');
      await page.getByRole('row', { name: /Walk/ }).getByRole('button', { name: 'Revoke' }).click();
      await confirm('Revoke key');
      await see('Walk is revoked');
    },
  ],
  [
    'support makes no API key',
    { role: 'support' },
    async ({ open, page, arrive }) => {
      await open('/keys');
      await arrive('API keys');
      const button = page.getByRole('button', { name: 'New API key' }).first();
      expect(await button.getAttribute('aria-disabled')).toBe('true');
      await button.click({ force: true });
      expect(await page.getByRole('dialog').count()).toBe(0);
    },
  ],
  [
    'shows an event with what it changed',
    {},
    async ({ stage, open, page, see }) => {
      await stage.shop.customer({ lastName: 'Traced' });
      await open('/events');
      await page.locator('tr[data-row] a').first().click();
      await see(/Traced/);
    },
  ],
  [
    'saves the settings of the business',
    {},
    async ({ open, fill, see, page }) => {
      await open('/settings');
      await fill('Legal name', 'Walks GmbH');
      const form = page.locator('form', { has: page.getByLabel('Legal name') });
      await form.getByRole('button', { name: 'Save' }).click();
      await see('Saved');
      await page.reload();
      await expect.poll(() => page.getByLabel('Legal name').inputValue()).toBe('Walks GmbH');
    },
  ],
  [
    'previews the colour of the brand',
    {},
    async ({ open, fill, see }) => {
      await open('/settings/branding');
      await fill('Colour', '#ffee00');
      await see(/it is darkened where text could not be read/);
    },
  ],
  [
    'invites an operator with a link that is shown once',
    {},
    async ({ open, press, fill, confirm, see }) => {
      await open('/settings/operators');
      await press('Invite operator');
      await fill('E-mail', 'invited@example.com');
      await confirm('Create invitation');
      await see('Send this link to the person. It works once and is not shown again.');
      await confirm('Done');
      await see('invited@example.com');
    },
  ],
  [
    'reports keep their range in the address',
    {},
    async ({ open, page }) => {
      await open('/reports?by=quarter&from=2026-01-01&until=2026-07-01');
      await page.getByRole('heading', { name: 'Figures' }).waitFor();
      expect(await page.locator('section:has(h2:text-is("Figures")) tbody tr').count()).toBe(3);
    },
  ],
  [
    'home shows its charts in a browser whose language no format knows',
    {},
    async ({ stage, open, page }) => {
      await page.addInitScript(
        "Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix' })",
      );
      await sell(stage);
      await open('/');
      await page.locator('canvas').first().waitFor();
    },
  ],
  [
    'a charge that fails waits among the payments to recover',
    {},
    async ({ stage, open, page }) => {
      const customer = await stage.shop.customer({ firstName: 'Poor', lastName: 'Card' });
      const { price } = await stage.shop.product({ name: 'Declined' });
      const { intentId } = await stage.shop.intent(customer, price);
      await stage.shop.confirm(intentId, 'sandbox_ok_then_declined');
      const { tenant } = await stage.client.graphql('{ tenant { clock } }');
      const to = new Date(Date.parse(tenant.clock) + 32 * 86_400_000).toISOString();
      await stage.client.graphql('mutation ($to: DateTime!) { advanceClock(input: { to: $to }) { clock } }', {
        to,
      });
      await open('/payments');
      await page.getByRole('link', { name: 'Poor Card' }).first().waitFor();
    },
  ],
  [
    'payments are filtered by why they were declined',
    { role: 'finance' },
    async ({ stage, open, page }) => {
      const { price } = await stage.shop.product();
      for (const [firstName, method] of [
        ['Old', 'sandbox_declined_expired_card'],
        ['Empty', 'sandbox_declined_insufficient_funds'],
      ]) {
        const customer = await stage.shop.customer({ firstName: firstName!, lastName: 'Card' });
        const { intentId } = await stage.shop.intent(customer, price);
        await stage.client.post(
          'mutation ($id: ID!, $method: String!) { confirmIntent(id: $id, input: { paymentMethod: $method }) { id } }',
          { id: intentId, method },
        );
      }
      await open('/payments?tab=all');
      await page.getByRole('link', { name: 'Empty Card' }).waitFor();
      await page.getByRole('combobox', { name: 'Why it failed' }).selectOption('Card expired');
      await expect.poll(() => page.locator('tr[data-row]').count()).toBe(1);
      expect(await page.locator('tr[data-row]').textContent()).toContain('Old Card');
      expect(new URL(page.url()).searchParams.get('declineCode')).toBe('expired_card');
    },
  ],
];
