/** The tool that makes products and prices: a plan first, which is then applied as it was seen. */
import * as z from 'zod';
import { refuse } from '../../lib/errors.ts';
import type { Caller } from '../caller.ts';
import { planId } from '../idempotencyKey.ts';
import { declareTool } from '../tool.ts';
import { amountInput } from '../values.ts';

const lookupKey = z.string().min(1).max(255);

const plannedPrice = z.strictObject({
  lookupKey: lookupKey.describe('Your name of the price, unique in the tenant, such as pro_monthly.'),
  nickname: z.string().max(200).optional(),
  details: amountInput.describe('For one cycle; with the model per_unit, for one unit.'),
  recurring: z
    .strictObject({
      frequency: z.enum(['Daily', 'Weekly', 'Monthly', 'Yearly']),
      period: z.number().int().min(1).default(1),
    })
    .default({ frequency: 'Monthly', period: 1 }),
  model: z.enum(['flat', 'per_unit']).default('flat'),
  meter: z.string().max(200).optional().describe('The name of the meter whose usage it bills.'),
  includedUnits: z.string().max(40).optional(),
  setupFee: amountInput.optional(),
  trialDays: z.number().int().min(0).optional(),
});

const plannedProduct = z.strictObject({
  lookupKey: lookupKey.describe('Your name of the product, unique in the tenant, such as pro.'),
  name: z.string().trim().min(1).max(200),
  description: z.string().max(5000).default(''),
  features: z.array(z.string().max(200)).max(50).optional().describe('What a pricing table lists.'),
  prices: z.array(plannedPrice).min(1).max(20),
});

type Entry = Record<string, unknown> & { lookupKey?: string };
type CatalogFile = Record<string, unknown> & { products?: (Entry & { prices?: Entry[] })[] };

interface Change {
  action: string;
  resource: string;
  key: string;
  recordId: string | null;
  subscribers: number | null;
}

interface Plan {
  hash: string;
  changes: Change[];
}

const planFields = '{ hash changes { action resource key recordId subscribers } }';

/** Makes products and prices. */
export const createCatalog = declareTool({
  name: 'create_catalog',
  title: 'Create products and prices',
  description:
    'Makes products with prices, in two calls. With the step plan it changes nothing and returns what would change, and a planId; show that to the person you work for. With the step apply, the same products and the planId it does that in one unit, unless the catalogue has changed meanwhile (catalog_changed). Records are recognized by their lookupKey: an existing product is updated, an existing price with other terms is replaced by a new one, and its subscribers keep the old one. What you do not name stays as it is; nothing is deleted.',
  effect: 'change',
  input: z.strictObject({
    step: z.enum(['plan', 'apply']),
    products: z.array(plannedProduct).min(1).max(20),
    planId: planId.optional(),
  }),
  output: z.object({
    planId: z.string(),
    applied: z.boolean(),
    changes: z
      .array(
        z.object({
          action: z.string().describe('create, update, replace or restore.'),
          resource: z.string(),
          key: z.string(),
          recordId: z.string().nullable(),
          subscribers: z.number().nullable().describe('The subscriptions of the record; null for none.'),
        }),
      )
      .describe('Empty if everything is there already.'),
  }),
  run: async ({ step, products, planId: hash }, caller) => {
    if (step === 'apply' && hash === undefined)
      refuse('validation_failed', { path: 'planId', message: 'must be that of the plan to apply' });
    const { catalog } = await caller.run<{ catalog: CatalogFile }>('query { catalog }');
    const file = mergeProducts(catalog, products);
    const { hash: made, changes } =
      step === 'plan' ? await plan(file, caller) : await apply(file, hash!, caller);
    return { planId: made, applied: step === 'apply', changes };
  },
});

/** Names of the paths of errors: those of the file are those of the tool, because its products come first. */
const names = { catalog: '' };

async function plan(catalog: CatalogFile, caller: Caller): Promise<Plan> {
  const { planCatalog } = await caller.run<{ planCatalog: Plan }>(
    `query ($input: PlanCatalogInput!) { planCatalog(input: $input) ${planFields} }`,
    { input: { catalog } },
    names,
  );
  return planCatalog;
}

async function apply(catalog: CatalogFile, hash: string, caller: Caller): Promise<Plan> {
  const { applyCatalog } = await caller.run<{ applyCatalog: Plan }>(
    `mutation ($input: ApplyCatalogInput!) { applyCatalog(input: $input) ${planFields} }`,
    { input: { catalog, hash } },
    names,
  );
  return applyCatalog;
}

/** Sections that belong to other permissions; a file without them leaves them alone. */
const otherSections = new Set(['mails', 'portal', 'webhooks', 'tax']);

/**
 * Returns the file of the present catalogue with the products of a plan, which come first. A file says all that there is of
 * what it has a list of, so that one with these products alone would retire the others.
 */
function mergeProducts(
  { products: present = [], ...sections }: CatalogFile,
  planned: z.infer<typeof plannedProduct>[],
): CatalogFile {
  const keys = new Set(planned.map((each) => each.lookupKey));
  const merged = planned.map((product) => {
    const known = present.find((each) => each.lookupKey === product.lookupKey);
    const prices = new Set(product.prices.map((each) => each.lookupKey));
    const others = (known?.prices ?? []).filter((each) => !prices.has(each.lookupKey ?? ''));
    return { ...known, ...product, prices: [...product.prices, ...others] };
  });
  const others = present.filter((each) => !keys.has(each.lookupKey ?? ''));
  const kept = Object.entries(sections).filter(([name]) => !otherSections.has(name));
  return { ...Object.fromEntries(kept), products: [...merged, ...others] };
}
