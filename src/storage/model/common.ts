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

/** A bank account, as shown to payers. */
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
