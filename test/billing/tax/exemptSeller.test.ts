/** Sellers that an exemption covers: nothing is taxed anywhere, and documents name the provision. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
});
afterAll(() => app.close());

const address = { line1: 'Main street 1', city: 'Berlin', postalCode: '10115', country: 'DE' };
const german = {
  legalName: 'Acme',
  address,
  registration: 'HRB 1',
  taxIds: [{ type: 'other', value: '12/345/67890' }],
};
const smallBusiness = { kind: 'small_business' };

const customers: Record<string, object> = {
  german: { address: { country: 'DE' } },
  italian: { address: { country: 'IT' } },
  'french company': {
    companyName: 'SARL',
    address: { country: 'FR' },
    taxIds: [{ type: 'eu_vat', value: 'FR03784359069' }],
  },
  american: { address: { country: 'US' } },
  exempt: { address: { country: 'DE' }, taxExempt: true },
  unknown: {},
};

const taxFields = 'total { decimal } tax { decimal } taxes { category percent tax { decimal } reason }';
const changeSeller =
  'mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { seller { taxExemption { kind reference text code } } } }';

const sell = async (client: Client, seller: object): Promise<any> =>
  (await client.graphql(changeSeller, { input: { seller } })).updateTenant.seller.taxExemption;

async function openTenant(alias: string, seller: object = german): Promise<Client> {
  const client = await app.tenant({ alias, clock: '2026-03-01T00:00:00.000Z' });
  await sell(client, seller);
  return client;
}

const createCustomer = async (client: Client, name: string): Promise<string> =>
  (
    await client.graphql('mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }', {
      input: {
        email: 'a@example.org',
        firstName: 'A',
        lastName: 'B',
        associatedId: name,
        ...customers[name],
      },
    })
  ).createCustomer.id;

const createRate = async (client: Client): Promise<string> =>
  (
    await client.graphql('mutation ($input: CreateTaxRateInput!) { createTaxRate(input: $input) { id } }', {
      input: { country: 'DE', region: 'nowhere', percent: '7' },
    })
  ).createTaxRate.id;

const charge = { amount: { amount: 100, currency: 'eur' }, description: 'Work' };

const bill = async (
  client: Client,
  customerId: string,
  items: object[] = [charge],
  draft = false,
): Promise<any> =>
  (
    await client.graphql(
      `mutation ($customerId: ID!, $items: [OneOffChargeInput!]!, $draft: Boolean) {
        createInvoice(input: { customerId: $customerId, items: $items, collect: send_invoice, draft: $draft }) { id ${taxFields} }
      }`,
      { customerId, items, draft },
    )
  ).createInvoice;

const taxText = ({ total, taxes }: any): string =>
  `${total.decimal}: ${taxes.map((each: any) => [each.category, each.percent, each.tax.decimal, each.reason].join(' ')).join(', ')}`;

const readFile = async (client: Client, id: string, format: string): Promise<string> => {
  const { invoice } = await client.graphql(
    `query ($id: ID!) { invoice(id: $id) { document(format: ${format}) { base64 } } }`,
    { id },
  );
  return Buffer.from(invoice.document.base64, 'base64').toString('utf8');
};

it.each(Object.keys(customers))('nothing is taxed: %s', async (name) => {
  const client = await openTenant(`to-${name.replace(' ', '-')}`, { ...german, taxExemption: smallBusiness });
  const customerId = await createCustomer(client, name);
  const rate = await createRate(client);
  const items = [charge, { ...charge, taxRateId: rate }, { ...charge, taxBehavior: 'inclusive' }];
  const { previewInvoice: preview } = await client.graphql(
    `query ($customerId: ID!, $items: [OneOffChargeInput!]!) {
      previewInvoice(customerId: $customerId, items: $items) { ${taxFields} warnings { code } }
    }`,
    { customerId, items },
  );
  const invoice = await bill(client, customerId, items);
  expect(taxText(invoice)).toBe('300.00: E 0 0.00 exempt_seller');
  expect(taxText(preview)).toBe(taxText(invoice));
  expect(preview.warnings).toEqual([]);
  const html = await readFile(client, invoice.id, 'html');
  expect(html).toContain('§ 19 UStG');
  expect(html).not.toContain('everse charge');
});

const said: Record<string, string> = {
  en: 'Exempt from VAT: small business (\u2068§ 19 UStG\u2069).',
  de: 'Steuerfreie Leistung eines Kleinunternehmers (\u2068§ 19 UStG\u2069).',
  fr: 'TVA non applicable, \u2068§ 19 UStG\u2069.',
  fa: 'معاف از مالیات: فروشنده کسب‌وکار کوچک است (\u2068§ 19 UStG\u2069).',
  ar: 'معفى من الضريبة بصفته منشأة صغيرة (\u2068§ 19 UStG\u2069).',
  he: 'פטור ממע״מ: עסק קטן (\u2068§ 19 UStG\u2069).',
};

it('documents name the provision in their language, and show no rate', async () => {
  const client = await openTenant('languages', { ...german, taxExemption: smallBusiness });
  const customerId = await createCustomer(client, 'german');
  for (const [locale, sentence] of Object.entries(said)) {
    await client.graphql(
      'mutation ($id: ID!, $input: UpdateCustomerInput!) { updateCustomer(id: $id, input: $input) { id } }',
      { id: customerId, input: { locale } },
    );
    const html = await readFile(client, (await bill(client, customerId)).id, 'html');
    expect(html).toContain(sentence);
    expect(html).not.toContain('0 %');
    expect(html).not.toMatch(/\b0%/);
  }
});

it.each([
  ['fr', 'E', 'TVA non applicable, \u2068art. 293 B du CGI\u2069.'],
  [
    'en',
    'E',
    'Exempt from VAT: small business (\u2068art. 293 B du CGI\u2069). \u2068TVA non applicable, art. 293 B du CGI\u2069',
  ],
])('French documents have the words of the law once: %s', async (locale, category, sentence) => {
  const seller = { ...german, address: { ...address, country: 'FR' }, taxExemption: smallBusiness };
  const client = await openTenant(`words-${locale}`, seller);
  const customerId = await createCustomer(client, 'german');
  await client.graphql(
    'mutation ($id: ID!, $input: UpdateCustomerInput!) { updateCustomer(id: $id, input: $input) { id } }',
    { id: customerId, input: { locale, address: { country: 'FR' } } },
  );
  const { id } = await bill(client, customerId);
  expect(await readFile(client, id, 'html')).toContain(`<p>${sentence}</p>`);
  const ubl = await readFile(client, id, 'ubl');
  expect(ubl).toContain(`<cbc:ID>${category}</cbc:ID>`);
  expect(ubl).toContain('VATEX-FR-FRANCHISE');
  expect(ubl).toContain('TVA non applicable, art. 293 B du CGI');
  const json = JSON.parse(await readFile(client, id, 'json'));
  expect(json.seller.taxExemption).toEqual({
    kind: 'small_business',
    reference: 'art. 293 B du CGI',
    text: 'TVA non applicable, art. 293 B du CGI',
    code: 'VATEX-FR-FRANCHISE',
  });
});

it('numbered documents stay as they are; drafts and waiting charges lose their tax; credits keep theirs', async () => {
  const client = await openTenant('switch');
  const customerId = await createCustomer(client, 'italian');
  const rate = await createRate(client);
  const numbered = await bill(client, customerId);
  expect(taxText(numbered)).toBe('122.00: S 22 22.00 ');
  const draft = await bill(client, customerId, [{ ...charge, taxRateId: rate }], true);
  await client.graphql(
    `mutation ($id: ID!, $rate: ID!) { createInvoiceItem(
      input: { customerId: $id, amount: { amount: 10, currency: "eur" }, description: "Book", taxRateId: $rate }
    ) { id } }`,
    { id: customerId, rate },
  );
  const before = await Promise.all(
    ['html', 'ubl', 'json'].map((format) => readFile(client, numbered.id, format)),
  );
  await sell(client, { ...german, taxExemption: smallBusiness });
  const after = await Promise.all(
    ['html', 'ubl', 'json'].map((format) => readFile(client, numbered.id, format)),
  );
  expect(after).toEqual(before);
  const { finalizeInvoice } = await client.graphql(
    `mutation ($id: ID!) { finalizeInvoice(id: $id) { ${taxFields} } }`,
    { id: draft.id },
  );
  expect(taxText(finalizeInvoice)).toBe('100.00: E 0 0.00 exempt_seller');
  expect(taxText(await bill(client, customerId))).toBe('110.00: E 0 0.00 exempt_seller');
  const { createCreditNote } = await client.graphql(
    `mutation ($id: ID!) { createCreditNote(input: { invoiceId: $id, kind: credit, amount: { amount: 61, currency: "eur" } }) {
      total { decimal } tax { decimal }
    } }`,
    { id: numbered.id },
  );
  expect([createCreditNote.total.decimal, createCreditNote.tax.decimal]).toEqual(['61.00', '11.00']);
  // Without the exemption sales are taxed again, and a document of the time before keeps it.
  const exempt = await bill(client, customerId);
  expect(await sell(client, { ...german, taxExemption: null })).toBeNull();
  expect(taxText(await bill(client, customerId))).toBe('122.00: S 22 22.00 ');
  expect(await readFile(client, exempt.id, 'html')).toContain('§ 19 UStG');
});

it('the report has the sales of an exempt seller at home', async () => {
  const client = await openTenant('report', { ...german, taxExemption: smallBusiness });
  for (const name of Object.keys(customers)) await bill(client, await createCustomer(client, name));
  const { taxReport } = await client.graphql(
    `{ taxReport(input: { from: "2026-01-01", until: "2027-01-01", by: year }) {
      rows { country treatment category reason taxable { decimal } tax { decimal } } untaxedDocuments
    } }`,
  );
  expect(taxReport).toEqual({
    untaxedDocuments: 0,
    rows: [
      {
        country: 'DE',
        treatment: 'domestic',
        category: 'E',
        reason: 'exempt_seller',
        taxable: { decimal: '600.00' },
        tax: { decimal: '0.00' },
      },
    ],
  });
});

describe('the setting', () => {
  it.each<[what: string, seller: object, kept: object]>([
    [
      'Germany',
      { taxExemption: smallBusiness },
      { kind: 'small_business', reference: '§ 19 UStG', text: null, code: null },
    ],
    [
      'own words',
      { taxExemption: { ...smallBusiness, reference: ' § 19 Abs. 1 UStG ', text: 'Kein Ausweis' } },
      { kind: 'small_business', reference: '§ 19 Abs. 1 UStG', text: 'Kein Ausweis', code: null },
    ],
    [
      'another exemption',
      { taxExemption: { kind: 'other', reference: '§ 4 Nr. 21 UStG', code: 'VATEX-EU-132-1I' } },
      { kind: 'other', reference: '§ 4 Nr. 21 UStG', text: null, code: 'VATEX-EU-132-1I' },
    ],
  ])('is kept, also where a change does not name it: %s', async (what, seller, kept) => {
    const client = await openTenant(`kept-${what.replace(' ', '-').toLowerCase()}`);
    expect(await sell(client, { ...german, ...seller })).toEqual(kept);
    expect(await sell(client, { ...german, footer: 'Thank you' })).toEqual(kept);
  });

  it.each<[what: string, seller: object, path: string]>([
    ['no address', { address: null, taxExemption: smallBusiness }, 'seller.taxExemption'],
    [
      'a country without a known provision',
      { address: { ...address, country: 'PL' }, taxExemption: smallBusiness },
      'seller.taxExemption.reference',
    ],
    ['another exemption without one', { taxExemption: { kind: 'other' } }, 'seller.taxExemption.reference'],
    ['an empty one', { taxExemption: { ...smallBusiness, reference: ' ' } }, 'seller.taxExemption.reference'],
    [
      'a long one',
      { taxExemption: { ...smallBusiness, reference: '§'.repeat(101) } },
      'seller.taxExemption.reference',
    ],
    [
      'a control character',
      { taxExemption: { ...smallBusiness, text: 'a\u202Eb' } },
      'seller.taxExemption.text',
    ],
    ['two lines', { taxExemption: { ...smallBusiness, text: 'a\nb' } }, 'seller.taxExemption.text'],
    [
      'a code of reverse charge',
      { taxExemption: { ...smallBusiness, code: 'VATEX-EU-AE' } },
      'seller.taxExemption.code',
    ],
    ['no code', { taxExemption: { ...smallBusiness, code: '' } }, 'seller.taxExemption.code'],
  ])('is refused: %s', async (what, seller, path) => {
    const client = await openTenant(`refused-${what.replaceAll(' ', '-')}`.slice(0, 30));
    const { body } = await client.post(changeSeller, { input: { seller: { ...german, ...seller } } });
    expect(body.errors[0].extensions).toMatchObject({ reason: 'validation_failed', issues: [{ path }] });
  });
});
