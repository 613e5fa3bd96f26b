/** In which language a payment page is shown, and how a reader chooses another. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { languageNames } from '../../../src/lib/language.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { readText } from '../../support/pages.ts';
import { createShop, type Shop } from '../../support/shop.ts';
import { inject } from '../../support/world.ts';
import { payPath } from '../../support/payLinks.ts';

let app: TestApp;
let client: Client;
let shop: Shop;
beforeAll(async () => {
  app = await startApp({ publicUrl: 'https://pay.test/billing/', rateLimitPerSecond: '10000' });
  client = await app.tenant({ alias: 'acme', name: 'Acme' });
  shop = createShop(client, 'acme');
});
afterAll(() => app.close());

async function newIntent(locale?: string): Promise<string> {
  const { price } = await shop.product({ name: 'Pro', currency: 'eur' });
  const customer = await shop.customer();
  await client.graphql(
    'mutation ($id: ID!, $locale: String) { updateCustomer(id: $id, input: { locale: $locale }) { id } }',
    { id: customer.id, locale },
  );
  return (await shop.intent(customer, price)).intentId;
}

const open = async (id: string, query = '', headers: Record<string, string> = {}) =>
  inject(app, { url: `${await payPath(app, id)}${query}`, headers });
const findLanguage = (page: string) => /<html lang="(\w+)" dir="(\w+)">/.exec(page)!.slice(1);

describe('the language of the page', () => {
  const rows: [
    name: string,
    locale: string | undefined,
    query: string,
    headers: Record<string, string>,
    string[],
  ][] = [
    ['none known', undefined, '', {}, ['en', 'ltr']],
    ['of the browser', undefined, '', { 'accept-language': 'es-MX,es;q=0.9,en;q=0.8' }, ['es', 'ltr']],
    ['of the customer', 'de-AT', '', { 'accept-language': 'fr' }, ['de', 'ltr']],
    ['of a customer without texts', 'ja', '', { 'accept-language': 'fr' }, ['fr', 'ltr']],
    ['chosen', 'de', '?lang=fa', {}, ['fa', 'rtl']],
    ['chosen before', 'de', '', { cookie: 'a=b; perennial_language=ps' }, ['ps', 'rtl']],
    ['chosen anew', undefined, '?lang=es', { cookie: 'perennial_language=ps' }, ['es', 'ltr']],
    ['Arabic of a region', 'ar-EG', '', { 'accept-language': 'fr' }, ['ar', 'rtl']],
    ['by its former tag', undefined, '?lang=iw', {}, ['he', 'rtl']],
    ['unknown', 'de', '?lang=xx', { cookie: 'perennial_language=xx' }, ['de', 'ltr']],
    ['no text', undefined, '?lang=de&lang=fr', { cookie: 'perennial_language=' }, ['en', 'ltr']],
    ['markup', undefined, '?lang=%22%3E%3Cscript%3E', { 'accept-language': '"><script>' }, ['en', 'ltr']],
  ];
  it.each(rows)('%s', async (_, locale, query, headers, expected) => {
    const { status, text } = await open(await newIntent(locale), query, headers);
    expect([status, findLanguage(text)]).toEqual([200, expected]);
    expect(text).not.toContain('<script');
  });
});

it('a chosen language is kept for the pages of this server only', async () => {
  const { headers } = await open(await newIntent(), '?lang=fa');
  expect(headers['set-cookie']).toBe(
    'perennial_language=fa; Path=/billing; Max-Age=31536000; HttpOnly; SameSite=Lax; Secure',
  );
  expect((await open(await newIntent(), '?lang=xx')).headers['set-cookie']).toBeUndefined();
});

it('each page leads to the others, and names the present one', async () => {
  const id = await newIntent();
  const { text } = await open(id);
  const path = await payPath(app, id);
  const links = [...text.matchAll(/<a lang="(\w+)" hreflang="\w+" href="([^"]+)">([^<]+)<\/a>/g)];
  expect(links.map(([, ...link]) => link)).toEqual(
    Object.entries(languageNames)
      .filter(([tag]) => tag !== 'en')
      .map(([tag, name]) => [tag, `/billing${path}?lang=${tag}`, name]),
  );
  expect(text).toContain('<span lang="en" aria-current="true">English</span>');
});

it.each([
  ['de', 'Pro abonnieren 50,00 € pro Monat', 'Heute fällig 50,00 €', '50,00 € bezahlen'],
  ['fr', 'S’abonner à Pro 50,00 € par mois', 'À payer aujourd’hui 50,00 €', 'Payer 50,00 €'],
  ['es', 'Suscribirse a Pro 50,00 € al mes', 'A pagar hoy 50,00 €', 'Pagar 50,00 €'],
  ['fa', 'اشتراک Pro €۵۰٫۰۰ در ماه', 'قابل پرداخت امروز €۵۰٫۰۰', 'پرداخت €۵۰٫۰۰'],
  ['ps', 'د Pro ګډون € ۵۰٫۰۰ هره میاشت', 'نن د ورکړې وړ € ۵۰٫۰۰', '€ ۵۰٫۰۰ ورکړئ'],
  ['ar', 'الاشتراك في Pro 50.00 € شهريًا', 'المستحق اليوم 50.00 €', 'ادفع 50.00 €'],
  ['he', 'מינוי ל־Pro 50.00 € לחודש', 'לתשלום היום 50.00 €', 'תשלום 50.00 €'],
])('in %s', async (language, ...parts) => {
  const { text } = await open(await newIntent(), `?lang=${language}`);
  const shown = readText(text).replace(/[\u200E\u200F]/g, '');
  for (const part of parts) expect(shown).toContain(part);
});

it('Arabic has the digits of the region of the customer, or else of the browser', async () => {
  const show = async (locale: string | undefined, query = '', accepted = 'en') => {
    const { text } = await open(await newIntent(locale), query, { 'accept-language': accepted });
    return readText(text).replace(/[\u200E\u200F]/g, '');
  };
  expect(await show('ar-EG')).toContain('ادفع ٥٠٫٠٠ €');
  expect(await show('ar-MA')).toContain('ادفع 50,00 €');
  expect(await show('ar-EG-u-nu-latn')).toContain('ادفع 50.00 €');
  expect(await show('de', '?lang=ar')).toContain('ادفع 50.00 €');
  expect(await show(undefined, '', 'fr;q=0.1,ar-IQ')).toContain('ادفع ٥٠٫٠٠ €');
  expect(await show('de', '?lang=ar', 'en,ar-DZ;q=0.5')).toContain('ادفع 50,00 €');
  expect(await show('ar-EG', '', 'ar-DZ')).toContain('ادفع ٥٠٫٠٠ €');
});

it('an error page follows the browser', async () => {
  const { status, text } = await open('int_none', '', { 'accept-language': 'de' });
  expect([status, findLanguage(text)]).toEqual([404, ['de', 'ltr']]);
  expect(text).toContain('Hier gibt es nichts zu bezahlen');
});
