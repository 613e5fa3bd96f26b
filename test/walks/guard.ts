import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { tenant, type Stage } from './stage.ts';
import { addPasskeyDevice } from '../support/browser.ts';
import { readStatus, sell, useLink } from './steps.ts';
import type { Walk, Walks } from './walk.ts';

const confirmTitle = 'Confirm that it is you';

/** Lets in an owner with a passkey, whose sign-in was yesterday. */
async function comeBackLater(walk: Walk, email: string) {
  const { stage, page, press, confirm, arrive, fill } = walk;
  await addPasskeyDevice(walk.page);
  await useLink(walk, email);
  await arrive('Home');
  await page.goto(`${stage.base}/console/account`);
  await press('Add a passkey');
  await fill('Name', 'Key of the desk');
  await confirm('Add a passkey');
  await page.getByRole('cell', { name: 'Key of the desk', exact: true }).waitFor();
  await stage.age(email);
}

/** Proves who one is in the dialog that has opened, after closing it once, which must leave all as it was. */
async function prove(
  { page }: Walk,
  attempt: () => Promise<unknown>,
  expectUnchanged: () => Promise<unknown>,
) {
  const dialog = page.getByRole('dialog', { name: confirmTitle });
  await attempt();
  await dialog.getByRole('button', { name: 'Confirm with a passkey' }).waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect.poll(() => dialog.count()).toBe(0);
  await expectUnchanged();
  await attempt();
  await dialog.getByRole('button', { name: 'Confirm with a passkey' }).click();
  await expect.poll(() => dialog.count()).toBe(0);
}

const countKeys = async ({ client }: Stage, name: string) => {
  const { traces } = await client.graphql(
    '{ traces(activityType: ApiKeyEvent, first: 100) { nodes { payload } } }',
  );
  return JSON.stringify(traces).split(name).length - 1;
};

/** What an old session, an ended one, another tenant and a stranger to the mouse may do. */
export const guardWalks: Walks = [
  [
    'an old session proves who it is before a refund',
    { role: 'nobody' },
    async (walk) => {
      const { stage, open, press, confirm, see } = walk;
      const { invoiceId } = await sell(stage);
      await comeBackLater(walk, 'late-refund@example.com');
      await open(`/invoices/${invoiceId}`);
      await press('Refund …');
      await prove(
        walk,
        () => confirm(/^Refund €50/),
        async () => expect(await readStatus(stage, 'invoice', invoiceId)).toBe('paid'),
      );
      await see('Refunded €50');
      const { invoice } = await stage.client.graphql(
        'query ($id: ID!) { invoice(id: $id) { refunded { decimal } } }',
        { id: invoiceId },
      );
      expect(invoice.refunded.decimal).toBe('50.00');
    },
  ],
  [
    'an old session proves who it is before a new API key',
    { role: 'nobody' },
    async (walk) => {
      const { stage, open, press, confirm, fill, see, arrive } = walk;
      await comeBackLater(walk, 'late-key@example.com');
      await open('/keys');
      await arrive('API keys');
      await press('New API key');
      await fill('Name', 'Proved first');
      await prove(
        walk,
        () => confirm('New API key'),
        async () => expect(await countKeys(stage, 'Proved first')).toBe(0),
      );
      await see('Copy it now: it is not shown again, and nobody can look it up.');
      expect(await countKeys(stage, 'Proved first')).toBe(1);
    },
  ],
  [
    'an old session proves who it is before it erases a customer',
    { role: 'nobody' },
    async (walk) => {
      const { stage, open, choose, confirm, fill, see } = walk;
      const email = 'forget-me@example.com';
      const { id } = await stage.shop.customer({ email });
      const read = async () =>
        (await stage.client.graphql('query ($id: ID!) { customer(id: $id) { email } }', { id })).customer
          .email;
      await comeBackLater(walk, 'late-erasure@example.com');
      await open(`/customers/${id}`);
      await choose('Erase personal data');
      await fill(/^Type /, email);
      await prove(
        walk,
        () => confirm('Erase personal data'),
        async () => expect(await read()).toBe(email),
      );
      await see('The personal data is erased');
      expect(await read()).not.toBe(email);
    },
  ],
  [
    'an old session proves who it is before an export',
    { role: 'nobody' },
    async (walk) => {
      const { stage, page, open, press, confirm } = walk;
      await stage.shop.customer({ email: 'exported@example.com' });
      let downloads = 0;
      page.on('download', () => (downloads += 1));
      await comeBackLater(walk, 'late-export@example.com');
      await open('/customers?search=exported@example.com');
      await page.locator('tr[data-row]').first().waitFor();
      await press('Export CSV');
      const downloading = page.waitForEvent('download');
      await prove(
        walk,
        () => confirm('Export CSV'),
        async () => expect(downloads).toBe(0),
      );
      expect(await text(await (await downloading).createReadStream())).toContain('exported@example.com');
    },
  ],
  [
    'who may not export lists reads why',
    { role: 'support' },
    async ({ stage, page, open }) => {
      await stage.shop.customer();
      await open('/customers');
      const button = page.getByRole('button', { name: 'Export CSV' });
      await button.waitFor();
      expect(await button.getAttribute('aria-disabled')).toBe('true');
      expect(await button.getAttribute('title')).toMatch(/export_data/);
    },
  ],
  [
    'a session that is ended elsewhere is out within a second, in the midst of live events',
    { role: 'nobody' },
    async (walk) => {
      const { stage, page, context, open, arrive } = walk;
      const email = 'out-at-once@example.com';
      await useLink(walk, email);
      await arrive('Home');
      await open('/customers');
      await arrive('Customers');
      const other = await context.browser()!.newContext();
      const elsewhere = await other.newPage();
      await elsewhere.goto(await stage.invite(email));
      await elsewhere.getByRole('button', { name: 'Open the console with this link' }).click();
      await elsewhere.getByRole('button', { name: 'Not now' }).click();
      await elsewhere.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
      await elsewhere.goto(`${stage.base}/console/account`);
      let isEnded = false;
      let sawBefore = 'nothing';
      page.on('framenavigated', () => {
        if (!isEnded && page.url().includes('/sign-in')) sawBefore = 'the sign-in';
      });
      const ended = elsewhere.waitForResponse(
        (answer) => answer.request().postData()?.includes('RevokeOtherSessions') === true,
      );
      await elsewhere.getByRole('button', { name: 'End all others' }).click();
      await ended;
      isEnded = true;
      const since = performance.now();
      await expect.poll(() => page.getByRole('heading', { name: 'Sign in to Perennial' }).count()).toBe(1);
      const tookMs = performance.now() - since;
      // A busy machine may need longer for the page; the server looks once a second.
      expect(tookMs).toBeLessThan(10_000);
      console.log(`A session was out ${Math.round(tookMs)} ms after it was ended.`);
      expect(sawBefore).toBe('nothing');
      const next = new URL(page.url()).searchParams.get('next');
      expect(next).toBe(`/t/${tenant}/customers`);
      await other.close();
    },
  ],
  [
    'a link to a record leads there after the sign-in',
    { role: 'nobody' },
    async (walk) => {
      const { stage, page, press, arrive, fill, confirm } = walk;
      const customer = await stage.shop.customer({ firstName: 'Deep', lastName: 'Link' });
      await addPasskeyDevice(walk.page);
      await useLink(walk, 'deep@example.com');
      await arrive('Home');
      await page.goto(`${stage.base}/console/account`);
      await press('Add a passkey');
      await fill('Name', 'Deep');
      await confirm('Add a passkey');
      await page.getByRole('cell', { name: 'Deep', exact: true }).waitFor();
      await walk.context.clearCookies();
      // Without a tenant, as the logs of the server and the mails to operators name records.
      for (const place of [`/t/${tenant}/customers/${customer.id}?tab=x`, `/customers/${customer.id}`]) {
        await page.goto(`${stage.base}/console${place}`);
        await press('Sign in with a passkey');
        await arrive('Deep Link');
        expect(new URL(page.url()).pathname).toBe(`/console/t/${tenant}/customers/${customer.id}`);
        await walk.context.clearCookies();
      }
    },
  ],
  [
    'two tenants never meet: in lists, search, records and live events',
    { role: 'nobody' },
    async (walk) => {
      const { stage, page, open, arrive, see } = walk;
      const email = 'both@example.com';
      const other = await stage.openTenant('neighbour');
      const theirs = await other.shop.customer({
        firstName: 'Over',
        lastName: 'There',
        email: 'there@example.com',
      });
      await stage.shop.customer({ firstName: 'Over', lastName: 'Here', email: 'here@example.com' });
      await stage.invite(email, 'viewer', 'neighbour');
      await useLink(walk, email);
      await arrive('Home');
      const switchTo = async (alias: string) => {
        await page.locator('.sidebar-tenant').click();
        await page.getByRole('menuitemcheckbox', { name: new RegExp(`^${alias}`) }).click();
        await page.waitForURL(`**/console/t/${alias}`);
        await arrive('Home');
      };
      const searchFor = async (name: string, hidden: string) => {
        await page.keyboard.press('Control+k');
        await page.getByPlaceholder('Search or do something').fill('Over');
        await page.getByRole('option', { name: new RegExp(name) }).waitFor();
        expect(await page.getByRole('option', { name: new RegExp(hidden) }).count()).toBe(0);
        await page.keyboard.press('Escape');
      };
      await switchTo('neighbour');
      await page.getByRole('link', { name: 'Customers', exact: true }).click();
      await page.getByRole('link', { name: 'Over There' }).waitFor();
      expect(await page.getByRole('link', { name: 'Over Here' }).count()).toBe(0);
      await searchFor('Over There', 'Over Here');
      // In the other tenant the same person is an owner; here only a viewer.
      expect(await page.getByRole('button', { name: 'New customer' }).getAttribute('aria-disabled')).toBe(
        'true',
      );
      // Events of both tenants happen; the last one shows that those before it would have arrived.
      await stage.shop.customer({ firstName: 'Not', lastName: 'Ours' });
      await other.shop.customer({ firstName: 'Newly', lastName: 'Ours' });
      await page.getByRole('link', { name: 'Newly Ours' }).waitFor();
      expect(await page.getByText('Not Ours').count()).toBe(0);
      await switchTo(tenant);
      await open('/customers?search=there@example.com');
      await see('Nothing matches these filters.');
      await searchFor('Over Here', 'Over There');
      await open(`/customers/${theirs.id}`);
      await see(/There is no such|not found|does not exist/i);
      expect(await page.getByText('Over There').count()).toBe(0);
    },
  ],
  [
    'by keyboard alone, from the sign-in to a refund',
    { role: 'nobody' },
    async ({ stage, page, see, arrive }) => {
      const { invoiceId, customer } = await sell(stage);
      const { invoice } = await stage.client.graphql(
        'query ($id: ID!) { invoice(id: $id) { documentNumber } }',
        { id: invoiceId },
      );
      await page.goto(await stage.invite('keyboard@example.com'));
      await page.getByRole('button', { name: 'Open the console with this link' }).waitFor();
      const focused = () => page.evaluate('document.activeElement.textContent') as Promise<string>;
      const tabTo = async (name: string | RegExp) => {
        const wanted = (at: string) => (typeof name === 'string' ? at.startsWith(name) : name.test(at));
        for (let presses = 0; presses < 60; presses += 1) {
          if (wanted(await focused())) return;
          await page.keyboard.press('Tab');
        }
        throw new Error(`No key led to ${String(name)}.`);
      };
      await tabTo('Open the console');
      await page.keyboard.press('Enter');
      await arrive('Add a passkey or set a password');
      await tabTo('Not now');
      await page.keyboard.press('Enter');
      await arrive('Home');
      await page.keyboard.press('Control+k');
      await page.locator('input:focus').waitFor();
      await page.keyboard.type(invoice.documentNumber);
      await page.getByRole('option', { name: new RegExp(invoice.documentNumber) }).waitFor();
      await page.keyboard.press('Enter');
      await arrive(invoice.documentNumber);
      await see(customer.lastName);
      await page.getByRole('button', { name: 'Refund …' }).waitFor();
      await tabTo('Refund …');
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog');
      await dialog.waitFor();
      // The first field has the focus, and Escape returns it to where it was.
      await page.keyboard.press('Escape');
      expect(await focused()).toBe('Refund …');
      await page.keyboard.press('Enter');
      await dialog.waitFor();
      await page.keyboard.press('Control+a');
      await page.keyboard.type('20');
      await dialog.getByRole('button', { name: /^Refund €20/ }).waitFor();
      await tabTo(/^Refund €20/);
      await page.keyboard.press('Enter');
      await see('Refunded €20');
      expect(await readStatus(stage, 'invoice', invoiceId)).toBe('paid');
    },
  ],
  [
    'on a phone, from the customers to a refund, without scrolling sideways',
    { width: 360, hasTouch: true, isMobile: true },
    async ({ stage, page, open, press, fill, confirm, arrive, see }) => {
      const { customer, invoiceId } = await sell(stage);
      const expectFit = async () =>
        expect(await page.evaluate('document.documentElement.scrollWidth'), page.url()).toBe(360);
      await open('/');
      await arrive('Home');
      await expectFit();
      await press('Menu');
      await page.getByRole('link', { name: 'Customers', exact: true }).tap();
      await page.getByRole('link', { name: `Ada ${customer.lastName}` }).tap();
      await arrive(`Ada ${customer.lastName}`);
      await expectFit();
      await page.locator(`a[href$="${invoiceId}"]`).tap();
      await press('Refund …');
      await fill('Amount in EUR', '5');
      const button = page.getByRole('dialog').getByRole('button', { name: /^Refund €5/ });
      await button.waitFor();
      const box = (await button.boundingBox())!;
      expect(box.x).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width).toBeLessThanOrEqual(360);
      await expectFit();
      await confirm(/^Refund €5/);
      await see('Refunded €5');
      await expectFit();
    },
  ],
];
