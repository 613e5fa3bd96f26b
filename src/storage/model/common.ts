import { count, instant, nullable, text } from './columns.ts';

/** Columns and types shared by several tables. */

export type JsonObject = Record<string, unknown>;
export type Frequency = 'Daily' | 'Weekly' | 'Monthly' | 'Yearly';

export const tenantKey = [{ columns: ['tenantAlias' as const], table: 'tenants' }];
export const byTenant = { primary: ['tenantAlias' as const, 'id' as const] };

export const recurring = {
  frequency: text<Frequency>(),
  period: count(),
  executionDate: nullable(instant()),
};
export const timestamps = { createdAt: instant(), updatedAt: instant() };

/** A tier covers the units after the previous tier, up to and including `upTo`; null on the last. Decimals in major units. */
export interface PriceTier {
  upTo: string | null;
  unitAmount: string;
  flatAmount: string;
}

/** The pricing of a quantity. Amounts are decimals in major units and may be finer than the currency. */
export type Pricing =
  /** `unitAmount` for each unit. */
  | { model: 'per_unit'; unitAmount: string }
  /** `unitAmount` for each started package of `packageSize` units. */
  | { model: 'package'; unitAmount: string; packageSize: number }
  /** Graduated: each unit is charged at its own tier. Volume: all units are charged at the tier of the last unit. */
  | { model: 'graduated' | 'volume'; tiers: PriceTier[] };

/**
 * An add-on of a subscription: a price with a quantity that is billed with the main price, in the same currency and
 * interval. `amountMinor` is the amount of a whole cycle for the whole quantity, in minor units as text.
 */
export interface AddOn {
  productId: string;
  priceId: string;
  productName: string;
  quantity: number;
  /** Null for a flat price. */
  pricing: Pricing | null;
  amountMinor: string;
  /** When it was added, an instant. */
  addedAt: string;
  /** The set-up fee that an invoice has still to charge, in minor units as text; absent for none. */
  setupFeeMinor?: string;
}

/** A discount as it is deducted from the lines of a bill. */
export interface DiscountTerms {
  discountId: string;
  couponId: string;
  /** Either a percentage as a decimal, above 0 and at most 100, or an amount in minor units as text. */
  percentOff?: string;
  amountOffMinor?: string;
  /** The products whose lines it reduces; absent for all. */
  productIds?: string[];
}

/** The part of a line's amount that a discount took off, in minor units as text. */
export interface LineDiscount {
  discountId: string;
  amountMinor: string;
}

/** A credit that the payment of a plan change reserves on a line that was paid, in minor units as text. */
export interface ReservedCredit {
  lineId: string;
  creditedMinor: string;
  /** The part of the line given back before. */
  givenBackMinor: string;
}

/** When and how a change of a subscription is billed. */
export type ChangeBilling = 'charge_now' | 'next_invoice' | 'period_end' | 'reset' | 'none';

/** How changes are billed unless the request says otherwise. */
export interface ChangePolicy {
  increase: ChangeBilling;
  decrease: ChangeBilling;
  planUpgrade: ChangeBilling;
  planDowngrade: ChangeBilling;
}

/** A bank account as shown to payers. */
export interface BankAccount {
  accountHolder: string;
  iban?: string | null;
  /** For accounts without an IBAN. */
  accountNumber?: string | null;
  bic?: string | null;
  bankName?: string | null;
  /** Further instructions for the payer. */
  instructions?: string | null;
}
