/** The place of supply that a tenant chooses, and what its documents count towards the threshold of the European Union. */
import { Temporal } from 'temporal-polyfill';
import * as z from 'zod';
import {
  findDestinationEnd,
  findYear,
  isExceededBy,
  thresholdCurrency,
} from '../../billing/tax/unionSales.ts';
import { locate } from '../../billing/tax/vatPlaces.ts';
import { refuse } from '../../lib/errors.ts';
import { addMs, toInstant } from '../../lib/time.ts';
import { parseInput } from '../../lib/validation.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { removeUnionSales, UnionSums } from './unionSums.ts';
import {
  describeInvoices,
  findIssue,
  isTaxed,
  readTaxedInvoices,
  readTaxedNotes,
  type TaxedDocument,
} from './taxedDocuments.ts';

type TenantRow = Row<'tenants'>;

const newPlace = z.object({ placeOfSupply: z.enum(['seller', 'destination']).nullish() });

/**
 * Chooses where sales to private customers in other member states are taxed, and counts what was sold this year and the last
 * one; null ends the count. Errors: `validation_failed` for sellers outside the Union, `query_timeout`.
 */
export async function setPlaceOfSupply(tenant: TenantScope, input: unknown): Promise<TenantRow> {
  const { placeOfSupply = null } = parseInput(newPlace, input);
  // As an earlier mutation of the same request may have left it.
  const record = (await tenant.primaryReads.one('tenants', {}))!;
  const { seller } = record;
  if (placeOfSupply !== null && !(seller?.address && locate(seller.address).isInUnion))
    refuse('validation_failed', {
      path: 'placeOfSupply',
      message: 'needs seller.address in the European Union',
    });
  const begun = tenant.now();
  const sums = placeOfSupply === null ? new UnionSums(record) : await countDocuments(tenant, record, begun);
  return tenant.write((unit) => keepPlace(unit, placeOfSupply, sums, begun));
}

async function keepPlace(
  unit: UnitOfWork,
  placeOfSupply: TenantRow['placeOfSupply'],
  sums: UnionSums,
  begun: string,
): Promise<TenantRow> {
  const isNew = unit.tenant.placeOfSupply === null && placeOfSupply !== null;
  if (isNew) await addLatest(unit, sums, begun);
  if (placeOfSupply === null) await removeUnionSales(unit);
  const changed = await unit.change('tenants', unit.tenant, { placeOfSupply });
  if (isNew) await sums.keep(unit);
  return changed;
}

/** Sums the documents since the start of the last year that were issued before an instant; credit notes up to it. */
async function countDocuments(tenant: TenantScope, record: TenantRow, before: string): Promise<UnionSums> {
  const sums = new UnionSums(record);
  const from = findYearStart(findYear(before, record.timezone) - 1, record.timezone);
  const add = async (documents: AsyncGenerator<TaxedDocument[]>) => {
    for await (const some of documents) for (const document of some) sums.add(document);
  };
  await tenant.scan(async (scan) => {
    await add(readTaxedInvoices(scan, { from, before }));
    await add(readTaxedNotes(scan, { from, before: addMs(before, 1) }));
  });
  return sums;
}

/** Adds the invoices that were issued since the others were read. */
async function addLatest(unit: UnitOfWork, sums: UnionSums, begun: string): Promise<void> {
  const rows = await unit.many('invoices', { where: { createdAt: { from: begun } } });
  const latest = rows.filter((row) => isTaxed(row) && findIssue(row) >= begun);
  for (const document of await describeInvoices(unit, latest)) sums.add(document);
}

const findYearStart = (year: number, timeZone: string): string =>
  toInstant(Temporal.PlainDate.from({ year, month: 1, day: 1 }).toZonedDateTime(timeZone).epochMilliseconds);

/** What a tenant has sold to private customers in other member states. Amounts in minor units. */
export interface UnionSales {
  year: number;
  netMinor: bigint;
  previousNetMinor: bigint;
  state: 'below' | 'near' | 'exceeded';
  destinationFrom: string | null;
  destinationUntil: string | null;
  otherCurrencies: { netMinor: bigint; currency: string }[];
  /** The days whose sales in other currencies have no exchange rate. */
  withoutRate: { day: string; netMinor: bigint; currency: string }[];
}

/** How many days without a rate are listed. */
export const mostWithoutRate = 100;

/** Returns what counts towards the threshold at an instant; undefined if the tenant has chosen no place of supply. */
export async function readUnionSales(
  reads: Reads,
  { placeOfSupply, timezone }: TenantRow,
  now: string,
): Promise<UnionSales | undefined> {
  if (placeOfSupply === null) return undefined;
  const rows = await reads.many('unionSales', { where: {}, orderBy: ['year', 'currency'] });
  const year = findYear(now, timezone);
  const find = (wanted: number) =>
    rows.find((row) => row.year === wanted && row.currency === thresholdCurrency);
  const [present, previous] = [find(year), find(year - 1)];
  const days = await reads.many('unionSalesDays', {
    where: { day: { from: `${year}-01-01`, to: `${year}-12-31` } },
    orderBy: ['day', 'currency'],
  });
  const isWhole = isExceededBy(previous);
  const isExceeded = isWhole || isExceededBy(present);
  return {
    year,
    netMinor: present?.netMinor ?? 0n,
    previousNetMinor: previous?.netMinor ?? 0n,
    state: isExceeded ? 'exceeded' : present?.warnedAt ? 'near' : 'below',
    destinationFrom: isWhole ? findYearStart(year, timezone) : (present?.exceededAt ?? null),
    destinationUntil: isExceeded ? findDestinationEnd(isExceededBy(present) ? year : year - 1) : null,
    otherCurrencies: rows
      .filter((row) => row.year === year && row.currency !== thresholdCurrency && row.netMinor !== 0n)
      .map(({ netMinor, currency }) => ({ netMinor, currency })),
    withoutRate: days
      .filter(({ euroMinor, netMinor }) => euroMinor === null && netMinor !== 0n)
      .slice(0, mostWithoutRate),
  };
}
