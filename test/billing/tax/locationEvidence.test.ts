/** The evidence of where private customers are: kept with the sale, judged, listed, and erased. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judgePieces, readCountry, type ShownPiece } from '../../../src/billing/tax/locationEvidence.ts';
import { examine } from '../../../src/maintenance/doctor/doctor.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, type Books } from '../../support/books.ts';
import { payPath } from '../../support/payLinks.ts';
import { inject } from '../../support/world.ts';

let app: TestApp;
let plain: TestApp;
beforeAll(async () => {
  app = await startApp({
    publicUrl: 'http://pay.test',
    countryHeader: 'CF-IPCountry',
    rateLimitPerSecond: '100000',
  });
  plain = await startApp({ publicUrl: 'http://pay.test', rateLimitPerSecond: '100000' });
});
afterAll(async () => {
  await app.close();
  await plain.close();
});

const updateCustomer =
  'mutation ($id: ID!, $input: UpdateCustomerInput!) { updateCustomer(id: $id, input: $input) { id } }';
const evidence = 'locationEvidence { pieces { kind country at } agreeing gap }';

interface Opened {
  books: Books;
  customer: any;
}

/** A seller in a country, and a customer with an address. */
async function open(
  from: TestApp,
  country: string | null,
  seller: string | null = 'DE',
  details: object = {},
): Promise<Opened> {
  const books = await openBooks(from, '2026-06-01');
  if (seller)
    await books.client.graphql(
      'mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { alias } }',
      {
        input: {
          seller: { legalName: 'Perennial GmbH', address: { country: seller }, registration: 'HRB 1' },
        },
      },
    );
  const customer = await books.shop.customer();
  if (country !== null)
    await books.client.graphql(updateCustomer, {
      id: customer.id,
      input: { address: { country, line1: 'Weg 1', city: 'Ort', postalCode: '75001' }, ...details },
    });
  return { books, customer };
}

/** Pays an order on the payment page, with the header that a proxy sets. */
async function payOnPage(
  from: TestApp,
  { books, customer }: Opened,
  method: string,
  headers: Record<string, string | string[]> = {},
): Promise<any> {
  const { intentId } = await books.shop.intent(customer, await books.plan(100));
  const page = (await inject(from, { url: await payPath(from, intentId) })).text;
  const token = /name="token" value="([^"]+)"/.exec(page)![1]!;
  const { status } = await inject(from, {
    method: 'POST',
    url: await payPath(from, intentId),
    headers: { 'content-type': 'application/x-www-form-urlencoded', host: 'pay.test', ...headers },
    payload: new URLSearchParams({ token, method }).toString(),
  });
  expect(status).toBe(303);
  return readLatest(books, customer);
}

const readLatest = async ({ client }: Books, { id }: any): Promise<any> =>
  (
    await client.graphql(
      `query ($id: ID!) { invoices(customerId: $id, first: 1) { nodes { id ${evidence} } } }`,
      { id },
    )
  ).invoices.nodes[0];

const listGap = async ({ client }: Books, gap: string): Promise<string[]> =>
  (
    await client.graphql(
      'query ($gap: LocationEvidenceGap) { invoices(evidenceGap: $gap, first: 50) { nodes { id } } }',
      { gap },
    )
  ).invoices.nodes.map(({ id }: any) => id);

const describePieces = ({ pieces }: any): string =>
  pieces.map(({ kind, country }: any) => `${kind} ${country}`).join(', ');

const buy = async ({ books, customer }: Opened, method: string, ipCountry?: string): Promise<any> => {
  const { intentId } = await books.shop.intent(customer, await books.plan(100));
  await books.client.graphql(
    'mutation ($id: ID!, $input: ConfirmIntentInput) { confirmIntent(id: $id, input: $input) { status } }',
    { id: intentId, input: { paymentMethod: method, ipCountry } },
  );
  return readLatest(books, customer);
};

it('is kept from the page, the card and the address, with its time, and shown at the invoice and the customer', async () => {
  const opened = await open(app, 'FR');
  const { locationEvidence, id } = await payOnPage(app, opened, 'sandbox_ok', { 'cf-ipcountry': 'FR' });
  expect(describePieces(locationEvidence)).toBe('billing_address FR, ip_address FR');
  expect(locationEvidence).toMatchObject({ agreeing: ['billing_address', 'ip_address'], gap: null });
  expect(locationEvidence.pieces[1].at).toBe('2026-06-01T00:00:00.000Z');
  // A header does not reach what another customer has.
  const { customer } = await opened.books.client.graphql(
    'query ($id: ID!) { customer(id: $id) { locationEvidence { kind country at } } }',
    { id: opened.customer.id },
  );
  expect(customer.locationEvidence).toEqual(locationEvidence.pieces);
  // A later move does not change what the document had.
  await opened.books.client.graphql(updateCustomer, {
    id: opened.customer.id,
    input: { address: { country: 'IT' } },
  });
  await buy(opened, 'sandbox_ok_in_it', 'IT');
  const { invoice } = await opened.books.client.graphql(
    `query ($id: ID!) { invoice(id: $id) { ${evidence} } }`,
    { id },
  );
  expect(invoice.locationEvidence).toEqual(locationEvidence);
  expect((await examine(app.service, () => {}, opened.books.alias)).findings).toEqual([]);
});

it.each<[string, Record<string, string | string[]>]>([
  ['no header', {}],
  ['an unknown country', { 'cf-ipcountry': 'XX' }],
  ['the Tor network', { 'cf-ipcountry': 'T1' }],
  ['a text', { 'cf-ipcountry': '<script>' }],
  ['two values', { 'cf-ipcountry': 'FR, DE' }],
  ['a long one', { 'cf-ipcountry': 'FR'.repeat(2000) }],
  ['an object’s key', { 'cf-ipcountry': '__proto__' }],
  ['another header', { 'x-country': 'FR' }],
])('%s says nothing, and holds up nothing', async (_, headers) => {
  const opened = await open(app, 'FR');
  const { locationEvidence, id } = await payOnPage(app, opened, 'sandbox_ok', headers);
  expect(describePieces(locationEvidence)).toBe('billing_address FR');
  expect(locationEvidence.gap).toBe('insufficient');
  expect(await listGap(opened.books, 'insufficient')).toEqual([id]);
  expect(await listGap(opened.books, 'contradictory')).toEqual([]);
});

it('a server without the setting believes no header', async () => {
  const opened = await open(plain, 'FR');
  const { locationEvidence } = await payOnPage(plain, opened, 'sandbox_ok', { 'cf-ipcountry': 'US' });
  expect(describePieces(locationEvidence)).toBe('billing_address FR');
});

type Case = [
  address: string | null,
  ip: string | undefined,
  card: string,
  seller: string | null,
  details: object,
  gap: string | null,
  agreeing: string[],
];
const both = ['billing_address', 'ip_address'];
const none: string[] = [];
it.each<Case>([
  ['FR', 'FR', '', 'DE', {}, null, both],
  ['FR', 'DE', '_in_fr', 'DE', {}, null, ['billing_address', 'payment_method']],
  ['FR', 'DE', '_in_de', 'DE', {}, 'contradictory', ['billing_address']],
  ['FR', 'DE', '', 'DE', {}, 'contradictory', ['billing_address']],
  ['FR', undefined, '', 'DE', {}, 'insufficient', ['billing_address']],
  // At home one piece is enough, and two others speak against it.
  ['DE', undefined, '', 'DE', {}, null, ['billing_address']],
  ['DE', 'FR', '_in_fr', 'DE', {}, 'contradictory', ['billing_address']],
  // Outside of the Union nothing is charged, unless the customer is at home.
  ['US', undefined, '', 'DE', {}, null, ['billing_address']],
  ['US', 'DE', '_in_de', 'DE', {}, 'contradictory', ['billing_address']],
  // Without an address the sale is taxed at home.
  [null, 'FR', '_in_fr', 'DE', {}, 'contradictory', none],
  [null, 'DE', '_in_de', 'DE', {}, null, ['ip_address', 'payment_method']],
  // Monaco belongs to France.
  ['MC', 'FR', '', 'DE', {}, null, both],
  ['FR', 'MC', '', 'DE', {}, null, both],
  // Businesses, and sellers who need none.
  ['FR', 'DE', '', 'DE', { taxIds: [{ type: 'eu_vat', value: 'FR03784359069' }] }, null, ['billing_address']],
  ['US', 'DE', '_in_de', 'DE', { companyName: 'Acme Inc.' }, null, ['billing_address']],
  ['FR', 'DE', '_in_de', 'US', {}, null, ['billing_address']],
])(
  'address %s, IP %s, card %s of a seller in %s: %s',
  async (address, ip, card, seller, details, gap, agreeing) => {
    const opened = await open(app, address, seller, details);
    const { locationEvidence, id } = await buy(opened, `sandbox_ok${card}`, ip);
    expect(locationEvidence).toMatchObject({ gap, agreeing });
    for (const each of ['contradictory', 'insufficient'])
      expect(await listGap(opened.books, each)).toEqual(each === gap ? [id] : []);
  },
);

it('a card has the country that its provider reports, as later charges find it', async () => {
  const opened = await open(app, 'FR');
  await buy(opened, 'sandbox_ok_in_be');
  const { customer } = await opened.books.client.graphql(
    'query ($id: ID!) { customer(id: $id) { paymentMethods(first: 5) { nodes { type country } } } }',
    { id: opened.customer.id },
  );
  expect(customer.paymentMethods.nodes).toEqual([{ type: 'card', country: 'BE' }]);
});

describe('hostile input', () => {
  it.each([
    [{ paymentMethod: 'sandbox_ok', ipCountry: 'ZZ' }, 'ipCountry'],
    [{ paymentMethod: 'sandbox_ok', ipCountry: '' }, 'ipCountry'],
    [{ paymentMethod: 'sandbox_ok', ipCountry: 'FRA' }, 'ipCountry'],
    [{ paymentMethodId: 'pm_1', ipCountry: 'FR' }, 'ipCountry'],
  ])('%j is refused', async (input, path) => {
    const { books, customer } = await open(app, 'FR');
    const { intentId } = await books.shop.intent(customer, await books.plan(100));
    const { body } = await books.client.post(
      'mutation ($id: ID!, $input: ConfirmIntentInput) { confirmIntent(id: $id, input: $input) { status } }',
      { id: intentId, input },
    );
    expect(body.errors[0].extensions).toMatchObject({ reason: 'validation_failed', issues: [{ path }] });
  });

  it.each([null, undefined, 5, {}, ['FR'], 'F', 'FRA', 'fr ', 'ＦＲ', 'constructor'])(
    '%j is no country',
    (text) => {
      expect(readCountry(text)).toBeUndefined();
    },
  );
});

it('a later card mends an invoice that is not paid yet', async () => {
  const opened = await open(app, 'FR');
  const { books, customer } = opened;
  const { createInvoice } = await books.client.graphql(
    `mutation ($id: ID!) { createInvoice(input: { customerId: $id, collect: send_invoice,
      items: [{ amount: { amount: 5, currency: "eur" }, description: "Course" }] }) { id } }`,
    { id: customer.id },
  );
  expect(await listGap(books, 'insufficient')).toEqual([createInvoice.id]);
  await buy(opened, 'sandbox_ok_in_fr');
  expect(await listGap(books, 'insufficient')).toEqual([]);
  const { invoice } = await books.client.graphql(`query ($id: ID!) { invoice(id: $id) { ${evidence} } }`, {
    id: createInvoice.id,
  });
  expect(describePieces(invoice.locationEvidence)).toBe('billing_address FR, payment_method FR');
});

/** Bills a customer, who is asked to transfer the money. */
const billOpen = async ({ books, customer }: Opened): Promise<string> =>
  (
    await books.client.graphql(
      `mutation ($id: ID!) { createInvoice(input: { customerId: $id, collect: send_invoice,
        items: [{ amount: { amount: 5, currency: "eur" }, description: "Course" }] }) { id } }`,
      { id: customer.id },
    )
  ).createInvoice.id;

const readEvidence = async ({ books }: Opened, id: string): Promise<any> =>
  (await books.client.graphql(`query ($id: ID!) { invoice(id: $id) { ${evidence} } }`, { id })).invoice
    .locationEvidence;

it('evidence that came while an invoice was open stays with it after the payment, and the later one does not join it', async () => {
  const opened = await open(app, 'FR');
  const id = await billOpen(opened);
  await buy(opened, 'sandbox_ok_in_fr');
  const seen = await readEvidence(opened, id);
  expect(describePieces(seen)).toBe('billing_address FR, payment_method FR');
  await opened.books.client.graphql(
    `mutation ($id: ID!) { recordPayment(id: $id, input: { reference: "T-1" }) { status } }`,
    { id },
  );
  await buy(opened, 'sandbox_ok_in_it', 'IT');
  expect(await readEvidence(opened, id)).toEqual(seen);
});

it('an open invoice is judged by its own address, also after the customer has moved', async () => {
  const opened = await open(app, 'FR');
  const id = await billOpen(opened);
  await opened.books.client.graphql(updateCustomer, {
    id: opened.customer.id,
    input: { address: { country: 'IT' } },
  });
  await buy(opened, 'sandbox_ok_in_fr');
  const { pieces, agreeing, gap } = await readEvidence(opened, id);
  expect(describePieces({ pieces })).toBe('billing_address FR, payment_method FR');
  expect({ agreeing, gap }).toEqual({ agreeing: ['billing_address', 'payment_method'], gap: null });
});

it('a new piece is added to the 50 newest open invoices, and the others keep what they have', async () => {
  const opened = await open(app, 'FR');
  const ids: string[] = [];
  for (let nth = 0; nth < 52; nth += 1) ids.push(await billOpen(opened));
  await buy(opened, 'sandbox_ok_in_fr');
  expect((await listGap(opened.books, 'insufficient')).toSorted()).toEqual(ids.slice(0, 2).toSorted());
  expect(describePieces(await readEvidence(opened, ids[0]!))).toBe('billing_address FR');
  expect(describePieces(await readEvidence(opened, ids[51]!))).toBe('billing_address FR, payment_method FR');
});

it('a draft has none; renewals have what was seen last', async () => {
  const opened = await open(app, 'FR');
  const { books, customer } = opened;
  await buy(opened, 'sandbox_ok_in_fr', 'BE');
  await books.advance('2026-07-02');
  const { locationEvidence } = await readLatest(books, customer);
  expect(describePieces(locationEvidence)).toBe('billing_address FR, ip_address BE, payment_method FR');
  expect(locationEvidence.gap).toBeNull();
  const { createInvoice } = await books.client.graphql(
    `mutation ($id: ID!) { createInvoice(input: { customerId: $id, draft: true,
      items: [{ amount: { amount: 5, currency: "eur" }, description: "Course" }] }) { ${evidence} } }`,
    { id: customer.id },
  );
  expect(createInvoice.locationEvidence).toBeNull();
});

it('is erased with the customer, and with the documents when their retention ends', async () => {
  const opened = await open(app, 'FR');
  const { books, customer } = opened;
  const { id } = await buy(opened, 'sandbox_ok_in_fr', 'LU');
  const { subscriptions } = await books.client.graphql(
    'query ($id: ID!) { subscriptions(customerId: $id, first: 1) { nodes { id } } }',
    { id: customer.id },
  );
  await books.client.graphql('mutation ($id: ID!) { cancelSubscription(id: $id) { id } }', {
    id: subscriptions.nodes[0].id,
  });
  const other = await open(app, 'FR');
  const { body } = await other.books.client.post(`query ($id: ID!) { invoice(id: $id) { ${evidence} } }`, {
    id,
  });
  expect(body.data.invoice).toBeNull();
  await books.client.graphql('mutation ($id: ID!) { eraseCustomer(id: $id) { id } }', { id: customer.id });
  const rows = await app.service.store.committed.select('customers', { where: { tenantAlias: books.alias } });
  expect(rows.map((row) => row.locationEvidence)).toEqual([null]);
  const methods = await app.service.store.committed.select('paymentMethods', {
    where: { tenantAlias: books.alias },
  });
  expect(methods.map(({ country }) => country)).toEqual([null]);
  const traces = await app.service.store.committed.select('traces', { where: { tenantAlias: books.alias } });
  expect(JSON.stringify(traces.map(({ payload }) => payload))).not.toContain('"LU"');
  const read = async () =>
    (await books.client.graphql(`query ($id: ID!) { invoice(id: $id) { ${evidence} } }`, { id })).invoice
      .locationEvidence;
  expect(describePieces(await read())).toBe('billing_address FR, ip_address LU, payment_method FR');
  await books.advance('2037-01-02');
  expect(await read()).toBeNull();
});

it('two pieces of the same kind of place are judged alike in any order', () => {
  const piece = (kind: ShownPiece['kind'], country: string): ShownPiece => ({ kind, country, at: null });
  const pieces = [piece('billing_address', 'FR'), piece('ip_address', 'DE'), piece('payment_method', 'FR')];
  for (const order of [pieces, pieces.toReversed()]) {
    expect(judgePieces(order, null, 'FR')).toBe('sufficient');
    expect(judgePieces(order, null, 'DE')).toBe('contradictory');
    expect(judgePieces(order.slice(0, 1), null, 'FR')).toBe('insufficient');
  }
});
