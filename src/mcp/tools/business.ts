/** Tools about the business as a whole: its revenue, and what it sells. */
import * as z from 'zod';
import { declareTool } from '../tool.ts';
import {
  findNextCursor,
  instant,
  money,
  moneyFields,
  nextCursor,
  pageFields,
  pageInput,
  type Money,
  type PageInfo,
} from '../values.ts';

/** The figures of `RevenuePoint` that the report has. */
const amounts = [
  'mrrStart',
  'new',
  'reactivation',
  'expansion',
  'contraction',
  'churn',
  'mrrEnd',
  'invoiced',
  'credited',
  'refunded',
  'netRevenue',
] as const;
const counts = ['activeCustomers', 'activeSubscriptions', 'newCustomers', 'churnedCustomers'] as const;
const rates = ['nrr', 'netMrrChurnRate', 'customerChurnRate'] as const;

const pointFields = `start end ${counts.join(' ')} ${rates.join(' ')} ${amounts.map((name) => `${name} ${moneyFields}`).join(' ')}`;

const point = z.object({
  start: instant,
  end: instant,
  ...(Object.fromEntries(counts.map((name) => [name, z.number()])) as Record<
    (typeof counts)[number],
    z.ZodNumber
  >),
  ...(Object.fromEntries(rates.map((name) => [name, z.string().nullable()])) as Record<
    (typeof rates)[number],
    z.ZodNullable<z.ZodString>
  >),
  ...(Object.fromEntries(amounts.map((name) => [name, money])) as Record<
    (typeof amounts)[number],
    typeof money
  >),
});

type Point = z.infer<typeof point>;

/** Reports revenue. */
export const reportRevenue = declareTool({
  name: 'revenue_report',
  title: 'Report revenue',
  description:
    'Reports recurring revenue (MRR) with its movements, net revenue, refunds, customers and churn of a range, as a whole and by period. Without a currency, that with the most customers.',
  effect: 'read',
  input: z.strictObject({
    from: z.string().max(40).describe('The first instant, ISO 8601, such as 2026-01-01T00:00:00Z.'),
    until: z.string().max(40).describe('The first instant after the range.'),
    by: z.enum(['day', 'week', 'month', 'quarter', 'year']).default('month'),
    currency: z.string().max(3).optional().describe('ISO 4217, such as EUR.'),
  }),
  output: z.object({
    currency: z.string().nullable().describe('Null if there is no revenue in any currency.'),
    currencies: z.array(z.string()).describe('All currencies with revenue, the most used first.'),
    timeZone: z.string().nullable(),
    total: point.nullable(),
    periods: z.array(point),
  }),
  run: async ({ from, until, by, currency: wanted }, caller) => {
    const { revenueCurrencies: currencies } = await caller.run<{ revenueCurrencies: string[] }>(
      'query { revenueCurrencies }',
    );
    const currency = wanted ?? currencies[0];
    if (currency === undefined)
      return { currency: null, currencies, timeZone: null, total: null, periods: [] };
    const { revenue } = await caller.run<{
      revenue: { currency: string; timeZone: string; total: Point; points: Point[] };
    }>(
      `query ($currency: Currency!, $from: DateTime!, $until: DateTime!, $by: RevenueInterval) {
        revenue(currency: $currency, from: $from, until: $until, by: $by) {
          currency timeZone total { ${pointFields} } points { ${pointFields} } } }`,
      { currency, from, until, by },
    );
    const { points, ...rest } = revenue;
    return { ...rest, currencies, periods: points };
  },
});

interface PriceData {
  id: string;
  nickname: string | null;
  active: boolean;
  model: string;
  details: Money;
  setupFee: Money | null;
  trialDays: number | null;
  includedUnits: string | null;
  meterId: string | null;
  recurring: { frequency: string; period: number };
}

interface ProductData {
  id: string;
  name: string;
  description: string;
  active: boolean;
  features: string[];
  prices: PriceData[];
}

/** Lists what is sold. */
export const listCatalog = declareTool({
  name: 'list_catalog',
  title: 'List products and prices',
  description:
    'Lists the products of the tenant with their active prices. Orders and changes take a priceId.',
  effect: 'read',
  input: z.strictObject(pageInput(10, 25)),
  output: z.object({
    products: z.array(
      z.object({
        productId: z.string(),
        name: z.string(),
        description: z.string(),
        active: z.boolean(),
        features: z.array(z.string()),
        prices: z.array(
          z.object({
            priceId: z.string(),
            nickname: z.string().nullable(),
            active: z.boolean(),
            model: z.string(),
            amount: money.describe('For one cycle, or one unit.'),
            every: z.object({ frequency: z.string(), period: z.number() }),
            setupFee: money.nullable(),
            trialDays: z.number().nullable(),
            includedUnits: z.string().nullable(),
            meterId: z.string().nullable(),
          }),
        ),
      }),
    ),
    nextCursor,
  }),
  run: async ({ first, after }, caller) => {
    const { products } = await caller.run<{ products: { nodes: ProductData[] } & PageInfo }>(
      `query ($first: Int!, $after: String) { products(first: $first, after: $after) { ${pageFields} nodes {
        id name description active features prices(active: true) { id nickname active model details ${moneyFields}
          setupFee ${moneyFields} trialDays includedUnits meterId recurring { frequency period } } } } }`,
      { first, after },
    );
    return {
      products: products.nodes.map(({ id: productId, prices, ...rest }) => ({
        productId,
        ...rest,
        prices: prices.map(({ id: priceId, details: amount, recurring: every, ...price }) => ({
          priceId,
          amount,
          every,
          ...price,
        })),
      })),
      nextCursor: findNextCursor(products),
    };
  },
});
