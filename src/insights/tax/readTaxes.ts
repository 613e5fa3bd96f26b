/** Adds up the tax of the documents of periods: of days that are over from their sums, of the others from the documents. */
import type { Scan } from '../../storage/scan.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { divideRange, findDaysWith, readTaxSums, type ReadTaxSum } from './readTaxSums.ts';
import { readTaxedInvoices, readTaxedNotes, type Period, type TaxedDocument } from './taxedDocuments.ts';

/** What the figures of a report are added to. */
interface TaxFigures {
  addSum(sum: ReadTaxSum): void;
  addDocument(document: TaxedDocument): void;
  /** Whether the invoices of a currency are to be read one by one, where their sums do not say enough. */
  readsEach?(currency: string): boolean;
  /** Reads what the figures need of documents before they are added. */
  prepare?(scan: Scan, documents: readonly TaxedDocument[]): Promise<void>;
}

/** Adds the documents that were issued between bounds, the last of which is exclusive. Error: `query_timeout`. */
export async function addTaxes(
  tenant: TenantScope,
  bounds: readonly string[],
  figures: TaxFigures,
): Promise<void> {
  const { timezone } = tenant.record;
  const progress = await tenant.primaryReads.one('taxProgress', {});
  const { summed, others } = divideRange(bounds, progress?.until ?? '', timezone);
  const range = { from: bounds[0]!, before: bounds.at(-1)! };
  await tenant.scan(async (scan) => {
    const sums = await readTaxSums(scan, summed, bounds);
    for (const sum of sums) if (!isReadEach(figures, sum)) figures.addSum(sum);
    const add = async (documents: AsyncGenerator<TaxedDocument[]>) => {
      for await (const some of documents) {
        await figures.prepare?.(scan, some);
        for (const document of some) figures.addDocument(document);
        scan.check();
      }
    };
    const currencies = new Set(
      sums.filter((sum) => isReadEach(figures, sum)).map(({ currency }) => currency),
    );
    for (const currency of currencies)
      for (const period of await findDaysWith(scan, summed, { currency }, timezone))
        await add(readTaxed(scan, period, currency));
    for (const period of others) await add(readTaxedInvoices(scan, period));
    await add(readTaxedNotes(scan, range));
  });
}

/** Whether a sum of taxes is replaced by its documents. */
const isReadEach = (figures: TaxFigures, { kind, currency }: ReadTaxSum): boolean =>
  (kind === 'invoice' || kind === 'credit_note') && (figures.readsEach?.(currency) ?? false);

/** Iterates over the invoices of a currency with a tax: the others are counted by the sums of their day. */
async function* readTaxed(scan: Scan, period: Period, currency: string): AsyncGenerator<TaxedDocument[]> {
  for await (const some of readTaxedInvoices(scan, period, { currency }))
    yield some.filter(({ taxes }) => taxes !== null);
}
