/** The tool that makes products and prices: a plan first, which is then applied as it was seen. */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { compareDecimals, parseDecimal } from '../../lib/decimal.ts';
import { refuse } from '../../lib/errors.ts';
import type { Caller } from '../caller.ts';
import { planId } from '../idempotencyKey.ts';
import { declareTool } from '../tool.ts';
import { amountInput, id, moneyFields, pageFields, type Money, type PageInfo } from '../values.ts';

/** Existing products are compared with those of a plan up to this number. */
const mostComparedProducts = 500;
const pageSize = 100;

const plannedPrice = z.strictObject({
  nickname: z.string().max(200).optional(),
  details: amountInput.describe('For one cycle; with the model per_unit, for one unit.'),
  recurring: z
    .strictObject({
      frequency: z.enum(['Daily', 'Weekly', 'Monthly', 'Yearly']),
      period: z.number().int().min(1).default(1),
    })
    .default({ frequency: 'Monthly', period: 1 }),
  model: z.enum(['flat', 'per_unit']).default('flat'),
  meterId: id.optional().describe('Bills the usage that the meter counts, with the model per_unit.'),
  includedUnits: z.string().max(40).optional(),
  setupFee: amountInput.optional(),
  trialDays: z.number().int().min(0).optional(),
});

const plannedProduct = z.strictObject({
  name: z.string().trim().min(1).max(200),
  description: z.string().max(5000).default(''),
  features: z.array(z.string().max(200)).max(50).optional().describe('What a pricing table lists.'),
  prices: z.array(plannedPrice).min(1).max(20),
});

type PlannedPrice = z.infer<typeof plannedPrice>;
type PlannedProduct = z.infer<typeof plannedProduct>;

interface ExistingPrice {
  model: string;
  meterId: string | null;
  details: Money;
  setupFee: Money | null;
  trialDays: number | null;
  includedUnits: string | null;
  recurring: { frequency: string; period: number };
}

interface ExistingProduct {
  id: string;
  name: string;
  prices: ExistingPrice[];
}

/** What is done for one product: it is made with its prices, gets further prices, or stays as it is. */
interface Step {
  action: 'create_product' | 'create_prices' | 'keep';
  name: string;
  productId: string | null;
  prices: PlannedPrice[];
}

/** Makes products and prices. */
export const createCatalog = declareTool({
  name: 'create_catalog',
  title: 'Create products and prices',
  description:
    'Makes products with prices, in two calls. With the step plan it changes nothing and returns what would be made, and a planId; show that to the person you work for. With the step apply, the same products and the planId it makes them, unless the catalogue has changed meanwhile. Products are recognized by their name and prices by their terms, so what is there already is kept, and nothing is changed or removed.',
  effect: 'add',
  input: z.strictObject({
    step: z.enum(['plan', 'apply']),
    products: z.array(plannedProduct).min(1).max(20),
    planId: planId.optional(),
  }),
  output: z.object({
    planId: z.string(),
    applied: z.boolean(),
    steps: z.array(
      z.object({
        action: z.enum(['create_product', 'create_prices', 'keep']),
        name: z.string(),
        productId: z.string().nullable().describe('Null for a product that is not made yet.'),
        prices: z.array(z.string()).describe('The prices to make or made, in words.'),
        priceIds: z.array(z.string()).describe('Those that were made.'),
      }),
    ),
  }),
  run: async ({ step, products, planId: expected }, caller) => {
    if (step === 'apply' && expected === undefined)
      refuse('validation_failed', { path: 'planId', message: 'must be that of the plan to apply' });
    refuseRepeatedNames(products);
    const steps = planSteps(products, await listProducts(caller));
    const hash = hashPlan(caller.tenantAlias, products, steps);
    if (step === 'plan') {
      await checkPrices(products, caller);
      // Each plan is applied once, also by several calls at the same time: its id is the idempotency key of the call.
      const made = `${hash}.${caller.traceId}`;
      return { planId: made, applied: false, steps: steps.map((each) => describeStep(each)) };
    }
    const isDone = steps.every(({ action }) => action === 'keep');
    if (!isDone && expected!.split('.')[0] !== hash)
      refuse('validation_failed', {
        path: 'planId',
        message: 'does not fit: the catalogue or the products have changed since the plan; make a new one',
      });
    const made = await apply(steps, products, caller);
    return {
      planId: expected!,
      applied: true,
      steps: steps.map((each, index) => describeStep(each, made.get(index))),
    };
  },
});

function refuseRepeatedNames(products: PlannedProduct[]): void {
  const names = new Set<string>();
  for (const [index, { name }] of products.entries()) {
    const known = name.toLowerCase();
    if (names.has(known))
      refuse('validation_failed', { path: `products.${index}.name`, message: 'is given twice' });
    names.add(known);
  }
}

async function listProducts(caller: Caller): Promise<ExistingProduct[]> {
  const found: ExistingProduct[] = [];
  let after: string | null | undefined;
  do {
    const { products } = await caller.run<{ products: { nodes: ExistingProduct[] } & PageInfo }>(
      `query ($first: Int!, $after: String) { products(first: $first, after: $after) { ${pageFields} nodes { id name
        prices(active: true) { model meterId trialDays includedUnits details ${moneyFields} setupFee ${moneyFields}
          recurring { frequency period } } } } }`,
      { first: pageSize, after },
    );
    found.push(...products.nodes);
    after = products.pageInfo.hasNextPage ? products.pageInfo.endCursor : null;
  } while (after !== null && found.length < mostComparedProducts);
  if (after !== null)
    refuse('validation_failed', {
      path: 'products',
      message: `cannot be compared with more than ${mostComparedProducts} existing products`,
    });
  return found;
}

const planSteps = (products: PlannedProduct[], existing: ExistingProduct[]): Step[] =>
  products.map(({ name, prices }): Step => {
    const known = existing.find((each) => each.name.toLowerCase() === name.toLowerCase());
    if (!known) return { action: 'create_product', name, productId: null, prices };
    const missing = prices.filter((price) => !known.prices.some((each) => hasTerms(each, price)));
    const action = missing.length > 0 ? 'create_prices' : 'keep';
    return { action, name, productId: known.id, prices: missing };
  });

/** Whether a price is what a plan asks for. */
function hasTerms(price: ExistingPrice, planned: PlannedPrice): boolean {
  const { recurring, setupFee, trialDays, meterId, includedUnits } = price;
  return (
    isSameMoney(price.details, planned.details) &&
    price.model === planned.model &&
    recurring.frequency === planned.recurring.frequency &&
    recurring.period === planned.recurring.period &&
    meterId === (planned.meterId ?? null) &&
    (trialDays ?? 0) === (planned.trialDays ?? 0) &&
    isSameNumber(includedUnits, planned.includedUnits) &&
    isSameMoney(setupFee, planned.setupFee)
  );
}

const isSameMoney = (first: Money | null | undefined, second: Money | null | undefined): boolean =>
  isSameNumber(first?.decimal, second?.decimal) &&
  first?.currency.toLowerCase() === second?.currency.toLowerCase();

/** Whether decimals are equal, whatever their zeros; none is 0. */
function isSameNumber(first: string | null | undefined, second: string | null | undefined): boolean {
  const [one, other] = [parseDecimal(first ?? '0'), parseDecimal(second ?? '0')];
  return one !== undefined && other !== undefined && compareDecimals(one, other) === 0;
}

/** The same for the same products in the same catalogue. */
const hashPlan = (tenantAlias: string, products: PlannedProduct[], steps: Step[]): string =>
  `plan_${createHash('sha256')
    .update(JSON.stringify([tenantAlias, products, steps]))
    .digest('hex')
    .slice(0, 32)}`;

/** Refuses prices that could not be made, before anything is. */
async function checkPrices(products: PlannedProduct[], caller: Caller): Promise<void> {
  for (const [index, { prices }] of products.entries()) {
    for (const [place, price] of prices.entries())
      await caller.run(
        `query ($price: CreatePriceInput!) { previewPrice(price: $price, quantities: [1]) { quantity } }`,
        { price },
        { '': `products.${index}.prices.${place}`, price: `products.${index}.prices.${place}` },
      );
  }
}

interface Made {
  id: string;
  prices: { id: string }[];
}

/** Makes what is missing. Each product is made with all of its prices or not at all. */
async function apply(
  steps: Step[],
  products: PlannedProduct[],
  caller: Caller,
): Promise<Map<number, { productId: string; priceIds: string[] }>> {
  const made = new Map<number, { productId: string; priceIds: string[] }>();
  for (const [index, { action, productId, prices }] of steps.entries()) {
    if (action === 'create_product') {
      const { [`product${index}`]: product } = await caller.run<Record<string, Made>>(
        `mutation ($input: CreateProductInput!) { product${index}: createProduct(input: $input) { id prices { id } } }`,
        { input: products[index] },
        { '': `products.${index}`, input: `products.${index}` },
      );
      made.set(index, { productId: product!.id, priceIds: product!.prices.map((each) => each.id) });
    } else if (action === 'create_prices') {
      const { [`prices${index}`]: created } = await caller.run<Record<string, { id: string }[]>>(
        `mutation ($input: CreatePricesInput!) { prices${index}: createPrices(input: $input) { id } }`,
        { input: { productId, prices } },
        { '': `products.${index}`, input: `products.${index}` },
      );
      made.set(index, { productId: productId!, priceIds: created!.map((each) => each.id) });
    }
  }
  return made;
}

function describeStep(
  { action, name, productId, prices }: Step,
  made?: { productId: string; priceIds: string[] },
) {
  return {
    action,
    name,
    productId: made?.productId ?? productId,
    prices: prices.map(describePrice),
    priceIds: made?.priceIds ?? [],
  };
}

function describePrice({ details, recurring, model, setupFee, trialDays, meterId }: PlannedPrice): string {
  const every = recurring.period === 1 ? '' : ` × ${recurring.period}`;
  return [
    `${details.decimal} ${details.currency.toUpperCase()} ${recurring.frequency}${every}`,
    ...(model === 'per_unit' ? ['per unit'] : []),
    ...(meterId === undefined ? [] : [`by the meter ${meterId}`]),
    ...(setupFee ? [`set-up fee ${setupFee.decimal} ${setupFee.currency.toUpperCase()}`] : []),
    ...(trialDays ? [`${trialDays} days of trial`] : []),
  ].join(', ');
}
