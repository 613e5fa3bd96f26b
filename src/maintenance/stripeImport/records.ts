import type { Pricing } from '../../storage/model/common.ts';
import type { StripeDiscount } from './discounts.ts';
import type { Loss, StripeBalance } from './losses.ts';
import type { StripeMethod } from './paymentMethods.ts';
import type { TaxDetails } from './taxDetails.ts';
import type { StripeTaxRate } from './taxRates.ts';
import { describeValue, longestCode, parseText } from './values.ts';

export interface StripeCustomer {
  id: string;
  email: string;
  name: string;
  metadata: Record<string, string>;
  details: TaxDetails;
  paymentMethod: string | null;
  balances: StripeBalance[];
  discounts: StripeDiscount[];
  /** The settings that are not imported. */
  losses: Loss[];
  /** The losses that apply to all its subscriptions. */
  discount: Loss[];
}

export interface StripeProduct {
  id: string;
  name: string;
  description: string;
  active: boolean;
  taxCode: string | null;
}

interface StripePriceHead {
  id: string;
  active: boolean;
  product: string;
  productName: string;
  /** The tax code of the product, which only CSV has with the price. */
  productTaxCode: string | null;
  currency: string;
  interval: string;
  intervalCount: number;
  trialDays: number | null;
  /** Null if it is not specified. */
  taxBehavior: 'exclusive' | 'inclusive' | null;
}

export type StripePrice = StripePriceHead &
  (
    | {
        /** Amounts in major units. Stripe has no flat prices: they are `per_unit`, too. */
        pricing: Pricing;
        obstacle?: undefined;
      }
    | {
        /** Why it cannot be imported. */
        obstacle: string;
      }
  );

export interface StripeItem {
  price: string;
  quantity: number;
  /** When it was added; empty if the file does not say. */
  addedAt: string;
}

export interface StripeSubscription {
  id: string;
  customer: string;
  /** In Stripe's order. */
  items: StripeItem[];
  status: string;
  startedAt: string;
  anchor: string;
  periodStart: string;
  periodEnd: string;
  cancelAtPeriodEnd: boolean;
  cancelAt: string | null;
  /** The end of a trial in progress, which is `periodEnd`; null without one. */
  trialEndsAt: string | null;
  metadata: Record<string, string>;
  paymentMethod: string | null;
  discounts: StripeDiscount[];
  /** The settings that cannot be imported. */
  losses: Loss[];
}

/** The records read from Stripe's files. */
export interface StripeExport {
  customers: StripeCustomer[];
  products: StripeProduct[];
  prices: StripePrice[];
  subscriptions: StripeSubscription[];
  taxRates: StripeTaxRate[];
  /** The payment methods of which the files have more than the id. */
  methods: StripeMethod[];
  /** Warnings about information missing from the files. */
  notes: string[];
}

/** Returns why a price cannot be imported with any amount; undefined if it can. */
export function findPriceObstacle(interval: unknown, usage: unknown): string | undefined {
  if (!interval) return 'is charged once, and not by subscription';
  return usage === 'metered' ? 'is charged by use' : undefined;
}

/** Reads the tax behavior of a price; null if it is not specified. Throws an Error for other values. */
export function parseTaxBehavior(value: unknown, field: string): 'exclusive' | 'inclusive' | null {
  const text = parseText(value, field, longestCode);
  if (text === 'exclusive' || text === 'inclusive') return text;
  if (text === '' || text === 'unspecified') return null;
  throw new Error(`${field} must be exclusive, inclusive or unspecified, not ${describeValue(text)}`);
}
