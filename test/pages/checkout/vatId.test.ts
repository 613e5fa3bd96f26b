/** The VAT id that a payer enters on the payment page: asked about while the payer waits, with words for each answer. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks } from '../../support/books.ts';
import { billText, readInvoices } from '../../support/taxes.ts';
import { createFrenchVatId, startVies, type Behaviour, type FakeVies } from '../../support/vies.ts';
import { readText } from '../../support/pages.ts';
import { inject } from '../../support/world.ts';
import { payPath } from '../../support/payLinks.ts';

let vies: FakeVies;
let app: TestApp;
beforeAll(async () => {
  vies = await startVies();
  app = await startApp(
    { publicUrl: 'http://pay.test', viesUrl: vies.url },
    { vies: { timeoutMs: 300, firstPauseMs: 0, cachedForMs: 0 } },
  );
});
afterAll(async () => {
  await app.close();
  vies.close();
});

async function openPage() {
  const books = await openBooks(app, '2026-06-01');
  await books.client.graphql(
    'mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { alias } }',
    { input: { seller: { legalName: 'Perennial GmbH', address: { country: 'DE' } }, vatIdCheck: 'draft' } },
  );
  const customer = await books.shop.customer();
  const { intentId } = await books.shop.intent(customer, await books.plan(100));
  const show = async () => (await inject(app, { url: await payPath(app, intentId) })).text;
  const submit = async (path: string, fields: Record<string, string>) => {
    const token = /name="token" value="([^"]+)"/.exec(await show())![1]!;
    return inject(app, {
      method: 'POST',
      url: `${await payPath(app, intentId)}${path}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded', host: 'pay.test' },
      payload: new URLSearchParams({ token, ...fields }).toString(),
    });
  };
  const save = (vatId: string, fields = {}) =>
    submit('/details', {
      companyName: 'Studio',
      line1: 'Rue 1',
      city: 'Paris',
      country: 'FR',
      vatId,
      ...fields,
    });
  return { books, customer, show, save, pay: () => submit('', { method: 'sandbox_ok' }) };
}

const table: [Behaviour, string, string, string][] = [
  ['valid', 'you account for the VAT yourself', 'Pay AFN 100.00', '100: cycle 100 +0'],
  ['invalid', 'VIES does not know this VAT ID', 'Pay AFN 120.00', '120: cycle 100 +20'],
  ['silent', 'VIES does not respond', 'Pay AFN 120.00', '120: cycle 100 +20'],
];
it.each(table)('an id for which VIES is %s', async (behaviour, words, button, bill) => {
  const { books, customer, show, save, pay } = await openPage();
  const vatId = createFrenchVatId();
  vies.set(vatId, behaviour);
  expect((await save(vatId)).status).toBe(303);
  expect(await show()).toContain(words);
  expect(readText(await show())).toContain(button);
  expect((await pay()).status).toBe(303);
  expect((await readInvoices(books, customer)).map(billText)).toEqual([bill]);
  expect(vies.about(vatId)).toHaveLength(1);
});

it('is asked about again when the payer saves again', async () => {
  const { show, save } = await openPage();
  const vatId = createFrenchVatId();
  vies.set(vatId, 'busy');
  await save(vatId);
  expect(readText(await show())).toContain('Pay AFN 120.00');
  vies.set(vatId, 'valid');
  await save(vatId);
  expect(readText(await show())).toContain('Pay AFN 100.00');
  await save(vatId);
  expect(vies.about(vatId)).toHaveLength(2);
});

it('has no words where no tax depends on VIES, and keeps the state or province', async () => {
  const { books, customer, show, save } = await openPage();
  await save('', { country: 'US', region: 'California' });
  const text = await show();
  expect(text).not.toContain('VIES');
  expect(text).toContain('value="California"');
  const { customer: saved } = await books.client.graphql(
    'query ($id: ID!) { customer(id: $id) { address { region country } } }',
    { id: customer.id },
  );
  expect(saved.address).toEqual({ region: 'California', country: 'US' });
});
