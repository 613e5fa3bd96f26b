import { createGroup } from '../../billing/catalog/groups.ts';
import { createProduct } from '../../billing/catalog/products.ts';
import { createCoupon } from '../../billing/discounts/coupons.ts';
import { createPromotionCode } from '../../billing/discounts/promotionCodes.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';

export type Currency = 'usd' | 'eur' | 'gbp';
export type Frequency = 'Monthly' | 'Yearly';

/** The prices of a product by currency and interval, such as `eur Monthly`. */
type Offer = { productId: string } & Partial<Record<`${Currency} ${Frequency}`, string>>;

/** The products of the demo by name. */
export type Catalog = Record<string, Offer>;

const currencies: Currency[] = ['usd', 'eur', 'gbp'];

/** How much an amount in dollars is in each currency. */
const factors: Record<Currency, number> = { usd: 1, eur: 1, gbp: 0.9 };

/** A yearly price is that of ten months. */
const monthsOfYear = { Monthly: 1, Yearly: 10 };

/** An amount in a currency: whole units above ten, cents below. */
const convert = (amount: number, currency: Currency) => {
  const converted = amount * factors[currency];
  return converted >= 10 ? Math.round(converted) : Math.round(converted * 10_000) / 10_000;
};

/** Builds what a price of a model has beside its currency and interval; `scale` converts an amount. */
type Terms = (scale: (amount: number) => number) => Record<string, unknown>;

interface Design {
  name: string;
  group?: string;
  description: string;
  frequencies?: Frequency[];
  currencies?: Currency[];
  terms: Terms;
  setupFee?: number;
}

const flat =
  (amount: number): Terms =>
  (scale) => ({ details: { amount: scale(amount) } });

const tier = (
  upTo: number | null,
  unit: number,
  fixed: number | null,
  scale: (amount: number) => number,
) => ({
  upTo: upTo === null ? null : `${upTo}`,
  unitAmount: `${scale(unit)}`,
  flatAmount: fixed === null ? null : `${scale(fixed)}`,
});

/** The products of the guides. */
export const guideDesigns: Design[] = [
  { name: 'Basic', group: 'Plans', description: 'For one person.', terms: flat(9), currencies: ['usd'] },
  { name: 'Pro', group: 'Plans', description: 'For a whole team.', terms: flat(29), currencies: ['usd'] },
];

/** All products, in the order in which they are created. */
export const designs: Design[] = [
  ...guideDesigns,
  {
    name: 'Starter',
    group: 'Plans',
    description: 'The first plan, no longer sold.',
    terms: flat(6),
    frequencies: ['Monthly'],
  },
  { name: 'Solo', group: 'Plans', description: 'For freelancers: one workspace.', terms: flat(12) },
  {
    name: 'Team',
    group: 'Plans',
    description: 'Per seat, with shared workspaces. The first two weeks are free.',
    terms: (scale) => ({ model: 'per_unit', details: { decimal: `${scale(14)}` }, trialDays: 14 }),
  },
  {
    name: 'Business',
    group: 'Plans',
    description: 'From ten seats; every seat gets cheaper as the company grows.',
    terms: (scale) => ({
      model: 'volume',
      details: { amount: 0 },
      minQuantity: 10,
      tiers: [tier(25, 19, null, scale), tier(100, 16, null, scale), tier(null, 13, null, scale)],
    }),
  },
  {
    name: 'API',
    group: 'Developer',
    description: 'Calls in thousands: the first ten are part of the base price.',
    frequencies: ['Monthly'],
    terms: (scale) => ({
      model: 'graduated',
      details: { amount: 0 },
      tiers: [tier(10, 0, 19, scale), tier(200, 0.9, null, scale), tier(null, 0.45, null, scale)],
    }),
  },
  {
    name: 'Storage',
    group: 'Add-ons',
    description: 'Sold in packages of 100 GB.',
    terms: (scale) => ({ model: 'package', details: { decimal: `${scale(10)}` }, packageSize: 100 }),
  },
  {
    name: 'Priority support',
    group: 'Add-ons',
    description: 'Replies within two hours, on working days.',
    terms: flat(49),
    setupFee: 99,
  },
];

/** The coupons and their codes. */
const coupons = [
  { code: 'WELCOME20', name: 'Welcome', percentOff: '20', duration: 'repeating', durationInMonths: 3 },
  { code: 'LAUNCH50', name: 'Launch', percentOff: '50', duration: 'once', maxRedemptions: 40 },
  { code: 'NONPROFIT', name: 'Non-profit', percentOff: '30', duration: 'forever' },
];

export const promotionCodes = coupons.map(({ code }) => code);

/** Creates products with their groups and prices. */
export async function createCatalog(tenant: TenantScope, wanted: Design[]): Promise<Catalog> {
  const groups = new Map<string, string>();
  const catalog: Catalog = {};
  for (const design of wanted) {
    const { group, name, description } = design;
    if (group && !groups.has(group)) {
      const made = await tenant.write((unit) => createGroup(unit, { name: group, prorateUpgrades: true }));
      groups.set(group, made.id);
    }
    const groupId = group && groups.get(group);
    const listed = listPrices(design);
    const prices = listed.map(({ price }) => price);
    const product = await tenant.write((unit) => createProduct(unit, { name, description, groupId, prices }));
    const made = await tenant.read.many('prices', { where: { productId: product.id }, orderBy: ['id'] });
    const ids = listed.map(({ key }, index) => [key, made[index]!.id]);
    catalog[name] = { productId: product.id, ...Object.fromEntries(ids) };
  }
  return catalog;
}

function listPrices({
  terms,
  setupFee,
  currencies: sold = currencies,
  frequencies = ['Monthly', 'Yearly'],
}: Design) {
  return sold.flatMap((currency) =>
    frequencies.map((frequency) => {
      const months = monthsOfYear[frequency];
      const { details, ...others } = terms((amount) => convert(amount * months, currency));
      const price = {
        details: { ...(details as object), currency },
        recurring: { frequency, period: 1 },
        ...(setupFee && { setupFee: { amount: convert(setupFee, currency), currency } }),
        ...others,
      };
      return { key: `${currency} ${frequency}`, price };
    }),
  );
}

/** Creates the coupons and their promotion codes. */
export async function createCoupons(tenant: TenantScope): Promise<void> {
  for (const { code, ...coupon } of coupons) {
    const { id } = await tenant.write((unit) => createCoupon(unit, coupon));
    const isForNew = code !== 'NONPROFIT';
    await tenant.write((unit) =>
      createPromotionCode(unit, { couponId: id, code, firstPurchaseOnly: isForNew }),
    );
  }
}
