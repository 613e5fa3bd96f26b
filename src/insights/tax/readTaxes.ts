/** Adds up the tax of the documents of periods: of days that are over from their sums, of the others from the documents. */
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { divideRange, readTaxSums, type ReadTaxSum } from './readTaxSums.ts';
import { readTaxedInvoices, readTaxedNotes, type TaxedDocument } from './taxedDocuments.ts';

/** What the figures of a report are added to. */
interface TaxFigures {
  addSum(sum: ReadTaxSum): void;
  addDocument(document: TaxedDocument): void;
}

/** Adds the documents that were issued between bounds, the last of which is exclusive. Error: `query_timeout`. */
export async function addTaxes(
  tenant: TenantScope,
  bounds: readonly string[],
  figures: TaxFigures,
): Promise<void> {
  const progress = await tenant.primaryReads.one('taxProgress', {});
  const { summed, others } = divideRange(bounds, progress?.until ?? '', tenant.record.timezone);
  const range = { from: bounds[0]!, before: bounds.at(-1)! };
  await tenant.scan(async (scan) => {
    for (const sum of await readTaxSums(scan, summed, bounds)) figures.addSum(sum);
    const add = async (documents: AsyncGenerator<TaxedDocument[]>) => {
      for await (const some of documents) {
        for (const document of some) figures.addDocument(document);
        scan.check();
      }
    };
    for (const period of others) await add(readTaxedInvoices(scan, period));
    await add(readTaxedNotes(scan, range));
  });
}
