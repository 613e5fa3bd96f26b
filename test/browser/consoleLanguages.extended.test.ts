/** The console in other languages, in a real browser: what the server refuses is said in them, and countries have their names. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { openBooks, type Books } from '../support/books.ts';
import { browserStartMs, connectBrowser, stepLimitMs } from '../support/browser.ts';
import { listen } from '../support/follow.ts';
import { signInOperator } from '../support/operators.ts';
import { buildConsole } from '../support/program.ts';

let app: TestApp;
let books: Books;
let url: string;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  buildConsole();
  app = await startApp({ publicUrl: 'http://127.0.0.1', testMails: 'on' });
  books = await openBooks(app, '2026-01-31T09:00:00.000Z');
  await books.shop.customer({ associatedId: 'grace-1' });
  url = await listen(app);
}, browserStartMs);
afterAll(() => app.close());
afterEach(() => context.close());

async function openIn(locale: string, place: string) {
  const { cookie } = await signInOperator(app, { role: 'owner', tenant: books.alias });
  const [name, value] = cookie.split('=');
  const browser = await connectBrowser();
  context = await browser.newContext({ viewport: { width: 1280, height: 860 }, locale });
  await context.addCookies([{ name: name!, value: value!, url }]);
  page = await context.newPage();
  page.setDefaultTimeout(stepLimitMs);
  await open(place);
}

const open = (place: string) => page.goto(`${url}/console/t/${books.alias}${place}`);
const dialog = () => page.getByRole('dialog');
const send = () => dialog().locator('button[type=submit]').click();
/** Waits for the refusal of a form: its title and its lines. */
const seeRefused = async (...lines: (string | RegExp)[]) => {
  const alert = dialog().locator('.note.bad[role=alert]');
  for (const line of lines) await alert.getByText(line, { exact: true }).waitFor();
};

interface Words {
  actions: string;
  edit: string;
  labels: { firstName: string; email: string; line1: string; country: string; id: string };
  austria: string;
  refused: { tooLong: string; email: string; country: string; empty: string; taken: [string, string] };
  missing: string;
  unknown: string;
}

const languages: Record<string, Words> = {
  de: {
    actions: 'Weitere Aktionen',
    edit: 'Angaben bearbeiten',
    labels: {
      firstName: 'Vorname',
      email: 'E-Mail-Adresse',
      line1: 'Straße und Nummer',
      country: 'Land',
      id: 'Ihre Kennung',
    },
    austria: 'Österreich',
    refused: {
      tooLong: 'darf höchstens 200 Zeichen haben',
      email: 'muss eine E-Mail-Adresse sein',
      country: 'muss ein Land sein',
      empty: 'darf nicht leer sein',
      taken: ['Ein anderer Kunde hat diese Kennung schon.', 'ist schon vergeben'],
    },
    missing: 'Diesen Eintrag gibt es nicht, oder er wurde gelöscht.',
    unknown: 'gibt es nicht$',
  },
  fr: {
    actions: 'Autres actions',
    edit: 'Modifier les données',
    labels: {
      firstName: 'Prénom',
      email: 'Adresse e-mail',
      line1: 'Rue et numéro',
      country: 'Pays',
      id: 'Votre identifiant',
    },
    austria: 'Autriche',
    refused: {
      tooLong: 'doit avoir au plus 200 caractères',
      email: 'doit être une adresse e-mail',
      country: 'doit être un pays',
      empty: 'ne doit pas être vide',
      taken: ['Un autre client a déjà cet identifiant.', 'est déjà pris'],
    },
    missing: 'Cet enregistrement n’existe pas ou a été supprimé.',
    unknown: 'n’existe pas$',
  },
  fa: {
    actions: 'کارهای دیگر',
    edit: 'ویرایش مشخصات',
    labels: {
      firstName: 'نام',
      email: 'نشانی ایمیل',
      line1: 'خیابان و شماره',
      country: 'کشور',
      id: 'شناسهٔ شما',
    },
    austria: 'اتریش',
    refused: {
      tooLong: 'باید حداکثر ۲۰۰ نویسه باشد',
      email: 'باید نشانی ایمیل باشد',
      country: 'باید یک کشور باشد',
      empty: 'نباید خالی باشد',
      taken: ['مشتری دیگری این شناسه را دارد.', 'پیش‌تر گرفته شده است'],
    },
    missing: 'چنین موردی وجود ندارد یا حذف شده است.',
    unknown: 'وجود ندارد$',
  },
};

it.each(Object.entries(languages))('what is refused is said in the language %s', async (locale, words) => {
  const { labels, refused } = words;
  const customer = await books.shop.customer({ email: 'grace@example.com' });
  await openIn(locale, `/customers/${customer.id}`);
  await page.getByRole('button', { name: words.actions }).first().click();
  await page.getByRole('menuitem', { name: words.edit }).click();
  const fill = (label: string, text: string) =>
    dialog().getByLabel(label, { exact: true }).first().fill(text);
  await fill(labels.firstName, 'x'.repeat(201));
  await fill(labels.line1, '1 Main Street');
  await send();
  await seeRefused(`${labels.firstName}: ${refused.tooLong}`, `${labels.country}: ${refused.country}`);
  await fill(labels.firstName, ' ');
  await send();
  await seeRefused(`${labels.firstName}: ${refused.empty}`);
  await fill(labels.firstName, 'Grace');
  await fill(labels.email, 'no address');
  await send();
  await seeRefused(`${labels.email}: ${refused.email}`);
  await fill(labels.email, 'grace@example.com');
  await dialog().getByLabel(labels.country, { exact: true }).selectOption(words.austria);
  await send();
  await dialog().waitFor({ state: 'detached' });
  const { customer: saved } = await books.client.graphql(
    'query ($id: ID!) { customer(id: $id) { firstName address { country line1 } } }',
    { id: customer.id },
  );
  expect(saved).toEqual({ firstName: 'Grace', address: { country: 'AT', line1: '1 Main Street' } });

  await open('/customers');
  await page.locator('main header button.main').click();
  const inputs = dialog().locator('input');
  for (const [nth, text] of ['Other', 'Person', '', `${locale}@example.com`, 'grace-1'].entries())
    await inputs.nth(nth).fill(text);
  await send();
  await seeRefused(refused.taken[0], `${labels.id}: ${refused.taken[1]}`);

  await open(`/customers/${customer.id}`);
  await page.getByRole('button', { name: words.actions }).first().click();
  await page.getByRole('menuitem').nth(4).click();
  await dialog().locator('input:not([role=combobox])').first().fill('NOWHERE');
  await send();
  await seeRefused(words.missing, new RegExp(words.unknown));
});

it('what an invoice charges is said in the language of the console', async () => {
  const plan = await books.plan(40, { name: 'Studio', currency: 'eur' });
  const id = await books.subscribe(await books.shop.customer(), plan);
  const [invoice] = await books.invoices(id);
  for (const [locale, text] of [
    ['de', 'Studio, monatlich'],
    ['fr', 'Studio, chaque mois'],
    ['fa', '\u2068Studio\u2069، هر ماه'],
  ]) {
    await openIn(locale!, `/invoices/${invoice.id}`);
    await page.getByText(text!, { exact: true }).waitFor();
    await open(`/subscriptions/${id}`);
    await page.getByText(text!, { exact: true }).first().waitFor();
    if (locale !== 'fa') await context.close();
  }
});

it('what is wrong with a bank account and a colour is said in German', async () => {
  await openIn('de', '/settings/providers');
  const account = page.locator('form', { has: page.getByLabel('IBAN') });
  await account.getByLabel('Kontoinhaber').fill('Acme');
  await account.getByLabel('IBAN').fill('DE00');
  await account.locator('button[type=submit]').click();
  const wrongIban = account.getByText('ist keine IBAN: die Prüfziffern stimmen nicht');
  await expect.poll(() => wrongIban.count()).toBeGreaterThan(0);
  await open('/settings/branding');
  const looks = page.locator('form', { has: page.getByLabel('Farbe') }).first();
  await looks.getByLabel('Farbe').fill('grün');
  await looks.locator('button[type=submit]').click();
  const wrongColor = looks.getByText('muss eine Farbe wie #14663f sein');
  await expect.poll(() => wrongColor.count()).toBeGreaterThan(0);
});

it('a Latin name is cut at its end, and keeps its full stop there, in a page from right to left', async () => {
  const [firstName, lastName] = ['Copperfield', `${'Energy '.repeat(20)}Inc.`];
  const name = `${firstName} ${lastName}`;
  const customer = await books.shop.customer({ firstName, lastName });
  const subscription = await books.subscribe(customer, await books.plan(50));
  await openIn('fa', `/subscriptions/${subscription}`);
  const measure = () =>
    page.evaluate(`(() => {
      const full = ${JSON.stringify(name)};
      const links = [...document.querySelectorAll('main a')];
      const link = links.find(({ textContent }) => textContent === full);
      const text = document.createTreeWalker(link, NodeFilter.SHOW_TEXT).nextNode();
      const find = (start) => {
        const range = document.createRange();
        range.setStart(text, start);
        range.setEnd(text, start + 1);
        return range.getBoundingClientRect();
      };
      const box = link.closest('td, p').getBoundingClientRect();
      const [first, last] = [find(0), find(full.length - 1)];
      return {
        beginningIsShown: first.left >= box.left && first.right <= box.right,
        stopIsLast: last.top > first.top || last.left > first.left,
      };
    })()`);
  const right = { beginningIsShown: true, stopIsLast: true };
  await page.getByRole('link', { name }).first().waitFor();
  expect(await measure()).toEqual(right);
  await open('/customers');
  await page.getByRole('link', { name }).first().waitFor();
  expect(await measure()).toEqual(right);
});

it('the subject of a mail begins where its language does, on an invoice in a page from right to left', async () => {
  await books.subscribe(
    await books.shop.customer(),
    await books.plan(30, { name: 'Mailed', currency: 'eur' }),
  );
  const [invoice] = (await books.client.graphql('{ invoices(first: 1) { nodes { id } } }')).invoices.nodes;
  await app.service.mailer.sendDue(app.service, books.alias);
  await openIn('fa', `/invoices/${invoice.id}`);
  const subject = page.getByRole('link', { name: /^\[Test\] / });
  await subject.waitFor();
  const [first, second] = await subject.evaluate((link: any) => {
    const root = link.ownerDocument;
    const text = root.createTreeWalker(link, 4).nextNode();
    return ['[', 'T'].map((letter) => {
      const range = root.createRange();
      range.setStart(text, text.data.indexOf(letter));
      range.setEnd(text, text.data.indexOf(letter) + 1);
      return range.getBoundingClientRect().left as number;
    });
  });
  expect(first).toBeLessThan(second!);
});

it('the command menu keeps the full stop of a Latin name in a page from right to left', async () => {
  await books.shop.customer({ firstName: 'Orbiting', lastName: 'Ltd.' });
  await openIn('fa', '/customers');
  await page.locator('h1').waitFor();
  await page.keyboard.press('Control+k');
  await page.locator('.commands input').fill('orbiting');
  const hit = page.getByRole('option', { name: /Orbiting Ltd\./ });
  await hit.waitFor();
  const [first, last] = await hit.evaluate((option: any) => {
    const root = option.ownerDocument;
    const text = root.createTreeWalker(option, 4).nextNode();
    return [0, text.data.length - 1].map((at) => {
      const range = root.createRange();
      range.setStart(text, at);
      range.setEnd(text, at + 1);
      return range.getBoundingClientRect().left as number;
    });
  });
  expect(first).toBeLessThan(last!);
});

it.each([
  ['de', 'Deutschland', 'Alle'],
  ['fa', 'آلمان', 'همه'],
])('tax rates and the seller name countries in the language %s', async (locale, germany, all) => {
  await openIn(locale, '/settings/taxes');
  const standard = page.locator('.settings-choices select');
  await standard.selectOption(germany);
  await expect.poll(() => page.getByRole('cell', { name: germany, exact: true }).count()).toBeGreaterThan(0);
  expect(await standard.locator('option').first().innerText()).toBe(all);
  await standard.selectOption('');
  await expect.poll(() => page.locator('.settings-choices + * tbody tr').count()).toBeGreaterThan(20);
  await open('/settings/business');
  const seller = page.locator('form', { has: page.locator('select option[value=DE]') });
  await seller.locator('input').first().fill('Acme GmbH');
  await seller.locator('select', { has: page.locator('option[value=DE]') }).selectOption(germany);
  await seller.locator('button[type=submit]').click();
  const readCountry = async () =>
    (await books.client.graphql('{ tenant { seller { address { country } } } }')).tenant.seller?.address
      ?.country;
  await expect.poll(readCountry).toBe('DE');
  await books.client.graphql('mutation { updateTenant(input: { seller: null }) { alias } }');
});
