/** Tax returns of a test tenant, as text, and a seller whose sales have every treatment. */
import type { TestApp } from './app.ts';
import { ask } from './oneOff.ts';
import { listDocuments, bill, credit } from './taxReports.ts';
import { addressIn, openTaxed, parties, type Taxed } from './taxes.ts';

const money = '{ decimal }';
const document = `query ($input: TaxReturnInput!) { taxReturn(input: $input) {
  kind from until timeZone untaxedDocuments currency missingRates { day currency taxCurrency documents }
  rows { code label leftOut treatment country category percent reason rateType currency correctedFrom correctedUntil documents
    unconvertedDocuments rateDate exchangeRates { currency rate } convertedTaxable ${money} convertedTax ${money}
    taxable ${money} tax ${money} declaredTaxable ${money} declaredTax ${money} }
} }`;

export const readReturn = async (shop: Taxed, input: object): Promise<any> =>
  (await shop.client.graphql(document, { input })).taxReturn;

/** A row as text: `supplies FR 20% standard: 200.00 +40.00 of 1`, with what the form takes if that differs. */
export const lineText = (row: any): string => {
  const { code, leftOut, country, percent, category, reason, rateType, currency, documents } = row;
  const corrected =
    row.correctedFrom && `${row.correctedFrom.slice(0, 10)}–${row.correctedUntil.slice(0, 10)}`;
  const declared =
    row.declaredTaxable.decimal === row.taxable.decimal && row.declaredTax.decimal === row.tax.decimal
      ? ''
      : `, declared ${row.declaredTaxable.decimal} +${row.declaredTax.decimal}`;
  const terms = [code ?? leftOut, country, category, percent && `${Number(percent)}%`, reason, rateType];
  const name = [...terms, currency !== 'eur' && currency, corrected].filter(Boolean).join(' ');
  return `${name}: ${row.taxable.decimal} +${row.tax.decimal} of ${documents}${declared}`;
};

/** The filter of the documents behind a row. */
const filterOf = ({ from, until, kind }: any, row: any): object => {
  const { code, leftOut, country, category, percent, reason, currency, correctedFrom, correctedUntil } = row;
  const isWhole = leftOut !== null || kind === 'plain';
  return {
    from,
    until,
    currency,
    taxReturn: { kind, code, leftOut },
    ...(isWhole || country !== null ? { country } : {}),
    ...(category !== null && { category }),
    ...(percent !== null && { percent }),
    ...(isWhole && { reason }),
    ...(correctedFrom && { creditsIssuedFrom: correctedFrom, creditsIssuedBefore: correctedUntil }),
  };
};

export const toMinor = (decimal: string): bigint => BigInt(decimal.replace('.', ''));

/** Lists the documents behind a row, and their sums. */
export async function openRow(shop: Taxed, found: any, row: any) {
  const list = await listDocuments(shop, { input: filterOf(found, row), first: 100 });
  const sum = (field: string) =>
    list.nodes.reduce((total: bigint, each: any) => total + toMinor(each[field].decimal), 0n);
  return { documents: list.totalCount, listed: list.nodes.length, taxable: sum('taxable'), tax: sum('tax') };
}

/** Bills a customer in euros at a rate of the seller's own. */
const billAt = (shop: Taxed, { id }: { id: string }, amount: number, taxRateId: string) =>
  ask(shop, 'createInvoice', {
    customerId: id,
    items: [{ amount: { amount, currency: 'eur' }, description: 'Work', taxRateId }],
    collect: 'send_invoice',
  });

/** Opens a seller in Germany or France who sold in each way in the first quarter of 2026, and corrects some of it in the second. */
export async function openSeller(app: TestApp, country: 'DE' | 'FR', reduced: string): Promise<Taxed> {
  const shop = await openTaxed(app, '2026-01-15T10:00:00.000Z', country, 'Europe/Berlin');
  await shop.addRate(reduced, 'reduced');
  const customers: Record<string, any> = {};
  const places = {
    home: { address: addressIn(country) },
    exempt: { address: addressIn(country), taxExempt: true },
    private: { address: addressIn(country === 'DE' ? 'FR' : 'DE') },
    business: {
      address: addressIn('IT'),
      taxIds: [{ type: 'eu_vat' as const, value: 'IT00000010215' }],
    },
    estonian: parties['estonian']!,
    american: parties['american']!,
  };
  for (const [name, fields] of Object.entries(places)) {
    customers[name] = await shop.shop.customer();
    await shop.move(customers[name], fields);
  }
  const home = await bill(shop, customers['home'], 100.55, 'eur');
  await billAt(shop, customers['home'], 50.4, 'txr_reduced');
  const abroad = await bill(shop, customers['private'], 200, 'eur');
  await bill(shop, customers['estonian'], 10, 'eur');
  await bill(shop, customers['business'], 300.99, 'eur');
  await bill(shop, customers['american'], 400, 'eur');
  await bill(shop, customers['exempt'], 25, 'eur');
  await bill(shop, customers['home'], 60, 'usd');
  const voided = await bill(shop, customers['home'], 7, 'eur');
  await ask(shop, 'voidInvoice', { id: voided.id });
  await credit(shop, home.id, country === 'DE' ? 11.9 : 12, 'eur');
  await shop.advance('2026-05-02T10:00:00.000Z');
  await credit(shop, abroad.id, country === 'DE' ? 60 : 59.5, 'eur');
  const paid = await bill(shop, customers['private'], 1, 'eur');
  await ask(shop, 'recordPayment', { id: paid.id });
  return shop;
}

const listDocument = `query ($input: EcSalesListInput!) { ecSalesList(input: $input) {
  from until timeZone rows { vatId kind country currency documents taxable ${money} declaredTaxable ${money} }
} }`;

export const readEcSales = async (shop: Taxed, input: object): Promise<any> =>
  (await shop.client.graphql(listDocument, { input })).ecSalesList;
