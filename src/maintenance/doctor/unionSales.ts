/** Counts what tenants have sold to private customers in other member states again, from their documents. */
import { convertToEuro } from '../../billing/tax/unionSalesDays.ts';
import { findYear, thresholdCurrency } from '../../billing/tax/unionSales.ts';
import { locate } from '../../billing/tax/vatPlaces.ts';
import type { DocumentRecord } from '../../documents/record.ts';
import {
  describeInvoices,
  describeNotes,
  findIssue,
  isTaxed,
  type TaxedDocument,
} from '../../insights/tax/taxedDocuments.ts';
import { UnionSums } from '../../insights/tax/unionSums.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Queries } from '../../storage/query/queries.ts';
import { TenantReads } from '../../storage/store.ts';
import { readPages } from '../tenantFiles/tableScan.ts';

type Report = (fault: { subject: string; found: string }) => void;

/**
 * Examines the sums of this year and the last one, which decide. A seller that moved to another country in this time counted its
 * earlier sales from there, so its sums are not compared.
 */
export async function examineUnionSales(
  queries: Queries,
  tenant: Row<'tenants'>,
  now: string,
  report: Report,
): Promise<void> {
  if (tenant.placeOfSupply === null) return;
  const reads = new TenantReads(queries, tenant.alias);
  const firstYear = findYear(now, tenant.timezone) - 1;
  const sums = await countAgain(queries, reads, tenant, firstYear);
  if (!sums) return;
  const expected = new Map<string, bigint>();
  const add = (year: number, currency: string, minor: bigint) => {
    const key = `${year} ${currency}`;
    expected.set(key, (expected.get(key) ?? 0n) + minor);
  };
  for (const [year, netMinor] of sums.years) add(year, thresholdCurrency, netMinor);
  for (const each of sums.days.values()) {
    const euroMinor = await convertToEuro(reads, each);
    const year = Number(each.day.slice(0, 4));
    if (euroMinor === null) add(year, each.currency, each.netMinor);
    else add(year, thresholdCurrency, euroMinor);
  }
  const kept = await queries.select('unionSales', { where: { tenantAlias: tenant.alias } });
  const found = new Map<string, bigint>(
    kept.flatMap(({ year, currency, netMinor }) =>
      year >= firstYear ? [[`${year} ${currency}`, netMinor] as const] : [],
    ),
  );
  for (const key of new Set([...expected.keys(), ...found.keys()])) {
    const [is, should] = [found.get(key) ?? 0n, expected.get(key) ?? 0n];
    if (is !== should)
      report({
        subject: tenant.alias,
        found: `has counted ${is} of ${key} towards the threshold of the Union, but its documents have ${should}`,
      });
  }
}

/** Adds up the documents since the start of a year; undefined if a part of them was issued from another country. */
async function countAgain(
  queries: Queries,
  reads: TenantReads,
  tenant: Row<'tenants'>,
  firstYear: number,
): Promise<UnionSums | undefined> {
  const sums = new UnionSums(tenant);
  const isRecent = (at: string) => findYear(at, tenant.timezone) >= firstYear;
  const add = async (documents: TaxedDocument[]): Promise<boolean> => {
    for (const document of documents) sums.add(document);
    return areFromHome(reads, tenant, documents);
  };
  for await (const page of readPages(queries, 'invoices', tenant.alias)) {
    const counted = page.filter((row) => isTaxed(row) && isRecent(findIssue(row)));
    if (!(await add(await describeInvoices(reads, counted)))) return undefined;
  }
  for await (const page of readPages(queries, 'creditNotes', tenant.alias)) {
    const counted = page.filter(({ status, createdAt }) => status === 'issued' && isRecent(createdAt));
    if (!(await add(await describeNotes(reads, counted)))) return undefined;
  }
  return sums;
}

/** Whether the seller was in its present country on all documents. */
async function areFromHome(
  reads: TenantReads,
  { seller }: Row<'tenants'>,
  documents: TaxedDocument[],
): Promise<boolean> {
  if (documents.length === 0) return true;
  const home = seller?.address ? locate(seller.address).country : undefined;
  const rows = await reads.many('documents', { where: { id: documents.map(({ id }) => id) } });
  return rows.every(({ record }) => {
    const { address } = (record as unknown as DocumentRecord).seller;
    return address ? locate(address).country === home : true;
  });
}
