/**
 * Sales to private customers in other member states, which decide where they are taxed: at the seller up to 10,000 euros in
 * a calendar year, at the customer beyond (directive 2006/112/EC, article 59c). They are counted for tenants that have
 * chosen a place of supply.
 */
import { toLocalDate } from '../../lib/time.ts';
import type { TaxTotal } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { isUnionCode, locate } from './vatPlaces.ts';

/** In cents. Sales in other currencies are converted by the rate of their day. */
export const thresholdMinor = 1_000_000n;
export const thresholdCurrency = 'eur';

/** The share of the threshold of which the seller is warned. */
const warnedPercent = 80n;
const warnedMinor = (thresholdMinor * warnedPercent) / 100n;

type Seller = Pick<Row<'tenants'>, 'seller'>;
export type UnionSalesRow = Row<'unionSales'>;

/** The calendar year of an instant in a time zone. */
export const findYear = (at: string, timezone: string): number =>
  Number(toLocalDate(at, timezone).slice(0, 4));

/** What has been sold in a calendar year and the one before, as far as it decides the place of a sale. */
export interface UnionSalesState {
  /** Whether sales are taxed at the customer already. */
  isExceeded: boolean;
  /** What may still be sold in the year, in cents; below 0 if it is exceeded. */
  roomMinor: bigint;
}

/** Returns what decides the place of a sale in a year. */
export function findUnionSales(rows: readonly UnionSalesRow[], year: number): UnionSalesState {
  const find = (wanted: number) =>
    rows.find((row) => row.year === wanted && row.currency === thresholdCurrency);
  const [present, previous] = [find(year), find(year - 1)];
  const isExceeded = isExceededBy(present) || isExceededBy(previous);
  return { isExceeded, roomMinor: thresholdMinor - (present?.netMinor ?? 0n) };
}

/** Whether the sales of a year exceed the threshold, or did before a credit took some back. */
export const isExceededBy = (row: UnionSalesRow | undefined): boolean =>
  row !== undefined && (row.exceededAt !== null || row.netMinor > thresholdMinor);

/** A document whose tax is known. */
export interface Taxed {
  currency: string;
  taxes: TaxTotal[] | null;
  /** The country of the document; that of a tax precedes it. */
  country: string | null;
}

/**
 * Returns the net amount of a document that counts, in minor units: what is taxed in another member state, and what would be
 * but for the threshold.
 */
export function sumUnionSales({ seller }: Seller, { taxes, country }: Omit<Taxed, 'currency'>): bigint {
  const home = seller?.address ? locate(seller.address) : undefined;
  if (!home?.isInUnion) return 0n;
  const counts = (tax: TaxTotal) => {
    if (tax.belowThreshold) return true;
    const place = tax.country ?? country;
    return tax.category === 'S' && place !== null && place !== home.country && isUnionCode(place);
  };
  return (taxes ?? []).reduce((sum, tax) => (counts(tax) ? sum + BigInt(tax.taxableMinor) : sum), 0n);
}

/** Notes that the sales of a year have come near the threshold, or exceed it; each once. */
export async function noteThreshold(
  unit: UnitOfWork,
  key: Pick<UnionSalesRow, 'year' | 'currency'>,
): Promise<void> {
  const row = await unit.one('unionSales', key);
  if (!row) return;
  const { year, netMinor } = row;
  const isExceeded = netMinor > thresholdMinor && row.exceededAt === null;
  const isNear = netMinor >= warnedMinor && row.warnedAt === null;
  if (!isExceeded && !isNear) return;
  await unit.updateUntraced('unionSales', key, {
    warnedAt: row.warnedAt ?? unit.now,
    ...(isExceeded && { exceededAt: unit.now }),
  });
  const action = isExceeded ? 'union_threshold_exceeded' : 'union_threshold_near';
  await unit.recordEvent('tenants', unit.tenant, action, {
    year,
    netMinor: String(netMinor),
    thresholdMinor: String(thresholdMinor),
    currency: thresholdCurrency,
    ...(isExceeded && { destinationUntil: findDestinationEnd(year) }),
  });
}

/** The last day on which sales are taxed at the customer after a year in which the threshold was exceeded. */
export const findDestinationEnd = (year: number): string => `${year + 1}-12-31`;
