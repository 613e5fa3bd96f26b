import { expect } from 'vitest';
import type { TestApp } from './app.ts';
import { openBooks } from './books.ts';

const lineFields = 'kind amount { amount }';
const previewDocument = `query ($id: ID!, $input: SubscriptionChangeInput!) { previewSubscriptionChange(id: $id, input: $input) {
  effectiveAt subtotal { amount } discount { amount } total { amount } lines { ${lineFields} } warnings { code message }
  nextInvoice { date total { amount } lines { ${lineFields} } }
} }`;
const changeDocument = `mutation ($id: ID!, $input: ChangeSubscriptionInput!) {
  changeSubscription(id: $id, input: $input) { id quantity priceId items { id quantity } }
}`;
const itemFields = 'id priceId productName quantity isMain addedAt agreedPrice { amount } price { id }';
const readDocument = `query ($id: ID!) { subscription(id: $id) {
  status quantity agreedPrice { amount } currentPeriodEnd items { ${itemFields} }
  scheduledChange { quantity addOns { priceId quantity } }
} }`;
const linesDocument = `query ($id: ID!) { invoices(subscriptionId: $id, order: ASC, first: 100) {
  nodes { id status total { amount } lines { ${lineFields} productName: description } }
} }`;
const adjustDocument =
  'mutation ($itemId: ID!, $by: Int!) { adjustQuantity(id: $itemId, input: { by: $by }) { quantity } }';
const intentDocument = `mutation ($input: CreateSubscriptionIntentInput!) {
  createSubscriptionIntent(input: $input) { id addOns { priceId quantity } }
}`;
const priceDocument = `mutation ($productId: ID!, $price: CreatePriceInput!) {
  createPrices(input: { productId: $productId, prices: [$price] }) { id productId }
}`;

/** A price as tests write it; `quantity` is that of an add-on. */
export interface PriceOf {
  amount?: string;
  currency?: string;
  quantity?: number;
  [field: string]: unknown;
}

/** A change as tests write it, with prices by their name or definition. */
export interface ChangeOf {
  price?: PriceOf | string;
  addOns?: Record<string, PriceOf>;
  /** Add-ons as the request has them, with prices by name or id. */
  addOnList?: { priceId: string; quantity?: number }[];
  [field: string]: unknown;
}

export interface Options {
  quantity?: number;
  addOns?: Record<string, PriceOf>;
  start?: string;
  method?: string;
  policy?: Record<string, string>;
}

export type Items = Awaited<ReturnType<typeof openItems>>;

const lineText = ({ kind, amount }: any) => `${kind} ${amount.amount}`;

/** A subscription of a new test tenant to a price, with add-ons, and its changes in short form. */
export async function openItems(
  app: TestApp,
  main: PriceOf,
  { quantity, addOns = {}, start = '2026-06-01', method = 'sandbox_ok', policy }: Options = {},
) {
  const books = await openBooks(app, start);
  const { client, shop } = books;
  const group = await shop.group({ prorateUpgrades: true });
  const prices = new Map<string, string>();
  const makePrice = async (
    { amount = '0', currency = 'usd', recurring, quantity: _, ...model }: PriceOf,
    productId?: string,
  ) => {
    const product = productId ?? (await shop.product({ currency })).product.id;
    const price = { details: { decimal: amount, currency }, recurring, ...model };
    return (await client.graphql(priceDocument, { productId: product, price })).createPrices[0];
  };
  const { product } = await shop.product({ groupId: group.id, currency: 'usd' });
  const mainPrice = await makePrice(main, product.id);
  prices.set('main', mainPrice.id);
  if (policy)
    await client.graphql(
      'mutation ($policy: ChangePolicyInput) { updateTenant(input: { changePolicy: $policy }) { alias } }',
      { policy },
    );
  const nameAddOns = (wanted: Record<string, PriceOf>) =>
    Promise.all(
      Object.entries(wanted).map(async ([name, price]) => {
        if (!prices.has(name)) prices.set(name, (await makePrice(price)).id);
        return { priceId: prices.get(name)!, quantity: price.quantity };
      }),
    );
  const customer = await shop.customer();
  const { tenantAlias: _, ...order } = shop.intentInput(customer, mainPrice, { quantity }) as Record<
    string,
    unknown
  >;
  const input = { ...order, addOns: await nameAddOns(addOns) };
  const { createSubscriptionIntent: intent } = await client.graphql(intentDocument, { input });
  const { subscriptionId } = await shop.confirm(intent.id, method);
  let id: string = subscriptionId;

  const toInput = async ({ price, addOns: wanted, addOnList, ...fields }: ChangeOf) => {
    const findPrice = (name: string) => prices.get(name) ?? name;
    const made: Record<string, unknown> = { ...fields };
    if (typeof price === 'string') made['priceId'] = findPrice(price);
    else if (price) made['priceId'] = (await makePrice(price, product.id)).id;
    if (wanted) made['addOns'] = await nameAddOns(wanted);
    if (addOnList) made['addOns'] = addOnList.map((each) => ({ ...each, priceId: findPrice(each.priceId) }));
    return made;
  };
  const ask = async (change: ChangeOf, of = id, headers?: Record<string, string>) =>
    (await client.post(changeDocument, { id: of, input: await toInput(change) }, headers)).body;
  const askPreview = async (change: ChangeOf) =>
    (await client.post(previewDocument, { id, input: await toInput(change) })).body;
  const invoices = async () => (await client.graphql(linesDocument, { id })).invoices.nodes;
  const lines = async (): Promise<string[]> =>
    (await invoices()).flatMap((invoice: any) => invoice.lines.map(lineText));
  const sum = (texts: string[]) =>
    Math.round(texts.reduce((total, text) => total + Number(text.split(' ')[1]) * 100, 0)) / 100;
  if (method === 'manual') {
    const [open] = (await client.graphql('{ invoices { nodes { id } } }')).invoices.nodes;
    await client.graphql(
      'mutation ($id: ID!) { recordPayment(id: $id, input: { reference: "1" }) { id } }',
      open,
    );
    id = (await client.graphql('{ subscriptions { nodes { id } } }')).subscriptions.nodes[0].id;
  }
  const renew = async (to: string): Promise<string[]> => {
    const before = (await lines()).length;
    const forecast = (
      await client.graphql(
        `query ($id: ID!, $to: DateTime!) { forecast(subscriptionId: $id, until: $to) { lines { ${lineFields} } } }`,
        { id, to },
      )
    ).forecast;
    await books.advance(to);
    const billed = (await lines()).slice(before);
    expect(forecast.flatMap((charge: any) => charge.lines.map(lineText))).toEqual(billed);
    return billed;
  };
  return {
    alias: books.alias,
    client,
    books,
    customer,
    id,
    intent,
    sum,
    advance: (to: string) => books.advance(to),
    ask,
    askPreview,
    askKeyed: (change: ChangeOf, key: string) => ask(change, id, { 'idempotency-key': key }),
    /** Previews a change; lines are `KIND amount`. */
    preview: async (change: ChangeOf) => {
      const { data, errors } = await askPreview(change);
      expect(errors).toBeUndefined();
      const {
        lines: billed,
        nextInvoice,
        total,
        subtotal,
        discount,
        ...shown
      } = data.previewSubscriptionChange;
      const texts = billed.map(lineText);
      const charges = texts.filter((text: string) => !text.startsWith('balance'));
      expect([subtotal.amount - discount.amount, total.amount]).toEqual([sum(charges), sum(texts)]);
      const next = nextInvoice && {
        ...nextInvoice,
        lines: nextInvoice.lines.map(lineText),
        total: nextInvoice.total.amount,
      };
      return { ...shown, total: total.amount, lines: texts, nextInvoice: next };
    },
    /** Makes a change; returns the lines that it billed. */
    change: async (change: ChangeOf): Promise<string[]> => {
      const before = (await lines()).length;
      const { errors } = await ask(change);
      expect(errors).toBeUndefined();
      return (await lines()).slice(before);
    },
    lines,
    renew,
    renewTotal: async (to: string) => {
      const billed = await renew(to);
      return sum(billed.filter((text) => !text.startsWith('balance')));
    },
    read: async () => (await client.graphql(readDocument, { id })).subscription,
    cycleTotal: async () => {
      const { subscription } = await client.graphql(readDocument, { id });
      return sum(subscription.items.map(({ agreedPrice }: any) => `x ${agreedPrice.amount}`));
    },
    /** What was charged, less what is left as balance, in minor units. */
    worth: async () => {
      const where = { tenantAlias: books.alias };
      const { committed } = app.service.store;
      const payments = await committed.select('payments', { where: { ...where, status: 'succeeded' } });
      const entries = await committed.select('balanceEntries', { where });
      return (
        payments.reduce((total, { amountMinor }) => total + amountMinor, 0n) -
        entries.reduce((total, { remainingMinor }) => total + remainingMinor, 0n)
      );
    },
    adjust: async (by: number, item = 'main', of = id) => {
      const key = item === 'main' ? 'main' : prices.get(item);
      return (await client.post(adjustDocument, { itemId: `${of}:${key}`, by })).body;
    },
    intents: () =>
      app.service.store.committed.select('intents', {
        where: { tenantAlias: books.alias },
        orderBy: ['id'],
      }),
    refundable: async () => {
      const document =
        'query ($id: ID!) { invoices(subscriptionId: $id, order: ASC) { nodes { refundable { amount } } } }';
      return (await client.graphql(document, { id })).invoices.nodes[0].refundable.amount;
    },
    recordPayment: async () => {
      const [open] = (await client.graphql('{ invoices(status: open) { nodes { id } } }')).invoices.nodes;
      await client.graphql(
        'mutation ($id: ID!) { recordPayment(id: $id, input: { reference: "2" }) { id } }',
        open,
      );
    },
    /** Prices that do not fit: of another product, currency, interval and tenant. */
    makeOthers: async () => {
      prices.set('other', (await makePrice({ amount: '1', model: 'per_unit' })).id);
      prices.set('euro', (await makePrice({ amount: '1', currency: 'eur' })).id);
      prices.set(
        'yearly',
        (await makePrice({ amount: '1', recurring: { frequency: 'Yearly', period: 1 } })).id,
      );
      const foreign = await openBooks(app, start);
      prices.set('foreign', (await foreign.shop.product()).price.id);
    },
  };
}
