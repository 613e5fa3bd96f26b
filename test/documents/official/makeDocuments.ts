/** Makes documents by the real app: sellers of all countries, buyers, price models and currencies, invoices and credit notes. */
import { startApp, type Client } from '../../support/app.ts';
import { countries, exemptSellers, listBuyers, type Country } from './parties.ts';

export interface MadeDocument {
  /** For example `DE-INV-2026-00004-xrechnung`. */
  name: string;
  format: string;
  fileName: string;
  bytes: Buffer;
}

export interface Made {
  /** The number of invoices and credit notes. */
  issued: number;
  documents: MadeDocument[];
  /** Formats that a document could not be made in, and the fields that were missing. */
  refusals: { format: string; paths: string[] }[];
}

const start = '2026-01-10T00:00:00Z';

/** The price models, with the terms beside them; a document has the currency that its turn brings. */
const models: { price: object; quantity?: number; usage?: boolean; coupon?: boolean }[] = [
  { price: { details: { decimal: '49.9' } } },
  { price: { details: { decimal: '19.99' }, taxBehavior: 'inclusive' } },
  { price: { details: { decimal: '0.333333333333' }, model: 'per_unit' }, quantity: 7 },
  { price: { details: { decimal: '25' }, model: 'package', packageSize: 10 }, quantity: 37 },
  {
    price: {
      details: { decimal: '0' },
      model: 'graduated',
      tiers: [
        { upTo: '10', unitAmount: '5' },
        { unitAmount: '3.5', flatAmount: '12' },
      ],
    },
    quantity: 25,
  },
  {
    price: {
      details: { decimal: '0' },
      model: 'volume',
      tiers: [{ upTo: '10', unitAmount: '5' }, { unitAmount: '3.21' }],
    },
    quantity: 33,
  },
  {
    price: { details: { decimal: '0.0042' }, model: 'per_unit', minimumSpend: { decimal: '15' } },
    usage: true,
  },
  { price: { details: { decimal: '99' } }, coupon: true },
];

/** Makes the documents of all sellers, or of those of some countries, in all their formats. */
export async function makeDocuments(sellers: string[] = Object.keys(countries)): Promise<Made> {
  const app = await startApp({ rateLimitPerSecond: '100000' });
  const made: Made = { issued: 0, documents: [], refusals: [] };
  try {
    for (const [nth, shop] of listShops().entries()) {
      const { country, name } = shop;
      if (!sellers.includes(country)) continue;
      const client = await app.tenant({
        alias: `seller-${name.toLowerCase()}`,
        timezone: 'Europe/Berlin',
        test: true,
        clock: start,
      });
      await openShop(client, shop);
      await setRates(client, '2026-01-10');
      // To a charity an exempt seller is as to others.
      const buyers = listBuyers(country).slice(0, shop.isExempt ? 4 : 5);
      for (const [turn, buyer] of buyers.entries())
        await sell(client, country, { turn: nth * 5 + turn, buyer });
      await run(client, 'mutation { advanceClock(input: { to: "2026-02-12T00:00:00Z" }) { clock } }');
      // Renewals were not held up by the rates that were missing; their documents get the tax now.
      await setRates(client, '2026-02-09');
      await download(client, shop, made);
    }
  } finally {
    await app.close();
  }
  return made;
}

interface Shop {
  country: Country;
  /** With which the names of its documents begin. */
  name: string;
  isExempt: boolean;
}

/** Lists a seller of each country, and the small businesses. */
const listShops = (): Shop[] => [
  ...(Object.keys(countries) as Country[]).map((country) => ({ country, name: country, isExempt: false })),
  ...(Object.keys(exemptSellers) as Country[]).map((country) => ({
    country,
    name: `${country}-exempt`,
    isExempt: true,
  })),
];

const run = (client: Client, text: string, variables: Record<string, unknown> = {}) =>
  client.graphql(text, variables);

/** Gives a tenant its seller, what it charges outside of the Union, and what it sells. */
async function openShop(client: Client, { country, isExempt }: Shop): Promise<void> {
  const { companyName, ...party } = countries[country].seller;
  await run(
    client,
    'mutation ($seller: SellerInput!) { updateTenant(input: { seller: $seller }) { alias } }',
    {
      seller: {
        ...party,
        ...(isExempt && { ...exemptSellers[country], taxExemption: { kind: 'small_business' } }),
        legalName: companyName,
        contact: { name: 'Ada Lang', phone: '+49 30 123456', email: 'billing@nord.example' },
        bankAccount: { accountHolder: companyName, iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' },
      },
    },
  );
  if (country === 'NO')
    await run(
      client,
      'mutation { createTaxRate(input: { country: "NO", percent: "25", name: "MVA" }) { id } }',
    );
}

/** How much one euro is worth, for the tax of bills in another currency than the seller's. */
const euroRates = {
  usd: '1.1642',
  jpy: '183.27',
  dkk: '7.4712',
  sek: '10.7105',
  nok: '11.6605',
  pln: '4.2103',
};

async function setRates(client: Client, day: string): Promise<void> {
  for (const [currency, rate] of Object.entries(euroRates))
    await run(client, 'mutation ($input: SetExchangeRateInput!) { setExchangeRate(input: $input) { day } }', {
      input: { currency, day, rate },
    });
}

/** Sells a subscription of the turn's model, and one-off charges with credit notes. */
async function sell(client: Client, country: Country, { turn, buyer }: { turn: number; buyer: object }) {
  const currency = chooseCurrency(country, turn);
  const { createCustomer: customer } = await run(
    client,
    'mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id associatedId } }',
    {
      input: {
        associatedId: `buyer-${turn}`,
        email: `ada${turn}@buyer.example`,
        firstName: 'Ada',
        lastName: 'Lovelace',
        ...buyer,
      },
    },
  );
  await subscribe(client, customer, models[turn % models.length]!, currency);
  const sent = await charge(client, customer.id, currency, 'send_invoice');
  await credit(client, sent, { amount: money('10', currency), kind: 'credit', reason: 'late' });
  const charged = await charge(client, customer.id, currency, 'automatic');
  await credit(client, charged, { kind: turn % 2 === 0 ? 'refund' : 'credit', memo: 'All of it' });
}

/** The buyer overseas pays dollars, and now and then another one yen or euros; the others pay what is usual at home. */
function chooseCurrency(country: Country, turn: number): string {
  if (turn % 5 === 3) return 'usd';
  if (turn % 10 === 7) return 'jpy';
  return turn % 3 === 0 ? 'eur' : countries[country].currency;
}

const money = (decimal: string, currency: string) => ({
  decimal: currency === 'jpy' ? String(Math.ceil(Number(decimal))) : decimal,
  currency,
});

async function subscribe(
  client: Client,
  customer: { id: string; associatedId: string },
  { price, quantity, usage = false, coupon = false }: (typeof models)[number],
  currency: string,
): Promise<void> {
  const meter = usage
    ? await run(client, 'mutation ($input: CreateMeterInput!) { createMeter(input: $input) { id } }', {
        input: { name: 'Tokens', event: `tokens-${customer.associatedId}`, aggregation: 'sum', value: 'n' },
      })
    : undefined;
  const { createProduct } = await run(
    client,
    'mutation ($input: CreateProductInput!) { createProduct(input: $input) { id prices { id } } }',
    {
      input: {
        name: 'Pro "plan" & <more>',
        description: '',
        prices: [{ ...inCurrency(price, currency), ...(meter && { meterId: meter.createMeter.id }) }],
      },
    },
  );
  const couponId = coupon
    ? (
        await run(client, 'mutation ($input: CreateCouponInput!) { createCoupon(input: $input) { id } }', {
          input: { name: 'A third', percentOff: '33.33', duration: 'forever' },
        })
      ).createCoupon.id
    : undefined;
  const { createSubscriptionIntent: intent } = await run(
    client,
    'mutation ($input: CreateSubscriptionIntentInput!) { createSubscriptionIntent(input: $input) { id } }',
    {
      input: {
        customerId: customer.id,
        productId: createProduct.id,
        priceId: createProduct.prices[0].id,
        receiptUrl: 'https://example.com/thanks',
        quantity,
        couponId,
      },
    },
  );
  await run(
    client,
    'mutation ($id: ID!) { confirmIntent(id: $id, input: { paymentMethod: "sandbox_ok" }) { id } }',
    {
      id: intent.id,
    },
  );
  if (usage)
    await run(client, 'mutation ($input: RecordUsageInput!) { recordUsage(input: $input) { accepted } }', {
      input: {
        events: [
          {
            id: 'e1',
            customerId: customer.id,
            event: `tokens-${customer.associatedId}`,
            properties: { n: 12_345 },
          },
        ],
      },
    });
}

/** Returns a price in a currency; yen have no decimals. */
function inCurrency(price: any, currency: string): object {
  const details = { ...price.details, currency };
  if (currency === 'jpy' && !price.model) details.decimal = String(Math.ceil(Number(details.decimal)));
  return {
    ...price,
    details,
    ...(price.minimumSpend && { minimumSpend: money(price.minimumSpend.decimal, currency) }),
  };
}

const charge = async (client: Client, customerId: string, currency: string, collect: string) =>
  (
    await run(client, 'mutation ($input: CreateInvoiceInput!) { createInvoice(input: $input) { id } }', {
      input: {
        customerId,
        items: [
          { amount: money('120.55', currency), description: 'Consulting & <more>', quantity: 3 },
          { amount: money('0.07', currency), description: 'Postage', taxBehavior: 'inclusive' },
        ],
        collect,
        purchaseOrder: 'PO-4711',
      },
    })
  ).createInvoice.id as string;

const credit = (client: Client, invoiceId: string, input: object) =>
  run(client, 'mutation ($input: CreateCreditNoteInput!) { createCreditNote(input: $input) { id } }', {
    input: { invoiceId, ...input },
  });

/** Downloads each document in all formats of its seller. */
async function download(client: Client, { country, name: shop }: Shop, made: Made): Promise<void> {
  const { invoices, creditNotes } = await run(
    client,
    `{
      invoices(first: 100, order: ASC) { nodes { id documentNumber } }
      creditNotes(first: 100, order: ASC) { nodes { id documentNumber } }
    }`,
  );
  const issued = [
    ...invoices.nodes.map((node: object) => ({ ...node, kind: 'invoice' })),
    ...creditNotes.nodes.map((node: object) => ({ ...node, kind: 'creditNote' })),
  ];
  made.issued += issued.length;
  for (const { id, documentNumber, kind } of issued)
    for (const format of countries[country].formats) {
      const name = `${shop}-${documentNumber}-${format}`;
      const { body } = await client.post(
        `query ($id: ID!, $format: DocumentFormat!) { ${kind}(id: $id) { document(format: $format) { fileName base64 } } }`,
        { id, format },
      );
      const file = body.data?.[kind]?.document;
      if (file) {
        const { fileName, base64 } = file;
        made.documents.push({ name, format, fileName, bytes: Buffer.from(base64, 'base64') });
        continue;
      }
      const { reason, issues } = body.errors[0].extensions;
      if (reason !== 'validation_failed') throw new Error(`${name}: ${JSON.stringify(body.errors)}`);
      made.refusals.push({ format, paths: issues.map(({ path }: { path: string }) => path) });
    }
}
