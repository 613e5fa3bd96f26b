import type { Address, TaxId } from '../../src/storage/model/common.ts';
import type { Row } from '../../src/storage/model/rowTypes.ts';
import type { TestApp } from './app.ts';
import { openBooks, openScope, type Books } from './books.ts';

/** An address as far as tax reads it. */
export const addressIn = (country: string, fields: Partial<Address> = {}): Address => ({
  line1: null,
  line2: null,
  city: null,
  postalCode: null,
  region: null,
  country,
  ...fields,
});

export const sellerIn = (country: string): Row<'tenants'>['seller'] => ({
  legalName: 'Perennial GmbH',
  address: addressIn(country),
  taxIds: [],
  registration: null,
  footer: null,
  logoId: null,
});

/** The details of customers whose tax differs. */
export const parties: Record<string, Partial<Row<'customers'>>> = {
  german: { address: addressIn('DE') },
  estonian: { address: addressIn('EE') },
  french: { address: addressIn('FR') },
  frenchCompany: {
    address: addressIn('FR'),
    taxIds: [{ type: 'eu_vat', value: 'FR00300076965' }] satisfies TaxId[],
  },
  american: { address: addressIn('US') },
  exempt: { address: addressIn('DE'), taxExempt: true },
  unknown: {},
};

export type Taxed = Awaited<ReturnType<typeof openTaxed>>;

/** Opens a test tenant with a seller, or without one, whose records the test changes. */
export async function openTaxed(app: TestApp, clock: string, country: string, timezone?: string) {
  const books = await openBooks(app, clock, timezone);
  const scope = await openScope(app, books);
  const sellIn = (place: string) =>
    scope.write((unit) => unit.change('tenants', unit.tenant, { seller: sellerIn(place) }));
  if (country !== '') await sellIn(country);
  return {
    ...books,
    sellIn,
    /** Changes the details of a customer. */
    move: async ({ id }: { id: string }, fields: Partial<Row<'customers'>>) =>
      scope.write(async (unit) => unit.change('customers', (await unit.one('customers', { id }))!, fields)),
    /** Lets the amount of a price contain the tax. */
    include: async ({ id }: { id: string }) =>
      scope.write(async (unit) =>
        unit.change('prices', (await unit.one('prices', { id }))!, { taxBehavior: 'inclusive' }),
      ),
    /** Adds a rate for products with a tax code. */
    addRate: async (percent: string, taxCode: string) =>
      scope.write((unit) =>
        unit.create('taxRates', {
          id: `txr_${taxCode}`,
          name: null,
          country,
          region: null,
          postcode: null,
          taxCode,
          category: 'S',
          percent,
          effectiveFrom: '2020-01-01T00:00:00.000Z',
          archivedAt: null,
          createdAt: unit.now,
          updatedAt: unit.now,
        }),
      ),
    setTaxCode: async (id: string, taxCode: string) =>
      scope.write(async (unit) =>
        unit.change('products', (await unit.one('products', { id }))!, { taxCode }),
      ),
  };
}

const taxFields = `total { amount } tax { amount } taxes { category percent reason taxable { amount } tax { amount } }
  lines { kind amount { amount } tax { percent included amount { amount } } }`;

export const taxDocuments = {
  invoices: `query ($customerId: ID!) { invoices(customerId: $customerId, first: 100, order: ASC) { nodes {
    id status subtotal { amount } discount { amount } refundable { amount } refunded { amount } ${taxFields}
  } } }`,
  preview: `query ($id: ID!, $input: SubscriptionChangeInput!) { previewSubscriptionChange(id: $id, input: $input) {
    subtotal { amount } discount { amount } ${taxFields} nextInvoice { ${taxFields} }
  } }`,
  change: `mutation ($id: ID!, $input: ChangeSubscriptionInput!) { changeSubscription(id: $id, input: $input) { id } }`,
  forecast: `query ($id: ID!, $until: DateTime!) { forecast(subscriptionId: $id, until: $until) { date ${taxFields} } }`,
};

const describeTax = ({ amount, included }: any) =>
  included ? ` (${amount.amount})` : ` ${amount.amount < 0 ? '-' : '+'}${Math.abs(amount.amount)}`;

/** A bill as text: `119: cycle 100 +19`; the tax that a price contains is in brackets. */
export const billText = ({ total, lines }: any): string =>
  `${total.amount}: ${lines
    .map(({ kind, amount, tax }: any) => `${kind} ${amount.amount}${tax ? describeTax(tax) : ''}`)
    .join(', ')}`;

/** The taxes of a bill as text: `S 19% 19 of 100`. */
export const taxText = ({ taxes }: any): string =>
  taxes
    .map(
      ({ category, percent, reason, taxable, tax }: any) =>
        `${category} ${percent}% ${tax.amount} of ${taxable.amount}${reason ? ` ${reason}` : ''}`,
    )
    .join(', ');

/** Reads the invoices of a customer, oldest first. */
export const readInvoices = async (
  { client }: Pick<Books, 'client'>,
  customer: { id: string },
): Promise<any[]> =>
  (await client.graphql(taxDocuments.invoices, { customerId: customer.id })).invoices.nodes;
