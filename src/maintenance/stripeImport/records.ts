import type { Loss, StripeBalance } from './losses.ts';

export interface StripeCustomer {
  id: string;
  email: string;
  name: string;
  metadata: Record<string, string>;
  paymentMethod: string | null;
  balances: StripeBalance[];
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

export interface StripePrice {
  id: string;
  product: string;
  productName: string;
  /** In major units. */
  amount: number;
  currency: string;
  interval: string;
  intervalCount: number;
  /** Why it cannot be imported; undefined if it can. */
  obstacle?: string;
}

export interface StripeSubscription {
  id: string;
  customer: string;
  price: string;
  quantity: number;
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

/** Returns why a price cannot be imported; undefined if it can. */
export function findPriceObstacle(
  interval: unknown,
  usage: unknown,
  scheme: unknown,
  isFraction: boolean,
): string | undefined {
  if (!interval) return 'is charged once, and not by subscription';
  if (usage === 'metered') return 'is charged by use';
  if (scheme === 'tiered') return 'has tiers';
  return isFraction ? 'has fractions of the smallest unit' : undefined;
}
