/** Adds up the invoices of the days that are summed for the tax report, and compares. */
import { findDay } from '../../insights/revenue/spans.ts';
import { describeInvoices, findIssue, isTaxed } from '../../insights/tax/taxedDocuments.ts';
import { TaxSums } from '../../insights/tax/taxSums.ts';
import type { NewRow, Row } from '../../storage/model/rowTypes.ts';
import type { Queries } from '../../storage/query/queries.ts';
import { TenantReads } from '../../storage/store.ts';
import { readPages } from '../tenantFiles/tableScan.ts';

type Report = (fault: { subject: string; found: string }) => void;

/**
 * Examines the sums of a tenant. The country is left out: for invoices of releases that kept none it comes from the document,
 * which an erasure may have emptied since.
 */
export async function examineTaxSums(
  queries: Queries,
  { alias: tenantAlias, timezone }: Row<'tenants'>,
  report: Report,
): Promise<void> {
  const [progress] = await queries.select('taxProgress', { where: { tenantAlias } });
  if (!progress) return;
  const expected = new TaxSums();
  const reads = new TenantReads(queries, tenantAlias);
  for await (const page of readPages(queries, 'invoices', tenantAlias)) {
    const summed = page.filter((row) => isTaxed(row) && findIssue(row) < progress.until);
    for (const invoice of await describeInvoices(reads, summed))
      expected.add({ ...invoice, country: null }, findDay(invoice.issuedAt, timezone));
  }
  const kept: Row<'taxSums'>[] = [];
  for await (const page of readPages(queries, 'taxSums', tenantAlias)) kept.push(...page);
  const [is, should] = [mergeCountries(kept), mergeCountries(expected.list())];
  for (const key of new Set([...is.keys(), ...should.keys()])) {
    const [found = 'nothing', wanted = 'nothing'] = [is.get(key), should.get(key)];
    if (found !== wanted)
      report({
        subject: tenantAlias,
        found: `has a sum of tax of ${key} of ${found}, but its invoices have ${wanted}`,
      });
  }
}

/** Returns the sums by their terms without the country, as text. */
function mergeCountries(sums: NewRow<'taxSums'>[]): Map<string, string> {
  const merged = new Map<string, { documents: number; taxableMinor: bigint; taxMinor: bigint }>();
  for (const { day, currency, kind, category, percent, reason, documents, taxableMinor, taxMinor } of sums) {
    const key = [day.slice(0, 10), currency, kind, category, percent, reason].filter(Boolean).join(' ');
    const sum = merged.get(key) ?? { documents: 0, taxableMinor: 0n, taxMinor: 0n };
    merged.set(key, sum);
    sum.documents += documents;
    sum.taxableMinor += taxableMinor;
    sum.taxMinor += taxMinor;
  }
  const nonzero = [...merged].filter(([, sum]) => Object.values(sum).some((value) => Number(value) !== 0));
  return new Map(
    nonzero.map(([key, { documents, taxableMinor, taxMinor }]) => [
      key,
      `${documents} documents, ${taxableMinor} taxable, ${taxMinor} tax`,
    ]),
  );
}
