/** E-invoices of French sellers by AFNOR XP Z12-012: what they say, and what is refused before anything has a number. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { openBooks, type Books } from '../../support/books.ts';
import { buildDocuments, readPdf } from '../../documents/pdfFile.ts';
import { listMisplaced } from '../../documents/sequences.ts';
import { readXml } from '../../documents/xmlTree.ts';

let app: TestApp;
beforeAll(async () => {
  buildDocuments();
  app = await startApp({ rateLimitPerSecond: '100000' });
});
afterAll(() => app.close());

const seller = {
  legalName: 'Aurore SAS',
  address: { line1: '4 rue de la République', city: 'Lyon', postalCode: '69001', country: 'FR' },
  taxIds: [{ type: 'eu_vat', value: 'FR44732829320' }],
  electronicAddress: { scheme: '0225', value: '732829320' },
  legalRegistration: { scheme: '0002', value: '732829320' },
  bankAccount: { accountHolder: 'Aurore', iban: 'FR1420041010050500013M02606', bic: 'PSSTFRPPLYO' },
};
const buyer = {
  companyName: 'Lumière SAS',
  address: { line1: '1 quai Claude Bernard', city: 'Lyon', postalCode: '69007', country: 'FR' },
  taxIds: [{ type: 'eu_vat', value: 'FR03784359069' }],
  electronicAddress: { scheme: '0225', value: '784359069_COMPTA' },
  legalRegistration: { scheme: '0002', value: '784359069' },
};

const setSeller = (client: Client, input: object) =>
  client.post('mutation ($seller: SellerInput!) { updateTenant(input: { seller: $seller }) { alias } }', {
    seller: input,
  });

async function open(more: object = {}): Promise<Books> {
  const books = await openBooks(app, '2026-10-10', 'Europe/Paris');
  const { body } = await setSeller(books.client, { ...seller, ...more });
  expect(body.errors).toBeUndefined();
  return books;
}

async function enter({ shop, client }: Books, details: object) {
  const customer = await shop.customer();
  const { body } = await client.post(
    'mutation ($id: ID!, $input: UpdateCustomerInput!) { updateCustomer(id: $id, input: $input) { id } }',
    { id: customer.id, input: details },
  );
  expect(body.errors).toBeUndefined();
  return customer;
}

const charge = (client: Client, customerId: string, { item = {}, ...more }: any = {}) =>
  client.post(
    'mutation ($input: CreateInvoiceInput!) { createInvoice(input: $input) { id documentNumber } }',
    {
      input: {
        customerId,
        items: [{ amount: { decimal: '120.00', currency: 'eur' }, description: 'Conseil', ...item }],
        collect: 'send_invoice',
        ...more,
      },
    },
  );

async function download(client: Client, id: string, format: string, kind = 'invoice') {
  const { body } = await client.post(
    `query ($id: ID!, $format: DocumentFormat!) { ${kind}(id: $id) { document(format: $format) { contentType fileName base64 } } }`,
    { id, format },
  );
  const file = body.data?.[kind]?.document;
  return { body, file, bytes: Buffer.from(file?.base64 ?? '', 'base64') };
}

async function readUbl(client: Client, id: string, kind?: string): Promise<string> {
  const { bytes, body } = await download(client, id, 'ubl_fr', kind);
  expect(body.errors).toBeUndefined();
  const xml = bytes.toString('utf8');
  expect(listMisplaced(readXml(xml))).toEqual([]);
  return xml;
}

/** Returns the XML in the PDF, and what people read. */
async function readFacturX(client: Client, id: string, kind?: string) {
  const { bytes, file, body } = await download(client, id, 'factur_x_fr', kind);
  expect(body.errors).toBeUndefined();
  expect(file.contentType).toBe('application/pdf');
  const { document, pages } = await readPdf(bytes);
  const attachments = await document.getAttachments();
  const xml = Buffer.from(attachments['factur-x.xml'].content).toString('utf8');
  expect(listMisplaced(readXml(xml))).toEqual([]);
  return { xml, text: pages.join('\n').replaceAll(/\s+/g, ' ') };
}

describe('an invoice', () => {
  it('to be paid by transfer has the notes of the law, for programs and for people', async () => {
    const books = await open();
    const { id: customerId } = await enter(books, buyer);
    const { id } = (await charge(books.client, customerId)).body.data.createInvoice;
    const ubl = await readUbl(books.client, id);
    for (const part of [
      '<cbc:ProfileID>S1</cbc:ProfileID>',
      '#PMT#Indemnité forfaitaire pour frais de recouvrement en cas de retard de paiement : 40 €',
      '#PMD#Pénalités de retard',
      '#AAB#Pas d’escompte',
      '#BAR#B2B</cbc:Note>',
      '<cbc:EndpointID schemeID="0225">732829320</cbc:EndpointID>',
      '<cbc:EndpointID schemeID="0225">784359069_COMPTA</cbc:EndpointID>',
      '<cbc:CompanyID schemeID="0002">732829320</cbc:CompanyID>',
      '<cbc:CompanyID schemeID="0002">784359069</cbc:CompanyID>',
    ])
      expect(ubl).toContain(part);
    const { xml, text } = await readFacturX(books.client, id);
    for (const code of ['PMT', 'PMD', 'AAB', 'BAR'])
      expect(xml.split(`<ram:SubjectCode>${code}</ram:SubjectCode>`)).toHaveLength(2);
    expect(xml).toContain('<ram:ID schemeID="0002">732829320</ram:ID>');
    expect(xml).toContain('<ram:URIID schemeID="0225">784359069_COMPTA</ram:URIID>');
    expect(text).toContain('frais de recouvrement');
    expect(text).not.toContain('B2B');
    // The formats of the core stay as they were.
    const core = (await download(books.client, id, 'ubl')).bytes.toString('utf8');
    expect(core).not.toMatch(/#PMT#|ProfileID/);
  });

  it('paid by card was due on the day of its payment', async () => {
    const books = await open();
    const customer = await enter(books, buyer);
    const { price } = await books.shop.product({ amount: 30, currency: 'eur' });
    await books.subscribe(customer, price);
    const { invoices } = await books.client.graphql('{ invoices(first: 1) { nodes { id } } }');
    const ubl = await readUbl(books.client, invoices.nodes[0].id);
    expect(ubl).toContain('<cbc:ProfileID>S2</cbc:ProfileID>');
    expect(ubl).toContain('<cbc:DueDate>2026-10-10</cbc:DueDate>');
    expect(ubl).toContain('<cbc:PrepaidAmount currencyID="EUR">36.00</cbc:PrepaidAmount>');
    expect(ubl).toContain('<cbc:PayableAmount currencyID="EUR">0.00</cbc:PayableAmount>');
    const { xml } = await readFacturX(books.client, invoices.nodes[0].id);
    expect(xml).toContain('<ram:ID>S2</ram:ID>');
    expect(xml).toMatch(/<ram:DueDateDateTime>\s*<udt:DateTimeString format="102">20261010</);
  });

  it('paid by a SEPA debit says so, and is a standing agreement where a debit must name its mandate', async () => {
    const books = await open();
    const customer = await enter(books, { ...buyer, buyerReference: 'AP' });
    const { price } = await books.shop.product({ amount: 30, currency: 'eur' });
    await books.subscribe(customer, price);
    await app.backdoor.execute(
      `update payment_methods set type = 'sepa_debit' where tenant_alias = '${books.alias}'`,
    );
    const { invoices } = await books.client.graphql('{ invoices(first: 1) { nodes { id } } }');
    const { id } = invoices.nodes[0];
    expect(await readUbl(books.client, id)).toMatch(/PaymentMeansCode>59</);
    expect((await readFacturX(books.client, id)).xml).toMatch(/PaymentMeans>\s*<ram:TypeCode>59</);
    const peppol = (await download(books.client, id, 'peppol_bis_3')).bytes.toString('utf8');
    expect(peppol).toMatch(/PaymentMeansCode>57</);
  });

  it('has prices of at most six decimals', async () => {
    const books = await open();
    const customer = await enter(books, buyer);
    const { createProduct } = await books.client.graphql(
      'mutation ($input: CreateProductInput!) { createProduct(input: $input) { id prices { id } } }',
      {
        input: {
          name: 'Sièges',
          description: '',
          prices: [{ details: { decimal: '0.333333333333', currency: 'eur' }, model: 'per_unit' }],
        },
      },
    );
    await books.subscribe(
      customer,
      { id: createProduct.prices[0].id, productId: createProduct.id },
      undefined,
      {
        quantity: 7,
      },
    );
    const { invoices } = await books.client.graphql('{ invoices(first: 1) { nodes { id } } }');
    const [, quantity, amount] =
      /InvoicedQuantity unitCode="C62">([^<]*)<[\s\S]*PriceAmount currencyID="EUR">([^<]*)</.exec(
        await readUbl(books.client, invoices.nodes[0].id),
      )!;
    expect((amount!.split('.')[1] ?? '').length).toBeLessThanOrEqual(6);
    expect(Math.round(Number(quantity) * Number(amount) * 100)).toBe(233);
  });

  it('to another buyer says so', async () => {
    const books = await open();
    const rows = [
      [
        {
          companyName: 'Licht GmbH',
          address: { country: 'DE' },
          taxIds: [{ type: 'eu_vat', value: 'DE136695976' }],
        },
        'B2BINT',
      ],
      [{ address: { country: 'FR' } }, 'B2C'],
    ] as const;
    for (const [details, treatment] of rows) {
      const { id } = await enter(books, details);
      const { id: invoiceId } = (await charge(books.client, id)).body.data.createInvoice;
      const ubl = await readUbl(books.client, invoiceId);
      expect(ubl).toContain(`#BAR#${treatment}</cbc:Note>`);
      expect(ubl).toContain('schemeID="EM"');
    }
  });
});

it('a credit note names its invoice', async () => {
  const books = await open();
  const { id: customerId } = await enter(books, buyer);
  const invoice = (await charge(books.client, customerId)).body.data.createInvoice;
  const { createCreditNote } = await books.client.graphql(
    'mutation ($input: CreateCreditNoteInput!) { createCreditNote(input: $input) { id } }',
    { input: { invoiceId: invoice.id, kind: 'credit', reason: 'erreur' } },
  );
  const ubl = await readUbl(books.client, createCreditNote.id, 'creditNote');
  expect(ubl).toMatch(
    new RegExp(
      `<cac:InvoiceDocumentReference>\\s*<cbc:ID>${invoice.documentNumber}<\\/cbc:ID>\\s*<cbc:IssueDate>2026-10-10`,
    ),
  );
  expect(ubl).toContain('<cbc:Note>erreur</cbc:Note>');
  expect(ubl).toContain('<cbc:ProfileID>S1</cbc:ProfileID>');
  const { xml } = await readFacturX(books.client, createCreditNote.id, 'creditNote');
  expect(xml).toContain(`<ram:IssuerAssignedID>${invoice.documentNumber}</ram:IssuerAssignedID>`);
});

describe('the notes of the seller', () => {
  it('replace those of the law, are escaped, and stay on documents as they were', async () => {
    const latePenalties = `3 × le taux <légal> & "plus"`;
    const books = await open({ paymentNotes: { latePenalties, recoveryFee: '' } });
    const { id: customerId } = await enter(books, buyer);
    const { id } = (await charge(books.client, customerId)).body.data.createInvoice;
    const before = await readUbl(books.client, id);
    expect(before).toContain('#PMD#3 × le taux &lt;légal&gt; &amp; &quot;plus&quot;');
    expect(before).toContain('#PMT#Indemnité');
    const { tenant } = await books.client.graphql(
      '{ tenant { seller { paymentNotes { recoveryFee latePenalties earlyPaymentDiscount } } } }',
    );
    expect(tenant.seller.paymentNotes).toEqual({
      recoveryFee: null,
      latePenalties,
      earlyPaymentDiscount: null,
    });
    await setSeller(books.client, seller);
    expect(await readUbl(books.client, id)).toBe(before);
    const { id: next } = (await charge(books.client, customerId)).body.data.createInvoice;
    expect(await readUbl(books.client, next)).toContain('#PMD#Pénalités de retard');
  });

  it.each([
    ['latePenalties', 'x'.repeat(201)],
    ['recoveryFee', 'a\u202Eb'],
    ['earlyPaymentDiscount', 'a\u0000b'],
    ['recoveryFee', '1\n2'],
  ])('refuse %s %j', async (field, text) => {
    const books = await open();
    const { body } = await setSeller(books.client, { ...seller, paymentNotes: { [field]: text } });
    expect(body.errors[0].extensions).toMatchObject({
      reason: 'validation_failed',
      issues: [{ path: expect.stringContaining(`seller.paymentNotes.${field}`) }],
    });
  });
});

describe('what is missing', () => {
  const listMissing = async (client: Client, id: string, format = 'factur_x_fr') => {
    const { body } = await client.post(
      `query ($id: ID!, $format: EInvoiceFormat!) {
        customer(id: $id) { eInvoiceReadiness(format: $format) { missing { path term rule } } }
      }`,
      { id, format },
    );
    expect(body.errors).toBeUndefined();
    return body.data.customer.eInvoiceReadiness.missing.map(({ path, term, rule }: any) =>
      [path, term, rule].filter(Boolean).join(' '),
    );
  };

  it.each<[seller: object, buyer: object, missing: string[]]>([
    [{}, {}, []],
    [
      { electronicAddress: null, legalRegistration: null },
      { electronicAddress: null, legalRegistration: null },
      [
        'seller.legalRegistration BT-30 BR-FR-10',
        'seller.electronicAddress BT-34 BR-FR-13',
        'customer.legalRegistration BT-47 BR-FR-11',
        'customer.electronicAddress BT-49 BR-FR-21',
      ],
    ],
    // A SIRET is no SIREN, and an address has no spaces and begins with the SIREN of the buyer.
    [
      { legalRegistration: { scheme: '0002', value: '73282932000074' } },
      { electronicAddress: { scheme: '0225', value: '732829320' } },
      ['seller.legalRegistration BT-30 BR-FR-10', 'customer.electronicAddress BT-49 BR-FR-21'],
    ],
    [
      { electronicAddress: { scheme: '0225', value: '732 829' } },
      { electronicAddress: { scheme: '0088', value: '4000000000006' } },
      ['seller.electronicAddress BT-34 BR-FR-13', 'customer.electronicAddress BT-49 BR-FR-21'],
    ],
    [
      {},
      { companyName: null, legalRegistration: { scheme: '0002', value: '1' }, electronicAddress: null },
      ['customer.legalRegistration BT-47 BR-FR-32'],
    ],
    [{}, { address: { country: 'DE' }, taxIds: [] }, ['taxRate BT-119 BR-FR-16']],
  ])('%j %j', async (own, theirs, missing) => {
    const books = await open(own);
    const { id } = await enter(books, { ...buyer, ...theirs });
    expect(await listMissing(books.client, id)).toEqual(missing);
    expect(await listMissing(books.client, id, 'ubl_fr')).toEqual(missing);
  });

  it.each<
    [name: string, prepare: (books: Books) => Promise<unknown>, sale: object, path: string, rule: string]
  >([
    [
      'another currency',
      async () => {},
      { item: { amount: { decimal: '5', currency: 'usd' } } },
      'currency',
      'BR-FR-CO-12',
    ],
    [
      'a number with a point',
      ({ client }) =>
        client.graphql(
          'mutation { updateNumberSeries(input: { kind: invoice, prefix: "F.26" }) { prefix } }',
        ),
      {},
      'number',
      'BR-FR-02',
    ],
    [
      'a missing SIREN',
      ({ client }) => setSeller(client, { ...seller, legalRegistration: null }),
      {},
      'seller.legalRegistration',
      'BR-FR-10',
    ],
  ])('refuses %s before anything has a number', async (_, prepare, sale, path, rule) => {
    const books = await open();
    const { id } = await enter(books, { ...buyer, documentFormat: 'factur_x_fr' });
    await prepare(books);
    const before = await app.backdoor.dump(books.alias);
    const { body } = await charge(books.client, id, sale);
    expect(body.errors[0].extensions).toMatchObject({ reason: 'validation_failed', issues: [{ path }] });
    expect(body.errors[0].extensions.issues[0].message).toContain(rule);
    expect(await app.backdoor.dump(books.alias)).toBe(before);
  });

  it('refuses a rate that France never had, by the charge', async () => {
    const books = await open();
    const { id } = await enter(books, { ...buyer, documentFormat: 'ubl_fr' });
    const { createTaxRate } = await books.client.graphql(
      'mutation { createTaxRate(input: { country: "FR", percent: "17", taxCode: "odd" }) { id } }',
    );
    const { body } = await charge(books.client, id, { item: { taxRateId: createTaxRate.id } });
    expect(body.errors[0].extensions.issues).toMatchObject([{ path: 'taxRate' }]);
    expect((await charge(books.client, id)).body.data.createInvoice.documentNumber).toBeTruthy();
  });
});
