import { expect } from 'vitest';
import { tenant } from './stage.ts';
import { addPasskeyDevice } from '../support/browser.ts';
import { useLink } from './steps.ts';
import type { Walks } from './walk.ts';

/** Getting in, getting out, and finding one's way. */
export const entryWalks: Walks = [
  [
    'the first operator adds a passkey after the link, and comes back with it to the page of a mail',
    { role: 'nobody' },
    async (walk) => {
      const { page, press, see, fill, confirm, open, arrive } = walk;
      await addPasskeyDevice(walk.page);
      await page.goto(await walk.stage.invite('first@example.com'));
      await press('Open the console with this link');
      await arrive('Add a passkey or set a password');
      await press('Add a passkey');
      await fill('Name', 'Test device');
      await confirm('Add a passkey');
      await arrive('Home');
      await page.goto(`${walk.stage.base}/console/account`);
      await page.getByRole('cell', { name: 'Test device', exact: true }).waitFor();
      await press('first@example.com');
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in to Perennial' }).waitFor();
      await open('/customers?search=nobody@example.com');
      await press('Sign in with a passkey');
      await see('Nothing matches these filters.');
      expect(new URL(page.url()).searchParams.get('search')).toBe('nobody@example.com');
    },
  ],
  [
    'a link works once',
    { role: 'nobody' },
    async (walk) => {
      const url = await useLink(walk, 'once@example.com');
      await walk.arrive('Home');
      await walk.context.clearCookies();
      await walk.page.goto('about:blank');
      await walk.page.goto(url);
      await walk.press('Open the console with this link');
      await walk.see(/did not match/);
    },
  ],
  [
    'a session that is revoked elsewhere is out at once',
    { role: 'nobody' },
    async (walk) => {
      const { stage, page, context, arrive } = walk;
      await useLink(walk, 'revoked@example.com');
      await arrive('Home');
      const other = await context.browser()!.newContext();
      const elsewhere = await other.newPage();
      await elsewhere.goto(await stage.invite('revoked@example.com'));
      await elsewhere.getByRole('button', { name: 'Open the console with this link' }).click();
      await elsewhere.getByRole('button', { name: 'Not now' }).click();
      await elsewhere.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
      await elsewhere.goto(`${stage.base}/console/account`);
      await elsewhere.getByRole('button', { name: 'End all others' }).click();
      await page.getByRole('heading', { name: 'Sign in to Perennial' }).waitFor();
      await other.close();
    },
  ],
  [
    'an address without a tenant leads to that of the last tenant',
    {},
    async ({ stage, page, arrive }) => {
      await page.goto(`${stage.base}/console/invoices`);
      await arrive('Invoices');
      expect(page.url()).toBe(`${stage.base}/console/t/${tenant}/invoices`);
    },
  ],
  [
    'a tenant without a role is not shown',
    { role: 'viewer' },
    async ({ stage, page, see }) => {
      await page.goto(`${stage.base}/console/t/other/customers`);
      await see('You have no role in this tenant');
    },
  ],
  [
    'an unknown address says so and leads home',
    {},
    async ({ open, see, page, arrive }) => {
      await open('/nothing/here');
      await see('There is no such page');
      await page.getByRole('link', { name: 'Go to the home screen' }).click();
      await arrive('Home');
    },
  ],
  ...(
    [
      ['de', 'Kunden', 'ltr'],
      ['fr', 'Clients', 'ltr'],
      ['fa', 'مشتریان', 'rtl'],
    ] as const
  ).map(([locale, title, direction]): Walks[number] => [
    `speaks ${locale}`,
    { locale },
    async ({ open, page, arrive }) => {
      await open('/customers');
      await arrive(title);
      expect(await page.evaluate('document.documentElement.dir || "ltr"')).toBe(direction);
    },
  ]),
  [
    'is dark where the system is',
    { colorScheme: 'dark' },
    async ({ open, page, arrive }) => {
      await open('/customers');
      await arrive('Customers');
      const [red] = (await page.evaluate(
        'getComputedStyle(document.body).backgroundColor.match(/\\d+/g)',
      )) as any;
      expect(Number(red)).toBeLessThan(60);
    },
  ],
  [
    'fits a phone, with the navigation behind a button',
    { width: 360 },
    async ({ open, page, press, arrive }) => {
      await open('/');
      await arrive('Home');
      await press('Menu');
      await page.getByRole('link', { name: 'Invoices' }).click();
      await arrive('Invoices');
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    },
  ],
  [
    'the command menu leads to a record',
    {},
    async ({ open, page, stage, arrive }) => {
      await stage.shop.customer({ firstName: 'Grace', lastName: 'Hopper', email: 'grace@example.com' });
      await open('/');
      await arrive('Home');
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder('Search or do something').fill('grace@example.com');
      await page.getByRole('option', { name: /Grace Hopper/ }).waitFor();
      await page.keyboard.press('Enter');
      await arrive('Grace Hopper');
    },
  ],
  [
    'the command menu leads to a screen',
    {},
    async ({ open, page, arrive }) => {
      await open('/customers');
      await arrive('Customers');
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder('Search or do something').fill('Catalogue');
      await page.keyboard.press('Enter');
      await arrive('Catalogue');
    },
  ],
  [
    'the keys are explained by ?',
    {},
    async ({ open, page, arrive }) => {
      await open('/customers');
      await arrive('Customers');
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    },
  ],
  [
    'the account marks the session that one is in',
    {},
    async ({ stage, page, arrive }) => {
      await page.goto(`${stage.base}/console/account`);
      await arrive('Your account');
      await page.getByText('This one').waitFor();
    },
  ],
];
