/** How a change is billed: one decision for changes by the server and for orders by payers, previewed and billed alike. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../../support/app.ts';
import { lineText, openBooks, type Books } from '../../../support/books.ts';
import { engine } from '../../../support/engines.ts';
import { sampledRunsInCore } from '../../../support/sample.ts';

const previewFields =
  'effectiveAt total { amount } lines { kind amount { amount currency } periodStart periodEnd }';
const changePreviewDocument = `query ($id: ID!, $input: SubscriptionChangeInput!) {
  previewSubscriptionChange(id: $id, input: $input) { ${previewFields} }
}`;
const orderPreviewDocument = `query ($input: PreviewSubscriptionInput!) {
  previewSubscription(input: $input) { ${previewFields} }
}`;
const changeDocument =
  'mutation ($id: ID!, $input: ChangeSubscriptionInput!) { changeSubscription(id: $id, input: $input) { id } }';
const policyDocument =
  'mutation ($policy: ChangePolicyInput) { updateTenant(input: { changePolicy: $policy }) { changePolicy { planUpgrade } } }';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
});
afterAll(() => app.close());

interface Setting {
  /** Null for two prices of one product without a group. */
  isProrated: boolean | null;
  policy?: Record<string, string | null>;
  from?: { amount: number; recurring?: object };
  to?: { amount: number; recurring?: object };
  at?: string;
}

interface Begun {
  books: Books;
  customer: any;
  id: string;
  next: any;
}

/** A subscription in June, and the price that it is to change to. */
async function begin({ isProrated, policy, from, to, at = '2026-06-16' }: Setting): Promise<Begun> {
  const books = await openBooks(app, '2026-06-01');
  if (policy) await books.client.graphql(policyDocument, { policy });
  const customer = await books.shop.customer();
  const groupId = isProrated === null ? null : (await books.shop.group({ prorateUpgrades: isProrated })).id;
  const current = await books.plan(10, { groupId, ...from });
  const { id: priceId } = current;
  const product = isProrated === null ? current.productId : undefined;
  const next = product
    ? await addPrice(books, product, { amount: 30, ...to })
    : await books.plan(30, { groupId, ...to });
  expect(priceId).not.toBe(next.id);
  const id = await books.subscribe(customer, current);
  await books.advance(at);
  return { books, customer, id, next };
}

async function addPrice(books: Books, productId: string, { amount, ...fields }: any): Promise<any> {
  const prices = [{ details: { amount, currency: 'afn' }, ...fields }];
  const { createPrices } = await books.client.graphql(
    'mutation ($productId: ID!, $prices: [CreatePriceInput!]!) { createPrices(input: { productId: $productId, prices: $prices }) { id } }',
    { productId, prices },
  );
  return { id: createPrices[0].id, productId };
}

const toText = ({ effectiveAt, total, lines }: any) => ({
  effectiveAt,
  total: total.amount,
  lines: lines.map(lineText),
});

const showChange = async ({ books, id, next }: Begun, input: object = {}) =>
  toText(
    (await books.client.graphql(changePreviewDocument, { id, input: { priceId: next.id, ...input } }))
      .previewSubscriptionChange,
  );

async function showOrder({ books, customer, next }: Begun) {
  const input = { customerId: customer.id, productId: next.productId, priceId: next.id };
  return toText((await books.client.graphql(orderPreviewDocument, { input })).previewSubscription);
}

/** The two ways to change a plan. */
const roads = {
  change: ({ books, id, next }: Begun) =>
    books.client.graphql(changeDocument, { id, input: { priceId: next.id } }),
  order: ({ books, customer, next }: Begun) => books.subscribe(customer, next),
};

/** Changes the plan on one of the roads. Returns what it billed at once, and what is forecast after it. */
async function bill(begun: Begun, road: keyof typeof roads) {
  const { books, id } = begun;
  const before = (await books.invoices(id)).length;
  await roads[road](begun);
  const billed = (await books.invoices(id)).slice(before);
  const forecast = await books.forecast(id, '2026-09-30');
  return {
    total: billed.reduce((sum, { total }) => sum + total.amount, 0),
    lines: billed.flatMap(({ lines }) => lines.map(lineText)),
    forecast,
  };
}

const [june, july] = ['2026-06-16T00:00:00.000Z', '2026-07-01T00:00:00.000Z'];
const prorated = ['proration_credit -5 2026-06-16/2026-07-01', 'proration_charge 15 2026-06-16/2026-07-01'];
const reset = ['proration_credit -5 2026-06-16/2026-07-01', 'cycle 30 2026-06-16/2026-07-16'];

const upgrades: [name: string, setting: Setting, total: number, lines: string[], effectiveAt?: string][] = [
  ['not prorated by the group', { isProrated: false }, 30, ['cycle 30 2026-06-16/2026-07-16']],
  ['prorated by the group', { isProrated: true }, 10, prorated],
  ['without a group', { isProrated: null }, 10, prorated],
  [
    'charge_now instead of the group',
    { isProrated: false, policy: { planUpgrade: 'charge_now' } },
    10,
    prorated,
  ],
  ['reset instead of the group', { isProrated: false, policy: { planUpgrade: 'reset' } }, 25, reset],
  ['next_invoice', { isProrated: true, policy: { planUpgrade: 'next_invoice' } }, 0, []],
  ['none', { isProrated: true, policy: { planUpgrade: 'none' } }, 0, []],
  ['period_end', { isProrated: false, policy: { planUpgrade: 'period_end' } }, 0, [], july],
  [
    'a policy for other directions',
    { isProrated: false, policy: { decrease: 'none' } },
    30,
    ['cycle 30 2026-06-16/2026-07-16'],
  ],
  [
    'a downgrade by the policy',
    { isProrated: false, policy: { planDowngrade: 'charge_now' }, to: { amount: 4 } },
    0,
    [
      'proration_credit -5 2026-06-16/2026-07-01',
      'proration_charge 2 2026-06-16/2026-07-01',
      'balance 3 2026-06-16/2026-07-01',
    ],
  ],
  ['a downgrade', { isProrated: true, to: { amount: 4 } }, 0, [], july],
  [
    'another interval, where the policy needs the same',
    {
      isProrated: false,
      policy: { planUpgrade: 'next_invoice' },
      to: { amount: 300, recurring: { frequency: 'Yearly' } },
    },
    295,
    ['proration_credit -5 2026-06-16/2026-07-01', 'cycle 300 2026-06-16/2027-06-16'],
  ],
];

describe('a change of plan has one price on both roads', () => {
  it.each(upgrades)('%s', async (_name, setting, total, lines, effectiveAt = june) => {
    const [first, second] = [await begin(setting), await begin(setting)];
    const shown = { effectiveAt, total, lines };
    expect(await showChange(first)).toEqual(shown);
    expect(await showOrder(first)).toEqual(shown);
    const [changed, ordered] = [await bill(first, 'change'), await bill(second, 'order')];
    expect([changed.total, changed.lines]).toEqual([total, lines]);
    expect(ordered).toEqual(changed);
  });

  it('which billing in the request decides before the policy and the group', async () => {
    const begun = await begin({ isProrated: false, policy: { planUpgrade: 'period_end' } });
    expect(await showChange(begun, { billing: 'charge_now' })).toEqual({
      effectiveAt: june,
      total: 10,
      lines: prorated,
    });
    expect(await showChange(begun, { billing: 'reset' })).toEqual({
      effectiveAt: june,
      total: 25,
      lines: reset,
    });
  });

  it('which follows the group again where the policy is cleared, and is fixed when the payment starts', async () => {
    const begun = await begin({ isProrated: false, policy: { planUpgrade: 'charge_now' } });
    const { books, customer, id, next } = begun;
    const { intentId } = await books.shop.intent(customer, next);
    await books.shop.confirm(intentId, 'sandbox_requires_action');
    const { updateTenant } = await books.client.graphql(policyDocument, { policy: { planUpgrade: null } });
    expect(updateTenant.changePolicy).toEqual({ planUpgrade: null });
    expect((await showChange(await begin({ isProrated: false }))).total).toBe(30);
    await books.client.graphql('mutation ($id: ID!) { resumeIntent(id: $id) { status } }', { id: intentId });
    expect((await books.invoices(id)).slice(1).map(({ total }) => total.amount)).toEqual([10]);
  });
});

describe('for any prices, settings and days', () => {
  const someBilling = fc.constantFrom('charge_now', 'next_invoice', 'period_end', 'reset', 'none', null);
  const someInterval = fc.constantFrom(
    ['Monthly', 1],
    ['Monthly', 3],
    ['Yearly', 1],
    ['Weekly', 2],
    ['Daily', 30],
  );
  const somePrice = fc
    .tuple(fc.integer({ min: 0, max: 100_000 }), someInterval)
    .map(([amount, [frequency, period]]) => ({ amount: amount / 100, recurring: { frequency, period } }));
  const someSetting = fc.record({
    isProrated: fc.constantFrom(true, false, null),
    policy: fc.option(fc.record({ planUpgrade: someBilling, planDowngrade: someBilling }), {
      nil: undefined,
    }),
    from: somePrice,
    to: somePrice,
    day: fc.integer({ min: 2, max: 12 }),
  });

  it('preview equals bill on both roads', async () => {
    let paid = 0;
    await fc.assert(
      fc.asyncProperty(someSetting, async ({ day, ...setting }) => {
        const at = `2026-06-${String(day).padStart(2, '0')}`;
        const [first, second] = [await begin({ ...setting, at }), await begin({ ...setting, at })];
        const shown = await showChange(first);
        expect(await showOrder(second)).toEqual(shown);
        const [changed, ordered] = [await bill(first, 'change'), await bill(second, 'order')];
        expect([changed.total, changed.lines]).toEqual([shown.total, shown.lines]);
        expect(ordered).toEqual(changed);
        paid += shown.total > 0 ? 1 : 0;
      }),
      { numRuns: engine === 'postgres' ? 8 : sampledRunsInCore(40, 4) },
    );
    expect(paid).toBeGreaterThan(0);
  });
});
