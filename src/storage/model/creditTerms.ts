/** The terms of credits that columns keep as JSON. */
import type { Frequency } from './common.ts';

/** How many credits a number of units of a meter costs. Decimals. */
export interface CreditRate {
  meterId: string;
  units: string;
  credits: string;
}

/** What a credit grant keeps when it expires: a percentage of its remainder, or at most an amount. */
export interface CreditRollover {
  /** A decimal, above 0 and at most 100. */
  percent?: string;
  /** In minor units as text. */
  maximumMinor?: string;
  /** How long it is kept. */
  frequency: Frequency;
  period: number;
  /** When the kept part expires, an instant. */
  until: string;
  /** When the grant expired first, once it has. */
  rolledAt?: string;
}

/** The charges that a credit grant lowers: those of prices, or of the usage of meters. */
export interface CreditScope {
  priceIds?: string[];
  meterIds?: string[];
}

/** The credit that the payment of an invoice grants. Amounts in minor units as text. */
export interface CreditTopUp {
  name: string;
  /** In millionths of a credit if it has a credit type. */
  amountMinor: string;
  /** Absent for money. */
  creditTypeId?: string;
  costBasis: string;
  beforeTax: boolean;
  priority: number;
  expiresAt: string | null;
  rollover: CreditRollover | null;
  /** The automatic top-up that has sold it; absent for none. */
  autoTopUpId?: string;
}
