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

/** A bank account as payers are told of it. */
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
