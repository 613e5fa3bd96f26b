/** A line of a tax return, and what a return leaves out. */
import type { TaxTermsOfPlace } from '../taxTerms.ts';

/** Why an amount is in no line of a return. */
export type LeftOut =
  'unknown_country' | 'exempt' | 'exempt_seller' | 'outside_scope' | 'one_stop_shop' | 'not_one_stop_shop';

/** Amounts in minor units. */
export interface LineAmounts {
  taxableMinor: bigint;
  taxMinor: bigint;
}

/** A line of a form. */
export interface ReturnLine {
  /** As the form names it; null for what the return does not take. */
  code: string | null;
  /** What the line is for, in the language of the form; null where the code says it. */
  label: string | null;
  leftOut: LeftOut | null;
  /** What distinguishes its rows, besides the currency. */
  by: readonly ('country' | 'category' | 'percent' | 'reason')[];
  /** Returns the amounts as the form takes them; they are exact by default. */
  declare?: (amounts: LineAmounts) => LineAmounts;
}

/** Finds the line of a tax; `isCorrection` says whether it credits an invoice of an earlier period. */
export type FindLine = (terms: TaxTermsOfPlace, isCorrection: boolean) => ReturnLine;

const cent = 100n;

/** Cuts an amount in cents to whole euros, towards zero. */
export const cutToWhole = (minor: bigint): bigint => (minor / cent) * cent;

/** Rounds an amount in cents to whole euros, half away from zero. */
export const roundToWhole = (minor: bigint): bigint => cutToWhole(minor + (minor < 0n ? -cent : cent) / 2n);

/** Returns a line for what a return does not take. */
export const leaveOut = (leftOut: LeftOut): ReturnLine => ({
  code: null,
  label: null,
  leftOut,
  by: ['country', 'category', 'percent', 'reason'],
});
