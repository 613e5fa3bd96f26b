/** A seller whose customers receive e-invoices through an access point. */
import { expect } from 'vitest';
import type { Client } from './app.ts';

export const secret = 'a-secret-of-forty-characters-0123456789';

const seller = {
  legalName: 'Noord SRL',
  address: { line1: 'Rue Haute 1', city: 'Bruxelles', postalCode: '1000', country: 'BE' },
  taxIds: [{ type: 'eu_vat', value: 'BE0428759497' }],
  electronicAddress: { scheme: '0208', value: '0428759497' },
  bankAccount: { accountHolder: 'Noord', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' },
};

const buyer = {
  companyName: 'Zuid BV',
  address: { line1: 'Meir 1', city: 'Antwerpen', postalCode: '2000', country: 'BE' },
  taxIds: [{ type: 'eu_vat', value: 'BE0411905847' }],
  buyerReference: 'aankoop',
  electronicAddress: { scheme: '0208', value: '0411905847' },
};

export const configureDocument = `mutation ($accessPoint: AccessPointAccountInput!) {
  configureAccount(input: { accessPoint: $accessPoint }) {
    provider settings { name value } callbackUrl failedAt failure
  }
}`;

/** Makes the tenant a seller with an access point. */
export async function setUpSeller(client: Client, url: string, more: object = {}): Promise<any> {
  await client.graphql(
    'mutation ($seller: SellerInput!) { updateTenant(input: { seller: $seller }) { alias } }',
    { seller },
  );
  const accessPoint = { url, secret, formats: ['peppol_bis_3', 'factur_x', 'ubl'], ...more };
  return (await client.graphql(configureDocument, { accessPoint })).configureAccount;
}

let lastCustomer = 0;

/** Creates a customer who receives a format; none if it is null. */
export async function createReceiver(
  client: Client,
  documentFormat: string | null = 'peppol_bis_3',
  more: object = {},
): Promise<string> {
  const associatedId = `receiver-${++lastCustomer}`;
  const input = {
    email: `${associatedId}@example.org`,
    firstName: 'Ada',
    lastName: 'Zuid',
    associatedId,
    documentFormat,
    ...buyer,
    ...more,
  };
  const document = 'mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }';
  return (await client.graphql(document, { input })).createCustomer.id;
}

export const deliveryFields = `eInvoiceDelivery {
  documentId status format at attempts lastError reference nextAttemptAt createdAt
  history { at statusCode durationMs error }
}`;

/** Issues an invoice for a transfer. */
export async function issue(client: Client, customerId: string): Promise<any> {
  const { createInvoice } = await client.graphql(
    `mutation ($input: CreateInvoiceInput!) { createInvoice(input: $input) { id documentNumber ${deliveryFields} } }`,
    {
      input: {
        customerId,
        items: [{ amount: { amount: 120, currency: 'eur' }, description: 'Consulting', quantity: 2 }],
        collect: 'send_invoice',
      },
    },
  );
  expect(createInvoice.documentNumber).not.toBeNull();
  return createInvoice;
}

/** Returns the delivery of an invoice. */
export const readDelivery = async (client: Client, id: string): Promise<any> =>
  (await client.graphql(`query ($id: ID!) { invoice(id: $id) { ${deliveryFields} } }`, { id })).invoice
    .eInvoiceDelivery;

/** Downloads the document of an invoice. */
export async function downloadBytes(
  client: Client,
  id: string,
  format: string,
  kind = 'invoice',
): Promise<Buffer> {
  const data = await client.graphql(
    `query ($id: ID!, $format: DocumentFormat!) { ${kind}(id: $id) { document(format: $format) { base64 } } }`,
    { id, format },
  );
  return Buffer.from(data[kind].document.base64, 'base64');
}
