/** What the rows of the tax report and the documents behind them have in common: the tax, its place and its return. */
import { isUnionCode, locate } from '../../billing/tax/vatPlaces.ts';
import type { TaxCategory, TaxReason, TaxTotal } from '../../storage/model/common.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { TaxedDocument } from './taxedDocuments.ts';

/** Which return a sale belongs to. */
type TaxTreatment = 'domestic' | 'one_stop_shop' | 'intra_community' | 'foreign';

/** What distinguishes the rows of a period. */
export interface TaxTermsOfPlace {
  country: string | null;
  treatment: TaxTreatment | null;
  category: TaxCategory;
  percent: string;
  reason: TaxReason | null;
  currency: string;
}

export type FindTreatment = (
  country: string | null,
  category: TaxCategory,
  reason: TaxReason | null | undefined,
) => TaxTreatment | null;

/**
 * Returns a function that finds the return of a sale: reverse charge and supplies of goods belong to the recapitulative
 * statement, other sales to another member state to the one-stop shop (directive 2006/112/EC, articles 262 and 369a). Sales
 * of an exempt seller belong to its own country.
 */
export function createTreatments({ record: { seller } }: Pick<TenantScope, 'record'>): FindTreatment {
  const home = seller?.address ? locate(seller.address) : undefined;
  return (country, category, reason) => {
    if (country === null || !home) return null;
    if (country === home.country || reason === 'exempt_seller') return 'domestic';
    if (category === 'G' || category === 'O' || !home.isInUnion || !isUnionCode(country)) return 'foreign';
    return category === 'AE' || category === 'K' ? 'intra_community' : 'one_stop_shop';
  };
}

export type DocumentPlace = Pick<TaxedDocument, 'country' | 'currency'>;

/** Returns what a tax has in common with others of its place and rate. */
export const describeTerms = (
  { country, currency }: DocumentPlace,
  { category, percent, reason, country: own }: Omit<TaxTotal, 'taxableMinor' | 'taxMinor'>,
  findTreatment: FindTreatment,
): TaxTermsOfPlace => ({
  country: own ?? country,
  treatment: findTreatment(own ?? country, category, reason),
  category,
  percent,
  reason: reason ?? null,
  currency,
});

/** Compares texts by their code units, as both databases do. */
export const compareText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
