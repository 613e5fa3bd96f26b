/** Converts the tax of documents again by the rates that were kept, and looks for documents whose rate is not known. */
import type { DocumentRecord } from '../../documents/record.ts';
import { convertMinor, listRated } from '../../lib/euroRates.ts';
import { listMissingRates } from '../../billing/invoices/taxConversions.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Queries } from '../../storage/query/queries.ts';
import { TenantReads } from '../../storage/store.ts';
import { readPages } from '../tenantFiles/tableScan.ts';

interface Fault {
  subject: string;
  found: string;
}

/** Examines the converted taxes of a tenant. */
export async function examineTaxConversions(
  queries: Queries,
  tenantAlias: string,
  report: (fault: Fault) => void,
): Promise<void> {
  for await (const page of readPages(queries, 'taxConversions', tenantAlias)) {
    const documents = await queries.select('documents', {
      where: { tenantAlias, id: page.map(({ id }) => id) },
    });
    for (const row of page) {
      const found = examineOne(
        row,
        documents.find(({ id }) => id === row.id),
      );
      if (found !== undefined) report({ subject: row.id, found });
    }
  }
}

function examineOne(row: Row<'taxConversions'>, document: Row<'documents'> | undefined): string | undefined {
  if (!document) return 'has a converted tax, but no document';
  const { currency: to, documentCurrency: from, taxMinor, rates } = row;
  const record = document.record as unknown as DocumentRecord;
  if (record.currency !== from) return `has a tax converted from ${from}, but is in ${record.currency}`;
  if (taxMinor === null) return undefined;
  if (!listRated(from, to).every((currency) => rates && Object.hasOwn(rates, currency)))
    return `has a tax in ${to} without its rates`;
  const expected = convertMinor(BigInt(record.totals.taxMinor), { from, to }, rates!);
  return expected === taxMinor
    ? undefined
    : `has a tax of ${taxMinor} in ${to}, which its rates make ${expected}`;
}

/**
 * Lists the exchange rates that documents of a tenant lack. Those of a tenant that has neither chosen its currency nor stored any rate
 * are told by the console alone: an upgrade must not make each examination fail.
 */
export async function examineMissingRates(
  queries: Queries,
  { alias: tenantAlias, taxCurrency }: Row<'tenants'>,
  report: (fault: Fault) => void,
): Promise<void> {
  const stored = await queries.select('exchangeRates', { where: { tenantAlias }, limit: 1 });
  if (taxCurrency === null && stored.length === 0) return;
  for (const missing of await listMissingRates(new TenantReads(queries, tenantAlias))) {
    const { day, currency, documents } = missing;
    const [from, to] = [currency, missing.taxCurrency].map((code) => code.toUpperCase());
    const found = `has no exchange rate of ${day} for the tax in ${from}, which ${documents} documents lack in ${to}`;
    report({ subject: tenantAlias, found });
  }
}
