/** The VAT ids of buyers, as their documents name them. */
import { northernIrelandCode } from '../../billing/tax/vatPlaces.ts';
import type { DocumentRecord } from '../../documents/record.ts';
import type { Scan } from '../../storage/scan.ts';

/** Few enough to be bound to one statement, and to be in memory. */
const idsAtOnce = 500;

/**
 * Returns the VAT id of a member state, or of Northern Ireland for goods, that a document names as its buyer's; undefined if it
 * names none.
 */
export const findVatId = ({ buyer }: Pick<DocumentRecord, 'buyer'>): string | undefined =>
  (
    buyer.taxIds.find(({ type }) => type === 'eu_vat') ??
    buyer.taxIds.find(({ type, value }) => type === 'gb_vat' && value.startsWith(northernIrelandCode))
  )?.value;

/** Returns the VAT ids of the buyers of documents by the ids of these. Error: `query_timeout`. */
export async function readVatIds(scan: Scan, ids: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (let at = 0; at < ids.length; at += idsAtOnce) {
    for (const { id, record } of await scan.select('documents', {
      where: { id: ids.slice(at, at + idsAtOnce) },
    })) {
      const vatId = findVatId(record as unknown as DocumentRecord);
      if (vatId !== undefined) found.set(id, vatId);
    }
    scan.check();
  }
  return found;
}
