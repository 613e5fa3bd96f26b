/** XRechnung and Peppol BIS: what they name, what they demand, and that nobody is billed before it is there. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { openBooks, type Books } from '../../support/books.ts';
import { readXml } from '../../documents/xmlTree.ts';
import { listMisplaced } from '../../documents/sequences.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
});
afterAll(() => app.close());

const contact = { name: 'Ada Lang', phone: '+49 30 123456', email: 'billing@nordlicht.example' };

const sellers = {
  DE: {
    legalName: 'Nordlicht GmbH',
    address: { line1: 'Torstraße 1', city: 'Berlin', postalCode: '10119', country: 'DE' },
    taxIds: [{ type: 'eu_vat', value: 'DE136695976' }],
    registration: 'HRB 12345 B',
    contact,
    electronicAddress: { scheme: '9930', value: 'DE136695976' },
  },
  NL: {
    legalName: 'Noorderlicht B.V.',
    address: { line1: 'Damrak 1', city: 'Amsterdam', postalCode: '1012 LG', country: 'NL' },
    taxIds: [{ type: 'eu_vat', value: 'NL123456782B90' }],
    electronicAddress: { scheme: '0106', value: '12345678' },
    legalRegistration: { scheme: '0106', value: '12345678' },
  },
  BE: {
    legalName: 'Noord SRL',
    address: { line1: 'Rue Haute 1', city: 'Bruxelles', postalCode: '1000', country: 'BE' },
    taxIds: [{ type: 'eu_vat', value: 'BE0428759497' }],
    electronicAddress: { scheme: '0208', value: '0428759497' },
  },
} as const;

const buyers = {
  'a German office': {
    companyName: 'Bezirksamt Mitte',
    address: { line1: 'Platz 1', city: 'Berlin', postalCode: '10178', country: 'DE' },
    buyerReference: '04011000-12345-03',
  },
  'a French company': {
    companyName: 'Lumière SAS',
    address: { line1: '4 rue de la République', city: 'Lyon', postalCode: '69001', country: 'FR' },
    taxIds: [{ type: 'eu_vat', value: 'FR03784359069' }],
    buyerReference: 'PO team',
    electronicAddress: { scheme: '0009', value: '78435906900012' },
  },
  'a Dutch company': {
    companyName: 'Grachten B.V.',
    address: { line1: 'Singel 2', city: 'Amsterdam', postalCode: '1013 GA', country: 'NL' },
    buyerReference: 'inkoop',
    electronicAddress: { scheme: '0106', value: '87654321' },
    legalRegistration: { scheme: '0106', value: '87654321' },
  },
  'an American company': {
    companyName: 'Lights Inc.',
    address: { line1: 'Main street 1', city: 'Boston', postalCode: '02108', region: 'MA', country: 'US' },
    buyerReference: 'AP-7',
    electronicAddress: { scheme: '0060', value: '123456789' },
  },
};

async function open(seller: object): Promise<Books> {
  const books = await openBooks(app, '2026-01-10');
  await books.client.graphql(
    'mutation ($seller: SellerInput!) { updateTenant(input: { seller: $seller }) { alias } }',
    {
      seller: {
        bankAccount: { accountHolder: 'Nord', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' },
        ...seller,
      },
    },
  );
  return books;
}

const update = (client: Client, id: string, input: object) =>
  client.post(
    'mutation ($id: ID!, $input: UpdateCustomerInput!) { updateCustomer(id: $id, input: $input) { id } }',
    {
      id,
      input,
    },
  );

async function enter({ shop, client }: Books, details: object) {
  const customer = await shop.customer();
  const { body } = await update(client, customer.id, details);
  expect(body.errors).toBeUndefined();
  return customer;
}

const charge = (client: Client, customerId: string, more: object = {}) =>
  client.post(
    `mutation ($input: CreateInvoiceInput!) { createInvoice(input: $input) { id purchaseOrder documentNumber } }`,
    {
      input: {
        customerId,
        items: [
          { amount: { amount: 120, currency: 'eur' }, description: 'Consulting & <more>', quantity: 2 },
        ],
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
  return { body, xml: file ? Buffer.from(file.base64, 'base64').toString('utf8') : '', file };
}

/** Where the files of the tests are written for the official validators, if the variable names a folder. */
const folder = process.env['E_INVOICE_FOLDER'];
const keep = (name: string, xml: string) => {
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/${name}.xml`, xml);
};

const formats = ['xrechnung', 'xrechnung_cii', 'peppol_bis_3'] as const;
const rows = Object.keys(sellers).flatMap((seller) =>
  Object.keys(buyers).map((buyer) => ({
    seller: seller as keyof typeof sellers,
    buyer: buyer as keyof typeof buyers,
  })),
);

describe.each(rows)('a seller in $seller and $buyer', ({ seller, buyer }) => {
  it('get what the formats name, of transfers, cards and credit notes', async () => {
    const own = { ...sellers[seller], contact };
    const books = await open(own);
    const given = buyers[buyer];
    const address = { scheme: '9930', value: 'DE136695976' };
    const customer = await enter(books, { electronicAddress: address, ...given });
    const customerId = customer.id;
    const { client, shop } = books;
    const sent = (await charge(client, customerId, { purchaseOrder: 'PO-4711' })).body.data.createInvoice;
    expect(sent.purchaseOrder).toBe('PO-4711');
    const credit = await client.graphql(
      'mutation ($input: CreateCreditNoteInput!) { createCreditNote(input: $input) { id } }',
      {
        input: {
          invoiceId: sent.id,
          amount: { amount: 10, currency: 'eur' },
          kind: 'credit',
          reason: 'late',
        },
      },
    );
    const { price } = await shop.product({ amount: 30 });
    await books.subscribe(customer, price);
    const { invoices } = await client.graphql(
      'query ($customerId: ID!) { invoices(customerId: $customerId, first: 1, order: DESC) { nodes { id } } }',
      { customerId },
    );
    const documents = [
      ['transfer', 'invoice', sent.id],
      ['credit', 'creditNote', credit.createCreditNote.id],
      ['card', 'invoice', invoices.nodes[0].id],
    ] as const;
    for (const format of formats)
      for (const [name, kind, id] of documents) {
        const { xml, body } = await download(client, id, format, kind);
        expect(body.errors, `${format} ${name}`).toBeUndefined();
        keep(`${format}-${seller}-${buyer.replaceAll(' ', '-')}-${name}`, xml);
        expect(listMisplaced(readXml(xml))).toEqual([]);
        expect(xml).toContain(given.buyerReference);
        expect(xml).toContain(format === 'peppol_bis_3' ? 'poacc:billing:3.0' : 'kosit:xrechnung_3.0');
        expect(xml).toContain('urn:fdc:peppol.eu:2017:poacc:billing:01:1.0');
        expect(xml).toContain(own.electronicAddress.value);
        expect(xml).toContain(contact.phone);
        expect(xml).not.toContain('schemeID="EM"');
        expect(xml.includes('PO-4711')).toBe(name !== 'card');
      }
    // The core stays without what only national rules ask for.
    const core = await download(client, sent.id, 'ubl');
    expect(core.xml).toContain('<cbc:CustomizationID>urn:cen.eu:en16931:2017</cbc:CustomizationID>');
    expect(core.xml).not.toContain('ProfileID');
  });
});

describe('what is missing', () => {
  const listMissing = async (client: Client, id: string, format: string) => {
    const { body } = await client.post(
      `query ($id: ID!, $format: EInvoiceFormat!) {
        customer(id: $id) { eInvoiceReadiness(format: $format) { ready missing { path term rule } } }
      }`,
      { id, format },
    );
    expect(body.errors).toBeUndefined();
    const { ready, missing } = body.data.customer.eInvoiceReadiness;
    expect(ready).toBe(missing.length === 0);
    return missing
      .map(({ path, term, rule }: any) => [path, term, rule].filter(Boolean).join(' '))
      .toSorted();
  };

  it.each<[format: string, seller: object, buyer: object, missing: string[]]>([
    [
      'xrechnung',
      { legalName: 'Nordlicht GmbH', address: { country: 'DE' }, taxIds: sellers.DE.taxIds },
      { companyName: 'Amt', address: { country: 'DE' } },
      [
        'customer.address.city BT-52 BR-DE-8',
        'customer.address.postalCode BT-53 BR-DE-9',
        'customer.buyerReference BT-10 BR-DE-15',
        'seller.address.city BT-37 BR-DE-3',
        'seller.address.postalCode BT-38 BR-DE-4',
        'seller.contact BG-6 BR-DE-2',
        'seller.electronicAddress BT-34 PEPPOL-EN16931-R020',
      ],
    ],
    ['xrechnung', sellers.DE, buyers['a German office'], []],
    // The e-mail address of a German office will do for XRechnung; Peppol does not deliver to it.
    [
      'peppol_bis_3',
      sellers.DE,
      buyers['a German office'],
      ['customer.electronicAddress BT-49 PEPPOL-EN16931-R010'],
    ],
    [
      'peppol_bis_3',
      { ...sellers.NL, electronicAddress: { scheme: 'EM', value: 'a@b.example' }, legalRegistration: null },
      { ...buyers['a Dutch company'], legalRegistration: null, buyerReference: null },
      [
        'customer.buyerReference BT-10 PEPPOL-EN16931-R003',
        'customer.legalRegistration BT-47 NL-R-005',
        'seller.electronicAddress BT-34 PEPPOL-EN16931-R020',
        'seller.legalRegistration BT-30 NL-R-003',
      ],
    ],
    ['peppol_bis_3', sellers.BE, buyers['a French company'], []],
    ['ubl', sellers.BE, { companyName: 'X' }, ['customer.address.country BT-55']],
  ])('for %s', async (format, seller, buyer, missing) => {
    const books = await open(seller);
    const { id } = await enter(books, buyer);
    expect(await listMissing(books.client, id, format)).toEqual(missing);
  });

  it('refuses an invoice before it has a number, and a draft when it is finalized', async () => {
    const books = await open(sellers.DE);
    const { client } = books;
    const { id } = await enter(books, {
      ...buyers['a German office'],
      buyerReference: null,
      documentFormat: 'xrechnung',
    });
    const before = await app.backdoor.dump(books.alias);
    const { body } = await charge(client, id);
    expect(body.errors[0].extensions).toMatchObject({
      reason: 'validation_failed',
      issues: [
        {
          path: 'customer.buyerReference',
          message: 'must be given for xrechnung: the reference of the customer (BT-10 of EN 16931, BR-DE-15)',
        },
      ],
    });
    expect(await app.backdoor.dump(books.alias)).toBe(before);
    const draft = (await charge(client, id, { draft: true })).body.data.createInvoice;
    const finalize = () =>
      client.post('mutation ($id: ID!) { finalizeInvoice(id: $id) { documentNumber } }', { id: draft.id });
    expect((await finalize()).body.errors[0].extensions.reason).toBe('validation_failed');
    await update(client, id, { buyerReference: '04011000-12345-03' });
    expect((await finalize()).body.data.finalizeInvoice.documentNumber).toBeTruthy();
  });

  it('refuses a document that was numbered without it, by the name of the field', async () => {
    const books = await open(sellers.DE);
    const { id } = await enter(books, { ...buyers['a German office'], buyerReference: null });
    const { id: invoiceId } = (await charge(books.client, id)).body.data.createInvoice;
    await update(books.client, id, { buyerReference: 'too late' });
    const { body } = await download(books.client, invoiceId, 'xrechnung');
    expect(body.errors[0].extensions.issues).toMatchObject([{ path: 'customer.buyerReference' }]);
  });
});

describe('the details', () => {
  it.each<[input: object, path: string]>([
    [{ electronicAddress: { scheme: '9999', value: '1' } }, 'electronicAddress.scheme'],
    [{ electronicAddress: { scheme: '__proto__', value: '1' } }, 'electronicAddress.scheme'],
    [{ electronicAddress: { scheme: '9930', value: '' } }, 'electronicAddress.value'],
    [{ electronicAddress: { scheme: '9930', value: 'x'.repeat(101) } }, 'electronicAddress.value'],
    [{ legalRegistration: { scheme: 'EM', value: '1' } }, 'legalRegistration.scheme'],
    [{ legalRegistration: { scheme: '0181', value: '1' } }, 'legalRegistration.scheme'],
    [{ buyerReference: 'x'.repeat(201) }, 'buyerReference'],
    [{ buyerReference: 'a\u202Eb' }, 'buyerReference'],
  ])('refuses %j', async (input, path) => {
    const books = await openBooks(app, '2026-01-10');
    const { id } = await books.shop.customer();
    const { body } = await update(books.client, id, input);
    expect(body.errors[0].extensions).toMatchObject({ reason: 'validation_failed', issues: [{ path }] });
  });

  it.each([
    [{ name: 'A', phone: '12', email: 'a@b.example' }, 'seller.contact.phone'],
    [{ name: 'A', phone: '+49 30 1', email: 'no address' }, 'seller.contact.email'],
    [{ name: '', phone: '+49 30 1', email: 'a@b.example' }, 'seller.contact.name'],
  ])('refuses the contact %j', async (bad, path) => {
    const books = await openBooks(app, '2026-01-10');
    const { body } = await books.client.post(
      'mutation ($seller: SellerInput!) { updateTenant(input: { seller: $seller }) { alias } }',
      { seller: { legalName: 'X', contact: bad } },
    );
    expect(body.errors[0].extensions).toMatchObject({ reason: 'validation_failed', issues: [{ path }] });
  });

  it('escapes what they contain', async () => {
    const books = await open(sellers.DE);
    const reference = `<a> & "b" ']]>`;
    const { id } = await enter(books, { ...buyers['a German office'], buyerReference: reference });
    const { id: invoiceId } = (await charge(books.client, id, { purchaseOrder: reference })).body.data
      .createInvoice;
    for (const format of formats.filter((each) => each !== 'peppol_bis_3')) {
      const { xml } = await download(books.client, invoiceId, format);
      expect(readXml(xml)).toBeTruthy();
      expect(xml).not.toContain('<a>');
    }
  });

  it('are erased with their customer', async () => {
    const books = await openBooks(app, '2026-01-10');
    const { id } = await enter(books, buyers['a Dutch company']);
    await books.client.graphql('mutation ($id: ID!) { eraseCustomer(id: $id) { id } }', { id });
    const dump = await app.backdoor.dump(books.alias);
    for (const text of ['87654321', 'inkoop']) expect(dump).not.toContain(text);
  });
});
