/** How the sales of a tenant are booked by its accountant. */
import type { TaxCategory } from './common.ts';

/** Where the sales of a kind are booked. What is absent does not matter; the first account that matches is used. */
export interface RevenueAccount {
  treatment?: 'domestic' | 'one_stop_shop' | 'intra_community' | 'foreign';
  category?: TaxCategory;
  /** A decimal. */
  percent?: string;
  /** ISO 3166-1 alpha-2, in upper case. */
  country?: string;
  account: string;
  /** The BU-Schlüssel of DATEV, the name of a rate of Xero, or a tax code of QuickBooks; absent for none. */
  taxKey?: string;
  /** The account of the tax, where the program does not compute it from the account or the key. */
  taxAccount?: string;
}

/** Settings of exports to accounting programs. */
export interface AccountingSettings {
  chart: 'skr03' | 'skr04' | 'own';
  /** Of DATEV: the numbers of the consultant and of the client. */
  consultantNumber: number | null;
  clientNumber: number | null;
  /** The month and the day on which the fiscal year begins: `01-01`. */
  fiscalYearStart: string;
  /** The digits of an account of the ledger; those of debtors have one more. */
  accountLength: number;
  /** The account of all debtors without one of their own; null for the default. */
  debtorAccount: string | null;
  /** The key of the metadata of customers that has their account; null for none. */
  debtorMetadataKey: string | null;
  /** Where payments are booked; null for the default of the chart. */
  moneyAccount: string | null;
  revenueAccounts: RevenueAccount[];
}
