import type { Loss, StripeBalance } from './losses.ts';

export interface StripeCustomer {
  id: string;
  email: string;
  name: string;
  metadata: Record<string, string>;
  paymentMethod: string | null;
  balances: StripeBalance[];
  /** What of it does not come here. */
  losses: Loss[];
  /** What all of its subscriptions would lose. */
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
  /** Why it cannot be brought here; undefined where it can. */
  hindrance?: string;
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
  metadata: Record<string, string>;
  paymentMethod: string | null;
  /** What of it has nothing to stand for it here. */
  losses: Loss[];
}

/** What Stripe's files hold. */
export interface StripeExport {
  customers: StripeCustomer[];
  products: StripeProduct[];
  prices: StripePrice[];
  subscriptions: StripeSubscription[];
  /** What the files cannot say. */
  notes: string[];
}

/** Why a price has nothing to stand for it here. */
export function findHindrance(
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
