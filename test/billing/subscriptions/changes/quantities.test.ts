import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { startApp, type TestApp } from '../../../support/app.ts';
import { openBooks, type Books } from '../../../support/books.ts';
import { engine } from '../../../support/engines.ts';
import { sampledRunsInCore } from '../../../support/sample.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

const priceDocument = `mutation ($productId: ID!, $price: CreatePriceInput!) {
  createPrices(input: { productId: $productId, prices: [$price] }) { id productId }
}`;

const usd = (decimal: string) => ({ details: { decimal, currency: 'usd' } });
const tiers = [{ upTo: 5, unitAmount: '7' }, { upTo: 10, unitAmount: '6.5' }, { unitAmount: '6' }];
const perUnit = { ...usd('9.99'), model: 'per_unit' };
const graduated = { ...usd('0'), model: 'graduated', tiers };
const volume = { ...usd('0'), model: 'volume', tiers };

/** A price of a new product, as `createPrices` makes it. */
async function plan(books: Books, price: object, groupId?: string) {
  const { product } = await books.shop.product(groupId ? { groupId } : {});
  const [made] = (await books.client.graphql(priceDocument, { productId: product.id, price })).createPrices;
  return made;
}

const quantityDocument = `query ($id: ID!) { subscription(id: $id) {
  quantity agreedPrice { decimal } scheduledChange { quantity agreedPrice { decimal } } nextBillingDate status
} }`;
const linesDocument = `query ($id: ID!) { invoices(subscriptionId: $id, order: ASC) { nodes { total { decimal } lines {
  kind quantity unitAmount amount { amount decimal } periodStart periodEnd tiers { upTo unitAmount quantity amount }
} } } }`;
const previewDocument = `query ($id: ID!, $price: ID!, $quantity: Int) {
  previewSubscriptionChange(id: $id, input: { priceId: $price, quantity: $quantity }) {
    effectiveAt total { decimal } lines { kind quantity unitAmount amount { decimal } explanation }
  }
}`;

const read = async (books: Books, id: string) =>
  (await books.client.graphql(quantityDocument, { id })).subscription;
const invoices = async (books: Books, id: string) =>
  (await books.client.graphql(linesDocument, { id })).invoices.nodes;

const models: [name: string, price: object, quantity: number | undefined, total: string, line: object][] = [
  ['per unit', perUnit, 2, '19.98', { quantity: 2, unitAmount: '9.99', tiers: [] }],
  ['per unit, the least unless given', { ...perUnit, minQuantity: 3 }, undefined, '29.97', { quantity: 3 }],
  [
    'finer than the currency',
    { ...usd('0.000375'), model: 'per_unit' },
    40_000,
    '15.00',
    { unitAmount: '0.000375' },
  ],
  [
    'rounded half up',
    { ...usd('0.067'), model: 'per_unit' },
    55,
    '3.69',
    { quantity: 55, unitAmount: '0.067' },
  ],
  [
    'package',
    { ...usd('10'), model: 'package', packageSize: 5 },
    6,
    '20.00',
    { quantity: 6, unitAmount: '10.00' },
  ],
  [
    'graduated',
    graduated,
    6,
    '41.50',
    {
      quantity: 6,
      unitAmount: null,
      tiers: [
        { upTo: '5', unitAmount: '7.00', quantity: '5', amount: '35.00' },
        { upTo: '10', unitAmount: '6.50', quantity: '1', amount: '6.50' },
      ],
    },
  ],
  [
    'volume',
    volume,
    6,
    '39.00',
    { tiers: [{ upTo: '10', unitAmount: '6.50', quantity: '6', amount: '39.00' }] },
  ],
  ['flat', usd('5'), undefined, '5.00', { quantity: 1, unitAmount: '5.00', tiers: [] }],
  ['flat, once', usd('5'), 1, '5.00', { quantity: 1, unitAmount: '5.00', tiers: [] }],
];

describe('a subscription is billed by the model of its price, at once and at each renewal', () => {
  test.each(models)('%s', async (_name, price, quantity, total, line) => {
    const books = await openBooks(app, '2026-06-01');
    const customer = await books.shop.customer();
    const made = await plan(books, price);
    const id = await books.subscribe(customer, made, undefined, { quantity });
    const subscription = await read(books, id);
    expect(subscription).toMatchObject({ agreedPrice: { decimal: total }, status: 'active' });
    const forecast = await books.forecast(id, '2026-07-15');
    await books.advance('2026-07-01');
    const bills = await invoices(books, id);
    expect(bills.map((bill: any) => bill.total.decimal)).toEqual([total, total]);
    expect(bills.flatMap((bill: any) => bill.lines)).toMatchObject([line, line]);
    expect(bills[0].lines[0].quantity).toBe(subscription.quantity);
    expect(forecast).toEqual([`2026-07-01 ${Number(total)}`]);
  });
});

describe('a change of the quantity', () => {
  const begun = async (quantity: number) => {
    const books = await openBooks(app, '2026-06-01');
    const customer = await books.shop.customer();
    const price = await plan(books, { ...usd('5'), model: 'per_unit' });
    const id = await books.subscribe(customer, price, undefined, { quantity });
    return { books, customer, price, id };
  };

  it('upwards is charged now, by the unused time: 1 to 2 seats at 5 after 6 of 30 days', async () => {
    const { books, customer, price, id } = await begun(1);
    await books.advance('2026-06-07');
    const { previewSubscriptionChange } = await books.client.graphql(previewDocument, {
      id,
      price: price.id,
      quantity: 2,
    });
    expect(previewSubscriptionChange).toMatchObject({
      total: { decimal: '4.00' },
      lines: [
        { kind: 'proration_credit', amount: { decimal: '-4.00' } },
        { kind: 'proration_charge', quantity: 2, unitAmount: '5.00', amount: { decimal: '8.00' } },
      ],
    });
    expect(await books.subscribe(customer, price, undefined, { quantity: 2 })).toBe(id);
    await books.advance('2026-07-01');
    const totals = (await invoices(books, id)).map((bill: any) => bill.total.decimal);
    expect(totals).toEqual(['5.00', '4.00', '10.00']);
    expect(await read(books, id)).toMatchObject({ quantity: 2, agreedPrice: { decimal: '10.00' } });
  });

  it('downwards waits for the end of the period, and says so', async () => {
    const { books, customer, price, id } = await begun(3);
    await books.advance('2026-06-16');
    await books.subscribe(customer, price, undefined, { quantity: 1 });
    expect(await read(books, id)).toMatchObject({
      quantity: 3,
      scheduledChange: { quantity: 1, agreedPrice: { decimal: '5.00' } },
    });
    expect(await books.forecast(id, '2026-07-15')).toEqual(['2026-07-01 5']);
    await books.advance('2026-07-01');
    expect(await books.lines(id)).toEqual([
      'cycle 15 2026-06-01/2026-07-01',
      'cycle 5 2026-07-01/2026-08-01',
    ]);
    expect(await read(books, id)).toMatchObject({ quantity: 1, scheduledChange: null });
  });

  it('is refused where nothing changes, and the present quantity is kept by a change of plan', async () => {
    const books = await openBooks(app, '2026-06-01');
    const customer = await books.shop.customer();
    const group = await books.shop.group({ prorateUpgrades: true });
    const price = await plan(books, { ...usd('5'), model: 'per_unit' }, group.id);
    const better = await plan(books, { ...usd('8'), model: 'per_unit' }, group.id);
    const id = await books.subscribe(customer, price, undefined, { quantity: 4 });
    const fields = books.shop.intentInput(customer, price, { quantity: 4 });
    const again = await books.client.rest('POST', '/subscriptions/intent', fields);
    expect([again.status, again.body.body.reason]).toEqual([409, 'subscription_exists']);
    await books.subscribe(customer, better);
    expect(await read(books, id)).toMatchObject({ quantity: 4, agreedPrice: { decimal: '32.00' } });
  });

  it('leaves what was agreed to alone when the price changes', async () => {
    const { books, price, id } = await begun(2);
    const change = `mutation ($product: ID!, $id: ID!) {
      updatePrice(id: $id, input: { productId: $product, details: { amount: 50 } }) { id }
    }`;
    await books.client.graphql(change, { product: price.productId, id: price.id });
    await books.advance('2026-07-01');
    expect((await books.lines(id)).at(-1)).toBe('cycle 10 2026-07-01/2026-08-01');
  });
});

describe('a quantity is refused, and nothing is kept', () => {
  const refused: [name: string, price: object, quantity: unknown][] = [
    ['of 0', perUnit, 0],
    ['of −1', perUnit, -1],
    ['of 1.5', perUnit, 1.5],
    ['of 10^12', perUnit, 10 ** 12],
    ['of 2^31', perUnit, 2 ** 31],
    ['over 10^9', perUnit, 1_000_000_001],
    ['that is text', perUnit, '2'],
    ['below the least', { ...perUnit, minQuantity: 3 }, 2],
    ['above the most', { ...perUnit, maxQuantity: 3 }, 4],
    ['of a flat price', usd('5'), 2],
    ['that comes to more than an amount may be', { ...usd('99999999999'), model: 'per_unit' }, 1_000_000_000],
  ];
  test.each(refused)('%s', async (_name, price, quantity) => {
    const books = await openBooks(app, '2026-06-01');
    const customer = await books.shop.customer();
    const made = await plan(books, price);
    const before = await app.backdoor.dump();
    const fields = books.shop.intentInput(customer, made, { quantity });
    const { status, body } = await books.client.rest('POST', '/subscriptions/intent', fields);
    expect(await app.backdoor.dump()).toBe(before);
    expect([status, body.body.reason]).toEqual([400, 'validation_failed']);
    expect(body.cause.issues.map(({ path }: any) => path)).toEqual(['quantity']);
  });

  it('also by a preview', async () => {
    const books = await openBooks(app, '2026-06-01');
    const price = await plan(books, { ...perUnit, maxQuantity: 3 });
    const id = await books.subscribe(await books.shop.customer(), price, undefined, { quantity: 2 });
    const answer = await books.client.post(previewDocument, { id, price: price.id, quantity: 4 });
    const { reason, issues } = answer.body.errors[0].extensions;
    expect([reason, issues[0].path]).toEqual(['validation_failed', 'quantity']);
  });
});

describe('many at once', () => {
  it('50 parallel intents for other quantities leave the quantity that was paid last, billed once each', async () => {
    const books = await openBooks(app, '2026-06-01');
    const customer = await books.shop.customer();
    const price = await plan(books, { ...usd('5'), model: 'per_unit' });
    const id = await books.subscribe(customer, price, undefined, { quantity: 1 });
    const orders = Array.from({ length: 50 }, (_, n) =>
      books.shop.intentInput(customer, price, { quantity: n + 2 }),
    );
    const answers = await Promise.all(
      orders.map((fields) => books.client.rest('POST', '/subscriptions/intent', fields)),
    );
    expect(answers.map(({ status }) => status)).toEqual(orders.map(() => 201));
    const paid = await Promise.all(
      answers.map(({ body }) =>
        books.client.post(
          'mutation ($id: ID!) { confirmIntent(id: $id, input: { paymentMethod: "sandbox_ok" }) { quantity status } }',
          { id: body.intentId },
        ),
      ),
    );
    const upgraded = paid.filter(({ body }) => body.data?.confirmIntent?.status === 'succeeded');
    expect(upgraded.length).toBeGreaterThan(0);
    const { quantity, agreedPrice } = await read(books, id);
    expect(agreedPrice.decimal).toBe(`${quantity * 5}.00`);
    const bills = await books.invoices(id);
    // Each change credits the whole period of the one before it: what was charged in all is the last price.
    const charged = bills.flatMap((bill: any) => bill.lines).filter(({ kind }: any) => kind !== 'balance');
    expect(charged.reduce((sum: number, { amount }: any) => sum + amount.amount, 0)).toBe(quantity * 5);
  });

  it('no tenant subscribes to the price of another', async () => {
    const [books, others] = [await openBooks(app, '2026-06-01'), await openBooks(app, '2026-06-01')];
    const price = await plan(others, { ...perUnit, maxQuantity: 9 });
    const own = await plan(books, perUnit);
    const customer = await books.shop.customer();
    for (const [foreign, reason] of [
      [price, 'product_not_found'],
      [{ ...price, productId: own.productId }, 'price_not_found'],
    ] as const) {
      const fields = books.shop.intentInput(customer, foreign, { quantity: 2 });
      const { status, body } = await books.client.rest('POST', '/subscriptions/intent', fields);
      expect([status, body.body.reason]).toEqual([404, reason]);
    }
    const id = await books.subscribe(customer, own, undefined, { quantity: 2 });
    const { body } = await books.client.post(previewDocument, { id, price: price.id, quantity: 3 });
    expect(body.errors[0].extensions.reason).toBe('price_not_found');
  });
});

describe('for any tiers and quantities', () => {
  const decimal = fc.tuple(fc.nat(40), fc.nat(9999)).map(([whole, part]) => `${whole}.${part}`);
  const someTiers = fc
    .tuple(
      fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { maxLength: 3 }),
      fc.array(decimal, { minLength: 8, maxLength: 8 }),
    )
    .map(([ends, amounts]) =>
      [...ends.toSorted((a, b) => a - b), null].map((upTo, n) => ({
        upTo,
        unitAmount: amounts[n],
        flatAmount: amounts[n + 4],
      })),
    );
  const someLife = fc.record({
    model: fc.constantFrom('graduated', 'volume'),
    tiers: someTiers,
    quantities: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 2, maxLength: 4 }),
    day: fc.integer({ min: 2, max: 28 }),
  });

  it('a change is billed as it was previewed, and each renewal as it was forecast', async () => {
    await fc.assert(
      fc.asyncProperty(someLife, async ({ model, tiers: of, quantities: [first, ...later], day }) => {
        const books = await openBooks(app, '2026-06-01');
        const customer = await books.shop.customer();
        const price = await plan(books, { ...usd('0'), model, tiers: of });
        const id = await books.subscribe(customer, price, undefined, { quantity: first });
        await books.advance(`2026-06-${String(day).padStart(2, '0')}`);
        for (const quantity of later) {
          const before = (await invoices(books, id)).length;
          const { quantity: kept, scheduledChange: waits } = await read(books, id);
          const answer = await books.client.post(previewDocument, { id, price: price.id, quantity });
          const shown = answer.body.data.previewSubscriptionChange;
          // An order for the present quantity is refused unless a change waits.
          if (quantity === kept && !waits) {
            expect(shown.lines).toEqual([]);
            continue;
          }
          await books.subscribe(customer, price, undefined, { quantity });
          const billed = (await invoices(books, id)).slice(before).flatMap((bill: any) => bill.lines);
          const format = ({ kind, quantity: units, amount }: any) => `${kind} ${units} ${amount.decimal}`;
          expect(billed.map(format)).toEqual(shown.lines.map(format));
        }
        const forecast = await books.forecast(id, '2026-08-15');
        await books.advance('2026-08-15');
        const renewals = (await books.bills(id)).filter((bill) => /^2026-0[78]/.test(bill));
        expect(renewals).toEqual(forecast.map((charge) => charge.replace(' ', ' paid ')));
      }),
      { numRuns: engine === 'postgres' ? 5 : sampledRunsInCore(25, 4) },
    );
  });
});
