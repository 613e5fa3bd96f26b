import { count, instant, nullable, text } from './columns.ts';

/** What several tables have in common. */

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

/** A bank account as payers are told of it. */
export interface BankAccount {
  accountHolder: string;
  iban?: string | null;
  /** Where there is no IBAN. */
  accountNumber?: string | null;
  bic?: string | null;
  bankName?: string | null;
  /** Anything else that a payer must know. */
  instructions?: string | null;
}
