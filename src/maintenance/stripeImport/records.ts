import type { Pricing } from '../../storage/model/common.ts';
import type { StripeDiscount } from './discounts.ts';
import type { Loss, StripeBalance } from './losses.ts';

export interface StripeCustomer {
  id: string;
  email: string;
  name: string;
  metadata: Record<string, string>;
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
}

interface StripePriceHead {
  id: string;
  product: string;
  productName: string;
  currency: string;
  interval: string;
  intervalCount: number;
  trialDays: number | null;
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
  /** Warnings about information missing from the files. */
  notes: string[];
}

/** Returns why a price cannot be imported, whatever its amount; undefined if it can. */
export function findPriceObstacle(interval: unknown, usage: unknown): string | undefined {
  if (!interval) return 'is charged once, and not by subscription';
  return usage === 'metered' ? 'is charged by use' : undefined;
}
