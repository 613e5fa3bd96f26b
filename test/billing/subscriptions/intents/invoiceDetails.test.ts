/** The details of the invoice on the payment page: completed by a form, without a script, before and after paying. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { startApp, type TestApp } from '../../../support/app.ts';
import { findFaults } from '../../../support/faults.ts';
import { openTaxed, parties, type Taxed } from '../../../support/taxes.ts';
import { findDue } from '../../../support/pages.ts';
import { inject } from '../../../support/world.ts';
import { payPath } from '../../../support/payLinks.ts';

let app: TestApp;
let seller: Taxed;
beforeAll(async () => {
  app = await startApp({ publicUrl: 'http://pay.test', rateLimitPerSecond: '100000' });
});
afterAll(() => app.close());
beforeEach(async () => {
  seller = await openTaxed(app, '2026-12-15', 'DE');
});

interface Order {
  customer: any;
  id: string;
}

/** Orders a plan of 100 AFN a month before tax. */
async function order(party: object = {}, fields: object = {}): Promise<Order> {
  const customer = await seller.shop.customer();
  await seller.move(customer, party);
  const { intentId } = await seller.shop.intent(customer, await seller.plan(100), fields);
  return { customer, id: intentId };
}

const rome = {
  companyName: 'Studio Rossi',
  vatId: 'it 00743110157',
  line1: 'Via Roma 1',
  line2: '',
  postalCode: '00100',
  city: 'Roma',
  country: 'IT',
};
const page = async (id: string) => (await inject(app, { url: await payPath(app, id) })).text;
const tokenIn = (text: string) => /name="token" value="([^"]+)"/.exec(text)![1]!;
const submit = async (id: string, fields: object, path = '/details', headers: object = {}) =>
  inject(app, {
    method: 'POST',
    url: `${await payPath(app, id)}${path}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', host: 'pay.test', ...headers },
    payload: new URLSearchParams(fields as Record<string, string>).toString(),
  });
const send = async (id: string, fields: object, path?: string, headers?: object) =>
  submit(id, { token: tokenIn(await page(id)), ...fields }, path, headers);
const pay = (id: string, method = 'sandbox_ok') => send(id, { method }, '');

const hasForm = (text: string) => text.includes('/details"');
const isOpen = (text: string) => /<details[^>]* open/.test(text);
/** The fields that the page marks, with what it says about each. */
const marked = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/<small id="(\w+)-note"\s+class="problem"\s*>([^<]+)</g)].map(([, name, problem]) => [
      name,
      problem,
    ]),
  );

const details = async ({ id }: any, { client } = seller) =>
  (
    await client.graphql(
      `query ($id: ID!) { customer(id: $id) { companyName taxIds { type value }
        address { line1 line2 city postalCode region country } } }`,
      { id },
    )
  ).customer;
const setGrace = (hours: number) =>
  seller.client.graphql(
    'mutation ($hours: Int!) { updateTenant(input: { invoiceGraceHours: $hours }) { alias } }',
    { hours },
  );
const invoicesOf = async ({ id }: any) =>
  (
    await seller.client.graphql(
      `query ($id: ID!) { invoices(customerId: $id, first: 9) { nodes { id status documentNumber total { amount } tax { amount } } } }`,
      { id },
    )
  ).invoices.nodes;
const isSound = async () => expect(await findFaults(app, seller.alias)).toEqual([]);

describe('the form', () => {
  const shown: [name: string, party: object, open: boolean][] = [
    ['open if nothing is known', {}, true],
    ['closed if the country is known', parties['french']!, false],
  ];
  test.each(shown)('is %s', async (_name, party, open) => {
    const text = await page((await order(party)).id);
    expect([hasForm(text), isOpen(text)]).toEqual([true, open]);
  });

  it('is absent if the seller has no address, and then saves nothing', async () => {
    seller = await openTaxed(app, '2026-12-15', '');
    const { id, customer } = await order();
    expect(hasForm(await page(id))).toBe(false);
    expect((await send(id, rome)).status).toBe(409);
    expect(await details(customer)).toMatchObject({ companyName: null, address: null });
  });

  it('saves the details as the payer, and the tax follows them', async () => {
    const { id, customer } = await order();
    expect(findDue(await page(id))).toBe('AFN 119.00');
    const saved = await send(id, rome);
    expect([saved.status, saved.headers['location']]).toEqual([303, await payPath(app, id)]);
    const text = await page(id);
    expect([findDue(text), isOpen(text)]).toEqual(['AFN 100.00', false]);
    expect(text).toMatch(/Tax \(reverse charge\).*<button>Pay <bdi>AFN.100\.00<\/bdi><\/button>/s);
    expect(await details(customer)).toEqual({
      companyName: 'Studio Rossi',
      taxIds: [{ type: 'eu_vat', value: 'IT00743110157' }],
      address: {
        line1: 'Via Roma 1',
        line2: null,
        city: 'Roma',
        postalCode: '00100',
        region: null,
        country: 'IT',
      },
    });
    const { traces } = await seller.client.graphql(
      '{ traces(executorId: "system:payer", first: 9) { nodes { activityType } } }',
    );
    expect(traces.nodes).toEqual([{ activityType: 'CustomerEvent' }]);
    expect((await pay(id)).status).toBe(303);
    expect(await invoicesOf(customer)).toMatchObject([{ total: { amount: 100 }, tax: { amount: 0 } }]);
    await isSound();
  });

  it('keeps other tax ids, takes a region, and removes an emptied VAT id', async () => {
    const american = { type: 'us_ein', value: '12-3456789' } as const;
    const address = { ...parties['american']!.address!, region: 'CA' };
    const { id, customer } = await order({
      address,
      taxIds: [american, { type: 'gb_vat', value: 'GB980780684' }],
    });
    expect(await page(id)).toMatch(/value="GB980780684".*value="CA"/s);
    await send(id, { ...rome, country: 'US', region: 'NY', vatId: '' });
    expect(await details(customer)).toMatchObject({ taxIds: [american], address: { region: 'NY' } });
    await send(id, rome);
    expect(await details(customer)).toMatchObject({
      taxIds: [{ type: 'eu_vat', value: 'IT00743110157' }, american],
      address: { region: null },
    });
  });

  const vatIds: [vatId: string, country: string, stored: object][] = [
    ['el 094259216', 'GR', { type: 'eu_vat', value: 'EL094259216' }],
    ['GB980780684', 'GB', { type: 'gb_vat', value: 'GB980780684' }],
    ['CHE-116.281.710 MWST', 'CH', { type: 'ch_vat', value: 'CHE116281710MWST' }],
    ['NO988077917MVA', 'NO', { type: 'no_vat', value: 'NO988077917MVA' }],
  ];
  test.each(vatIds)('knows the type of %s', async (vatId, country, stored) => {
    const { id, customer } = await order();
    expect((await send(id, { ...rome, vatId, country })).status).toBe(303);
    expect((await details(customer)).taxIds).toEqual([stored]);
  });
});

describe('details that cannot be saved', () => {
  const long = 'x'.repeat(201);
  const vatProblem = 'This is not a VAT ID. Check its digits and the letters before them.';
  const lineProblem = 'Enter one line of at most 200 characters.';
  const countryProblem = 'Choose a country';
  const refused: [name: string, fields: object, problems: object][] = [
    ['no country', { country: '' }, { country: countryProblem }],
    ['an unknown country', { country: 'XX' }, { country: countryProblem }],
    ['a property of objects as the country', { country: '__proto__' }, { country: countryProblem }],
    ['a malformed VAT id', { vatId: 'DE123' }, { vatId: vatProblem }],
    ['a VAT id with a NUL', { vatId: 'IT0074311\u00000157' }, { vatId: vatProblem }],
    ['a property of objects as the VAT id', { vatId: '__proto__' }, { vatId: vatProblem }],
    ['a NUL', { city: 'Ro\0ma' }, { city: lineProblem }],
    ['two lines', { line1: 'Via\nRoma' }, { line1: lineProblem }],
    ['a mark of direction', { companyName: 'Rossi\u202Eissor' }, { companyName: lineProblem }],
    [
      'several problems',
      { companyName: long, line2: long, postalCode: long, country: '?' },
      { companyName: lineProblem, line2: lineProblem, postalCode: lineProblem, country: countryProblem },
    ],
  ];
  test.each(refused)('marks %s, keeps what was typed, and saves nothing', async (_name, fields, problems) => {
    const { id, customer } = await order(parties['french']);
    const before = await details(customer);
    const answer = await send(id, { ...rome, line1: 'Kept "street" <b>', ...fields });
    expect([answer.status, isOpen(answer.text), marked(answer.text)]).toEqual([400, true, problems]);
    expect(answer.text).toContain('The invoice details were not saved.');
    if (!('line1' in fields)) expect(answer.text).toContain('value="Kept &quot;street&quot; &lt;b&gt;"');
    expect(await details(customer)).toEqual(before);
    expect(findDue(answer.text)).toBe('AFN 120.00');
  });

  it('are all missing fields', async () => {
    const { id, customer } = await order();
    expect(marked((await send(id, {})).text)).toEqual({ country: countryProblem });
    expect((await details(customer)).address).toBeNull();
  });

  it('are larger than a form', async () => {
    const { id, customer } = await order();
    for (const size of [20_000, 1_048_576]) {
      const answer = await send(id, { ...rome, city: 'x'.repeat(size) });
      expect([answer.status, answer.text.includes('The form is too large.')]).toEqual([413, true]);
    }
    expect((await details(customer)).address).toBeNull();
  });

  it('are not the longest details of any script, nor HTML, which the page escapes', async () => {
    const { id, customer } = await order();
    const [longest, markup] = ['書'.repeat(200), '"><script>alert(1)</script>'];
    const fields = { ...rome, companyName: markup, line1: longest, line2: longest, city: longest };
    expect((await send(id, { ...fields, postalCode: longest })).status).toBe(303);
    expect(await details(customer)).toMatchObject({ companyName: markup, address: { city: longest } });
    const text = await page(id);
    expect(text).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"');
    expect(text).not.toContain('<script');
  });
});

describe('a form of another origin or page', () => {
  const forged: [name: string, fields: (own: string, other: string) => object, headers?: object][] = [
    ['no token', () => ({})],
    ['the token of another intent', (_own, other) => ({ token: other })],
    ['a foreign origin', (token) => ({ token }), { origin: 'https://evil.example' }],
    ['a foreign site', (token) => ({ token }), { 'sec-fetch-site': 'cross-site' }],
  ];
  test.each(forged)('saves nothing: %s', async (_name, write, headers) => {
    const [{ id, customer }, other] = [await order(), await order()];
    const token = write(tokenIn(await page(id)), tokenIn(await page(other.id)));
    const answer = await submit(id, { ...rome, ...token }, '/details', headers);
    expect([answer.status, findDue(answer.text)]).toEqual([403, 'AFN 119.00']);
    expect((await details(customer)).address).toBeNull();
  });

  it('reaches only the customer of its intent, of its tenant', async () => {
    const [mine, bystander] = [await order(), await order()];
    const [mySeller, theirs] = [seller, await openTaxed(app, '2026-12-15', 'DE')];
    seller = theirs;
    const foreign = await order();
    const fields = { ...rome, customerId: foreign.customer.id, id: bystander.customer.id };
    expect((await send(mine.id, fields)).status).toBe(303);
    expect((await submit(foreign.id, { ...rome, token: tokenIn(await page(mine.id)) })).status).toBe(403);
    expect(await details(foreign.customer)).toMatchObject({ companyName: null, address: null });
    expect(await details(bystander.customer, mySeller)).toMatchObject({ companyName: null, address: null });
    expect(await details(mine.customer, mySeller)).toMatchObject({ companyName: 'Studio Rossi' });
  });

  it('is refused for other methods and content types', async () => {
    const { id } = await order();
    expect((await inject(app, { url: `${await payPath(app, id)}/details` })).status).toBe(405);
    const json = { 'content-type': 'application/json' };
    expect((await submit(id, {}, '/details', json)).status).toBe(415);
  });
});

describe('after the payment', () => {
  it('the form is gone once the invoice has its number', async () => {
    const { id, customer } = await order();
    const token = tokenIn(await page(id));
    await pay(id);
    expect(hasForm(await page(id))).toBe(false);
    const answer = await submit(id, { token, ...rome });
    expect([answer.status, answer.text]).toEqual([409, expect.stringContaining('can no longer be changed')]);
    expect((await details(customer)).address).toBeNull();
  });

  it('the form stays during the grace; the tax stays and the document names the company', async () => {
    await setGrace(24);
    const { id, customer } = await order();
    await pay(id);
    const text = await page(id);
    expect([text.includes('Thank you'), hasForm(text)]).toEqual([true, true]);
    expect(marked((await send(id, { ...rome, country: '' })).text)).toHaveProperty('country');
    const saved = await send(id, rome);
    expect([saved.status, saved.headers['location']]).toEqual([303, await payPath(app, id)]);
    const token = tokenIn(await page(id));
    await seller.advance('2026-12-16T00:00:00Z');
    const [invoice] = await invoicesOf(customer);
    expect(invoice).toMatchObject({
      documentNumber: 'INV-2026-00001',
      total: { amount: 119 },
      tax: { amount: 19 },
    });
    const { invoice: made } = await seller.client.graphql(
      'query ($id: ID!) { invoice(id: $id) { document(format: json) { base64 } } }',
      { id: invoice.id },
    );
    expect(Buffer.from(made.document.base64, 'base64').toString()).toContain('Studio Rossi');
    expect(hasForm(await page(id))).toBe(false);
    expect((await submit(id, { token, ...rome, companyName: 'Late' })).status).toBe(409);
    expect(await details(customer)).toMatchObject({ companyName: 'Studio Rossi' });
    await isSound();
  });

  it('the form stays while a transfer is awaited, and its amount stays', async () => {
    await setGrace(24);
    await seller.client.graphql(`mutation {
      updateTenant(input: { bankAccount: { accountHolder: "Books", iban: "DE89370400440532013000" } }) { alias }
    }`);
    const { id, customer } = await order();
    await pay(id, 'manual');
    expect(await page(id)).toMatch(/Waiting for your transfer.*AFN.119\.00.*Invoice details/s);
    expect((await send(id, rome)).status).toBe(303);
    expect(await invoicesOf(customer)).toMatchObject([{ status: 'open', total: { amount: 119 } }]);
    await isSound();
  });

  it('an erased customer stays erased', async () => {
    await setGrace(24);
    const { id, customer } = await order(parties['german']);
    await pay(id);
    const token = tokenIn(await page(id));
    const { subscriptions } = await seller.client.graphql(
      'query ($id: ID!) { subscriptions(customerId: $id, first: 1) { nodes { id } } }',
      { id: customer.id },
    );
    await seller.run('cancelSubscription(id: $id)', subscriptions.nodes[0].id);
    await seller.client.graphql('mutation ($id: ID!) { eraseCustomer(id: $id) { id } }', {
      id: customer.id,
    });
    expect(hasForm(await page(id))).toBe(false);
    expect((await submit(id, { token, ...rome })).status).toBe(409);
    expect(await details(customer)).toEqual({ companyName: null, taxIds: [], address: null });
  });

  it('a payment that waits for the bank keeps its tax', async () => {
    const { id, customer } = await order();
    const token = tokenIn(await page(id));
    await pay(id, 'sandbox_requires_action');
    expect(hasForm(await page(id))).toBe(false);
    expect((await submit(id, { token, ...rome })).status).toBe(409);
    await seller.move(customer, parties['american']!);
    await inject(app, { url: `${await payPath(app, id)}/return` });
    expect(await invoicesOf(customer)).toMatchObject([{ status: 'paid', total: { amount: 119 } }]);
    await isSound();
  });

  const ended: [name: string, end: (order: Order) => Promise<unknown>][] = [
    ['cancelled', ({ id }) => send(id, {}, '/cancel')],
    ['expired', () => seller.advance('2026-12-17T00:00:00Z')],
  ];
  test.each(ended)('a %s intent saves nothing', async (_name, end) => {
    const { id, customer } = await order();
    const token = tokenIn(await page(id));
    await end({ id, customer });
    const answer = await submit(id, { token, ...rome });
    expect([answer.status, hasForm(answer.text)]).toEqual([409, false]);
    expect((await details(customer)).address).toBeNull();
  });
});

describe('details and payments at the same time', () => {
  it('bill each payer once, by the tax that the page showed or less', async () => {
    const { id, customer } = await order();
    const token = tokenIn(await page(id));
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, count) =>
        count === 25 ? submit(id, { token, method: 'sandbox_ok' }, '') : submit(id, { token, ...rome }),
      ),
    );
    expect(answers.filter(({ status }) => status !== 303 && status !== 409)).toEqual([]);
    expect(await invoicesOf(customer)).toMatchObject([{ status: 'paid' }]);
    await isSound();
  });
});
