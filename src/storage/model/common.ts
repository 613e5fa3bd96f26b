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

/** A tier covers the units above the tier before it, up to and including `upTo`; the last has no end. Decimals, major units. */
export interface PriceTier {
  upTo: string | null;
  unitAmount: string;
  flatAmount: string;
}

/** How a price that is not flat charges a quantity. Amounts are decimals in major units, which may be finer than the currency. */
export type Pricing =
  /** `unitAmount` for each unit. */
  | { model: 'per_unit'; unitAmount: string }
  /** `unitAmount` for each package of `packageSize` units, of which the last may be part full. */
  | { model: 'package'; unitAmount: string; packageSize: number }
  /** Graduated: each unit costs what its own tier says. Volume: all cost what the tier of the last one says. */
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
